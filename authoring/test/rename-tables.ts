/** Replaces the names of tables in a query, at the places where the resolver found them. */
import {
  isWildcard,
  type ResolvedQuery,
  resolveQuery,
  type TableCatalogue,
  type TableReference,
} from '../../googlesql/index.js'
import { RunnerError } from '../../runner/model/errors.js'
import { readTypes, typesOf } from '../../runner/model/parameter-types.js'
import type { Query } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'

/**
 * The places that name tables, in order.
 * @throws SqlError where the query is not valid over these tables; RunnerError where a function that it calls reads a table.
 */
export function tableReferences({ sql, parameters }: Query, tables: TableCatalogue): readonly TableReference[] {
  const { tableReferences: references, tables: tablesRead } = resolveQuery(sql, tables, typesOf(parameters))
  const functionTable = tablesRead.find(name => !references.some(({ table }) => table === name))
  if (functionTable !== undefined) {
    const reason = `a function reads ${functionTable}, whose rows a test cannot replace in the warehouse`
    throw new RunnerError('QUERY_FAILED', { cause: new QueryFault(reason) })
  }
  return [...references].sort((a, b) => a.at - b.at)
}

/** The columns of a query whose parameters have these types. @throws SqlError */
export const queryColumns = (
  sql: string,
  types: Readonly<Record<string, string>>,
  tables: TableCatalogue,
): ResolvedQuery['columns'] => resolveQuery(sql, tables, readTypes(types)).columns

export type RenamedSql = ReturnType<typeof renameTables>

/**
 * Replaces each reference by the name that `nameOf` gives its table, `project.dataset.table`. A table without an alias keeps the
 * name by which the query knows it.
 */
export function renameTables(sql: string, references: readonly TableReference[], nameOf: (table: string) => string) {
  let newSql = ''
  let from = 0
  const names: { readonly begin: number; readonly end: number; readonly at: number; readonly from: number }[] = []
  for (const { table, at, end, impliedAlias } of references) {
    // A wildcard table has no name of one word by which a query could qualify a column.
    const alias = impliedAlias === null || isWildcard(table) ? '' : ` AS \`${impliedAlias}\``
    newSql += sql.slice(from, at)
    const begin = newSql.length
    newSql += `\`${nameOf(table)}\`${alias}`
    from = end
    names.push({ begin, end: newSql.length, at, from })
  }
  /** Maps an offset in the new SQL to the original text; an offset within a new name becomes the beginning of the old name. */
  const originalOffset = (offset: number): number => {
    const last = names.findLast(({ begin }) => begin <= offset)
    if (!last) return offset
    return offset < last.end ? last.at : offset - last.end + last.from
  }
  return { sql: newSql + sql.slice(from), originalOffset }
}
