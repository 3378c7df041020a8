/** Translates BigQuery SQL to DuckDB SQL. */

import { type ConstantChecks, constantChecks, resolveQuery, SqlError, type TableCatalogue } from '../googlesql/index.js'
import type { OutputColumn } from '../googlesql/plan/nodes.js'
import type { Type } from '../googlesql/types/types.js'
import type { ParameterTime } from './analysis/parameter-times.js'
import type { FalliblePlaces } from './analysis/tolerate.js'
import { GenerateError } from './emit/context.js'
import type { PartitionRead, ShardRead } from './emit/shard-views.js'
import { type GenerateOptions, generate } from './generate.js'

export interface TranslatedQuery {
  readonly sql: string
  /** The columns of the result in order, with the names that the author gave them. */
  readonly columns: readonly Omit<OutputColumn, 'column'>[]
  /** The names of the parameters $1, $2, … in this order; parameters that the SQL does not read are left out. */
  readonly parameters: readonly string[]
  /** The parameters that must be computed from others; empty unless `bindsTimes` is set. */
  readonly times: readonly ParameterTime[]
  /** The tables that the SQL reads; a table that occurs only in a common table expression that is not read is left out. */
  readonly tables: readonly string[]
  /** Whether the SQL runs JavaScript: the session must load its sandbox before it runs the SQL. */
  readonly runsJavaScript: boolean
  /** Where the SQL reads wildcard tables. The SQL needs a view for each of these reads. */
  readonly shardReads: readonly ShardRead[]
  /** Where `sql` reads partitioned tables; absent unless `tellsPartitions` is set. */
  readonly partitionReads?: readonly PartitionRead[]
  /** Where the query may fail; absent unless `tolerated` is set. */
  readonly fallible?: FalliblePlaces
  /** Absent unless `tellsConstants` is set. */
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
    // Without `column`, which keeps the resolved query in memory.
    const columns = query.columns.map(({ column: _, ...rest }) => rest)
    const constants = options.tellsConstants && { constants: constantChecks(query) }
    return { ...generate(query, options), columns, ...constants }
  } catch (error) {
    if (error instanceof GenerateError) throw new SqlError(error.message, source, error.at ?? 0)
    throw error
  }
}
