/** `GET /openapi.json`: what the token's endpoints take and give, for tools. */
import type { Request, RequestHandler } from 'express'
import { type ArgumentProblem, invalidArguments } from '../model/errors.js'
import type { Version } from '../openapi/parameters.js'
import type { RequestDeps } from '../request/handle.js'
import { parsePairs, type RawArguments } from '../request/raw-arguments.js'
import type { OpenApiDocuments } from './openapi-documents.js'
import { isMatch } from './representation/entity-tags.js'
import { originOf, queryOf } from './request-context.js'
import { identify } from './routes.js'
import { JSON_TYPE, send } from './send.js'

export interface OpenApiDeps extends RequestDeps {
  /** Where callers reach this server; null for the origin of each request. */
  readonly publicUrl: string | null
}

/** The names by which callers ask for a version, the best first. */
const VERSIONS: Readonly<Record<string, Version>> = { '3.1': '3.1', '3.1.1': '3.1', '3.0': '3.0', '3.0.3': '3.0' }

/** Sends the document. @throws RunnerError ARGUMENT_INVALID, and what `identify` throws. */
export function sendOpenApi(deps: OpenApiDeps): RequestHandler {
  let documents: Promise<OpenApiDocuments> | null = null
  return async (req, res) => {
    const caller = identify(req, res, deps)
    const { version: namedVersion, allFormats } = orderOf(parsePairs(queryOf(req.url)))
    const { version, openApiType } = representationOf(req, namedVersion)
    documents ??= import('./openapi-documents.js').then(({ OpenApiDocuments }) => new OpenApiDocuments())
    const serverUrl = deps.publicUrl ?? originOf(req)
    const order = { version, allFormats, serverUrl, engine: deps.engine.name }
    const { body, tag } = await (await documents).find(deps.endpoints(), caller, order)
    const etag = openApiType === null ? `"${tag}"` : `"${tag}.openapi"`
    res.vary('Accept')
    res.setHeader('ETag', etag)
    if (isMatch(req.get('If-None-Match'), etag)) {
      res.status(304).end()
      return
    }
    send(req, res, 200, openApiType ?? JSON_TYPE, body())
  }
}

/**
 * `?version=` beats the version in `Accept`; 3.1 where neither names one. `openApiType` is OpenAPI's media type where the caller
 * prefers it to JSON; else null.
 */
function representationOf(req: Request, namedVersion: Version | null) {
  const offered = Object.entries(VERSIONS)
    .filter(([, version]) => namedVersion === null || version === namedVersion)
    .map(([text, version]) => ({ version, openApiType: `${OPENAPI_TYPE};version=${text}` }))
  const preferredType = req.accepts('application/json', ...offered.map(({ openApiType }) => openApiType))
  const chosen = offered.find(({ openApiType }) => openApiType === preferredType)
  return chosen ?? { version: namedVersion ?? ('3.1' as const), openApiType: null }
}

const OPENAPI_TYPE = 'application/openapi+json'

/** `version` and `formats` in the address. @throws RunnerError ARGUMENT_INVALID naming each argument with an unknown value. */
function orderOf(address: RawArguments): { readonly version: Version | null; readonly allFormats: boolean } {
  const errors: ArgumentProblem[] = []
  const choose = <T>(parameter: string, choices: Readonly<Record<string, T>>, fallback: T): T => {
    const argument = address.get(parameter)
    if (!argument) return fallback
    const [text, ...others] = argument.values.map(String)
    if (text !== undefined && others.length === 0 && Object.hasOwn(choices, text)) return choices[text]!
    errors.push({ parameter, detail: `must be one of: ${Object.keys(choices).join(', ')}` })
    return fallback
  }
  const version = choose<Version | null>('version', VERSIONS, null)
  const allFormats = choose('formats', { all: true, json: false }, false)
  if (errors.length === 0) return { version, allFormats }
  throw invalidArguments(errors)
}
