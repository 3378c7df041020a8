/** Plans a call before anything is run: which endpoint, with which arguments, and whether the cache may answer. */
import { cacheKey, walkKey } from '../cache/key.js'
import type { CacheRequest, RunKind } from '../cache/request.js'
import type { Endpoint } from '../model/endpoint.js'
import { invalidArguments, notAllowed } from '../model/errors.js'
import { CURSOR } from '../model/page.js'
import type { Caller } from '../model/ports.js'
import type { ArgumentMap } from '../model/query.js'
import { etagInTurns } from '../model/result-key.js'
import type { SharedRun } from '../model/waiters.js'
import { authorize, beginWait, NOT_ALLOWED, OUT_OF_SCOPE } from './authorize.js'
import { bindPinned, invalidBeside } from './bind-pinned.js'
import { takePage } from './pages/page-arguments.js'
import { type PagePlan, type Pages, pageGone } from './pages/pages.js'
import type { RawArguments } from './raw-arguments.js'
import { type EndpointIndex, findBroken, route } from './route.js'
import { type RunDeps, type RunOrder, runQuery } from './run-query.js'
import { ignoredHeader, unknownNames } from './unknown-arguments.js'

export interface PlanDeps extends RunDeps {
  /** The current endpoints. */
  readonly endpoints: () => EndpointIndex
  readonly pages: Pages
}

/** The facts about a request, filled in stage by stage, so that a refused request can be logged too. */
export interface RequestFacts {
  token: string | null
  endpoint: string | null
}

/**
 * The endpoint by name or id, for a caller who may call it.
 * @throws RunnerError ENDPOINT_UNKNOWN, ENDPOINT_BROKEN, TOKEN_NOT_ALLOWED.
 */
export function admitCall(caller: Caller, ref: string, index: EndpointIndex, facts?: RequestFacts): Endpoint {
  const name = (index.find(ref) ?? findBroken(index, ref))?.name ?? null
  if (facts && name !== null) facts.endpoint = name
  // A token that is limited to some endpoints is not told whether others exist.
  if (!caller.mayCall(name ?? ref)) throw notAllowed(NOT_ALLOWED, OUT_OF_SCOPE)
  const endpoint = route(index, ref)
  authorize(caller, endpoint)
  return endpoint
}

/**
 * `order` is the query to run, `cached` the request to the cache (null where the call bypasses it), `page` the page of that result (null
 * for all of it), `ignored` the value of X-Ignored-Arguments ('' where no argument was ignored). While the endpoints are the same, equal
 * calls of a caller have equal plans. Runs nothing. `nowMicros` freezes `@now`; such a call bypasses the cache.
 * @throws RunnerError ARGUMENT_INVALID, TOKEN_NOT_ALLOWED, PAGE_GONE.
 */
export function planCall(caller: Caller, input: RawArguments, call: Omit<RunOrder, 'args'>, deps: PlanDeps) {
  const { endpoint, nowMicros } = call
  const { page: askedPage, queryArgs, problems } = takePage(endpoint, input, deps.pages.cursors)
  const bind = (): ArgumentMap => bindPinned(caller, endpoint, queryArgs)
  if (problems.length > 0) throw invalidBeside(problems, bind)
  const args = bind()
  const order = { ...call, args }
  const ignored = ignoredHeader(unknownNames(endpoint, queryArgs))
  if (askedPage === null) return { order, cached: cacheRequest(order, caller, deps), page: null, ignored }
  const page = deps.pages.plan(askedPage, endpoint, args, cacheKey(endpoint, args))
  if (page === null) {
    throw invalidArguments([{ parameter: CURSOR, detail: 'must be sent with the arguments of the page before' }])
  }
  const now = page.cursor === null ? nowMicros : BigInt(page.cursor.now)
  const cached = now === null ? cacheRequest(order, caller, deps) : null
  return { order, cached: cached ?? walkRequest(order, page, now, caller, deps), page, ignored }
}

function cacheRequest(order: RunOrder, caller: Caller, deps: PlanDeps): CacheRequest | null {
  const { endpoint, args, nowMicros } = order
  if (endpoint.cache === null || nowMicros !== null) return null
  return {
    ...requestMembers({ ...order, keeping: 'keep-and-use' }, caller, deps),
    key: cacheKey(endpoint, args) + dataCopyOf(endpoint, deps),
    policy: endpoint.cache,
    ...dataStateOf(order, deps),
  }
}

/** The request for a result that is kept for its pages. Where `now` is null, its `@now` is the clock's time. */
export function walkRequest(order: RunOrder, page: PagePlan, now: bigint | null, caller: Caller, deps: PlanDeps) {
  const nowMicros = now ?? deps.clock.nowMicros()
  const ttlMs = order.endpoint.cache?.ttlMs ?? 0
  const request = requestMembers({ ...order, nowMicros }, caller, deps)
  const etag = page.cursor?.etag
  return {
    ...request,
    run: async (shared: SharedRun, kind: RunKind) => {
      const set = await request.run(shared, kind)
      if (etag !== undefined && (await etagInTurns(set.body)) !== etag) throw pageGone('The data has changed')
      return set
    },
    key: walkKey(page.key, String(nowMicros)),
    keepMs: page.keepMs,
    policy: {
      ttlMs,
      warmMs: null,
      staleIfErrorMs: 0,
      staleWhileRevalidateMs: 0,
      untilDataChanges: false,
      settledMs: null,
    },
  } satisfies CacheRequest
}

/** The members that all requests to the cache share. */
function requestMembers(order: RunOrder, caller: Caller, deps: PlanDeps) {
  const { endpoint } = order
  return {
    endpoint: endpoint.name,
    timeoutMs: endpoint.timeoutMs,
    token: caller.token,
    beginWait: () => beginWait(caller),
    run: ({ signal, waiters }: SharedRun, kind: RunKind) => {
      const runOrder = order.keeping && kind === 'full' ? { ...order, keeping: 'keep' as const } : order
      return runQuery({ ...runOrder, waiters }, kind === 'background' ? null : caller, deps, signal)
    },
    isCurrent: () => deps.endpoints().find(endpoint.id)?.revision === endpoint.revision,
  }
}

/** Replicas with separate copies of the data use separate keys; with shared keys each would discard the others' results. */
function dataCopyOf({ cache }: Endpoint, { engine }: PlanDeps): string {
  return cache?.untilDataChanges ? `@${engine.dataCopy?.() ?? ''}` : ''
}

/** The fingerprint of the data that this order's query reads, where the endpoint's cache policy needs it. */
function dataStateOf(
  { endpoint, args }: RunOrder,
  { engine, clock }: PlanDeps,
): Pick<CacheRequest, 'dataState' | 'learnDataState'> {
  if (!endpoint.cache?.untilDataChanges) return {}
  const query = endpoint.render(args, clock.nowMicros()) // The time in the query does not change which tables it reads.
  return {
    dataState: () => engine.dataState?.(query) ?? null,
    learnDataState: async () => engine.learnDataState?.(query),
  }
}
