/** Get or run: results from the store while they are fresh, else one shared run that is then stored. */
import { createHash } from 'node:crypto'
import { RunnerError } from '../model/errors.js'
import type { CacheOutcome, Observer } from '../model/events.js'
import type { Clock, ResultStore, StoredResult } from '../model/ports.js'
import type { ResultFormat, ResultSet } from '../model/query.js'
import type { CacheRequest } from './cache-request.js'
import { createFlights } from './flights.js'
import { createWarmer } from './warm.js'

export interface CacheAnswer {
  readonly result: StoredResult
  readonly outcome: CacheOutcome
  /** True when this answer's result has just been put in the store. */
  readonly isStored: boolean
  /** How long the run took that this answer waited for, in milliseconds; null where it waited for none. */
  readonly runMs: number | null
}

export interface ResultCache {
  /**
   * @throws RunnerError CALL_ABANDONED when `signal` fires first; whatever the run throws, unless an older result
   *   may still be served. An error is never stored.
   */
  through(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer>
  /** Stops warming and cancels the runs in progress. The store stays open: whoever opened it closes it. */
  close(): void
}

export interface ResultCacheDeps {
  readonly store: ResultStore
  readonly clock: Clock
  readonly observe: Observer
}

interface Run {
  readonly result: StoredResult
  readonly isStored: boolean
  /** Null when the store had the result after all. */
  readonly runMs: number | null
}

/** A cache over this store. */
export function createResultCache({ store, clock, observe }: ResultCacheDeps): ResultCache {
  const flights = createFlights<Run>()
  const warmer = createWarmer({ clock, observe, refresh: (request, signal) => share(request, signal, runAndStore) })

  async function attempt<T>(operation: string, action: () => Promise<T> | T, otherwise: T): Promise<T> {
    try {
      return await action()
    } catch (cause) {
      observe({ kind: 'store.failed', operation, cause })
      return otherwise
    }
  }

  async function runAndStore(request: CacheRequest, signal: AbortSignal): Promise<Run> {
    const { key, policy } = request
    const began = clock.nowMs()
    const set = await request.run(signal)
    const runMs = clock.nowMs() - began
    const result = sealResult(set, request.format, began, began + policy.ttlMs)
    const keepMs = policy.ttlMs + policy.staleIfErrorMs - runMs
    const isStored = keepMs > 0 && (await attempt('set', () => store.set(key, result, keepMs), false))
    return { result, isStored, runMs }
  }

  /** Another run may have ended while the store was asked, so it is asked once more before the engine is. */
  async function recheckAndRun(request: CacheRequest, signal: AbortSignal): Promise<Run> {
    const found = await attempt('get', () => store.get(request.key), undefined)
    if (found && clock.nowMs() < found.freshUntil) return { result: found, isStored: false, runMs: null }
    return runAndStore(request, signal)
  }

  const share = (request: CacheRequest, signal: AbortSignal, run: typeof runAndStore) =>
    flights.join(request.key, signal, shared => run(request, shared))

  return {
    async through(request, signal) {
      const { key, policy } = request
      let found: StoredResult | undefined
      let isLookupAsync = false
      try {
        const answer = store.get(key)
        isLookupAsync = answer instanceof Promise
        found = isLookupAsync ? await answer : (answer as StoredResult | undefined)
      } catch (cause) {
        observe({ kind: 'store.failed', operation: 'get', cause })
      }
      if (found && clock.nowMs() < found.freshUntil) {
        warmer.touch(request)
        return { result: found, outcome: 'hit', isStored: false, runMs: null }
      }
      try {
        const { value, isFirst } = await share(request, signal, isLookupAsync ? recheckAndRun : runAndStore)
        warmer.touch(request) // only now: a call that fails is not worth repeating
        if (!isFirst) return { ...value, outcome: 'coalesced', isStored: false }
        return { ...value, outcome: value.runMs === null ? 'hit' : 'miss' }
      } catch (thrown) {
        if (found && isExcused(thrown) && clock.nowMs() < found.freshUntil + policy.staleIfErrorMs) {
          return { result: found, outcome: 'stale', isStored: false, runMs: null }
        }
        throw thrown
      }
    },
    close() {
      warmer.close()
      flights.cancelAll()
    },
  }
}

/** An old result stands in for a failure of the engine, not for a mistake in the call or a caller who left. */
function isExcused(thrown: unknown): boolean {
  return !(thrown instanceof RunnerError) || thrown.status >= 500
}

/** The result with its times and its ETag, which is computed here and nowhere else. */
export function sealResult(set: ResultSet, format: ResultFormat, storedAt: number, freshUntil: number): StoredResult {
  const hash = createHash('sha256').update(format).update('\0').update(set.body).digest('base64url')
  const { body, columns, rowCount, isTruncated } = set
  return { body, columns, rowCount, isTruncated, etag: `"${hash.slice(0, 27)}"`, storedAt, freshUntil }
}
