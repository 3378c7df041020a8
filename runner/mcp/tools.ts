/** Describes endpoints to agents as tools. Pure: the same endpoint and pins always give the same tool. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import { operationId } from '../openapi/operation.js'
import { argumentSchema } from '../openapi/parameters.js'
import { type JsonSchema, rowSchema } from '../openapi/schema.js'

/** A tool as `tools/list` has it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly outputSchema: JsonSchema & { readonly type: 'object' }
  readonly annotations: typeof READ_ONLY
}

export const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const

/** How many rows of a result an answer shows, unless the call asks for fewer or more. */
export const DEFAULT_ROWS = 50
export const MAX_ROWS = 200
/** The argument of every tool that asks for another number of rows. */
export const ROWS = 'rows'

/** The longest name of a tool: agents refuse others, and those with a dot. */
const MAX_NAME = 64
const HASH_LENGTH = 8

/** `logs.all` is `logs_all`; of a name that is too long, the last characters are a hash of all of it. */
export function toolName(endpoint: Pick<Endpoint, 'name'>): string {
  const name = operationId(endpoint)
  if (name.length <= MAX_NAME) return name
  const hash = createHash('sha256').update(endpoint.name).digest('hex').slice(0, HASH_LENGTH)
  return name.slice(0, MAX_NAME - HASH_LENGTH) + hash
}

/** The tool of an endpoint for a token that pins these parameters, which the tool does not have. */
export function toolOf(endpoint: Endpoint, pinned: readonly string[]): Tool {
  const { name } = endpoint
  return {
    name: toolName(endpoint),
    title: name,
    description: descriptionOf(endpoint),
    inputSchema: inputSchema(endpoint, pinned),
    outputSchema: answerSchema(rowSchema(endpoint, 'json-schema'), endpoint.maxRows),
    annotations: READ_ONLY,
  }
}

/** Whether the tool takes the number of rows. A parameter that the author named `rows` keeps its meaning; the default number then holds. */
export const takesRows = ({ parameters }: Pick<Endpoint, 'parameters'>): boolean =>
  !parameters.some(({ name }) => name === ROWS)

function inputSchema(endpoint: Endpoint, pinned: readonly string[]): Tool['inputSchema'] {
  const own = endpoint.parameters.filter(({ name }) => !pinned.includes(name))
  const properties: Record<string, JsonSchema> = Object.create(null)
  for (const parameter of own) properties[parameter.name] = argumentSchema(parameter)
  if (takesRows(endpoint)) properties[ROWS] = ROWS_SCHEMA
  const required = own.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

export const ROWS_SCHEMA: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_ROWS,
  default: DEFAULT_ROWS,
  description: 'How many rows the answer shows at most.',
}

/** `{result, row_count, truncated, note?}`, with this schema of a row. */
export function answerSchema(row: JsonSchema, maxRows: number, more: Readonly<Record<string, JsonSchema>> = {}) {
  return {
    type: 'object',
    required: [...Object.keys(more), 'result', 'row_count', 'truncated'],
    properties: {
      ...more,
      result: { type: 'array', maxItems: Math.min(maxRows, MAX_ROWS), items: row },
      row_count: { type: 'integer', minimum: 0, description: 'The rows of the whole result.' },
      truncated: { type: 'boolean', description: 'Whether there are more rows than these.' },
      note: { type: 'string', description: 'What is missing, and how to have it.' },
    },
    additionalProperties: false,
  } as const
}

/** The manifest's text, and a line on units and bounds. */
function descriptionOf({ description, columns, maxRows }: Endpoint): string {
  const units = new Set(columns.flatMap(({ unit }) => (unit === null || unit === 'count' ? [] : [unit])))
  const sentences = [
    `At most ${maxRows} rows; an answer shows ${DEFAULT_ROWS}, or as many as \`${ROWS}\` says, up to ${MAX_ROWS}.`,
    'Times are UTC.',
    ...[...units].map(unit => `In ${unit}: ${namesWith(unit, columns).join(', ')}.`),
  ]
  const line = sentences.join(' ')
  const text = description.trim()
  return text === '' ? line : `${text}\n${line}`
}

const namesWith = (unit: string, columns: Endpoint['columns']): readonly string[] =>
  columns.filter(column => column.unit === unit).map(({ name }) => name)
