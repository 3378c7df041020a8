/** The facts that the generator uses about a function's SQL, compared with that SQL and with DuckDB's plans for it. */
import { expect } from 'chai'
import { allFunctions } from '../../../googlesql/functions/all.js'
import { AGGREGATE_WRITERS, WRITERS } from '../../../googlesql-duckdb/functions/all.js'
import { callsOf, sqlOf } from '../catalogue-calls.js'
import { openSqlSession } from '../sql-session.js'

describe('the facts about the SQL of a function', () => {
  it('name the forms with TRY around their arguments', () => {
    const trying = allFunctions().filter(entry =>
      callsOf(entry).some(({ args, type }) => {
        try {
          return /\bTRY\(/.test(sqlOf(entry, args, type))
        } catch {
          return false
        }
      }),
    )
    const known = [...WRITERS].filter(([, { hasTry }]) => hasTry).map(([name]) => name)
    expect(trying.map(({ name }) => name).sort()).to.deep.equal(known.sort())
  })

  it('name the window functions that DuckDB computes in streaming mode', async () => {
    const session = await openSqlSession([], ['CREATE TABLE t (a0 BIGINT, a1 BIGINT)'])
    const streaming: string[] = []
    for (const entry of allFunctions().filter(({ kind }) => kind === 'window')) {
      for (const { args, type } of callsOf(entry)) {
        const plan = await session.rows(`EXPLAIN SELECT ${sqlOf(entry, args, type)} FROM t`).catch(() => [])
        if (JSON.stringify(plan).includes('STREAMING_WINDOW')) streaming.push(entry.name)
      }
    }
    session.close()
    expect(streaming).to.include.members(['ROW_NUMBER', 'RANK', 'LAG'])
    expect(streaming.filter(name => !AGGREGATE_WRITERS.get(name)!.mayStream)).to.deep.equal([])
  })
})
