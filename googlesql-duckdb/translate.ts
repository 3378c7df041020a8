/** Translates BigQuery SQL to DuckDB SQL. */

import { type ConstantChecks, constantChecks, resolveQuery, SqlError, type TableCatalogue } from '../googlesql/index.js'
import type { OutputColumn } from '../googlesql/plan/nodes.js'
import type { Type } from '../googlesql/types/types.js'
import { GenerateError } from './emit/context.js'
import { type GeneratedSql, type GenerateOptions, generate } from './generate.js'

export interface TranslatedQuery extends GeneratedSql {
  /** The columns of the result in order, with the names that the author gave them. */
  readonly columns: readonly Omit<OutputColumn, 'column'>[]
  /** Present only where `tellsConstants` is set. */
  readonly constants?: ConstantChecks
}

/** @throws SqlError in BigQuery's words for a mistake, and for a construct that the embedded engine does not support. */
export function translate(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  options: GenerateOptions = {},
): TranslatedQuery {
  const query = resolveQuery(source, tables, parameterTypes)
  try {
    // `column` is left out, since it would keep the resolved query in memory.
    const columns = query.columns.map(({ column: _, ...rest }) => rest)
    const constants = options.tellsConstants && { constants: constantChecks(query) }
    return { ...generate(query, options), columns, ...constants }
  } catch (error) {
    if (error instanceof GenerateError) throw new SqlError(error.message, source, error.at ?? 0)
    throw error
  }
}
