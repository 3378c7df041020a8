/** The resolver: SQL text becomes a resolved query, or an SqlError that says what is wrong, in BigQuery's words, and where. */
import { parseQuery } from './parse.js'
import type { Resolution } from './resolution.js'
import { resolveExpression } from './resolve-expression.js'
import { resolveQueryNode } from './resolve-query.js'
import type { OutputColumn, ResolvedQuery } from './resolved.js'
import { SqlError } from './sql-error.js'
import type { TableCatalogue } from './tables.js'
import type { Type } from './types.js'

/**
 * @param parameterTypes the types of the query's named parameters; names are matched without regard to case
 * @throws SqlError for anything that is not a valid query over these tables and parameters
 */
export function resolveQuery(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
): ResolvedQuery {
  let columns = 0
  let ctes = 0
  const resolution: Resolution = {
    source,
    tables,
    parameterTypes: new Map(Object.entries(parameterTypes).map(([name, type]) => [name.toLowerCase(), type])),
    usedParameters: new Map(),
    usedTables: new Set(),
    newColumn: (name, type) => ({ id: ++columns, name, type }),
    newCte: () => ++ctes,
    fail: (reason, at) => {
      throw new SqlError(reason, source, at)
    },
    expression: (node, env) => resolveExpression(node, env, resolution),
    query: (node, env) => resolveQueryNode(node, env, resolution),
  }
  const node = parseQuery(source)
  const result = resolution.query(node, { outer: null, ctes: new Map() })
  return {
    scan: result.scan,
    columns: nameOutputs(result.columns, node.at, source),
    parameters: [...resolution.usedParameters.values()],
    tables: [...resolution.usedTables],
  }
}

/** Columns without a name are f0_, f1_, …; two of one name are an error in BigQuery. */
function nameOutputs(
  columns: readonly { readonly name: string; readonly column: OutputColumn['column'] }[],
  at: number,
  source: string,
): readonly OutputColumn[] {
  const taken = new Set<string>()
  const duplicates = new Set<string>()
  for (const { name } of columns) {
    if (name === '') continue
    if (taken.has(name.toLowerCase())) duplicates.add(name)
    taken.add(name.toLowerCase())
  }
  if (duplicates.size > 0) {
    throw new SqlError(
      `Duplicate column names in the result are not supported. Found duplicate(s): ${[...duplicates].join(', ')}`,
      source,
      at,
    )
  }
  let anonymous = 0
  return columns.map(({ name, column }) => {
    let shown = name
    while (shown === '') {
      const candidate = `f${anonymous++}_`
      if (!taken.has(candidate)) shown = candidate
    }
    return { name: shown, type: column.type, column }
  })
}
