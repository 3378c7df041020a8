/** The BigQuery engine in front of the fake, with a clock that goes fast. */
import { type BigQueryEngine, openBigQueryEngine } from '../../../runner/engines/bigquery/open-engine.js'
import type { Event } from '../../../runner/model/events.js'
import type { Clock, RunOptions } from '../../../runner/model/ports.js'
import type { BoundValue, ResultSet } from '../../../runner/model/query.js'
import { type FakeBigQuery, openFakeBigQuery } from './fake-bigquery.js'
import { PLAIN_OPTIONS } from './plain-options.js'

export type EngineOptions = Parameters<typeof openBigQueryEngine>[0]

export interface TestEngine {
  readonly fake: FakeBigQuery
  readonly engine: BigQueryEngine
  readonly events: readonly Event[]
  /** Runs it with defaults for all that is not given. */
  readonly run: (
    sql: string,
    options?: Partial<RunOptions>,
    parameters?: Readonly<Record<string, BoundValue>>,
  ) => Promise<ResultSet>
  /** Resolves soon after no job runs any more; after `withinMs` it gives up. */
  readonly settled: (withinMs?: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** A clock that goes `speed` times as fast as the machine's. */
export function fastClock(speed: number): Clock {
  const ticksMs = (): number => performance.now() * speed
  return {
    nowMs: () => Math.floor(ticksMs()),
    nowMicros: () => BigInt(Math.floor(ticksMs() * 1000)),
    ticksMs,
    after(ms, callback) {
      const timer = setTimeout(callback, ms / speed)
      return () => clearTimeout(timer)
    },
  }
}

export type TestEngineOptions = Omit<Partial<EngineOptions>, 'access'> & {
  readonly access?: Partial<EngineOptions['access']>
}

export async function openTestEngine(given: TestEngineOptions = {}, speed = 20): Promise<TestEngine> {
  const { access, ...options } = given
  const clock = options.clock ?? fastClock(speed)
  const fake = await openFakeBigQuery(clock.nowMs)
  const events: Event[] = []
  const engine = openBigQueryEngine({
    access: { baseUrl: fake.url, project: 'p', credentials: async () => ({}), ...access },
    ...PLAIN_OPTIONS,
    maxResultBytes: 1_000_000,
    clock,
    observe: event => void events.push(event),
    random: () => 1, // the shortest pauses
    closeWithinMs: 300,
    ...options,
  })
  return {
    fake,
    engine,
    events,
    run: (sql, runOptions = {}, parameters = {}) =>
      engine.run(
        { sql, parameters },
        {
          maxRows: 1_000,
          format: 'json',
          timestamps: 'iso8601',
          endpoint: 'e',
          timeoutMs: 60_000,
          signal: new AbortController().signal,
          ...runOptions,
        },
      ),
    async settled(withinMs = 3_000) {
      const until = performance.now() + withinMs
      do await new Promise(resolve => setTimeout(resolve, 5))
      while (fake.jobs.running().length > 0 && performance.now() < until)
    },
    async close() {
      await engine.close()
      await fake.close()
    },
  }
}
