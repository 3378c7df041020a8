/** DuckDB can plan every call, in every place and with columns of either query as arguments. */
import { expect } from 'chai'
import { GenerateError } from '../../googlesql-duckdb/emit/context.js'
import { quoteName } from '../../googlesql-duckdb/emit/quote.js'
import { duckdbType } from '../../googlesql-duckdb/emit/type.js'
import { generate } from '../../googlesql-duckdb/generate.js'
import { failureOf } from '../../runner/engines/duckdb/child/failure.js'
import { type PlacedCall, placedCalls } from './placed-calls.js'
import { openSqlSession } from './sql-session.js'

/** The number of places that each call is tried in; TURNS=32 tries each call in all of them. */
const TURNS = Number(process.env['TURNS'] ?? 2)

describe(`calls over columns of two queries (TURNS=${TURNS})`, () => {
  it('are planned, or refused by name', async function () {
    this.timeout(0)
    const { tables, queries } = placedCalls()
    const columns = tables[0]!.columns.map(({ name, type }) => `${quoteName(name)} ${duckdbType(type)}`).join(', ')
    const session = await openSqlSession(
      tables,
      tables.map(({ name }) => `CREATE TABLE ${name} (${columns})`),
    )
    const found: string[] = []
    let planned = 0
    for (const query of queries(TURNS)) {
      const sql = written(query)
      if (sql === null) continue
      planned++
      await session.connection.prepare(sql).then(
        statement => statement.destroySync(),
        (error: Error) => {
          if (failureOf(error).kind === 'engine') found.push(`${query.name}: ${error.message}\n${sql}`)
        },
      )
    }
    session.close()
    expect(found).to.deep.equal([])
    expect(planned).to.be.greaterThan(700 * TURNS)
  })
})

/** The generated SQL; null where the engine refuses the query. */
function written({ query }: PlacedCall): string | null {
  try {
    return generate(query).sql
  } catch (error) {
    if (error instanceof GenerateError) return null
    throw error
  }
}
