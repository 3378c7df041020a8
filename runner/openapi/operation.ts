/** One endpoint as an operation of an OpenAPI document. */
import type { Format } from '../formats/format.js'
import { displayName, FORMATS, RESULT_FORMATS } from '../formats/index.js'
import { namesFor } from '../http/headers.js'
import type { Endpoint } from '../model/endpoint.js'
import type { EngineName } from '../model/engines.js'
import { parameterObjects, type Version } from './parameters.js'
import { problemResponses } from './problems.js'

export interface OperationFacts {
  readonly version: Version
  readonly engine: EngineName
  /** The names of the parameters that the caller's token pins. */
  readonly pinned: readonly string[]
  /** Whether a 200 has all media types. Otherwise it has JSON alone, since generated clients mix up several types. */
  readonly allFormats: boolean
}

/** `functions.invocation-stats` is `functions_invocation-stats`: unique, since no name of an endpoint has `_`. */
export const operationId = ({ name }: Pick<Endpoint, 'name'>): string => name.replaceAll('.', '_')

/** The first word of the name. */
export const tagOf = ({ name }: Pick<Endpoint, 'name'>): string => name.split('.', 1)[0]!

/** The name of the schema of a row. */
export const rowName = ({ name }: Pick<Endpoint, 'name'>): string => `${name}.row`

/** The operation, and the schemas that its problems refer to, by their names in `components`. */
export function describeOperation(endpoint: Endpoint, facts: OperationFacts) {
  const { version, engine } = facts
  const pinned = endpoint.parameters.map(({ name }) => name).filter(name => facts.pinned.includes(name))
  const takesArguments = endpoint.parameters.length > pinned.length
  const { responses, schemas } = problemResponses({ endpoint, takesArguments, engine })
  const operation = {
    operationId: operationId(endpoint),
    tags: [tagOf(endpoint)],
    summary: summaryOf(endpoint),
    description: descriptionOf(endpoint),
    parameters: parameterObjects(endpoint, pinned, version),
    responses: { '200': resultResponse(endpoint, { ...facts, pinned }), '304': notModified(endpoint), ...responses },
    'x-sluice-formats': RESULT_FORMATS,
    ...(pinned.length > 0 && { 'x-sluice-pinned': pinned }),
  }
  return { operation, problemSchemas: schemas }
}

/** The first sentence of the description, without its full stop; the name of an endpoint that has no description. */
function summaryOf({ name, description }: Endpoint): string {
  const [first = ''] = description.trim().split(/(?<=[.!?…])\s+(?=\p{Lu})|\n\s*\n/u, 1)
  const summary = first.replace(/\.$/, '')
  return summary === '' ? name : summary
}

function descriptionOf({ name, description, maxRows, parameters, pages, export: exported }: Endpoint): string {
  const otherFormats = FORMATS.filter(({ name }) => name !== 'json')
    .map(displayName)
    .join(', ')
  const how = parameters.some(({ name }) => name === 'format') ? '`Accept`' : '`format` or `Accept`'
  return [
    description.trim().replace(/(?<=[\p{L}\p{N}_)`"'])$/u, '.'),
    `At most ${maxRows} rows; \`X-Truncated\` is sent if there were more.`,
    pages ? 'With `page_size` the result comes page by page: `next` is the `cursor` of the next page.' : '',
    `Also as ${otherFormats}, by ${how}.`,
    exported ? `A token that may export gets all rows from \`/api/endpoints/export/${name}\`.` : '',
    'Long arguments can be sent by POST to the same address, as a JSON object or a form.',
  ]
    .filter(sentence => sentence !== '')
    .join(' ')
}

/** References to the headers that this answer has. */
const headersOf = (answer: '200' | '304', { pages }: Endpoint): object =>
  Object.fromEntries(namesFor(answer, pages !== null).map(name => [name, { $ref: `#/components/headers/${name}` }]))

const notModified = (endpoint: Endpoint) => ({
  description: 'The result still has the tag that `If-None-Match` names.',
  headers: headersOf('304', endpoint),
})

function resultResponse(endpoint: Endpoint, { version, allFormats, pinned }: OperationFacts) {
  const { name, example } = endpoint
  // The example may have rows of a value that the token does not pin.
  const isShown = example !== null && pinned.length === 0
  const json = { schema: { $ref: `#/components/schemas/${name}` }, ...(isShown && { example: { result: example } }) }
  const otherContents = allFormats ? FORMATS.flatMap(format => contentOf(format, version)) : []
  return {
    description: 'The rows.',
    headers: headersOf('200', endpoint),
    content: { 'application/json': json, ...Object.fromEntries(otherContents) },
  }
}

/** The media type of a format with its schema; empty for JSON, which every answer has, and for `excel`, which is CSV. */
function contentOf({ mediaTypes: [type], content }: Format, version: Version): readonly (readonly [string, object])[] {
  if (type === undefined || content === undefined) return []
  if (content === 'text') return [[type, { schema: { type: 'string' } }]]
  if (content === 'binary') return [[type, { schema: version === '3.1' ? {} : { type: 'string', format: 'binary' } }]]
  return [[type, { schema: content }]]
}
