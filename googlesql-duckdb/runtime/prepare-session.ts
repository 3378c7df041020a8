/** Prepares a DuckDB connection for the SQL that emit/ writes. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { MAX_LATE_ROWS } from '../late-columns.js'
import { keepByteOrderMark } from './keep-byte-order-mark.js'
import { MACROS } from './macros/all.js'
import { registerScalarFunction } from './register.js'
import { SCALAR_FUNCTIONS } from './scalar-functions/all.js'

/** Rows of a loaded table that are sought one by one, where more are sought between the first and the last of them. */
const MAX_SOUGHT_ROWS = 128

/**
 * Sets the time zone to UTC, lets constants be ordered by, has the widest columns read last, and creates the functions.
 * Macros go into the connection's current database and the scalar functions into the instance, so call it once per
 * instance, while its memory database is the current one.
 */
export async function prepareSession(connection: DuckDBConnection): Promise<void> {
  keepByteOrderMark()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  // DISTINCT makes keys of constants, and an ORDER BY of one is an order of them.
  await connection.run('SET GLOBAL order_by_non_integer_literal = true')
  // By default DuckDB does so for 50 rows, and few endpoints have so low a limit.
  await connection.run(`SET GLOBAL late_materialization_max_rows = ${MAX_LATE_ROWS}`)
  await connection.run(`SET GLOBAL dynamic_or_filter_threshold = ${MAX_SOUGHT_ROWS}`)
  for (const native of SCALAR_FUNCTIONS) registerScalarFunction(connection, native)
  const statements = inOrderOfUse(MACROS).map(macro => `CREATE OR REPLACE MACRO ${macro};`)
  // One transaction is written to the disk once.
  await connection.run(['BEGIN;', ...statements, 'COMMIT;'].join('\n'))
}

/** DuckDB binds a macro's body when it is created, so those that it calls must be there already. */
export function inOrderOfUse(macros: readonly string[]): string[] {
  const byName = new Map(macros.map(macro => [nameOf(macro), macro]))
  const ordered = new Set<string>()
  const visited = new Set<string>()
  const visit = (name: string): void => {
    if (visited.has(name)) return
    visited.add(name)
    const macro = byName.get(name)!
    for (const [used] of macro.matchAll(/\bbq_\w+/g)) if (byName.has(used)) visit(used)
    ordered.add(macro)
  }
  for (const name of byName.keys()) visit(name)
  return [...ordered]
}

const nameOf = (macro: string): string => macro.slice(0, macro.indexOf('('))
