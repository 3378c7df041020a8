/** Queries entries in use again in the background, so that their callers neither wait nor see old data. */
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import type { CacheRequest } from './cache-request.js'

/** Refreshes at a time: a few, so that callers find the engine free. */
const MAX_REFRESHES_AT_ONCE = 2
/** Entries that are warmed; those that come when so many are will expire and be asked for again as they are. */
const MAX_WARM_ENTRIES = 10_000

export interface Warmer {
  /** Somebody asked for this entry: it is kept warm until nobody has for its ttl. */
  touch(request: CacheRequest): void
  /** Stops: nothing is refreshed any more, and refreshes in progress are cancelled. */
  close(): void
}

export interface WarmerDeps {
  readonly clock: Clock
  readonly observe: Observer
  /** Runs the query and stores its result. */
  readonly refresh: (request: CacheRequest, signal: AbortSignal) => Promise<unknown>
}

interface WarmEntry {
  request: CacheRequest
  lastAsked: number
  cancelTimer: () => void
}

/** A warmer without entries. */
export function createWarmer({ clock, observe, refresh }: WarmerDeps): Warmer {
  const entries = new Map<string, WarmEntry>()
  const queue: WarmEntry[] = []
  const closing = new AbortController()
  let refreshing = 0

  function schedule(entry: WarmEntry): void {
    entry.cancelTimer = clock.after(entry.request.policy.warmMs!, () => becomeDue(entry))
  }

  function becomeDue(entry: WarmEntry): void {
    queue.push(entry)
    startNext()
  }

  function isInUse({ request, lastAsked }: WarmEntry): boolean {
    return clock.nowMs() - lastAsked < request.policy.ttlMs && request.isCurrent()
  }

  function startNext(): void {
    while (refreshing < MAX_REFRESHES_AT_ONCE && !closing.signal.aborted) {
      const entry = queue.shift()
      if (!entry) return
      if (isInUse(entry)) void refreshEntry(entry)
      else entries.delete(entry.request.key)
    }
  }

  async function refreshEntry(entry: WarmEntry): Promise<void> {
    refreshing += 1
    const { endpoint } = entry.request
    const began = clock.nowMs()
    try {
      await refresh(entry.request, closing.signal)
      observe({ kind: 'cache.warmed', endpoint, durationMs: clock.nowMs() - began })
    } catch (thrown) {
      // The old result stays in the store; the next turn tries again.
      if (!closing.signal.aborted) observe({ kind: 'cache.warm-failed', endpoint, error: toRunnerError(thrown) })
    } finally {
      refreshing -= 1
    }
    if (closing.signal.aborted) return
    schedule(entry)
    startNext()
  }

  return {
    touch(request) {
      if (request.policy.warmMs === null || closing.signal.aborted) return
      const entry = entries.get(request.key)
      if (entry) {
        entry.request = request
        entry.lastAsked = clock.nowMs()
      } else if (entries.size < MAX_WARM_ENTRIES) {
        const added: WarmEntry = { request, lastAsked: clock.nowMs(), cancelTimer: () => {} }
        entries.set(request.key, added)
        schedule(added)
      }
    },
    close() {
      closing.abort()
      for (const entry of entries.values()) entry.cancelTimer()
      entries.clear()
      queue.length = 0
    },
  }
}
