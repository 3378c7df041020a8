/** Refreshes in the background: of entries that are kept warm, and of results that were served past their ttl. */
import { pauseAfter } from '../model/backoff.js'
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import type { CacheAnswer, CacheRequest } from './request.js'

/** A refresh that keeps an entry warm begins only while fewer than these run, so that callers find the engine free. */
const MAX_WARMED_AT_ONCE = 2
/** A refresh of a stale result begins only while fewer than these run; otherwise the next caller may begin it. */
const MAX_AT_ONCE = 8
/** The most entries; further ones are not kept warm, and expire normally. */
export const MAX_ENTRIES = 10_000
/** How often all entries are looked at, in milliseconds. */
const LOOK_MS = 1_000
/** The random share of the interval by which a refresh is brought forward, so that entries stored together spread out. */
const JITTER = 0.1
/** The pauses after failed refreshes, in milliseconds. They double up to `warmMs`, or to LONGEST_PAUSE_MS where that is null. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000

export interface BackgroundDeps {
  readonly clock: Clock
  readonly observe: Observer
  /** From 0 to 1. */
  readonly random: () => number
  /** Returns a result newer than `newerThan`, which is stored; its `runMs` is null where another replica has run the query. */
  readonly refresh: (request: CacheRequest, newerThan: number, signal: AbortSignal) => Promise<CacheAnswer>
}

interface Entry {
  request: CacheRequest
  /** When the last call came, in milliseconds since 1970; so are the other times. */
  lastAsked: number
  /** When the query of the current result began. */
  storedAt: number
  /** When the next refresh may begin; Infinity while one is running. */
  dueAt: number
  failures: number
}

export class Background {
  readonly #deps: BackgroundDeps
  readonly #entries = new Map<string, Entry>()
  readonly #closing = new AbortController()
  #running = 0
  /** Null while there are no entries. */
  #cancelTimer: (() => void) | null = null

  constructor(deps: BackgroundDeps) {
    this.#deps = deps
  }

  /** Notes a call for this entry. It is kept warm until no call has come for its ttl. */
  touch(request: CacheRequest, storedAt: number): void {
    if (request.policy.warmMs !== null && request.isCurrent()) this.#entryOf(request, storedAt)
  }

  /** Begins a refresh of a result that was served past its ttl, unless one is running, or failed a moment ago. */
  revalidate(request: CacheRequest, storedAt: number): void {
    const entry = this.#entryOf(request, storedAt)
    if (entry.dueAt <= this.#deps.clock.nowMs() && this.#running < MAX_AT_ONCE) void this.#refresh(entry)
  }

  /** Drops keys that will not be asked for again. Running refreshes end by themselves. */
  forget(isGone: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isGone(key)) this.#entries.delete(key)
  }

  /** Stops, and cancels running refreshes. */
  close(): void {
    this.#closing.abort()
    this.#entries.clear()
    this.#cancelTimer?.()
  }

  /** A new entry is not added to a full list: it is refreshed at most this once. */
  #entryOf(request: CacheRequest, storedAt: number): Entry {
    const lastAsked = this.#deps.clock.nowMs()
    const entry = this.#entries.get(request.key) ?? { request, lastAsked, storedAt: -Infinity, dueAt: 0, failures: 0 }
    if (this.#entries.size < MAX_ENTRIES) this.#entries.set(request.key, entry)
    Object.assign(entry, { request, lastAsked })
    if (storedAt > entry.storedAt) this.#noteResult(entry, storedAt)
    this.#lookLater()
    return entry
  }

  #noteResult(entry: Entry, storedAt: number): void {
    const { warmMs } = entry.request.policy
    const intervalMs = Math.ceil((warmMs ?? 0) * (1 - JITTER * this.#deps.random()))
    Object.assign(entry, { storedAt, dueAt: storedAt + intervalMs, failures: 0 })
  }

  #lookLater(): void {
    if (this.#closing.signal.aborted) return
    this.#cancelTimer ??= this.#deps.clock.after(LOOK_MS, () => {
      this.#cancelTimer = null
      this.#startDue()
      if (this.#entries.size > 0) this.#lookLater()
    })
  }

  /** Removes entries out of use, and starts the refreshes that are due, the longest due first. */
  #startDue(): void {
    const nowMs = this.#deps.clock.nowMs()
    const due: Entry[] = []
    for (const [key, entry] of this.#entries) {
      const { warmMs } = entry.request.policy
      if (!isInUse(entry, nowMs)) this.#entries.delete(key)
      else if (warmMs !== null && nowMs >= entry.dueAt) due.push(entry)
    }
    for (const entry of due.sort((a, b) => a.dueAt - b.dueAt)) {
      if (this.#running < MAX_WARMED_AT_ONCE) void this.#refresh(entry)
    }
  }

  async #refresh(entry: Entry): Promise<void> {
    const { clock, observe, random, refresh } = this.#deps
    const { endpoint, key, policy } = entry.request
    const began = clock.nowMs()
    entry.dueAt = Infinity
    this.#running += 1
    try {
      const { result, runMs } = await refresh(entry.request, entry.storedAt, this.#closing.signal)
      this.#noteResult(entry, Math.max(entry.storedAt, result.storedAt))
      if (policy.warmMs === null) this.#entries.delete(key)
      if (runMs !== null) observe({ kind: 'cache.warmed', endpoint, durationMs: clock.nowMs() - began })
    } catch (thrown) {
      // The old result stays in the store, and the refresh is retried with backoff.
      const backoff = { firstMs: FIRST_PAUSE_MS, longestMs: policy.warmMs ?? LONGEST_PAUSE_MS, jitter: JITTER }
      entry.failures += 1
      entry.dueAt = clock.nowMs() + Math.ceil(pauseAfter(entry.failures, backoff, random()))
      if (!this.#closing.signal.aborted) observe({ kind: 'cache.warm-failed', endpoint, error: toRunnerError(thrown) })
    }
    this.#running -= 1
    this.#startDue()
  }
}

/** An entry that is not kept warm is in use only while its failures still lengthen the next pause. */
function isInUse({ request, lastAsked, dueAt }: Entry, nowMs: number): boolean {
  const { warmMs, ttlMs } = request.policy
  return request.isCurrent() && nowMs < (warmMs === null ? dueAt + LONGEST_PAUSE_MS : lastAsked + ttlMs)
}
