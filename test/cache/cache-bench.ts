/** A result cache whose engine answers when the test calls `finish`. */
import type { CacheAnswer, CacheRequest } from '../../runner/cache/request.js'
import { ResultCache } from '../../runner/cache/result-cache.js'
import { MemoryStore } from '../../runner/cache/stores/memory.js'
import type { CachePolicy } from '../../runner/model/endpoint.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import type { ResultStore } from '../../runner/model/ports.js'
import type { TimedResult } from '../../runner/model/query.js'
import type { SharedRun, Waiters } from '../../runner/model/waiters.js'
import { type ManualClock, manualClock, settle } from './manual-clock.js'

export const TTL_MS = 900_000
export const WARM_MS = 300_000
export const POLICY: CachePolicy = {
  ttlMs: TTL_MS,
  warmMs: null,
  staleIfErrorMs: 0,
  staleWhileRevalidateMs: 0,
  untilDataChanges: false,
  settledMs: null,
}
export const policyWith = (changes: Partial<CachePolicy>): CachePolicy => ({ ...POLICY, ...changes })

export interface Bench {
  readonly cache: ResultCache
  readonly clock: ManualClock
  readonly events: readonly Event[]
  readonly runs: () => number
  readonly signals: readonly AbortSignal[]
  /** Those of each run. */
  readonly waiters: readonly Waiters[]
  /** Answers the waiting runs, in order. */
  finish(outcome?: Error): Promise<void>
  ask(options?: Partial<CacheRequest> & { signal?: AbortSignal }): Promise<CacheAnswer>
}

export const memoryStore = () => new MemoryStore({ maxBytes: 1_000_000 })

export function bench(store: ResultStore = memoryStore(), random: () => number = () => 0): Bench {
  const clock = manualClock()
  const events: Event[] = []
  const waiting: { resolve: (set: TimedResult) => void; reject: (error: Error) => void }[] = []
  const signals: AbortSignal[] = []
  let runs = 0
  const cache = new ResultCache({ store, clock, observe: event => void events.push(event), random })
  const waiters: Waiters[] = []
  const run = ({ signal, waiters: ofRun }: SharedRun): Promise<TimedResult> => {
    runs += 1
    waiters.push(ofRun)
    signals.push(signal)
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      signal.addEventListener('abort', () => reject(new RunnerError('CALL_ABANDONED')))
    })
  }
  return {
    cache,
    clock,
    events,
    signals,
    waiters,
    runs: () => runs,
    async finish(outcome) {
      await settle()
      for (const { resolve, reject } of waiting.splice(0)) {
        if (outcome) reject(outcome)
        else resolve({ columns: [], rowCount: 1, isTruncated: false, body: Buffer.from(`run ${runs}`), now: '0' })
      }
      await settle()
    },
    ask({ signal = new AbortController().signal, ...rest } = {}) {
      const policy = POLICY
      const request: CacheRequest = {
        key: 'k',
        endpoint: 'e',
        policy,
        timeoutMs: 30_000,
        ...UNBOUNDED,
        run,
        isCurrent: () => true,
        ...rest,
      }
      return cache.through(request, signal)
    },
  }
}

/** A caller whose calls are not counted. */
export const UNBOUNDED = { token: 't', beginWait: () => () => {} } as const

export const text = (answer: CacheAnswer): string => Buffer.from(answer.result.body).toString()
export const ENGINE_DOWN = new RunnerError('ENGINE_UNAVAILABLE')

export async function answered(b: Bench, options: Parameters<Bench['ask']>[0] = {}): Promise<CacheAnswer> {
  const asked = b.ask(options)
  await b.finish()
  return asked
}

export const set = (body: string): TimedResult => ({
  columns: [],
  rowCount: 1,
  isTruncated: false,
  body: Buffer.from(body),
  now: '0',
})
