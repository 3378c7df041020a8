/** Chooses the parts of a table (shards, partitions) that meet the conditions of a query. */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import type { ShardCondition } from '../../../../googlesql-duckdb/names-and-types.js'
import type { WireParameter } from '../process/messages.js'
import { withStatement } from '../values/bind-parameters.js'

export interface Parts<T> {
  readonly all: readonly T[]
  /** The value in the first column of a part's row. */
  readonly keyOf: (part: T) => unknown
  /** SQL that returns a row for each of these parts; a condition follows it as WHERE. */
  readonly rowsOf: (parts: readonly T[]) => string
}

export interface ChooseDeps {
  readonly connection: DuckDBConnection
  readonly parameters: readonly WireParameter[]
  /** Throws if the translator could not have written this SQL. */
  readonly guard: (sql: string) => Promise<void>
  /** Runs the evaluation of a condition. It may take long, so it is interrupted when the query is cancelled. */
  readonly evaluate: <T>(work: () => Promise<T>) => Promise<T>
}

/** The parts that meet all conditions. A condition that fails excludes no parts: the query evaluates it again. */
export async function chooseParts<T>(
  { all, keyOf, rowsOf }: Parts<T>,
  conditions: readonly ShardCondition[],
  { connection, parameters, guard, evaluate }: ChooseDeps,
): Promise<readonly T[]> {
  let chosen = all
  for (const { sql, parameters: indexes } of conditions) {
    if (chosen.length === 0) break
    const text = `${rowsOf(chosen)} WHERE ${sql}`
    await guard(text)
    const values = indexes.map(index => parameters[index]!)
    const readKeys = async (statement: DuckDBPreparedStatement): Promise<ReadonlySet<unknown>> =>
      new Set((await statement.runAndReadAll()).getRows().map(([key]) => key))
    const keptKeys = await evaluate(() => withStatement(connection, text, values, readKeys).catch(() => null))
    if (keptKeys) chosen = chosen.filter(part => keptKeys.has(keyOf(part)))
  }
  return chosen
}
