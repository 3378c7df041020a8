/** BigQuery SQL to DuckDB SQL. */

import { resolveQuery, SqlError, type TableCatalogue } from '../googlesql/index.js'
import type { OutputColumn } from '../googlesql/plan/nodes.js'
import type { Type } from '../googlesql/types/types.js'
import type { ParameterTime } from './analysis/parameter-times.js'
import { GenerateError } from './emit/context.js'
import { type GenerateOptions, generate } from './generate.js'

export interface TranslatedQuery {
  readonly sql: string
  /** What the query gives, in order, as its author named it. */
  readonly columns: readonly OutputColumn[]
  /** The parameters that $1, $2, … stand for, in that order; those that the SQL does not need are left out. */
  readonly parameters: readonly string[]
  /** Those of them that are computed from another; none unless asked for. */
  readonly times: readonly ParameterTime[]
  /** The tables that it reads; one that is only named, in a common table expression that nothing uses, is not among them. */
  readonly tables: readonly string[]
  /** Another way to the same rows, which may be faster over large files, and may fail where `sql` does not. */
  readonly quickSql: string | null
}

/** @throws SqlError in BigQuery's words for a mistake, and for what the embedded engine does not support. */
export function translate(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  options?: GenerateOptions,
): TranslatedQuery {
  const query = resolveQuery(source, tables, parameterTypes)
  try {
    return { ...generate(query, options), columns: query.columns }
  } catch (error) {
    if (error instanceof GenerateError) throw new SqlError(error.message, source, error.at ?? 0)
    throw error
  }
}
