/** The results cache: returns a fresh result from the store, or the result of one shared run, which is then stored. */
import type { ErrorCode } from '../model/error-codes.js'
import { RunnerError } from '../model/errors.js'
import type { CacheOutcome, Observer } from '../model/events.js'
import { BACKGROUND, type Clock, type HeldResult, type ResultStore, type StoredResult } from '../model/ports.js'
import type { QueryCost } from '../model/query.js'
import { endpointIdOf } from '../model/result-key.js'
import { createRuns, type Run } from './distributed-run.js'
import { createNegativeCache } from './negative-cache.js'
import { createPurges } from './purges.js'
import { type CacheRequest, isFresh, isOfThisData, mayServeStale } from './request.js'
import { createRevalidator } from './revalidate.js'
import { createSingleFlight } from './single-flight.js'
import { createWarmer } from './warm.js'

export interface CacheAnswer {
  readonly result: StoredResult
  readonly outcome: CacheOutcome
  /** True when the result has just been stored. */
  readonly isStored: boolean
  /** How long the run took that this call waited for, in milliseconds; null where it waited for no run. */
  readonly runMs: number | null
  /** What the warehouse billed for the run that this call started; null where it started none. */
  readonly cost: QueryCost | null
}

export interface ResultCache {
  /**
   * @throws RunnerError CALL_ABANDONED when `signal` fires first; whatever the run throws, unless an older result
   *   may still be served. An error is never stored.
   */
  through(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer>
  /** The fresh result of this request if it is in memory. `before` is the handle that an earlier call returned. */
  peek(request: CacheRequest, before?: HeldResult | null): HeldResult | undefined
  /**
   * Runs the query now, whatever is stored, and stores the result. When the query fails, a stored result is returned for as
   * long as the manifest allows (RFC 5861, 4: "regardless of other freshness information"). @throws as `through` does.
   */
  renew(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer>
  /** Counts bytes that were added to the stored result of this key. */
  grow(key: string, bytes: number): void
  /**
   * Purges all results whose keys have this prefix, '' for all, in every replica; results of running queries are not stored.
   * Rejects when the store fails; some results may then be left.
   */
  purge(prefix: string): Promise<void>
  /**
   * Drops this process's entries of endpoints that have been changed or removed. Entries that other replicas may still serve
   * stay.
   */
  forget(endpointIds: Iterable<string>): void
  /** Stops warming and cancels running queries. The store stays open; the code that opened it closes it. */
  close(): void
}

export interface ResultCacheDeps {
  readonly store: ResultStore
  readonly clock: Clock
  readonly observe: Observer
  /** A random number from 0 to 1, which spreads refreshes. */
  readonly random: () => number
}

/** The result of the lookup before a run. */
interface LookedUp {
  readonly found: StoredResult | undefined
  /**
   * Which part of the store answered: its memory, or all of it. `all-now` answered in this turn of the event loop;
   * `all-earlier` answered in an earlier turn, so another run may have stored a result meanwhile.
   */
  readonly asked: 'memory' | 'all-now' | 'all-earlier'
}

/** A cache over this store. */
export function createResultCache({ store, clock, observe, random }: ResultCacheDeps): ResultCache {
  const flights = createSingleFlight<Run>()
  const purges = createPurges()
  const refusals = createNegativeCache(clock)
  const runs = createRuns({ store, clock, observe, purges })
  /** The number of running queries that callers wait for. */
  let callersRuns = 0
  /** The failures of runs that concern only the token that the run counts for, with this token. */
  const refusedTokens = new WeakMap<RunnerError, string>()
  /** The number of calls whose data had no fingerprint. */
  let unknownStates = 0

  /**
   * The key of the single flight. It includes the data's fingerprint, so that a call after a change does not join an older
   * run.
   */
  function flightOf({ key, dataState }: CacheRequest): string {
    if (dataState === undefined) return key
    const state = dataState()
    if (state === null) unknownStates += 1
    return `${key} ${state ?? unknownStates}`
  }

  async function notingRefusal(token: string, run: Promise<Run>): Promise<Run> {
    try {
      return await run
    } catch (thrown) {
      if (thrown instanceof RunnerError && OF_ITS_TOKEN.includes(thrown.code)) refusedTokens.set(thrown, token)
      throw thrown
    }
  }

  const refresh = async (request: CacheRequest, newerThan: number, signal: AbortSignal): Promise<Run> => {
    const { value } = await flights.join(flightOf(request), signal, shared =>
      notingRefusal(BACKGROUND, runs.once(request, shared, { isBackground: true, newerThan, isUnknown: false })),
    )
    return value
  }
  const warmer = createWarmer({
    clock,
    observe,
    random,
    isBusy: () => callersRuns > 0,
    async refresh(request, newerThan, signal) {
      const { result, runMs } = await refresh(request, newerThan, signal)
      return { storedAt: result.storedAt, ran: runMs !== null }
    },
  })
  const revalidator = createRevalidator({
    clock,
    observe,
    random,
    refresh: (request, signal) => refresh(request, clock.nowMs() - request.policy.ttlMs, signal),
  })

  function notePurge(prefix: string): void {
    purges.note(prefix)
    // Later calls must not join a run that began before the purge.
    flights.forget(prefix)
  }
  store.replicas?.onPurge(notePurge)

  const runForCaller = async (request: CacheRequest, signal: AbortSignal, lookedUp: LookedUp): Promise<Run> => {
    const isUnknown = lookedUp.asked === 'memory' && lookedUp.found === undefined
    callersRuns += 1
    try {
      if (lookedUp.asked === 'all-now') return await runs.run(request, signal, false)
      return await runs.once(request, signal, { isBackground: false, newerThan: -Infinity, isUnknown })
    } catch (thrown) {
      if (request.isCurrent()) refusals.note(request.key, thrown)
      throw thrown
    } finally {
      callersRuns -= 1
      warmer.startNext()
    }
  }

  /**
   * Joins a shared run. If it fails because the token of its first caller may run no query now, it is started again for this
   * caller.
   */
  async function shareFairly(request: CacheRequest, signal: AbortSignal, lookedUp: LookedUp) {
    for (;;) {
      let isOwn = false
      try {
        return await flights.join(flightOf(request), signal, shared => {
          isOwn = true
          return notingRefusal(request.token, runForCaller(request, shared, lookedUp))
        })
      } catch (thrown) {
        const refused = thrown instanceof RunnerError ? refusedTokens.get(thrown) : undefined
        // Calls of the refused token do not try again: with many of them, each would join the run of the next.
        if (isOwn || refused === undefined || refused === request.token) throw thrown
      }
    }
  }

  async function lookUp(key: string): Promise<LookedUp> {
    let asked: LookedUp['asked'] = store.replicas ? 'memory' : 'all-now'
    try {
      const answer = store.get(key)
      if (!(answer instanceof Promise)) return { found: answer, asked }
      asked = 'all-earlier'
      return { found: await answer, asked }
    } catch (cause) {
      observe({ kind: 'store.failed', operation: 'get', cause })
      return { found: undefined, asked }
    }
  }

  /** With replicas, looks only into memory; the shared store is asked later, together with the claim of the key. */
  async function lookUpFirst(key: string): Promise<LookedUp> {
    if (!store.replicas || refusals.find(key)) return lookUp(key)
    return { found: peekInMemory(store, key)?.result ?? undefined, asked: 'memory' }
  }

  /** An older result that may replace this failure. @throws the failure where there is no such result. */
  async function insteadOf(request: CacheRequest, thrown: unknown, { found, asked }: LookedUp): Promise<CacheAnswer> {
    const { key, policy } = request
    if (policy.staleIfErrorMs === 0 || !isExcused(thrown)) throw thrown
    const old = found ?? (asked === 'memory' ? (await lookUp(key)).found : undefined)
    const isUsable = old && isOfThisData(old, request) && clock.nowMs() < old.freshUntil + policy.staleIfErrorMs
    if (!isUsable) throw thrown
    return withoutRun(old, 'stale')
  }

  function serveStale(request: CacheRequest, result: StoredResult): CacheAnswer {
    warmer.touch(request, result.storedAt)
    revalidator.begin(request)
    return withoutRun(result, 'stale')
  }

  return {
    peek(request, before) {
      const held = peekInMemory(store, request.key, before)
      if (!held?.result || !isFresh(held.result, request, clock.nowMs())) return undefined
      warmer.touch(request, held.result.storedAt)
      return held
    },
    async renew(request, signal) {
      const endWait = request.beginWait()
      try {
        const { result, isStored, runMs, cost } = await runs.run(request, signal, false)
        warmer.touch(request, result.storedAt)
        return { result, isStored, runMs, cost, outcome: 'fresh' }
      } catch (thrown) {
        return insteadOf(request, thrown, { found: undefined, asked: 'memory' })
      } finally {
        endWait()
      }
    },
    grow(key, bytes) {
      store.grow?.(key, bytes)
    },
    async purge(prefix) {
      notePurge(prefix)
      await store.purge(prefix)
    },
    forget(endpointIds) {
      const gone = new Set(endpointIds)
      if (gone.size === 0) return
      const isGone = (key: string): boolean => gone.has(endpointIdOf(key))
      store.forget?.(gone)
      warmer.forget(isGone)
      refusals.forget(isGone)
      revalidator.forget(isGone)
    },
    async through(request, signal) {
      const lookedUp = await lookUpFirst(request.key)
      const { found } = lookedUp
      const now = clock.nowMs()
      if (found && isFresh(found, request, now)) {
        warmer.touch(request, found.storedAt)
        return withoutRun(found, 'hit')
      }
      const refusal = refusals.find(request.key)
      if (refusal) throw refusal
      if (found && mayServeStale(found, request, now)) return serveStale(request, found)
      const endWait = request.beginWait()
      try {
        const { value, isFirst } = await shareFairly(request, signal, lookedUp)
        if (value.isStale) return serveStale(request, value.result)
        warmer.touch(request, value.result.storedAt) // Only after success, since a failing call is not worth warming.
        return answerOf(value, isFirst)
      } catch (thrown) {
        return insteadOf(request, thrown, lookedUp)
      } finally {
        endWait()
      }
    },
    close() {
      warmer.close()
      revalidator.close()
      flights.cancelAll()
    },
  }
}

/** Failures of a run that concern the token that it counts for, and no other. */
const OF_ITS_TOKEN: readonly ErrorCode[] = ['BUDGET_EXCEEDED', 'OVERLOADED']

/** An answer from the store, without a run. */
const withoutRun = (result: StoredResult, outcome: CacheOutcome): CacheAnswer => {
  return { result, outcome, isStored: false, runMs: null, cost: null }
}

function answerOf({ result, isStored, isCollapsed, runMs, cost }: Run, isFirst: boolean): CacheAnswer {
  if (runMs === null && !isCollapsed) return withoutRun(result, 'hit')
  if (!isFirst || isCollapsed) return { result, runMs, outcome: 'coalesced', isStored: false, cost: null }
  return { result, isStored, runMs, cost, outcome: 'miss' }
}

function peekInMemory(store: ResultStore, key: string, before?: HeldResult | null): HeldResult | undefined {
  try {
    return store.hold?.(key, before)
  } catch {
    // The slow path will meet the same failure and report it.
    return undefined
  }
}

/**
 * Whether an older result may replace this failure: yes for the engine's failures, no for mistakes of the caller and for
 * callers who left.
 */
function isExcused(thrown: unknown): boolean {
  return !(thrown instanceof RunnerError) || thrown.status >= 500
}
