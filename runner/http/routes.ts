/** The routes below /api: running, listing and describing endpoints, and purging results. */

import type { Request, RequestHandler, Response } from 'express'
import type { Endpoint } from '../model/endpoint.js'
import { ENGINES } from '../model/engines.js'
import { invalidRequest } from '../model/errors.js'
import { timesOfPartition } from '../model/partition.js'
import type { Caller } from '../model/ports.js'
import type { TablePart } from '../model/query.js'
import { authenticate, mayRun } from '../request/authorize.js'
import { describeEndpoint } from '../request/describe.js'
import { explainCall } from '../request/explain-call.js'
import { handleFor, type RequestDeps, type RunRequest } from '../request/handle.js'
import { perCaller } from '../request/per-caller.js'
import { admitCall } from '../request/plan.js'
import { isPurgeable, purgeEndpoints, readersOf } from '../request/purge.js'
import { parsePairs, type RawArguments } from '../request/raw-arguments.js'
import { readBodyArguments } from './body.js'
import { type SendDeps, sendResult } from './representation/send-result.js'
import { type Exchange, exchangeOf, queryOf } from './request-context.js'
import { bearerToken, wantsFresh } from './request-headers.js'
import { JSON_TYPE, send, sendJson } from './send.js'

/** Runs the endpoint that `:ref` names. */
export function runEndpoint(deps: RequestDeps & SendDeps): RequestHandler {
  return async (req, res) => {
    const exchange = exchangeOf(res)
    const caller = authenticate(deps.tokens, tokenOf(req))
    exchange.facts.token = caller.token
    const request = { ...callOf(req, exchange), wantsFresh: wantsFresh(req.get('Cache-Control') ?? '') }
    const response = await handleFor(caller, request, deps, exchange.facts)
    exchange.cache = response.outcome
    exchange.rows = response.result.rowCount
    exchange.cost = response.cost
    await sendResult(req, res, response, deps)
  }
}

/** What the request asks for. */
export const callOf = (req: Request, { signal }: Exchange): RunRequest => ({
  ref: refOf(req),
  accept: req.get('Accept'),
  acceptEncoding: req.get('Accept-Encoding'),
  readAddress: () => parsePairs(queryOf(req.url)),
  ...(req.method === 'POST' && { readBody: () => readBodyArguments(req) }),
  signal,
})

/** Lists the endpoints that the token may call. */
export function listEndpoints(deps: RequestDeps): RequestHandler {
  const listOf = perCaller((index, caller) => {
    const visible = index.all.filter(endpoint => mayRun(caller, endpoint))
    return Buffer.from(JSON.stringify({ endpoints: visible.map(endpoint => describeEndpoint(endpoint, caller)) }))
  })
  return (req, res) => {
    const caller = identify(req, res, deps)
    send(req, res, 200, JSON_TYPE, listOf(deps.endpoints(), caller))
  }
}

/** Answers a caller who may call the endpoint that `:ref` names. */
function aboutEndpoint(
  deps: RequestDeps,
  answer: (caller: Caller, endpoint: Endpoint, req: Request) => unknown,
): RequestHandler {
  return async (req, res) => {
    const caller = identify(req, res, deps)
    const endpoint = admitCall(caller, refOf(req), deps.endpoints(), exchangeOf(res).facts)
    sendJson(req, res, await answer(caller, endpoint, req))
  }
}

/** Describes the endpoint. */
export const describeOne = (deps: RequestDeps): RequestHandler =>
  aboutEndpoint(deps, (caller, endpoint) => describeEndpoint(endpoint, caller))

/** Shows what a call of the endpoint would run. */
export const explainOne = (deps: RequestDeps): RequestHandler =>
  aboutEndpoint(deps, (caller, endpoint, { url }) =>
    explainCall(caller, endpoint, () => parsePairs(queryOf(url)), deps),
  )

/** Describes the asking token, so that a program can offer people only what the token allows. */
export function describeToken(
  deps: RequestDeps & { readonly pricePerTib: number; readonly isDev?: boolean },
): RequestHandler {
  return (req, res) => {
    const { token, pinned, admitFresh, mayExplain, mayPurge, mayExport } = identify(req, res, deps)
    const { name: engine } = deps.engine
    const may = { fresh: admitFresh !== null, explain: mayExplain, purge: mayPurge, export: mayExport }
    sendJson(req, res, {
      name: token,
      pinned,
      ...may,
      engine,
      usd_per_tib: ENGINES[engine].estimatesCost ? deps.pricePerTib : null,
      dev: deps.isDev ?? false,
    })
  }
}

/** Purges the stored results of the endpoint. */
export const purgeResults = (deps: RequestDeps): RequestHandler =>
  aboutEndpoint(deps, async (caller, endpoint) => {
    await purgeEndpoints(caller, [endpoint], deps)
    return { purged: endpoint.name }
  })

/** Purges the stored results of all endpoints that read the table; with `?partition=20261124`, kept rows of that partition alone. */
export function purgeReaders(deps: RequestDeps): RequestHandler {
  return async (req, res) => {
    const caller = identify(req, res, deps)
    const times = purgedTimes(parsePairs(queryOf(req.url)))
    const readers = readersOf(paramOf(req, 'table'), caller, deps.endpoints())
    const own = readers.filter(reader => isPurgeable(caller, reader))
    // Where the caller may purge no reader, purgeEndpoints refuses the purge.
    const purged = own.length > 0 ? own : readers
    await purgeEndpoints(caller, purged, deps, times)
    const others = readers.filter(reader => !purged.includes(reader))
    const names = (endpoints: readonly Endpoint[]) => endpoints.map(({ name }) => name)
    sendJson(req, res, { purged: names(purged), ...(others.length > 0 && { refused: names(others) }) })
  }
}

/** The times of the partition that is named; undefined where none is. @throws RunnerError REQUEST_INVALID. */
function purgedTimes(given: RawArguments): TablePart['times'] {
  const { values: [id, ...more] = [] } = given.get('partition') ?? {}
  if (given.size === 0) return undefined
  const times = timesOfPartition(String(id))
  if (given.size === 1 && more.length === 0 && times !== undefined) return times
  throw invalidRequest('A purge of a table takes one argument, partition: a year, month, day or hour such as 20261124.')
}

/** Requires a valid token, for routes that reveal nothing without one. */
export function requireToken(deps: RequestDeps): RequestHandler {
  return (req, res, next) => {
    identify(req, res, deps)
    next()
  }
}

/** The caller of a request whose answer depends on the token. @throws RunnerError as `authenticate` does. */
export function identify(req: Request, res: Response, deps: Pick<RequestDeps, 'tokens'>): Caller {
  const caller = authenticate(deps.tokens, tokenOf(req))
  exchangeOf(res).facts.token = caller.token
  res.setHeader('Cache-Control', 'private, no-cache')
  for (const name of ['X-API-KEY', 'Authorization']) res.vary(name)
  return caller
}

const refOf = (req: Request): string => paramOf(req, 'ref')

function paramOf({ params }: Request, name: string): string {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}

/**
 * The token from `X-API-KEY`, else from `Authorization: Bearer`; null where both are missing.
 * @throws RunnerError REQUEST_INVALID for two different credentials: a proxy could check one, and the call use the other.
 */
export function tokenOf(req: Request): string | null {
  // A header may be repeated. Node would join the keys.
  const { 'x-api-key': keys = [], authorization = [] } = req.headersDistinct
  const key = keys[0] ?? ''
  const bearer = bearerToken(authorization[0] ?? '')
  const isRepeated = [keys, authorization].some(values => new Set(values).size > 1)
  if (isRepeated || (key !== '' && bearer !== null && key !== bearer)) {
    throw invalidRequest('The request has two different credentials; send one of them.')
  }
  return key === '' ? bearer : key
}
