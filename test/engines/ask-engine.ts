/** Asks an engine, for tests that care for the rows alone. */
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'

/** A result of few rows, as lists; a quarter of a minute is more than any needs. */
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

/** The rows as JSON has them. */
export async function rowsFrom(
  engine: Pick<Engine, 'run'>,
  sql: string,
  parameters: Query['parameters'] = {},
): Promise<unknown[][]> {
  const { body } = await engine.run({ sql, parameters }, runOptions())
  return JSON.parse(Buffer.from(body).toString())
}
