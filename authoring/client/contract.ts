/** The endpoints that a client is written from, as `GET /api/endpoints` describes them. */
import { createHash } from 'node:crypto'
import { isRecord, recordOf } from '../../runner/model/is-record.js'
import { SCALAR_PARAMETER_TYPES, splitType } from '../../runner/model/param.js'
import type { PublishedEndpoint, PublishedParameter } from '../../runner/model/published-endpoint.js'

/** `parameters` are those that a call may give, without the parameters that the token pins. */
export interface ClientEndpoint extends Pick<PublishedEndpoint, 'name' | 'description' | 'parameters' | 'columns'> {
  readonly settings: { readonly timestamps?: unknown; readonly max_rows?: unknown }
  /** The most rows of a page; absent where there are no pages. */
  readonly maxPageSize?: number
}

/** A value that an argument may have. */
export type Choice = string | number | boolean

/** The names of parameters that manifests allow; they need no quotes in a program. */
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/
/** The names of endpoints that manifests allow, and a few others that are as harmless in a program's text. */
const ENDPOINT_NAME = /^[a-z0-9][a-z0-9.-]{0,127}$/

/**
 * The endpoints of a document `{"endpoints": […]}`, sorted by name, without the parameters that `pinned` names. Null where the
 * document is not of this form.
 */
export function readEndpoints(document: unknown): readonly ClientEndpoint[] | null {
  const { endpoints } = recordOf(document)
  if (!Array.isArray(endpoints) || !endpoints.every(isEndpoint)) return null
  const result = endpoints.map(({ name, description, parameters, columns, settings, pinned }): ClientEndpoint => {
    const { timestamps, max_rows, pages } = recordOf(settings)
    const { max_size: size } = recordOf(pages)
    const unpinned = parameters.filter(parameter => !Object.hasOwn(recordOf(pinned), parameter.name))
    const paged = Number.isSafeInteger(size) && { maxPageSize: size as number }
    return { name, description, parameters: unpinned, columns, settings: { timestamps, max_rows }, ...paged }
  })
  return result.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isEndpoint(value: unknown): value is PublishedEndpoint {
  const { name, description, parameters, columns } = recordOf(value)
  const isText = typeof name === 'string' && ENDPOINT_NAME.test(name) && typeof description === 'string'
  return isText && isListOf(parameters, isParameter) && isListOf(columns, isColumn)
}

function isParameter(value: unknown): boolean {
  const { name, type, description, examples = [] } = recordOf(value)
  const isText = typeof name === 'string' && PARAMETER_NAME.test(name) && typeof description === 'string'
  return isText && TYPES.has(type) && Array.isArray(examples)
}

function isColumn(value: unknown): boolean {
  const { name, type, description, fields } = recordOf(value)
  const isText = [name, type, description].every(text => typeof text === 'string')
  return isText && (fields === undefined || isListOf(fields, isRecord))
}

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)

const TYPES: ReadonlySet<unknown> = new Set(SCALAR_PARAMETER_TYPES.flatMap(type => [type, `array<${type}>`]))

/** Twelve hexadecimal digits that change with anything that callers can see of these endpoints. */
export function revisionOf(endpoints: readonly ClientEndpoint[]): string {
  return createHash('sha256').update(JSON.stringify(endpoints)).digest('hex').slice(0, 12)
}

/** Whether a call must give the argument. */
export const isRequired = ({ required, default: fallback }: PublishedParameter): boolean =>
  required && fallback === undefined

/**
 * The allowed arguments (for an array, the allowed elements), converted to the parameter's type: the server writes INT64
 * values, and the names of a lookup table's rows, as text. Null where the allowed arguments are not listed.
 */
export function choicesOf({ type, enum: values }: PublishedParameter): readonly Choice[] | null {
  if (!Array.isArray(values)) return null
  const { scalar } = splitType(type)
  return values.map(value => {
    const text = String(value)
    if (scalar === 'bool') return text === 'true'
    if (scalar !== 'int64' && scalar !== 'float64') return text
    // Digits beyond 2^53 stay text: a number would lose them.
    return scalar === 'float64' || Number.isSafeInteger(Number(text)) ? Number(text) : text
  })
}
