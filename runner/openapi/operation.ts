/** One endpoint as an operation of an OpenAPI document. */
import type { Endpoint } from '../model/endpoint.js'
import type { EngineName } from '../model/engines.js'
import { RESULT_FORMATS, type ResultFormat } from '../model/query.js'
import { headerRefs } from './headers.js'
import { parameterObjects, type Version } from './parameters.js'
import { problemCodes, problemResponses } from './problems.js'
import type { JsonSchema } from './schema.js'

export interface OperationFacts {
  readonly version: Version
  readonly engine: EngineName
  /** The names of the parameters that the caller's token pins. */
  readonly pinned: readonly string[]
  /** Whether a 200 has all media types; else JSON alone, since generated clients mix up the types of several. */
  readonly allFormats: boolean
}

export interface Operation {
  readonly operation: Readonly<Record<string, unknown>>
  /** The schemas that its problems refer to, by their names in `components`. */
  readonly problemSchemas: Readonly<Record<string, JsonSchema>>
}

/** `functions.invocation-stats` is `functions_invocation-stats`: unique, since no name of an endpoint has `_`. */
export const operationId = ({ name }: Pick<Endpoint, 'name'>): string => name.replaceAll('.', '_')

/** The first word of the name. */
export const tagOf = ({ name }: Pick<Endpoint, 'name'>): string => name.split('.', 1)[0]!

/** The name of the schema of a row. */
export const rowName = ({ name }: Pick<Endpoint, 'name'>): string => `${name}.row`

export function describeOperation(endpoint: Endpoint, facts: OperationFacts): Operation {
  const { version, engine, allFormats } = facts
  const pinned = endpoint.parameters.map(({ name }) => name).filter(name => facts.pinned.includes(name))
  const takesArguments = endpoint.parameters.length > pinned.length
  const { responses, schemas } = problemResponses(problemCodes({ endpoint, takesArguments, engine }))
  const operation = {
    operationId: operationId(endpoint),
    tags: [tagOf(endpoint)],
    summary: summaryOf(endpoint),
    description: descriptionOf(endpoint),
    parameters: parameterObjects(endpoint, pinned, version),
    responses: { '200': resultResponse(endpoint, version, allFormats), '304': NOT_MODIFIED, ...responses },
    'x-sluice-formats': RESULT_FORMATS,
    ...(pinned.length > 0 && { 'x-sluice-pinned': pinned }),
  }
  return { operation, problemSchemas: schemas }
}

/** The first sentence of the description, without its full stop; the name of an endpoint that has no description. */
function summaryOf({ name, description }: Endpoint): string {
  const [first = ''] = description.trim().split(/(?<=[.:;])\s/, 1)
  const summary = first.replace(/[.:;]$/, '')
  return summary === '' ? name : summary
}

function descriptionOf({ description, maxRows, parameters }: Endpoint): string {
  const others = RESULT_FORMATS.filter(format => format !== 'json').join(', ')
  const how = parameters.some(({ name }) => name === 'format') ? '`Accept`' : '`format` or `Accept`'
  return [
    description.trim().replace(/(?<=[\w)`"'])$/, '.'),
    `At most ${maxRows} rows; \`X-Truncated\` is sent if there were more.`,
    `Also as ${others}, by ${how}.`,
    'Long arguments can be sent by POST to the same address, as a JSON object or a form.',
  ]
    .filter(sentence => sentence !== '')
    .join(' ')
}

const RESULT_HEADERS = headerRefs(
  'ETag',
  'Cache-Control',
  'Age',
  'Cache-Status',
  'Server-Timing',
  'X-Row-Count',
  'X-Truncated',
  'X-Ignored-Arguments',
  'X-Request-Id',
)

const NOT_MODIFIED = {
  description: 'The result still has the tag that `If-None-Match` names.',
  headers: headerRefs('ETag', 'Cache-Control', 'X-Request-Id'),
}

function resultResponse(
  { name, example }: Endpoint,
  version: Version,
  allFormats: boolean,
): Readonly<Record<string, unknown>> {
  const json = {
    schema: { $ref: `#/components/schemas/${name}` },
    ...(example && { example: { result: example } }),
  }
  const others = allFormats ? RESULT_FORMATS.flatMap(format => contentOf(format, version)) : []
  return {
    description: 'The rows.',
    headers: RESULT_HEADERS,
    content: { 'application/json': json, ...Object.fromEntries(others) },
  }
}

const TEXT = { schema: { type: 'string' } }

const binary = (version: Version): object => ({
  schema: version === '3.1' ? {} : { type: 'string', format: 'binary' },
})

/** The media type of a format, and what it holds; none for JSON, which is there in any case, and `excel`, which is CSV. */
function contentOf(format: ResultFormat, version: Version): readonly (readonly [mediaType: string, content: object])[] {
  switch (format) {
    case 'json':
    case 'excel':
      return []
    case 'ndjson':
      return [['application/x-ndjson', TEXT]]
    case 'csv':
      return [['text/csv', TEXT]]
    case 'table':
      return [['application/vnd.sluice.table+json', { schema: TABLE }]]
    case 'arrow':
      return [['application/vnd.apache.arrow.stream', binary(version)]]
    case 'parquet':
      return [['application/vnd.apache.parquet', binary(version)]]
    default:
      return format satisfies never
  }
}

/** Rows as arrays, below the types of their columns. */
const TABLE: JsonSchema = {
  type: 'object',
  required: ['columns', 'rows', 'truncated'],
  properties: {
    columns: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'type'],
        properties: { name: { type: 'string' }, type: { type: 'string' }, unit: { type: 'string' } },
      },
    },
    rows: { type: 'array', items: { type: 'array', items: {} } },
    truncated: { type: 'boolean' },
    next: {},
  },
}
