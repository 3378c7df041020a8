/**
 * The second of three security layers: DuckDB runs only a SELECT over tables that it was given, without functions that reach
 * beyond their arguments. The first layer is GoogleSQL itself, in which a query cannot name other objects, nor functions of
 * DuckDB; the third is DuckDB's configuration.
 */
import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { BoundedMap } from '../../../model/bounded-map.js'
import { isRecord, recordOf } from '../../../model/is-record.js'

/** The translator never writes such a statement: the cause is a bug of this project, or an attack. */
class ForbiddenStatementError extends Error {
  override readonly name = 'ForbiddenStatementError'
}

/** Resolves if the statement is a single SELECT that reads only these tables. @throws ForbiddenStatementError. */
export type GuardStatement = (connection: DuckDBConnection, sql: string, tables: readonly string[]) => Promise<void>

const MAX_ALLOWED_TEXTS = 1_000
/** The kinds of table expressions that are allowed. `BASE_TABLE` and `TABLE_FUNCTION` are checked further. */
const SOURCES = new Set(['BASE_TABLE', 'TABLE_FUNCTION', 'SUBQUERY', 'JOIN', 'EMPTY', 'EXPRESSION_LIST'])
const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series'])
/** DuckDB functions that read or change more than their arguments, or reveal facts about the process. */
const FORBIDDEN_FUNCTION =
  /^(?:current_(?:setting|query|query_id|connection_id|transaction_id|database|catalog|schemas?|role|user)|session_user|user|version|getenv|getvariable|in_search_path|write_log|nextval|currval|setseed|sleep_ms|txid_current|stats|json_(?:de)?serialize_.*|json_execute_.*|parse_duckdb_log_message|obj_description|col_description|shobj_description|get_block_size|pg_.*|inet_.*|has_.*_privilege|which_secret|enable_.*|duckdb_.*|pragma_.*|read_.*|query|query_table|glob)$/

/** Creates the check. Allowed texts are cached, so each is checked once. */
export function statementGuard(): GuardStatement {
  const allowedHashes = new BoundedMap<string, true>(MAX_ALLOWED_TEXTS)
  return async (connection, sql, tables) => {
    const key = createHash('sha256')
      .update(JSON.stringify([sql, tables]))
      .digest('base64')
    if (allowedHashes.has(key)) return
    await guardStatement(connection, sql, tables)
    allowedHashes.set(key, true)
  }
}

async function guardStatement(connection: DuckDBConnection, sql: string, tables: readonly string[]): Promise<void> {
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const tree = recordOf(JSON.parse(String(result.getRows()[0]![0])))
  if (tree['error_type'] === 'parser') {
    throw new ForbiddenStatementError(`The statement cannot be parsed: ${tree['error_message']}`)
  }
  const { statements } = tree
  if (!Array.isArray(statements) || statements.length !== 1) {
    throw new ForbiddenStatementError('The statement is not a single SELECT')
  }
  checkTree(statements, new Set(tables.map(name => name.toLowerCase())))
}

type Node = Readonly<Record<string, unknown>>

/**
 * `names` are the tables, and the common tables in scope. DuckDB looks for a name that is out of scope in the catalogue, which
 * has tables of its own, such as `sqlite_master`. @throws ForbiddenStatementError.
 */
function checkTree(value: unknown, names: ReadonlySet<string>): void {
  if (Array.isArray(value)) for (const item of value) checkTree(item, names)
  if (!isRecord(value)) return
  const reason = whyForbidden(value, names)
  if (reason !== null) throw new ForbiddenStatementError(reason)
  // The value of a constant is data.
  if (value['class'] === 'CONSTANT') return
  const { cte_map: withClause, right, ...others } = value
  const { map } = recordOf(withClause)
  let scope = names
  for (const entry of Array.isArray(map) ? map : [withClause]) {
    // In its own definition and in earlier ones, the name of a common table means a table of the catalogue.
    checkTree(entry, scope)
    if (isRecord(entry)) scope = addName(scope, entry['key'])
  }
  checkTree(Object.values(others), scope)
  // A recursive common table may be read in the second part of its definition.
  checkTree(right, value['type'] === 'RECURSIVE_CTE_NODE' ? addName(scope, value['cte_name']) : scope)
}

const addName = (names: ReadonlySet<string>, name: unknown): ReadonlySet<string> =>
  new Set([...names, String(name).toLowerCase()])

function whyForbidden(node: Node, names: ReadonlySet<string>): string | null {
  // Only table expressions have both members.
  if ('alias' in node && 'sample' in node) return whySourceForbidden(node, names)
  const name = node['class'] === 'FUNCTION' ? String(node['function_name']).toLowerCase() : ''
  return FORBIDDEN_FUNCTION.test(name) ? `The statement calls ${name}` : null
}

function whySourceForbidden(node: Node, names: ReadonlySet<string>): string | null {
  if (!SOURCES.has(String(node['type']))) return `The statement reads from a ${node['type']}`
  if (node['type'] === 'TABLE_FUNCTION') {
    const name = String(recordOf(node['function'])['function_name']).toLowerCase()
    return TABLE_FUNCTIONS.has(name) ? null : `The statement calls the table function ${name}`
  }
  if (node['type'] !== 'BASE_TABLE') return null
  const isQualified = node['schema_name'] !== '' || node['catalog_name'] !== ''
  const name = String(node['table_name']).toLowerCase()
  return isQualified || !names.has(name) ? `The statement reads ${name}` : null
}
