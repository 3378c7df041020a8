/** Prepares an instance of DuckDB for the SQL that the generator writes. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { MAX_LATE_ROWS } from '../late-columns.js'
import { type RunJavaScript, registerJavaScript } from './javascript/register.js'
import { keepByteOrderMark } from './keep-byte-order-mark.js'
import { MACROS } from './macros/all.js'
import type { Macro } from './macros/macro.js'
import { type OnComputed, registerScalarFunction } from './register.js'
import { SCALAR_FUNCTIONS } from './scalar-functions/all.js'
import { ScalarFunctionError } from './scalar-functions/scalar-function.js'

/**
 * The most rows of a loaded table that DuckDB looks up one by one. If it needs more rows, it reads all rows from the first to the last of
 * them.
 */
const MAX_LOOKUP_ROWS = 128

/** Does what `prepareInstance` does, and creates the macros, for an instance whose current database does not have them. */
export async function prepareSession(
  connection: DuckDBConnection,
  runJavaScript?: RunJavaScript,
  onComputed?: OnComputed,
): Promise<void> {
  await prepareInstance(connection, runJavaScript, onComputed)
  await createMacros(connection)
}

/**
 * Sets the time zone to UTC, allows ORDER BY of constants, makes DuckDB read wide columns last, and registers the scalar
 * functions. Call it once per instance, while the current database is writable. Without `runJavaScript`, queries that call
 * functions in JavaScript fail. Without `onComputed`, a function may compute for any time.
 */
export async function prepareInstance(
  connection: DuckDBConnection,
  runJavaScript: RunJavaScript = refuseJavaScript,
  onComputed?: OnComputed,
): Promise<void> {
  keepByteOrderMark()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  // `SELECT DISTINCT 1 AS x … ORDER BY x` is written as ORDER BY of a constant.
  await connection.run('SET GLOBAL order_by_non_integer_literal = true')
  // By default, DuckDB uses late materialization up to a limit of 50 rows, and few endpoints have such a low limit.
  await connection.run(`SET GLOBAL late_materialization_max_rows = ${MAX_LATE_ROWS}`)
  await connection.run(`SET GLOBAL dynamic_or_filter_threshold = ${MAX_LOOKUP_ROWS}`)
  for (const native of SCALAR_FUNCTIONS) registerScalarFunction(connection, native, onComputed)
  registerJavaScript(connection, runJavaScript)
}

const refuseJavaScript = (): never => {
  throw new ScalarFunctionError('JavaScript functions are not run here')
}

/** Creates the macros in the current database, after the scalar functions that they call. */
async function createMacros(connection: DuckDBConnection): Promise<void> {
  const statements = inOrderOfUse(MACROS).map(({ definition }) => `CREATE OR REPLACE MACRO ${definition};`)
  // DuckDB writes a single transaction to disk once. The optimizer is off, since optimizing the bodies of macros has no use.
  await connection.run(
    ['PRAGMA disable_optimizer;', 'BEGIN;', ...statements, 'COMMIT;', 'PRAGMA enable_optimizer;'].join('\n'),
  )
}

/**
 * Orders the macros so that each comes after those that it calls: DuckDB binds the body of a macro when the macro is created.
 */
export function inOrderOfUse(macros: readonly Macro[]): readonly Macro[] {
  const byName = new Map(macros.map(macro => [macro.name, macro]))
  const ordered = new Set<Macro>()
  const visited = new Set<Macro>()
  const visit = (macro: Macro | undefined): void => {
    if (!macro || visited.has(macro)) return
    visited.add(macro)
    for (const [callee] of macro.body.matchAll(/\bbq_\w+/g)) visit(byName.get(callee))
    ordered.add(macro)
  }
  macros.forEach(visit)
  return [...ordered]
}
