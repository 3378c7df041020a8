/** The catalogue states the volatility of each function; this test compares it with the SQL generated for the function. */
import { expect } from 'chai'
import { allFunctions } from '../../../googlesql/functions/all.js'
import type { Volatility } from '../../../googlesql/functions/catalogue.js'
import { SqlWriterError } from '../../../googlesql-duckdb/functions/function-sql.js'
import { callsOf, MACRO_BODIES, sqlOf } from '../catalogue-calls.js'
import { openSqlSession } from '../sql-session.js'

/** The volatility for each of DuckDB's names for the stability of its own functions. */
const STABILITY: Readonly<Record<string, Volatility>> = {
  CONSISTENT: 'immutable',
  CONSISTENT_WITHIN_QUERY: 'stable',
  VOLATILE: 'volatile',
}
const BY_STRENGTH: readonly Volatility[] = ['immutable', 'stable', 'volatile']

describe('the volatility of a function', () => {
  it('is that of the DuckDB functions in its SQL', async () => {
    const session = await openSqlSession()
    const rows = await session.rows(
      'SELECT function_name, stability FROM duckdb_functions() WHERE stability IS NOT NULL',
    )
    session.close()
    const known = new Map(rows.map(([name, stability]) => [String(name), STABILITY[String(stability)]!]))
    const strengthOf = (name: string): number => BY_STRENGTH.indexOf(known.get(name) ?? 'immutable')
    const wrong = allFunctions().flatMap(entry => {
      const called = callsOf(entry).flatMap(({ args, type }) => functionsIn(writtenSql(entry, args, type)))
      const strongest = BY_STRENGTH[Math.max(0, ...called.map(strengthOf))]
      return strongest === entry.volatility ? [] : [`${entry.name} is ${strongest}, not ${entry.volatility}`]
    })
    expect(wrong).to.deep.equal([])
  })
})

/** As `sqlOf`, but '' for calls that the engine refuses. */
const writtenSql: typeof sqlOf = (...call) => {
  try {
    return sqlOf(...call)
  } catch (error) {
    if (error instanceof SqlWriterError) return ''
    throw error
  }
}

/** The names of the functions that the SQL calls, including those in the bodies of its macros. */
function functionsIn(sql: string, seen = new Set<string>()): readonly string[] {
  const code = sql.replaceAll("''", '').replace(/'[^']*'/g, "''")
  for (const [, name] of code.matchAll(/\b([a-z_]\w*)\(/g)) {
    if (seen.has(name!)) continue
    seen.add(name!)
    functionsIn(MACRO_BODIES.get(name!) ?? '', seen)
  }
  return [...seen]
}
