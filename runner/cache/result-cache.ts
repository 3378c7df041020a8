/** The results cache: returns a fresh result from the store, or the result of one shared run, which is then stored. */
import NodeCache from 'node-cache'
import type { ErrorCode } from '../model/error-codes.js'
import { RunnerError } from '../model/errors.js'
import type { CacheOutcome, Observer } from '../model/events.js'
import {
  BACKGROUND,
  type Claim,
  type Clock,
  type ResultStore,
  type RunOutcome,
  type StoredResult,
} from '../model/ports.js'
import type { KeptRows, TimedResult } from '../model/query.js'
import { endpointIdOf, etagInTurns } from '../model/result-key.js'
import { type SharedRun, Waiters } from '../model/waiters.js'
import { Background } from './background.js'
import { errorOf, outcomeOf } from './failure-message.js'
import { type CacheAnswer, type CacheRequest, isOfThisData, type RunKind, useOf } from './request.js'
import { SingleFlight } from './single-flight.js'

export interface ResultCacheDeps {
  readonly store: ResultStore
  readonly clock: Clock
  readonly observe: Observer
  /** A random number from 0 to 1, which spreads refreshes. */
  readonly random: () => number
}

/** A query that runs now. */
interface Running {
  readonly key: string
  readonly began: number
  /** False once its result has been purged, or another replica has stored the result of a later query. */
  mayStore: boolean
}

/** The most refused arguments that are remembered. */
const MAX_REFUSALS = 1_000

/** Failures that the same call meets again, as long as the data stays as it is. */
const REFUSALS: readonly ErrorCode[] = ['ARGUMENT_INVALID', 'PAGE_GONE']

/** Failures of a run that concern only the token that the run is charged to. */
const TOKEN_FAILURES: readonly ErrorCode[] = ['BUDGET_EXCEEDED', 'OVERLOADED']

/** The rows that are kept for a refresh outlive the result by this time, in milliseconds: a day. */
const KEPT_MS = 86_400_000

/** Logged when the owner of a key hangs, or another program has written to its lease. */
const NO_OUTCOME =
  'a key was claimed for as long as its query may take, but neither a result nor a failure was announced'

export class ResultCache {
  readonly #deps: ResultCacheDeps
  readonly #background: Background
  readonly #flights = new SingleFlight<CacheAnswer>()
  readonly #running = new Set<Running>()
  /** Such failures by key, for a short time: a corrected manifest or new data may make the call valid. */
  readonly #refusals = new NodeCache({ stdTTL: 60, checkperiod: 60, maxKeys: MAX_REFUSALS, useClones: false })
  /** The number of calls whose data had no fingerprint: each of them gets a flight of its own. */
  #unknownStates = 0

  constructor(deps: ResultCacheDeps) {
    this.#deps = deps
    this.#background = new Background({
      ...deps,
      refresh: async (request, newerThan, signal) => {
        const run = (shared: SharedRun) => this.#runOnce(request, shared, newerThan)
        return (await this.#flights.join(this.#flightOf(request), BACKGROUND, signal, run)).value
      },
    })
    deps.store.replicas?.onEvent(event => {
      if (event.type === 'purged') this.#notePurge(event.prefix)
      if (event.type === 'stored') this.#keepFromStoring(run => run.key === event.key && run.began < event.storedAt)
    })
  }

  /** The fresh result of this request if it is in memory. */
  entry(request: CacheRequest): StoredResult | undefined {
    const entry = this.#deps.store.entry(request.key)
    if (!entry || useOf(entry, request, this.#deps.clock.nowMs()) !== 'hit') return undefined
    this.#touch(request, entry)
    return entry
  }

  /** Keeps a stored result for its pages, as `ResultStore.keep` does. */
  keep(result: StoredResult, key: string, as: string, keepMs: number): Promise<boolean> | boolean {
    return this.#deps.store.keep(result, key, as, keepMs)
  }

  /** Resolves when other replicas can find the result that was stored under this key. */
  shared(key: string): Promise<unknown> {
    return this.#deps.store.shared(key)
  }

  /** Whether the entry is in memory, and stays there for at least this long. */
  isKept(key: string, keepMs: number): boolean {
    return this.#deps.store.keptMs(key) >= keepMs
  }

  /** The result that is stored under this key, in memory or in the shared store. */
  async kept(key: string): Promise<StoredResult | undefined> {
    const { store } = this.#deps
    return store.entry(key) ?? store.replicas?.find(key)
  }

  /** A page that was cut from a stored result; undefined where it is not in memory. */
  page(key: string): StoredResult | undefined {
    return this.#deps.store.entry(key)
  }

  /** Stores a page in this process's memory; false where it has no room. */
  async keepPage(key: string, page: StoredResult, keepMs: number): Promise<boolean> {
    return this.#deps.store.set(key, page, keepMs)
  }

  /**
   * Answers from the store, or else from a run. An error is never stored.
   * @throws RunnerError CALL_ABANDONED when `signal` fires first; whatever the run throws, unless an older result may still be served.
   */
  async through(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer> {
    const { store, clock } = this.#deps
    await learnState(request)
    const stored = store.entry(request.key)
    const use = stored && useOf(stored, request, clock.nowMs())
    if (stored && use) return this.#serve(request, withoutRun(stored, use))
    const refusal = this.#refusals.get<RunnerError>(request.key)
    if (refusal) throw refusal
    return this.#waiting(request, async () => this.#serve(request, await this.#share(request, signal)))
  }

  /**
   * Runs the query now, whatever is stored, and stores the result. When the query fails, a stored result is returned for as
   * long as the manifest allows (RFC 5861, 4: "regardless of other freshness information"). @throws as `through` does.
   */
  renew(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer> {
    return this.#waiting(request, async () => {
      const claim = await this.#claim(request)
      const answer = await this.#run(request, { signal, waiters: new Waiters() }, 'full', claim)
      return this.#serve(request, { ...answer, outcome: 'fresh' })
    })
  }

  /** Counts bytes that were added to the stored result of this key; null for a result that is not stored. */
  grow(key: string | null, bytes: number): void {
    if (key !== null) this.#deps.store.grow(key, bytes)
  }

  /**
   * Purges all results whose keys have this prefix, '' for all, in every replica; results of running queries are not stored.
   * With `part`, the text of a partition, rows that are kept for refreshes lose only those of that partition. Rejects when the store
   * fails; some results may then be left.
   */
  async purge(prefix: string, part?: string): Promise<void> {
    this.#notePurge(prefix)
    await this.#deps.store.purge(prefix, part)
  }

  /**
   * Drops this process's entries of endpoints that have been changed or removed. Entries that other replicas may still serve
   * stay.
   */
  forget(endpointIds: Iterable<string>): void {
    const ids = new Set(endpointIds)
    const isGone = (key: string): boolean => ids.has(endpointIdOf(key))
    this.#deps.store.forget(isGone)
    this.#background.forget(isGone)
    this.#refusals.del(this.#refusals.keys().filter(isGone))
  }

  /** Stops refreshes and cancels running queries. The store stays open; the code that opened it closes it. */
  close(): void {
    this.#background.close()
    this.#flights.cancelAll()
    this.#refusals.close()
  }

  /** Notes the call for refreshes. A failing call is not noted, since it is not worth warming. */
  #serve(request: CacheRequest, answer: CacheAnswer): CacheAnswer {
    if (answer.outcome === 'stale') this.#background.revalidate(request, answer.result.storedAt)
    else this.#touch(request, answer.result)
    return answer
  }

  #touch(request: CacheRequest, result: StoredResult): void {
    const { key, keepMs } = request
    if (keepMs === undefined) this.#background.touch(request, result.storedAt)
    else void this.#deps.store.keep(result, key, key, keepMs)
  }

  /** Counts the call while it waits. An older result replaces a failure of the engine, but not a mistake of the caller. */
  async #waiting(request: CacheRequest, work: () => Promise<CacheAnswer>): Promise<CacheAnswer> {
    const { store, clock } = this.#deps
    const { key, policy } = request
    const endWait = request.beginWait()
    try {
      return await work()
    } catch (thrown) {
      const old = store.entry(key)
      const isExcused = policy.staleIfErrorMs > 0 && !(thrown instanceof RunnerError && thrown.status < 500)
      const isTooOld = !old || clock.nowMs() >= old.freshUntil + policy.staleIfErrorMs
      if (!isExcused || isTooOld || !isOfThisData(old, request)) throw thrown
      return withoutRun(old, 'stale')
    } finally {
      endWait()
    }
  }

  /** Joins a shared run. Where the token that it is charged to may run no query now, callers of another token share a run of their own. */
  async #share(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer> {
    let isOwn = false
    const run = (shared: SharedRun): Promise<CacheAnswer> => {
      isOwn = true
      return this.#runForCaller(request, shared)
    }
    const { token } = request
    const flight = this.#flightOf(request)
    const { value, isFirst } = await this.#flights.join(flight, token, signal, run).catch((thrown: unknown) => {
      const isRefused = thrown instanceof RunnerError && TOKEN_FAILURES.includes(thrown.code)
      if (isOwn || !isRefused) throw thrown
      return this.#flights.join(`${flight} ${token}`, token, signal, run)
    })
    if (isFirst || value.outcome !== 'miss') return value
    const { partial: _, ...shared } = value
    return { ...shared, outcome: 'coalesced', isStored: false, cost: null }
  }

  /**
   * The key of the single flight. It includes the data's fingerprint, so that a call after a change does not join an older
   * run.
   */
  #flightOf(request: CacheRequest): string {
    return `${request.key} ${stateOf(request) ?? this.#unknownStates++}`
  }

  #runForCaller(request: CacheRequest, shared: SharedRun): Promise<CacheAnswer> {
    return this.#runOnce(request, shared, null).catch((thrown: unknown) => {
      const isRefusal = thrown instanceof RunnerError && REFUSALS.includes(thrown.code) && request.isCurrent()
      // A full list is emptied: each key costs one more query then.
      if (isRefusal && this.#refusals.getStats().keys >= MAX_REFUSALS) this.#refusals.flushAll()
      if (isRefusal) this.#refusals.set(request.key, thrown)
      throw thrown
    })
  }

  /**
   * Runs the query unless the store has a usable result by now, or another replica is running it. `newerThan` is null for
   * callers; a background refresh uses only a fresh result that was stored after this time.
   */
  async #runOnce(request: CacheRequest, shared: SharedRun, newerThan: number | null): Promise<CacheAnswer> {
    const { store, clock, observe } = this.#deps
    const askedAt = clock.ticksMs()
    for (let isCollapsed = false; ; isCollapsed = true) {
      const claim = await this.#claim(request)
      const { lease, result } = claim
      const use = result && useOf(result, request, clock.nowMs())
      if (result && use && (newerThan === null || (use === 'hit' && result.storedAt > newerThan))) {
        void lease?.release({ kind: 'unknown' })
        return withoutRun(result, use === 'hit' && isCollapsed ? 'coalesced' : use)
      }
      const isLate = lease === null && clock.ticksMs() - askedAt >= request.timeoutMs
      if (isLate) observe({ kind: 'store.failed', operation: 'wait', cause: new Error(NO_OUTCOME) })
      if (isLate || lease !== null) {
        return this.#run(request, shared, newerThan === null ? 'call' : 'background', claim)
      }
      const outcome = await store.replicas!.outcome(request.key, shared.signal)
      // If data may change, another replica's run may have read the older data.
      const error = outcome.kind === 'failed' && !request.dataState ? errorOf(outcome.failure) : null
      if (error) throw error
    }
  }

  /** Reads the store again, since another run may have ended meanwhile. Without a fingerprint of the data, replicas share nothing. */
  async #claim(request: CacheRequest): Promise<Claim> {
    const { store } = this.#deps
    const state = stateOf(request)
    if (!store.replicas || state === null) return { result: store.entry(request.key) }
    return store.replicas.claim(request.key, state)
  }

  /** Runs the query, stores its result and releases the lease. @throws whatever the run throws. */
  async #run(request: CacheRequest, shared: SharedRun, kind: RunKind, claim: Claim): Promise<CacheAnswer> {
    const { store, clock } = this.#deps
    const { key, policy, dataState } = request
    const running = { key, began: clock.nowMs(), mayStore: true }
    let outcome: RunOutcome = { kind: 'unknown' }
    this.#running.add(running)
    try {
      await learnState(request)
      const [stateBefore, beganTicks] = [dataState?.(), clock.ticksMs()]
      const set = await request.run(shared, kind)
      const runMs = clock.ticksMs() - beganTicks
      const sealed = sealResult(set, await etagInTurns(set.body), running.began, running.began + policy.ttlMs)
      const result = typeof stateBefore === 'string' ? { ...sealed, dataState: stateBefore } : sealed
      const usableMs = policy.ttlMs + Math.max(policy.staleIfErrorMs, policy.staleWhileRevalidateMs) - runMs
      const keepMs = request.keepMs === undefined ? usableMs : 2 * request.keepMs
      if (stateBefore !== null) await learnState(request)
      // If the data changed during the query, or has no fingerprint now, the result belongs to no known state.
      const isOfOneState = dataState === undefined || (stateBefore !== null && dataState() === stateBefore)
      // A result of an endpoint that has changed in the meantime would never be asked for again.
      const isValid = isOfOneState && running.mayStore && request.isCurrent()
      const mayStore = keepMs > 0 && isValid
      const isStored = mayStore && (await store.set(key, result, keepMs, claim.purges))
      if (isValid && set.kept) {
        await store.set(set.kept.key, await keptResult(set.kept, result), policy.ttlMs + KEPT_MS, claim.purges)
      }
      if (isStored) outcome = { kind: 'stored' }
      const isTooLarge = mayStore && !isStored && store.entry(key) === undefined
      const { cost = null, partial } = set
      return { result, isStored, isTooLarge, runMs, cost, outcome: 'miss', ...(partial && { partial }) }
    } catch (thrown) {
      outcome = outcomeOf(thrown)
      throw thrown
    } finally {
      this.#running.delete(running)
      void claim.lease?.release(outcome)
    }
  }

  #notePurge(prefix: string): void {
    this.#keepFromStoring(({ key }) => key.startsWith(prefix))
    // Later calls must not join a run that began before the purge.
    this.#flights.forget(prefix)
  }

  #keepFromStoring(isMeant: (running: Running) => boolean): void {
    for (const running of this.#running) if (isMeant(running)) running.mayStore = false
  }
}

/** The fingerprint of the data; '' where results do not depend on it, null where it cannot be taken now. */
const stateOf = ({ dataState }: CacheRequest): string | null => (dataState === undefined ? '' : dataState())

/** Asks for the fingerprint of the data where it is not known. */
async function learnState(request: CacheRequest): Promise<void> {
  if (request.learnDataState && stateOf(request) === null) await request.learnDataState()
}

/** An answer from the store, without a run. */
const withoutRun = (result: StoredResult, outcome: CacheOutcome): CacheAnswer => {
  return { result, outcome, isStored: false, runMs: null, cost: null }
}

/** Rows that are kept for the next refresh, as a result in a store. */
async function keptResult({ spans, parts, key: _, ...set }: KeptRows, result: StoredResult): Promise<StoredResult> {
  return { ...result, ...set, isTruncated: false, etag: await etagInTurns(set.body), kept: { spans, parts } }
}

/** Adds the times and the ETag. */
export function sealResult(set: TimedResult, etag: string, storedAt: number, freshUntil: number): StoredResult {
  const { body, columns, rowCount, isTruncated, now } = set
  return { body, columns, rowCount, isTruncated, now, etag, storedAt, freshUntil }
}
