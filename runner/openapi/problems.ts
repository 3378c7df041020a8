/** The problems that an endpoint can answer with, as OpenAPI describes them. */
import type { Endpoint } from '../model/endpoint.js'
import { ENGINES, type EngineName } from '../model/engines.js'
import { ERROR_CODES } from '../model/error-codes.js'
import type { JsonSchema } from './schema.js'

/** What decides which problems an endpoint has. */
export interface ProblemFacts {
  readonly endpoint: Pick<Endpoint, 'columns' | 'pages'>
  /** The caller can give arguments: not all parameters are pinned. */
  readonly takesArguments: boolean
  readonly engine: EngineName
}

/** The codes that only some endpoints have: they distinguish the schemas of one status. */
const APPLIES: Readonly<Record<string, (facts: ProblemFacts) => boolean>> = {
  ARGUMENT_INVALID: ({ takesArguments, endpoint }) => takesArguments || endpoint.pages !== null,
  PAGE_GONE: ({ endpoint }) => endpoint.pages !== null,
  CONTRACT_BROKEN: ({ endpoint }) => endpoint.columns.some(({ required, json }) => required || json === 'number'),
  BUDGET_EXCEEDED: ({ engine }) => ENGINES[engine].estimatesCost,
  COST_LIMIT_EXCEEDED: ({ engine }) => ENGINES[engine].estimatesCost,
}

/** The codes that only agents, a purge or /readyz can get. */
const NOT_OF_QUERIES: ReadonlySet<string> = new Set(['ORIGIN_NOT_ALLOWED', 'STORE_UNAVAILABLE', 'NOT_READY'])

/** The statuses that endpoints describe, each where it has a code. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The arguments, or the request itself, are not valid. `errors` names every bad argument.',
  401: 'No token was sent, or one that is not valid.',
  403: 'The token may not make this call.',
  406: 'The format or the coding is not offered.',
  410: 'The result of the pages is gone: begin again without `cursor`.',
  429: 'The token has used up its rate or its budget.',
  502: 'The engine could not answer.',
  503: 'The server is busy or shutting down.',
  504: 'The query took too long.',
}

/** The statuses with a `Retry-After` header. */
const RETRY_STATUSES = new Set([429, 503])

/**
 * The responses that an endpoint can give, with their codes in the order of the catalogue, and the schemas that they refer to. A
 * schema's name in `components` is the status and those of its codes that only some endpoints have:
 * `Problem502.CONTRACT_BROKEN`.
 */
export function problemResponses(facts: ProblemFacts) {
  const responses: Record<string, unknown> = {}
  const schemas: Record<string, JsonSchema> = {}
  const rows = Object.entries(ERROR_CODES).filter(([code]) => APPLIES[code]?.(facts) ?? !NOT_OF_QUERIES.has(code))
  for (const [text, description] of Object.entries(DESCRIPTIONS)) {
    const status = Number(text)
    const codes = rows.filter(([, row]) => row.status === status).map(([code]) => code)
    if (codes.length === 0) continue
    const name = [`Problem${status}`, ...codes.filter(code => APPLIES[code])].join('.')
    schemas[name] = schemaOf(status, codes)
    responses[text] = {
      description,
      ...(RETRY_STATUSES.has(status) && { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }),
      content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${name}` } } },
    }
  }
  return { responses, schemas }
}

/** `Problem`, with the codes of one status. */
function schemaOf(status: number, codes: readonly string[]): JsonSchema {
  return {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      {
        type: 'object',
        properties: { status: { type: 'integer', enum: [status] }, code: { type: 'string', enum: codes } },
      },
    ],
  }
}

/** A problem of RFC 9457, whatever its code. */
export const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'What went wrong (RFC 9457). `code` never changes its meaning; `type` leads to an explanation.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Where the code is explained.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What went wrong in this call.' },
    instance: { type: 'string', description: 'The id of the request, which the log has too.' },
    code: { type: 'string' },
    errors: {
      type: 'array',
      description: 'Every bad argument.',
      items: {
        type: 'object',
        required: ['parameter', 'detail'],
        properties: { parameter: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
}
