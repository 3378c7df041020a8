/** The BigQuery engine, connected to the fake, with a clock that runs fast. */
import { BigQueryEngine } from '../../../runner/engines/bigquery/open-engine.js'
import type { Event } from '../../../runner/model/events.js'
import type { Clock, RunOptions } from '../../../runner/model/ports.js'
import type { BoundValue, ResultSet } from '../../../runner/model/query.js'
import { type FakeBigQuery, openFakeBigQuery } from './fake-bigquery.js'
import { PLAIN_OPTIONS } from './plain-options.js'

export type EngineOptions = ConstructorParameters<typeof BigQueryEngine>[0]

export interface TestEngine {
  readonly fake: FakeBigQuery
  readonly engine: BigQueryEngine
  readonly events: readonly Event[]
  /** Runs the query; options that are not given have defaults. */
  readonly run: (
    sql: string,
    options?: Partial<RunOptions>,
    parameters?: Readonly<Record<string, BoundValue>>,
  ) => Promise<ResultSet>
  /** Resolves shortly after the last running job has ended, at the latest after `withinMs`. */
  readonly settled: (withinMs?: number) => Promise<void>
  readonly close: () => Promise<void>
}

const BEAT_MS = 5
/** More than this between two beats means that the process was kept from running. */
const LONGEST_BEAT_MS = 8

let ranMs = 0
let beatAt = 0

/** How long this process has been able to run: on a busy machine that is less than what has passed. */
function runningMs(): number {
  if (beatAt === 0) {
    setInterval(beat, BEAT_MS).unref()
    beatAt = performance.now()
  }
  beat()
  return ranMs
}

function beat(): void {
  const now = performance.now()
  ranMs += Math.min(now - beatAt, LONGEST_BEAT_MS)
  beatAt = now
}

/**
 * A clock that goes `speed` times as fast as the machine's, and stands still while this process cannot run: engine and fake
 * are both in it, so that no deadline of theirs passes because the machine is busy.
 */
export function fastClock(speed: number): Clock {
  const ticksMs = (): number => runningMs() * speed
  return {
    nowMs: () => Math.floor(ticksMs()),
    nowMicros: () => BigInt(Math.floor(ticksMs() * 1000)),
    ticksMs,
    after(ms, callback) {
      const due = ticksMs() + ms
      const wait = (leftMs: number): NodeJS.Timeout =>
        setTimeout(() => {
          const left = due - ticksMs()
          if (left > 0.5) timer = wait(left)
          else callback()
        }, leftMs / speed)
      let timer = wait(ms)
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
  let started = 0
  const engine = new BigQueryEngine({
    access: { baseUrl: fake.url, project: 'p', credentials: async () => ({}), ...access },
    ...PLAIN_OPTIONS,
    maxResultBytes: 1_000_000,
    clock,
    observe: event => void events.push(event),
    random: () => 1, // the shortest pauses
    newJobId: () => `job_${++started}`,
    closeWithinMs: 60_000, // of the machine's own time, which a busy machine needs to cancel what still runs
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
          timestamps: 'iso8601',
          endpoint: 'e',
          timeoutMs: 60_000,
          signal: new AbortController().signal,
          ...runOptions,
        },
      ),
    async settled(withinMs = 60_000) {
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
