/** Get or run: results from the store while they are fresh, else one shared run that is then stored. */
import { RunnerError } from '../model/errors.js'
import type { CacheOutcome, Observer } from '../model/events.js'
import type { Clock, HeldResult, ResultStore, StoredResult } from '../model/ports.js'
import type { QueryCost } from '../model/query.js'
import { endpointIdOf, keyPrefix } from '../model/result-key.js'
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
  /** True when this answer's result has just been put in the store. */
  readonly isStored: boolean
  /** How long the run took that this answer waited for, in milliseconds; null where it waited for none. */
  readonly runMs: number | null
  /** What the run cost that this answer started; null where it started none, or not on a warehouse. */
  readonly cost: QueryCost | null
}

export interface ResultCache {
  /**
   * @throws RunnerError CALL_ABANDONED when `signal` fires first; whatever the run throws, unless an older result
   *   may still be served. An error is never stored.
   */
  through(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer>
  /** The result of this request where it can be had at once and is fresh. `before` is what was told the last time. */
  peek(request: CacheRequest, before?: HeldResult | null): HeldResult | undefined
  /**
   * A result whose query begins now, whatever is stored; it is stored then. When the query fails a stored one stands in, as
   * long as the manifest says (RFC 5861, 4: "regardless of other freshness information"). @throws as `through` does.
   */
  renew(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer>
  /** The stored result of this key has grown in memory. */
  grow(key: string, bytes: number): void
  /**
   * Forgets all results of an endpoint, null for of all, in every replica; queries that are running are not stored.
   * Rejects when the store fails: then some may be left.
   */
  purge(endpointId: string | null): Promise<void>
  /**
   * Endpoints that have been changed or removed: what is held of them as they were will not be asked for again. What other
   * replicas may serve of them stays.
   */
  forget(endpointIds: Iterable<string>): void
  /** Stops warming and cancels the runs in progress. The store stays open: whoever opened it closes it. */
  close(): void
}

export interface ResultCacheDeps {
  readonly store: ResultStore
  readonly clock: Clock
  readonly observe: Observer
  /** From 0 to 1; spreads refreshes. */
  readonly random: () => number
}

/** What was found before a run begins, and where: `all` is a store that answers at once; `before`, one that was waited for. */
interface LookedUp {
  readonly found: StoredResult | undefined
  readonly asked: 'memory' | 'all' | 'before'
}

/** A cache over this store. */
export function createResultCache({ store, clock, observe, random }: ResultCacheDeps): ResultCache {
  const flights = createSingleFlight<Run>()
  const purges = createPurges()
  const refusals = createNegativeCache(clock)
  const runs = createRuns({ store, clock, observe, purges })
  /** Queries that callers wait for. */
  let callersRuns = 0
  /** Calls whose data could not be told from any other. */
  let unknownStates = 0

  /** Whoever comes after the data has changed must not share a run from before. */
  function flightOf({ key, dataState }: CacheRequest): string {
    if (dataState === undefined) return key
    const state = dataState()
    if (state === null) unknownStates += 1
    return `${key} ${state ?? unknownStates}`
  }

  const refresh = async (request: CacheRequest, newerThan: number, signal: AbortSignal): Promise<Run> => {
    const { value } = await flights.join(flightOf(request), signal, shared =>
      runs.once(request, shared, { isBackground: true, newerThan, isUnknown: false }),
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
    // Whoever comes now must not share a run that began before.
    flights.forget(prefix)
  }
  store.replicas?.onPurge(notePurge)

  const runForCaller = async (request: CacheRequest, signal: AbortSignal, lookedUp: LookedUp): Promise<Run> => {
    const isUnknown = lookedUp.asked === 'memory' && lookedUp.found === undefined
    callersRuns += 1
    try {
      if (lookedUp.asked === 'all') return await runs.run(request, signal, false)
      return await runs.once(request, signal, { isBackground: false, newerThan: -Infinity, isUnknown })
    } catch (thrown) {
      if (request.isCurrent()) refusals.note(request.key, thrown)
      throw thrown
    } finally {
      callersRuns -= 1
      warmer.startNext()
    }
  }

  /** Another caller's budget is no reason to refuse this one: then the query is begun again, for this caller. */
  async function shareFairly(request: CacheRequest, signal: AbortSignal, lookedUp: LookedUp) {
    for (;;) {
      let isOwn = false
      try {
        return await flights.join(flightOf(request), signal, shared => {
          isOwn = true
          return runForCaller(request, shared, lookedUp)
        })
      } catch (thrown) {
        if (isOwn || !(thrown instanceof RunnerError) || thrown.code !== 'BUDGET_EXCEEDED') throw thrown
      }
    }
  }

  async function lookUp(key: string): Promise<LookedUp> {
    let asked: LookedUp['asked'] = store.replicas ? 'memory' : 'all'
    try {
      const answer = store.get(key)
      if (!(answer instanceof Promise)) return { found: answer, asked }
      asked = 'before'
      return { found: await answer, asked }
    } catch (cause) {
      observe({ kind: 'store.failed', operation: 'get', cause })
      return { found: undefined, asked }
    }
  }

  /** With replicas only what is at hand: the store is asked, and the key claimed, in one go. */
  async function lookUpFirst(key: string): Promise<LookedUp> {
    if (!store.replicas || refusals.find(key)) return lookUp(key)
    return { found: lookAtOnce(store, key)?.result ?? undefined, asked: 'memory' }
  }

  /** An old result in place of this failure. @throws the failure where there is none that may be served. */
  async function insteadOf(request: CacheRequest, thrown: unknown, { found, asked }: LookedUp): Promise<CacheAnswer> {
    const { key, policy } = request
    if (policy.staleIfErrorMs === 0 || !isExcused(thrown)) throw thrown
    const old = found ?? (asked === 'memory' ? (await lookUp(key)).found : undefined)
    const isUsable = old && isOfThisData(old, request) && clock.nowMs() < old.freshUntil + policy.staleIfErrorMs
    if (!isUsable) throw thrown
    return without(old, 'stale')
  }

  function serveStale(request: CacheRequest, result: StoredResult): CacheAnswer {
    warmer.touch(request, result.storedAt)
    revalidator.begin(request)
    return without(result, 'stale')
  }

  return {
    peek(request, before) {
      const held = lookAtOnce(store, request.key, before)
      if (!held?.result || !isFresh(held.result, request, clock.nowMs())) return undefined
      warmer.touch(request, held.result.storedAt)
      return held
    },
    async renew(request, signal) {
      try {
        const { result, isStored, runMs, cost } = await runs.run(request, signal, false)
        warmer.touch(request, result.storedAt)
        return { result, isStored, runMs, cost, outcome: 'fresh' }
      } catch (thrown) {
        return insteadOf(request, thrown, { found: undefined, asked: 'memory' })
      }
    },
    grow(key, bytes) {
      store.grow?.(key, bytes)
    },
    async purge(endpointId) {
      const prefix = endpointId === null ? '' : keyPrefix(endpointId)
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
        return without(found, 'hit')
      }
      const refusal = refusals.find(request.key)
      if (refusal) throw refusal
      if (found && mayServeStale(found, request, now)) return serveStale(request, found)
      try {
        const { value, isFirst } = await shareFairly(request, signal, lookedUp)
        if (value.isStale) return serveStale(request, value.result)
        warmer.touch(request, value.result.storedAt) // only now: a call that fails is not worth repeating
        return answerOf(value, isFirst)
      } catch (thrown) {
        return insteadOf(request, thrown, lookedUp)
      }
    },
    close() {
      warmer.close()
      revalidator.close()
      flights.cancelAll()
    },
  }
}

/** A result that no run was waited for. */
const without = (result: StoredResult, outcome: CacheOutcome): CacheAnswer => {
  return { result, outcome, isStored: false, runMs: null, cost: null }
}

function answerOf({ result, isStored, isCollapsed, runMs, cost }: Run, isFirst: boolean): CacheAnswer {
  if (runMs === null && !isCollapsed) return without(result, 'hit')
  if (!isFirst || isCollapsed) return { result, runMs, outcome: 'coalesced', isStored: false, cost: null }
  return { result, isStored, runMs, cost, outcome: 'miss' }
}

function lookAtOnce(store: ResultStore, key: string, before?: HeldResult | null): HeldResult | undefined {
  try {
    return store.hold?.(key, before)
  } catch {
    // Whoever takes the slow path will meet it again, and say so.
    return undefined
  }
}

/** An old result stands in for a failure of the engine, not for a mistake in the call or a caller who left. */
function isExcused(thrown: unknown): boolean {
  return !(thrown instanceof RunnerError) || thrown.status >= 500
}
