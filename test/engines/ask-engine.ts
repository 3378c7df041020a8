/** Runs a query on an engine, for tests that need only its rows. */

import { toTable } from '../../runner/formats/table.js'
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { Query, ResultSet } from '../../runner/model/query.js'

/** Options for a result of few rows; the timeout of 15 seconds is more than any test needs. */
export function runOptions(more: Partial<RunOptions> = {}): RunOptions {
  return {
    maxRows: 1_000,
    timestamps: 'iso8601',
    endpoint: 'test',
    timeoutMs: 200_000,
    signal: new AbortController().signal,
    ...more,
  }
}

/** The rows of a result, each as an array in column order, also where columns have the same name. */
export function rowsOf({ columns, body }: Pick<ResultSet, 'columns' | 'body'>): unknown[][] {
  const facts = { endpoint: 'test', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
  return JSON.parse(Buffer.from(toTable(columns, body, facts)).toString()).rows
}

/** The rows of a query. */
export async function rowsFrom(
  engine: Pick<Engine, 'run'>,
  sql: string,
  parameters: Query['parameters'] = {},
): Promise<unknown[][]> {
  return rowsOf(await engine.run({ sql, parameters }, runOptions()))
}
