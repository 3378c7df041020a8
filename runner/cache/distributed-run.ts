/** Runs a key once at a time among all replicas that share the store, and stores its result. */
import { RunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Lease, Replicas, ResultStore, StoredResult } from '../model/ports.js'
import type { QueryCost, ResultSet } from '../model/query.js'
import { etagInTurns } from '../model/result-key.js'
import { errorOf, outcomeOf } from './failure-message.js'
import type { Purges } from './purges.js'
import { type CacheRequest, isFresh, mayServeStale } from './request.js'

/** A result, and how it was obtained. */
export interface Run {
  readonly result: StoredResult
  /** The result has just been stored. */
  readonly isStored: boolean
  /** Another replica ran the query, and this one waited for it. */
  readonly isCollapsed: boolean
  /** How long the query took, in milliseconds; null when the store had the result. */
  readonly runMs: number | null
  /** The result is past its ttl, but may be served while it is refreshed. */
  readonly isStale: boolean
  readonly cost: QueryCost | null
}

export interface RunOptions {
  /** A background refresh: no caller waits, and no token is charged. */
  readonly isBackground: boolean
  /** Only a result stored after this time may be used; milliseconds since 1970. */
  readonly newerThan: number
  /** The shared store has not been asked yet, and this process has no entry in memory. */
  readonly isUnknown: boolean
}

export interface Runs {
  /** Runs the query and stores its result. @throws whatever the run throws. */
  run(request: CacheRequest, signal: AbortSignal, isBackground: boolean): Promise<Run>
  /** Runs the query unless the store now has a fresh result or another replica is running it. @throws as `run` does. */
  once(request: CacheRequest, signal: AbortSignal, options: RunOptions): Promise<Run>
}

export interface RunsDeps {
  readonly store: ResultStore
  readonly clock: Clock
  readonly observe: Observer
  readonly purges: Purges
}

export function createRuns({ store, clock, observe, purges }: RunsDeps): Runs {
  /** Calls the store; a store that fails counts as empty. */
  async function attempt<T, F>(operation: string, action: () => Promise<T> | T, otherwise: F): Promise<T | F> {
    try {
      return await action()
    } catch (cause) {
      if (cause instanceof RunnerError && cause.code === 'CALL_ABANDONED') throw cause
      observe({ kind: 'store.failed', operation, cause })
      return otherwise
    }
  }

  async function run(request: CacheRequest, signal: AbortSignal, isBackground: boolean): Promise<Run> {
    const { key, policy, dataState } = request
    const purged = purges.countOf(key)
    const dataBefore = dataState?.()
    const [began, beganTicks] = [clock.nowMs(), clock.ticksMs()]
    const set = await request.run(signal, isBackground)
    const runMs = clock.ticksMs() - beganTicks
    const sealed = sealResult(set, await etagInTurns(set.body), began, began + policy.ttlMs)
    const result = typeof dataBefore === 'string' ? { ...sealed, dataState: dataBefore } : sealed
    const keepMs = policy.ttlMs + Math.max(policy.staleIfErrorMs, policy.staleWhileRevalidateMs) - runMs
    // If the data changed during the query, or has no fingerprint now, the result belongs to no known state.
    const isOfOneState = dataState === undefined || (dataBefore !== null && dataState() === dataBefore)
    // A result of an endpoint that has changed in the meantime would never be asked for again.
    const mayStore = keepMs > 0 && isOfOneState && purges.countOf(key) === purged && request.isCurrent()
    const isStored = mayStore && (await attempt('set', () => store.set(key, result, keepMs), false))
    return { result, isStored, isCollapsed: false, runMs, isStale: false, cost: set.cost ?? null }
  }

  const found = (result: StoredResult, isCollapsed: boolean, isStale = false): Run => {
    return { result, isStored: false, isCollapsed, runMs: null, isStale, cost: null }
  }

  async function runLeased(
    lease: Lease,
    request: CacheRequest,
    signal: AbortSignal,
    isBackground: boolean,
  ): Promise<Run> {
    try {
      const done = await run(request, signal, isBackground)
      void lease.release({ kind: done.isStored ? 'stored' : 'unknown' })
      return done
    } catch (thrown) {
      void lease.release(outcomeOf(thrown))
      throw thrown
    }
  }

  /** Whether a stored result may be used as fresh, as stale, or not at all. */
  function useOf(
    latest: StoredResult,
    request: CacheRequest,
    { isBackground, newerThan }: RunOptions,
  ): 'fresh' | 'stale' | 'none' {
    const now = clock.nowMs()
    if (latest.storedAt <= newerThan) return 'none'
    if (isFresh(latest, request, now)) return 'fresh'
    return !isBackground && mayServeStale(latest, request, now) ? 'stale' : 'none'
  }

  async function amongReplicas(
    replicas: Replicas,
    request: CacheRequest,
    signal: AbortSignal,
    options: RunOptions,
  ): Promise<Run> {
    const { key } = request
    const askedAt = clock.ticksMs()
    let mayBeStored = options.isUnknown
    let isCollapsed = false
    for (;;) {
      const state = request.dataState === undefined ? '' : request.dataState()
      // Without a fingerprint of the data no replica can use another's result.
      if (state === null) return run(request, signal, options.isBackground)
      const claim = (): Promise<Claimed> =>
        mayBeStored ? replicas.claimUnlessStored(key, state) : replicas.claim(key, state)
      // Sent together: the lookup comes after the claim, so it sees the result of the key's previous owner.
      const [lease, latest] = await Promise.all([
        attempt('claim', claim, 'failed' as const),
        attempt('get', () => replicas.latest(key), undefined),
      ])
      const use = latest ? useOf(latest, request, options) : 'none'
      if (latest && use !== 'none') {
        if (isLease(lease)) void lease.release({ kind: 'unknown' })
        return found(latest, isCollapsed, use === 'stale')
      }
      if (lease === 'failed') return run(request, signal, options.isBackground)
      if (isLease(lease)) return runLeased(lease, request, signal, options.isBackground)
      // The stored result cannot be used, or was removed in the meantime.
      mayBeStored = false
      if (lease === 'stored') continue
      if (clock.ticksMs() - askedAt >= request.timeoutMs) {
        observe({ kind: 'store.failed', operation: 'wait', cause: new Error(NO_OUTCOME) })
        return run(request, signal, options.isBackground)
      }
      isCollapsed = true
      const outcome = await attempt('wait', () => replicas.outcome(key, signal), { kind: 'unknown' as const })
      // If data may change, another replica's run may have read the older data.
      const error = outcome.kind === 'failed' && !request.dataState ? errorOf(outcome.failure) : null
      if (error) throw error
    }
  }

  return {
    run,
    async once(request, signal, options) {
      if (store.replicas) return amongReplicas(store.replicas, request, signal, options)
      // Another run may have ended while the shared store was asked, so the store is asked once more before the engine.
      const answer = options.isBackground ? undefined : await attempt('get', () => store.get(request.key), undefined)
      if (answer && isFresh(answer, request, clock.nowMs())) return found(answer, false)
      return run(request, signal, options.isBackground)
    },
  }
}

/** Logged when the owner of a key hangs, or another program has written to its lease. */
const NO_OUTCOME =
  'a key was claimed for as long as its query may take, but neither a result nor a failure was announced'

type Claimed = Lease | 'stored' | null

const isLease = (claimed: Claimed | 'failed'): claimed is Lease => typeof claimed === 'object' && claimed !== null

/** Adds the times and the ETag. */
export function sealResult(set: ResultSet, etag: string, storedAt: number, freshUntil: number): StoredResult {
  const { body, columns, rowCount, isTruncated } = set
  return { body, columns, rowCount, isTruncated, etag, storedAt, freshUntil }
}
