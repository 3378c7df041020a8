/** Warming: refreshes entries in use in the background, so that callers neither wait nor see old data. */
import { pauseAfter } from '../model/backoff.js'
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import type { CacheRequest } from './request.js'
import { createTimerQueue } from './timer-queue.js'

/** The most refreshes at a time; few, so that callers find the engine free. */
const MAX_REFRESHES_AT_ONCE = 2
/** The most entries that are warmed; further entries expire normally. */
const MAX_WARM_ENTRIES = 10_000
/** The random share of the interval by which a refresh is brought forward, so that entries stored together spread out. */
const JITTER = 0.1
/** The pause after a failed refresh, in milliseconds; it doubles up to `warmMs`. */
const FIRST_PAUSE_MS = 5_000
/** The longest time that a due refresh yields to callers' queries, as a share of the interval. */
const PATIENCE = 0.1
const MAX_PATIENCE_MS = 5_000

export interface Warmer {
  /** Notes a call for this entry. It is kept warm until no call has come for its ttl. */
  touch(request: CacheRequest, storedAt: number): void
  /** Drops keys that will not be asked for again. Running refreshes end by themselves. */
  forget(isGone: (key: string) => boolean): void
  /** Notes that a caller's query has ended, so that a waiting refresh may start. */
  startNext(): void
  /** Stops warming and cancels running refreshes. */
  close(): void
}

export interface WarmerDeps {
  readonly clock: Clock
  readonly observe: Observer
  /** From 0 to 1. */
  readonly random: () => number
  /** Whether queries of callers are running. */
  readonly isBusy: () => boolean
  /** Stores a result newer than `newerThan` and returns it; `ran` says whether this process ran the query. */
  readonly refresh: (
    request: CacheRequest,
    newerThan: number,
    signal: AbortSignal,
  ) => Promise<{ readonly storedAt: number; readonly ran: boolean }>
}

interface WarmEntry {
  request: CacheRequest
  /** When the last call came, in milliseconds since 1970; so are the other times. */
  lastAsked: number
  /** When the query of the current result began. */
  storedAt: number
  /**
   * The value of `storedAt` that `dueAt` was computed from; another replica or a caller may have stored a newer result since.
   */
  scheduledFrom: number
  dueAt: number
  failures: number
}

/** A warmer without entries. */
export function createWarmer({ clock, observe, random, isBusy, refresh }: WarmerDeps): Warmer {
  const entries = new Map<string, WarmEntry>()
  let queue: WarmEntry[] = []
  const closing = new AbortController()
  let refreshing = 0
  let stopWaiting: (() => void) | null = null

  const waiting = createTimerQueue<WarmEntry>(clock, due => {
    queue.push(...due)
    startNext()
  })

  function scheduleAt(entry: WarmEntry, dueAt: number): void {
    entry.dueAt = Math.max(clock.nowMs(), dueAt)
    entry.scheduledFrom = entry.storedAt
    waiting.add(entry)
  }

  const nextDue = ({ request, storedAt }: WarmEntry): number =>
    storedAt + Math.ceil(request.policy.warmMs! * (1 - JITTER * random()))

  const isKnown = (entry: WarmEntry): boolean => entries.get(entry.request.key) === entry

  function isInUse({ request, lastAsked }: WarmEntry): boolean {
    return clock.nowMs() - lastAsked < request.policy.ttlMs && request.isCurrent()
  }

  /** Whether another replica or a caller has refreshed the entry in the meantime, so that it is due later. */
  const isRefreshed = (entry: WarmEntry): boolean => entry.storedAt > entry.scheduledFrom

  /** How long this entry still yields to callers, in milliseconds. */
  function patienceMs({ request, dueAt }: WarmEntry): number {
    if (!isBusy()) return 0
    const patience = Math.min(MAX_PATIENCE_MS, request.policy.warmMs! * PATIENCE)
    return Math.max(0, Math.ceil(dueAt + patience - clock.nowMs()))
  }

  function startNext(): void {
    stopWaiting?.()
    stopWaiting = null
    while (refreshing < MAX_REFRESHES_AT_ONCE && !closing.signal.aborted) {
      const entry = queue[0]
      if (!entry) return
      const needsRefresh = isInUse(entry) && !isRefreshed(entry)
      const waitMs = needsRefresh ? patienceMs(entry) : 0
      if (waitMs > 0) {
        stopWaiting = clock.after(waitMs, startNext)
        return
      }
      queue.shift()
      if (needsRefresh) void refreshEntry(entry)
      else if (isInUse(entry)) scheduleAfterResult(entry)
      else entries.delete(entry.request.key)
    }
  }

  async function refreshEntry(entry: WarmEntry): Promise<void> {
    refreshing += 1
    const { endpoint } = entry.request
    const began = clock.nowMs()
    try {
      const { storedAt, ran } = await refresh(entry.request, entry.storedAt, closing.signal)
      entry.storedAt = Math.max(entry.storedAt, storedAt)
      entry.failures = 0
      if (ran) observe({ kind: 'cache.warmed', endpoint, durationMs: clock.nowMs() - began })
    } catch (thrown) {
      // The old result stays in the store, and the refresh is retried with backoff.
      entry.failures += 1
      if (!closing.signal.aborted) observe({ kind: 'cache.warm-failed', endpoint, error: toRunnerError(thrown) })
    } finally {
      refreshing -= 1
    }
    if (closing.signal.aborted) return
    if (isKnown(entry)) {
      if (entry.failures === 0 || isRefreshed(entry)) scheduleAfterResult(entry)
      else scheduleAfterFailure(entry)
    }
    startNext()
  }

  function scheduleAfterResult(entry: WarmEntry): void {
    entry.failures = 0
    scheduleAt(entry, nextDue(entry))
  }

  function scheduleAfterFailure(entry: WarmEntry): void {
    const backoff = { firstMs: FIRST_PAUSE_MS, longestMs: entry.request.policy.warmMs!, jitter: JITTER }
    scheduleAt(entry, clock.nowMs() + Math.ceil(pauseAfter(entry.failures, backoff, random())))
  }

  return {
    startNext,
    touch(request, storedAt) {
      if (request.policy.warmMs === null || closing.signal.aborted) return
      const entry = entries.get(request.key)
      if (entry) {
        entry.request = request
        entry.lastAsked = clock.nowMs()
        if (storedAt > entry.storedAt) entry.storedAt = storedAt
      } else if (entries.size < MAX_WARM_ENTRIES && request.isCurrent()) {
        const added = { request, lastAsked: clock.nowMs(), storedAt, scheduledFrom: storedAt, dueAt: 0, failures: 0 }
        entries.set(request.key, added)
        scheduleAt(added, nextDue(added))
      }
    },
    forget(isGone) {
      for (const key of entries.keys()) if (isGone(key)) entries.delete(key)
      waiting.keep(isKnown)
      queue = queue.filter(isKnown)
    },
    close() {
      closing.abort()
      stopWaiting?.()
      waiting.clear()
      entries.clear()
      queue = []
    },
  }
}
