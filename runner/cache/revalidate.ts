/** Refreshes results that were served past their ttl, in the background, with a bound on the rate. */
import { type Backoff, pauseAfter } from '../model/backoff.js'
import { BoundedMap } from '../model/bounded-map.js'
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import type { CacheRequest } from './request.js'

/** The most refreshes at a time; further ones are left to the next caller. */
const MAX_AT_ONCE = 8
/** The most keys whose failed refreshes are tracked; the oldest are dropped first. */
const MAX_FAILED = 1_000
const BACKOFF: Backoff = { firstMs: 5_000, longestMs: 300_000, jitter: 0.1 }

export interface Revalidator {
  /** Begins a refresh unless one is running for this key, or failed a moment ago. */
  begin(request: CacheRequest): void
  /** Drops keys that will not be asked for again. */
  forget(isGone: (key: string) => boolean): void
  close(): void
}

export interface RevalidatorDeps {
  readonly clock: Clock
  readonly observe: Observer
  /** From 0 to 1. */
  readonly random: () => number
  /** Refreshes the result; `runMs` is null when another replica has done so in the meantime. */
  readonly refresh: (request: CacheRequest, signal: AbortSignal) => Promise<{ readonly runMs: number | null }>
}

export function createRevalidator({ clock, observe, random, refresh }: RevalidatorDeps): Revalidator {
  const running = new Set<string>()
  const failed = new BoundedMap<string, { readonly failures: number; readonly untilMs: number }>(MAX_FAILED)
  const closing = new AbortController()

  function noteFailure(key: string): void {
    const failures = (failed.get(key)?.failures ?? 0) + 1
    failed.set(key, { failures, untilMs: clock.nowMs() + pauseAfter(failures, BACKOFF, random()) })
  }

  async function run(request: CacheRequest): Promise<void> {
    const { key, endpoint } = request
    const began = clock.nowMs()
    running.add(key)
    try {
      const { runMs } = await refresh(request, closing.signal)
      failed.delete(key)
      if (runMs !== null) observe({ kind: 'cache.warmed', endpoint, durationMs: clock.nowMs() - began })
    } catch (thrown) {
      if (closing.signal.aborted) return
      if (request.isCurrent()) noteFailure(key)
      observe({ kind: 'cache.warm-failed', endpoint, error: toRunnerError(thrown) })
    } finally {
      running.delete(key)
    }
  }

  return {
    begin(request) {
      const { key } = request
      if (running.has(key) || running.size >= MAX_AT_ONCE || closing.signal.aborted) return
      if (clock.nowMs() < (failed.get(key)?.untilMs ?? 0)) return
      void run(request)
    },
    forget(isGone) {
      for (const key of failed.keys()) if (isGone(key)) failed.delete(key)
    },
    close: () => closing.abort(),
  }
}
