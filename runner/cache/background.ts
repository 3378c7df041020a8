/** Refreshes in the background: of entries that are kept warm, and of results that were served past their ttl. */
import { pauseAfter } from '../model/backoff.js'
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import type { CacheRequest } from './request.js'

/** The most refreshes at a time when one more entry is refreshed to keep it warm: few, so that callers find the engine free. */
const MAX_WARMED_AT_ONCE = 2
/** The same where a caller was served an old result; further ones are left to the next caller. */
const MAX_AT_ONCE = 8
/** The most entries; further ones are not kept warm, and expire normally. */
const MAX_ENTRIES = 10_000
/** The random share of the interval by which a refresh is brought forward, so that entries stored together spread out. */
const JITTER = 0.1
/** The pauses after failed refreshes, in milliseconds; they double, up to the second or to `warmMs`. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
/** The longest time that a due refresh yields to callers' queries, as a share of the interval. */
const PATIENCE = 0.1
const MAX_PATIENCE_MS = 5_000
/** The longest timer; an entry that is due later is looked at again when it fires. */
const LONGEST_TIMER_MS = 2 ** 30

export interface BackgroundDeps {
  readonly clock: Clock
  readonly observe: Observer
  /** From 0 to 1. */
  readonly random: () => number
  /** Whether queries of callers are running. */
  readonly isBusy: () => boolean
  /** Stores a result newer than `newerThan` and returns its time; `runMs` is null where another replica has run the query. */
  readonly refresh: (
    request: CacheRequest,
    newerThan: number,
    signal: AbortSignal,
  ) => Promise<{ readonly storedAt: number; readonly runMs: number | null }>
}

interface Entry {
  request: CacheRequest
  /** When the last call came, in milliseconds since 1970; so are the other times. */
  lastAsked: number
  /** When the query of the current result began. */
  storedAt: number
  /** When the next refresh may begin. */
  dueAt: number
  failures: number
  isRunning: boolean
}

export class Background {
  readonly #deps: BackgroundDeps
  readonly #entries = new Map<string, Entry>()
  readonly #closing = new AbortController()
  #running = 0
  /** Whether an entry is due, and yields to callers or to other refreshes. */
  #isWaiting = false
  #timerAt = Infinity
  #cancelTimer = (): void => {}

  constructor(deps: BackgroundDeps) {
    this.#deps = deps
  }

  /** Notes a call for this entry. It is kept warm until no call has come for its ttl. */
  touch(request: CacheRequest, storedAt: number): void {
    if (request.policy.warmMs === null || !request.isCurrent()) return
    const entry = this.#entries.get(request.key) ?? this.#add(request)
    entry.request = request
    entry.lastAsked = this.#deps.clock.nowMs()
    if (storedAt <= entry.storedAt) return
    entry.storedAt = storedAt
    this.#scheduleAfterResult(entry)
  }

  /** Begins a refresh of a result that was served past its ttl, unless one is running, or failed a moment ago. */
  revalidate(request: CacheRequest, storedAt: number): void {
    const entry = this.#entries.get(request.key) ?? this.#add(request)
    const isPaused = entry.failures > 0 && this.#deps.clock.nowMs() < entry.dueAt
    if (entry.isRunning || isPaused || this.#running >= MAX_AT_ONCE || this.#closing.signal.aborted) return
    entry.storedAt = Math.max(entry.storedAt, storedAt)
    void this.#refresh(entry)
  }

  /** Drops keys that will not be asked for again. Running refreshes end by themselves. */
  forget(isGone: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isGone(key)) this.#entries.delete(key)
    this.#startDue()
  }

  /** Notes that a caller's query has ended, so that a waiting refresh may start. */
  noteEndOfQuery(): void {
    if (this.#isWaiting) this.#startDue()
  }

  /** Stops, and cancels running refreshes. */
  close(): void {
    this.#closing.abort()
    this.#entries.clear()
    this.#cancelTimer()
  }

  /** A full list does not keep the entry: it is then refreshed this once. */
  #add(request: CacheRequest): Entry {
    const lastAsked = this.#deps.clock.nowMs()
    const entry = { request, lastAsked, storedAt: -Infinity, dueAt: Infinity, failures: 0, isRunning: false }
    if (this.#entries.size < MAX_ENTRIES) this.#entries.set(request.key, entry)
    return entry
  }

  #scheduleAfterResult(entry: Entry): void {
    const { warmMs } = entry.request.policy
    entry.failures = 0
    entry.dueAt = warmMs === null ? Infinity : entry.storedAt + Math.ceil(warmMs * (1 - JITTER * this.#deps.random()))
    this.#setTimer(entry.dueAt)
  }

  /** Removes entries out of use, starts the refreshes that are due, and sets the timer for the next. */
  #startDue(): void {
    const nowMs = this.#deps.clock.nowMs()
    const due: Entry[] = []
    let nextAt = Infinity
    for (const [key, entry] of this.#entries) {
      const isWarm = entry.request.policy.warmMs !== null
      if (!entry.isRunning && !isInUse(entry, nowMs)) this.#entries.delete(key)
      else if (isWarm && !entry.isRunning && entry.dueAt <= nowMs) due.push(entry)
      else if (isWarm && !entry.isRunning) nextAt = Math.min(nextAt, entry.dueAt)
    }
    for (const entry of due.sort((a, b) => a.dueAt - b.dueAt)) {
      if (this.#running >= MAX_WARMED_AT_ONCE) break
      const patienceMs = Math.min(MAX_PATIENCE_MS, entry.request.policy.warmMs! * PATIENCE)
      const patientUntil = this.#deps.isBusy() ? entry.dueAt + Math.ceil(patienceMs) : nowMs
      if (patientUntil > nowMs) nextAt = Math.min(nextAt, patientUntil)
      else void this.#refresh(entry)
    }
    this.#isWaiting = due.some(({ isRunning }) => !isRunning)
    this.#cancelTimer()
    this.#timerAt = Infinity
    this.#setTimer(nextAt)
  }

  #setTimer(at: number): void {
    if (at >= this.#timerAt || this.#closing.signal.aborted) return
    this.#cancelTimer()
    this.#timerAt = at
    const waitMs = Math.min(LONGEST_TIMER_MS, Math.max(0, at - this.#deps.clock.nowMs()))
    this.#cancelTimer = this.#deps.clock.after(waitMs, () => this.#startDue())
  }

  async #refresh(entry: Entry): Promise<void> {
    const { clock, observe, random, refresh } = this.#deps
    const { endpoint, key, policy } = entry.request
    const began = clock.nowMs()
    entry.isRunning = true
    this.#running += 1
    try {
      const { storedAt, runMs } = await refresh(entry.request, entry.storedAt, this.#closing.signal)
      entry.storedAt = Math.max(entry.storedAt, storedAt)
      this.#scheduleAfterResult(entry)
      if (policy.warmMs === null) this.#entries.delete(key)
      if (runMs !== null) observe({ kind: 'cache.warmed', endpoint, durationMs: clock.nowMs() - began })
    } catch (thrown) {
      // The old result stays in the store, and the refresh is retried with backoff.
      const backoff = { firstMs: FIRST_PAUSE_MS, longestMs: policy.warmMs ?? LONGEST_PAUSE_MS, jitter: JITTER }
      entry.failures += 1
      entry.dueAt = clock.nowMs() + Math.ceil(pauseAfter(entry.failures, backoff, random()))
      if (!this.#closing.signal.aborted) observe({ kind: 'cache.warm-failed', endpoint, error: toRunnerError(thrown) })
    } finally {
      entry.isRunning = false
      this.#running -= 1
    }
    this.#startDue()
  }
}

/** An entry that is not kept warm is listed only as long as its failures matter. */
function isInUse({ request, lastAsked, dueAt }: Entry, nowMs: number): boolean {
  const { warmMs, ttlMs } = request.policy
  return request.isCurrent() && nowMs < (warmMs === null ? dueAt + LONGEST_PAUSE_MS : lastAsked + ttlMs)
}
