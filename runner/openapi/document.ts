/** The OpenAPI document of the endpoints that one caller may call. */

import { createHash } from 'node:crypto'
import { RESULT_FORMATS } from '../formats/index.js'
import { headerObjects } from '../http/headers.js'
import type { Endpoint } from '../model/endpoint.js'
import { describeOperation, type OperationFacts, rowName, tagOf } from './operation.js'
import { CURSOR_PARAMETER } from './parameters.js'
import { PROBLEM } from './problems.js'
import { type JsonSchema, resultOf, rowSchema } from './schema.js'

export interface DocumentOptions extends Pick<OperationFacts, 'version' | 'engine' | 'pinned' | 'allFormats'> {
  /** Where the server is, without a slash at the end: `https://data.example.com`. */
  readonly serverUrl: string
  /** The revision of all endpoints, also of those that the caller may not call. */
  readonly revision: string
}

const FULL_VERSION = { '3.1': '3.1.1', '3.0': '3.0.3' } as const

/** What the document says of one endpoint. */
export type Description = Readonly<Record<'path' | 'schemas', Readonly<Record<string, unknown>>>>

/** Describes the endpoints that the caller may call, one after the other. */
export function* describeEndpoints(endpoints: readonly Endpoint[], options: DocumentOptions): Generator<Description> {
  const names = new Set(endpoints.map(({ name }) => name))
  for (const endpoint of endpoints) {
    const { operation, problemSchemas } = describeOperation(endpoint, options)
    const path = { [`/api/endpoints/query/${endpoint.name}`]: { get: operation } }
    yield { path, schemas: { ...schemasOf(endpoint, options, names), ...problemSchemas } }
  }
}

/**
 * The document of these endpoints, in their order. `stringifyExact` must write it, so that numbers in examples keep their digits.
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  options: DocumentOptions,
  entries: readonly Description[] = [...describeEndpoints(endpoints, options)],
): JsonSchema {
  const { version, serverUrl, revision } = options
  const hasPages = endpoints.some(({ pages }) => pages !== null)
  const paths: Readonly<Record<string, unknown>> = Object.assign({}, ...entries.map(({ path }) => path))
  const schemas: Readonly<Record<string, unknown>> = Object.assign({}, ...entries.map(endpoint => endpoint.schemas))
  return {
    openapi: FULL_VERSION[version],
    info: {
      title: 'Sluice',
      description:
        'Saved queries as HTTP endpoints: those that the token of this document may call, as it may call them.',
      version: revision,
      // Linters demand a contact and a license. The program knows neither its operator nor what is agreed with callers.
      contact: { name: 'The operator of the server', url: serverUrl },
      license: { name: 'As agreed with the operator of the server', url: serverUrl },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(endpoints.map(tagOf))].sort().map(name => ({ name, description: `Endpoints named ${name}.*` })),
    paths,
    components: {
      ...(endpoints.length > 0 && {
        schemas: { Problem: PROBLEM, ...schemas },
        parameters: { ...(usesFormat(endpoints) && { format: FORMAT }), ...(hasPages && { cursor: CURSOR_PARAMETER }) },
        headers: headerObjects(hasPages),
      }),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

/** The revision of all endpoints: equal for equal manifests, whatever their order. */
export function revisionOf(endpoints: readonly Pick<Endpoint, 'id' | 'revision'>[]): string {
  const lines = endpoints.map(({ id, revision }) => `${id} ${revision}\n`).sort()
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16)
}

const FORMAT = {
  name: 'format',
  in: 'query',
  description: 'The format of the result; it beats `Accept`. What this document describes is `json`.',
  schema: { type: 'string', enum: RESULT_FORMATS, default: 'json' },
}

const usesFormat = (endpoints: readonly Endpoint[]): boolean =>
  endpoints.some(({ parameters }) => !parameters.some(({ name }) => name === 'format'))

/** The schemas `<name>` and `<name>.row`. Where an endpoint is named `<name>.row`, the row is inside the first schema. */
function schemasOf(endpoint: Endpoint, { version }: DocumentOptions, names: ReadonlySet<string>) {
  const row = rowSchema(endpoint, version)
  const ownName = rowName(endpoint)
  if (names.has(ownName)) return { [endpoint.name]: resultOf(endpoint, row, version) }
  return { [endpoint.name]: resultOf(endpoint, { $ref: `#/components/schemas/${ownName}` }, version), [ownName]: row }
}
