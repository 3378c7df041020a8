/** Describes endpoints to agents as tools. Pure: the same endpoint and pins always give the same tool. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import { CURSOR, MAX_CURSOR_LENGTH, PAGE_SIZE } from '../model/page.js'
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

/** An argument that says how many rows an answer shows. */
export interface RowsArgument {
  readonly name: string
  readonly most: number
  readonly usual: number
}

export const ROWS: RowsArgument = { name: 'rows', most: MAX_ROWS, usual: DEFAULT_ROWS }

/** `rows`, or `page_size` where there are pages. Null where the author has a parameter `rows`: the usual number then holds. */
export function rowsArgument({ parameters, pages }: Pick<Endpoint, 'parameters' | 'pages'>): RowsArgument | null {
  if (pages === null) return parameters.some(({ name }) => name === ROWS.name) ? null : ROWS
  const [most, usual] = [MAX_ROWS, DEFAULT_ROWS].map(rows => Math.min(rows, pages.maxSize)) as [number, number]
  return { name: PAGE_SIZE, most, usual }
}

/** The longest name of a tool: agents refuse longer names, and names with a dot. */
const MAX_NAME = 64
const HASH_LENGTH = 8

/** `logs.all` is `logs_all`; a name that is too long ends in a hash of the whole name. */
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
    outputSchema: answerSchema(
      rowSchema(endpoint, 'json-schema'),
      endpoint.maxRows,
      endpoint.pages ? { next: NEXT } : {},
    ),
    annotations: READ_ONLY,
  }
}

function inputSchema(endpoint: Endpoint, pinned: readonly string[]): Tool['inputSchema'] {
  const own = endpoint.parameters.filter(({ name }) => !pinned.includes(name))
  const properties: Record<string, JsonSchema> = Object.create(null)
  for (const parameter of own) properties[parameter.name] = argumentSchema(parameter)
  const rows = rowsArgument(endpoint)
  if (rows) properties[rows.name] = rowsArgumentSchema(rows)
  if (endpoint.pages) properties[CURSOR] = CURSOR_SCHEMA
  const required = own.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

export const rowsArgumentSchema = ({ most, usual }: RowsArgument): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum: most,
  default: usual,
  description: 'How many rows the answer shows at most.',
})

const CURSOR_SCHEMA: JsonSchema = {
  type: 'string',
  maxLength: MAX_CURSOR_LENGTH,
  description: 'Asks for the rows that follow: `next` of the answer before, beside the same other arguments.',
}
const NEXT: JsonSchema = {
  type: ['string', 'null'],
  description: 'The `cursor` of the rows that follow; null at the end.',
}

/** `{result, row_count, truncated, note?}`, with this schema of a row; `more` are the members before these. */
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
function descriptionOf(endpoint: Endpoint): string {
  const { description, columns, maxRows, pages } = endpoint
  const { name, most, usual } = rowsArgument(endpoint) ?? ROWS
  const units = new Set(columns.flatMap(({ unit }) => (unit === null || unit === 'count' ? [] : [unit])))
  const sentences = [
    `At most ${maxRows} rows; an answer shows ${usual}, or as many as \`${name}\` says, up to ${most}.`,
    ...(pages
      ? ['For the rows that follow, send its `next` as `cursor` beside the same other arguments, until it is null.']
      : []),
    'Times are UTC.',
    ...[...units].map(unit => `In ${unit}: ${namesWith(unit, columns).join(', ')}.`),
  ]
  const line = sentences.join(' ')
  const text = description.trim()
  return text === '' ? line : `${text}\n${line}`
}

const namesWith = (unit: string, columns: Endpoint['columns']): readonly string[] =>
  columns.filter(column => column.unit === unit).map(({ name }) => name)
