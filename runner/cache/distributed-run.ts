/** One run of a key at a time among all replicas that share the store; its result is stored. */
import { createHash } from 'node:crypto'
import { RunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Lease, Replicas, ResultStore, StoredResult } from '../model/ports.js'
import type { QueryCost, ResultFormat, ResultSet } from '../model/query.js'
import { errorOf, outcomeOf } from './failure-message.js'
import type { Purges } from './purges.js'
import { type CacheRequest, isFresh, mayServeStale } from './request.js'

/** A result, and what it took to get it. */
export interface Run {
  readonly result: StoredResult
  /** It has just been put in the store. */
  readonly isStored: boolean
  /** Another replica ran it meanwhile, and this one waited. */
  readonly isCollapsed: boolean
  /** Null when nothing was run: the store had the result. */
  readonly runMs: number | null
  /** Its time is over, but it may be served while a new one is made. */
  readonly isStale: boolean
  readonly cost: QueryCost | null
}

export interface RunOptions {
  /** Nobody waits for it, and nobody pays. */
  readonly isBackground: boolean
  /** Only a result that is younger will do; milliseconds since 1970. */
  readonly newerThan: number
  /** The store that replicas share has not been asked yet, and this process holds nothing of it. */
  readonly isUnknown: boolean
}

export interface Runs {
  /** Asks the engine, and stores. @throws whatever the run throws. */
  run(request: CacheRequest, signal: AbortSignal, isBackground: boolean): Promise<Run>
  /** The same unless the store has a fresh result by now, or another replica is at it. @throws as `run` does. */
  once(request: CacheRequest, signal: AbortSignal, options: RunOptions): Promise<Run>
}

export interface RunsDeps {
  readonly store: ResultStore
  readonly clock: Clock
  readonly observe: Observer
  readonly purges: Purges
}

export function createRuns({ store, clock, observe, purges }: RunsDeps): Runs {
  /** A store that fails is an empty one. */
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
    const sealed = sealResult(set, request.format, began, began + policy.ttlMs)
    const result = typeof dataBefore === 'string' ? { ...sealed, dataState: dataBefore } : sealed
    const keepMs = policy.ttlMs + Math.max(policy.staleIfErrorMs, policy.staleWhileRevalidateMs) - runMs
    // Data that changed under the query, or cannot be told apart, makes a result that is of no known state.
    const isOfOneState = dataState === undefined || (dataBefore !== null && dataState() === dataBefore)
    // Of an endpoint that has been changed meanwhile nobody will ask for it again.
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

  /** What a stored result is good for. */
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
      // Of such data no replica can use another's result.
      if (state === null) return run(request, signal, options.isBackground)
      const claim = (): Promise<Claimed> =>
        mayBeStored ? replicas.claimUnlessStored(key, state) : replicas.claim(key, state)
      // Both at once: asked for behind the claim, the result of whoever had the key before is seen.
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
      // What is stored is of no use, or has gone meanwhile.
      mayBeStored = false
      if (lease === 'stored') continue
      if (clock.ticksMs() - askedAt >= request.timeoutMs) {
        observe({ kind: 'store.failed', operation: 'wait', cause: new Error(WAITED_IN_VAIN) })
        return run(request, signal, options.isBackground)
      }
      isCollapsed = true
      const outcome = await attempt('wait', () => replicas.outcome(key, signal), { kind: 'unknown' as const })
      // Of data that changes, another replica's run may have read what was before.
      const error = outcome.kind === 'failed' && !request.dataState ? errorOf(outcome.failure) : null
      if (error) throw error
    }
  }

  return {
    run,
    async once(request, signal, options) {
      if (store.replicas) return amongReplicas(store.replicas, request, signal, options)
      // Another run may have ended while a store elsewhere was asked, so it is asked once more before the engine is.
      const answer = options.isBackground ? undefined : await attempt('get', () => store.get(request.key), undefined)
      if (answer && isFresh(answer, request, clock.nowMs())) return found(answer, false)
      return run(request, signal, options.isBackground)
    },
  }
}

/** Its owner hangs, or somebody else has written there. */
const WAITED_IN_VAIN = 'a key was claimed for as long as its query may take, and nothing came of it'

type Claimed = Lease | 'stored' | null

const isLease = (claimed: Claimed | 'failed'): claimed is Lease => typeof claimed === 'object' && claimed !== null

/** The result with its times and its ETag, which is computed here and nowhere else. */
export function sealResult(set: ResultSet, format: ResultFormat, storedAt: number, freshUntil: number): StoredResult {
  const hash = createHash('sha256').update(format).update('\0').update(set.body).digest('base64url')
  const { body, columns, rowCount, isTruncated } = set
  return { body, columns, rowCount, isTruncated, etag: `"${hash.slice(0, 27)}"`, storedAt, freshUntil }
}
