/** Conducts a caller's request to a result: finds the endpoint, checks the rights, reads the arguments, asks the cache or the engine. */
import type { CacheAnswer, CacheRequest } from '../cache/request.js'
import { type ResultCache, sealResult } from '../cache/result-cache.js'
import { formatOf, type ListedFormat, type ResultFormat } from '../formats/index.js'
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import { nextTurn } from '../model/in-turns.js'
import type { Caller, TokenStore } from '../model/ports.js'
import { QueryFault } from '../model/query-fault.js'
import { etagInTurns } from '../model/result-key.js'
import { beginWait } from './authorize.js'
import { chooseType } from './negotiate.js'
import { acceptableCoding, type CodingChoice, type ContentCoding } from './negotiate-coding.js'
import { type PagePlan, pageGone } from './pages/pages.js'
import { admitCall, type PlanDeps, planCall, type RequestFacts, walkRequest } from './plan.js'
import { mergeArguments, type RawArguments } from './raw-arguments.js'
import { type RunOrder, runQuery } from './run-query.js'

export interface RequestDeps extends PlanDeps {
  /** Registers the beginning of a call; returns a function to call at its end. Its engine stays open until then. */
  readonly beginCall?: () => () => void
  readonly tokens: TokenStore
  readonly results: ResultCache
  /** The codings that results can be sent in. */
  readonly codings: readonly ContentCoding[]
}

export interface RunRequest {
  /** The endpoint's name or id. */
  readonly ref: string
  readonly accept?: string | undefined
  readonly acceptEncoding?: string | undefined
  /** The format, whatever the address and `accept` say. */
  readonly format?: ResultFormat
  /** The arguments in the address; the one named `format` may choose the format. */
  readonly readAddress: () => RawArguments
  /** The arguments in the body. Called only once the call is known to be allowed: no body is read for others. */
  readonly readBody?: () => Promise<RawArguments>
  /** Fires when the caller leaves. */
  readonly signal: AbortSignal
  /** The caller demands a new result; granted where the token allows it. */
  readonly wantsFresh?: boolean
  /** Freezes `@now`, in microseconds since 1970; such a call bypasses the cache. */
  readonly nowMicros?: bigint
}

/** The result is in JSON, whatever the caller has asked for. */
export interface RunResponse extends CacheAnswer {
  readonly endpoint: Endpoint
  /** The format that the caller has asked for. */
  readonly format: ListedFormat
  readonly coding: CodingChoice
  /** Whether the endpoint is cached. */
  readonly isCacheable: boolean
  /** The cache key; null where the result is not cached. */
  readonly key: string | null
  /** The value of X-Ignored-Arguments; '' where no argument was ignored. */
  readonly ignored: string
  /** The cursor of a page that begins with this row, counted from 0 in the page; absent where the result is not a page. */
  readonly cursorAt?: (row: number) => string
}

/** Handles a request of an authenticated caller. @throws RunnerError as each stage does; see the stage's own file. */
export async function handleFor(caller: Caller, request: RunRequest, deps: RequestDeps, facts: RequestFacts) {
  const endCall = deps.beginCall?.()
  try {
    const { ref, readBody, format: preset, accept, nowMicros = null } = request
    const endpoint = admitCall(caller, ref, deps.endpoints(), facts)
    const address = request.readAddress()
    const format = preset === undefined ? chooseType(endpoint, address, accept) : formatOf(preset)
    const coding = acceptableCoding(request.acceptEncoding, deps.codings)
    const args = readBody ? mergeArguments(address, await readBody()) : address
    const plan = planCall(caller, args, { endpoint, nowMicros }, deps)
    // The engine encodes the arguments, of which a body may have thousands: another turn of the event loop does this.
    if (readBody) await nextTurn()
    const answer = plan.page
      ? await pageFromCache(caller, { ...plan, page: plan.page }, request, deps)
      : plan.cached
        ? await fromCache(caller, plan.cached, request, deps.results)
        : await fromEngine(caller, plan.order, request, deps)
    return { ...answer, endpoint, format, coding, ignored: plan.ignored } satisfies RunResponse
  } finally {
    endCall?.()
  }
}

type Answer = Omit<RunResponse, 'endpoint' | 'format' | 'coding' | 'ignored'>

async function fromCache(
  caller: Caller,
  cached: CacheRequest,
  { wantsFresh, signal }: RunRequest,
  results: ResultCache,
) {
  const isRenewed = wantsFresh && caller.admitFresh?.()
  const answer = await (isRenewed ? results.renew(cached, signal) : results.through(cached, signal))
  return { ...answer, isCacheable: true, key: cached.key }
}

type PlannedPage = Pick<ReturnType<typeof planCall>, 'order' | 'cached'> & { readonly page: PagePlan }

/** The result is kept for the pages that follow, even if the endpoint is not cached. */
async function pageFromCache(
  caller: Caller,
  { order, cached, page }: PlannedPage,
  request: RunRequest,
  deps: RequestDeps,
) {
  const { pages, results } = deps
  // A new run could give another result than that of the cursor.
  const pageRequest = page.cursor === null ? request : { ...request, wantsFresh: false }
  const answer = await fromCache(caller, cached!, pageRequest, results)
  const isKept = await pages.keep(page, answer, cached!)
  const kept = isKept ? answer : await keptAnswer(caller, { order, page }, answer, request, deps)
  const share = { caller: caller.token, endpoint: order.endpoint.name }
  const { page: result, key } = await pages.cut(page, kept.result, share)
  const cursorAt = (row: number): string => page.cursorAt(kept.result, (page.cursor?.from ?? 0) + row)
  return { ...kept, result, key, isCacheable: order.endpoint.cache !== null, cursorAt }
}

/** How often a first page runs the query again if its result was not stored because the data was changed or purged meanwhile. */
const MAX_OWN_RUNS = 2

/** The answer of a run at an `@now` of its own, whose result is kept. @throws RunnerError RESULT_TOO_LARGE, PAGE_GONE. */
async function keptAnswer(
  caller: Caller,
  { order, page }: Omit<PlannedPage, 'cached'>,
  first: CacheAnswer,
  request: RunRequest,
  deps: RequestDeps,
) {
  let answer = first
  for (let runs = 0; runs < MAX_OWN_RUNS && !answer.isTooLarge; runs++) {
    const own = walkRequest(order, page, null, caller, deps)
    const next = await fromCache(caller, own, { ...request, wantsFresh: false }, deps.results)
    if (await deps.pages.keep(page, next, own)) return next
    answer = next
  }
  if (!answer.isTooLarge) throw pageGone('The data or the endpoint has changed again and again')
  const detail = 'The result is too large to be kept for its pages. Ask for less, or for an export.'
  const { rowCount, body } = answer.result
  const cause = new QueryFault(`${rowCount} rows of ${body.byteLength} bytes; see --cache-memory`)
  throw new RunnerError('RESULT_TOO_LARGE', { detail, cause })
}

async function fromEngine(caller: Caller, order: RunOrder, { signal }: RunRequest, deps: RequestDeps): Promise<Answer> {
  const [began, beganTicks] = [deps.clock.nowMs(), deps.clock.ticksMs()]
  const endWait = beginWait(caller)
  try {
    const set = await runQuery(order, caller, deps, signal)
    const result = sealResult(set, await etagInTurns(set.body), began, began)
    const [runMs, cost] = [deps.clock.ticksMs() - beganTicks, set.cost ?? null]
    return { result, isCacheable: false, outcome: 'bypass', isStored: false, key: null, runMs, cost }
  } finally {
    endWait()
  }
}
