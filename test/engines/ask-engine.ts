/** Runs a query on an engine, for tests that need only its rows. */
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'

/** Options for a result of few rows, as arrays; the timeout of 15 seconds is more than any test needs. */
export function runOptions(more: Partial<RunOptions> = {}): RunOptions {
  return {
    maxRows: 1_000,
    format: 'arrays',
    timestamps: 'iso8601',
    endpoint: 'test',
    timeoutMs: 200_000,
    signal: new AbortController().signal,
    ...more,
  }
}

/** The rows, parsed from JSON. */
export async function rowsFrom(
  engine: Pick<Engine, 'run'>,
  sql: string,
  parameters: Query['parameters'] = {},
): Promise<unknown[][]> {
  const { body } = await engine.run({ sql, parameters }, runOptions())
  return JSON.parse(Buffer.from(body).toString())
}
