/** Chooses the parts of a table (shards, partitions) that the conditions of a query leave. */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import type { ShardCondition } from '../../../../googlesql-duckdb/data.js'
import type { WireParameter } from '../process/messages.js'
import { bindParameters } from '../values/bind-parameters.js'

/** Runs the evaluation of a condition, which may take long and is interrupted with the query. */
export type Evaluate = <T>(work: () => Promise<T>) => Promise<T>

export const uninterrupted: Evaluate = work => work()

/** Throws where the SQL is not what the translator could have written. */
export type Guard = (connection: DuckDBConnection, sql: string) => Promise<void>

export interface Parts<T> {
  readonly all: readonly T[]
  /** What the first column of a part's row holds. */
  readonly keyOf: (part: T) => unknown
  /** SQL that returns a row for each of these parts; a condition follows it as WHERE. */
  readonly rowsOf: (parts: readonly T[]) => string
}

export interface ChooseDeps {
  readonly connection: DuckDBConnection
  readonly parameters: readonly WireParameter[]
  readonly guard: Guard
  readonly evaluate: Evaluate
}

/** The parts that meet all conditions. A condition that fails excludes none: the query itself decides. */
export async function chooseParts<T>(
  { all, keyOf, rowsOf }: Parts<T>,
  conditions: readonly ShardCondition[],
  { connection, parameters, guard, evaluate }: ChooseDeps,
): Promise<readonly T[]> {
  let chosen = all
  for (const { sql, parameters: indexes } of conditions) {
    if (chosen.length === 0) break
    const text = `${rowsOf(chosen)} WHERE ${sql}`
    await guard(connection, text)
    const values = indexes.map(index => parameters[index]!)
    const kept = await evaluate(() => keysOf(connection, text, values))
    // A condition that fails is evaluated by the query again, which reports the error where it counts.
    if (kept) chosen = chosen.filter(part => kept.has(keyOf(part)))
  }
  return chosen
}

/** Null where the condition fails. */
async function keysOf(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly WireParameter[],
): Promise<ReadonlySet<unknown> | null> {
  let prepared: DuckDBPreparedStatement | null = null
  try {
    prepared = await connection.prepare(sql)
    bindParameters(prepared, parameters)
    return new Set((await prepared.runAndReadAll()).getRows().map(([key]) => key))
  } catch {
    return null
  } finally {
    prepared?.destroySync()
  }
}
