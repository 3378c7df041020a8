/** Get or run: results from the store while they are fresh, else one shared run that is then stored. */
import { RunnerError } from '../model/errors.js'
import type { CacheOutcome, Observer } from '../model/events.js'
import type { Clock, HeldResult, ResultStore, StoredResult } from '../model/ports.js'
import type { QueryCost } from '../model/query.js'
import { type CacheRequest, isFresh, isOfThisData } from './cache-request.js'
import { createFlights } from './flights.js'
import { createPurges } from './purges.js'
import { createRefusals } from './refusals.js'
import { createRevalidator } from './revalidate.js'
import { createRuns, type Run, type RunOptions } from './run-once.js'
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
  /** A result whose query begins now, whatever is stored; it is stored then. @throws as `through` does. */
  renew(request: CacheRequest, signal: AbortSignal): Promise<CacheAnswer>
  /** The stored result of this key has grown in memory. */
  grow(key: string, bytes: number): void
  /**
   * Forgets all results of an endpoint, null for of all, in every replica; queries that are running are not stored.
   * Rejects when the store fails: then some may be left.
   */
  purge(endpointId: string | null): Promise<void>
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

const FOR_A_CALLER: RunOptions = { isBackground: false, newerThan: -Infinity }

/** A cache over this store. */
export function createResultCache({ store, clock, observe, random }: ResultCacheDeps): ResultCache {
  const flights = createFlights<Run>()
  const purges = createPurges()
  const refusals = createRefusals(clock)
  const runs = createRuns({ store, clock, observe, purges })
  /** Queries that callers wait for. */
  let callersRuns = 0

  const refresh = async (request: CacheRequest, newerThan: number, signal: AbortSignal): Promise<Run> => {
    const { value } = await flights.join(request.key, signal, shared =>
      runs.once(request, shared, { isBackground: true, newerThan }),
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

  const runForCaller = async (request: CacheRequest, signal: AbortSignal, isLookupAsync: boolean): Promise<Run> => {
    callersRuns += 1
    try {
      // A store that answers at once has been asked just now.
      return await (isLookupAsync ? runs.once(request, signal, FOR_A_CALLER) : runs.run(request, signal, false))
    } catch (thrown) {
      refusals.note(request.key, thrown)
      throw thrown
    } finally {
      callersRuns -= 1
      warmer.startNext()
    }
  }

  /** Another caller's budget is no reason to refuse this one: then the query is begun again, for this caller. */
  async function shareFairly(request: CacheRequest, signal: AbortSignal, isLookupAsync: boolean) {
    for (;;) {
      let isOwn = false
      try {
        return await flights.join(request.key, signal, shared => {
          isOwn = true
          return runForCaller(request, shared, isLookupAsync)
        })
      } catch (thrown) {
        if (isOwn || !(thrown instanceof RunnerError) || thrown.code !== 'BUDGET_EXCEEDED') throw thrown
      }
    }
  }

  async function lookUp(key: string): Promise<{ found: StoredResult | undefined; isLookupAsync: boolean }> {
    let isLookupAsync = store.replicas !== undefined
    try {
      const answer = store.get(key)
      if (!(answer instanceof Promise)) return { found: answer, isLookupAsync }
      isLookupAsync = true
      return { found: await answer, isLookupAsync }
    } catch (cause) {
      observe({ kind: 'store.failed', operation: 'get', cause })
      return { found: undefined, isLookupAsync }
    }
  }

  return {
    peek(request, before) {
      const held = lookAtOnce(store, request.key, before)
      if (!held?.result || !isFresh(held.result, request, clock.nowMs())) return undefined
      warmer.touch(request, held.result.storedAt)
      return held
    },
    async renew(request, signal) {
      const { result, isStored, runMs, cost } = await runs.run(request, signal, false)
      warmer.touch(request, result.storedAt)
      return { result, isStored, runMs, cost, outcome: 'fresh' }
    },
    grow(key, bytes) {
      store.grow?.(key, bytes)
    },
    async purge(endpointId) {
      const prefix = endpointId === null ? '' : `${endpointId}:`
      notePurge(prefix)
      await store.purge(prefix)
    },
    async through(request, signal) {
      const { policy } = request
      const { found, isLookupAsync } = await lookUp(request.key)
      const now = clock.nowMs()
      if (found && isFresh(found, request, now)) {
        warmer.touch(request, found.storedAt)
        return without(found, 'hit')
      }
      const refusal = refusals.find(request.key)
      if (refusal) throw refusal
      const old = found && isOfThisData(found, request) ? found : undefined
      if (old && now < old.freshUntil + policy.staleWhileRevalidateMs) {
        warmer.touch(request, old.storedAt)
        revalidator.begin(request)
        return without(old, 'stale')
      }
      try {
        const { value, isFirst } = await shareFairly(request, signal, isLookupAsync)
        warmer.touch(request, value.result.storedAt) // only now: a call that fails is not worth repeating
        return answerOf(value, isFirst)
      } catch (thrown) {
        if (old && isExcused(thrown) && clock.nowMs() < old.freshUntil + policy.staleIfErrorMs) {
          return without(old, 'stale')
        }
        throw thrown
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
  if (!isFirst || isCollapsed) return { result, runMs, outcome: 'coalesced', isStored: false, cost: null }
  return { result, isStored, runMs, cost, outcome: runMs === null ? 'hit' : 'miss' }
}

function lookAtOnce(store: ResultStore, key: string, before?: HeldResult | null): HeldResult | undefined {
  try {
    return store.hold?.(key, before)
  } catch {
    // Whoever goes the long way will meet it again, and say so.
    return undefined
  }
}

/** An old result stands in for a failure of the engine, not for a mistake in the call or a caller who left. */
function isExcused(thrown: unknown): boolean {
  return !(thrown instanceof RunnerError) || thrown.status >= 500
}
