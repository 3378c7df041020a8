/** What a client is written from: endpoints as `GET /api/endpoints` describes them. */
import { createHash } from 'node:crypto'
import type { ContractColumn } from '../../runner/model/endpoint.js'
import { isRecord } from '../../runner/model/is-record.js'
import { type ParameterType, SCALAR_PARAMETER_TYPES, type ScalarParameterType } from '../../runner/model/param.js'
import type { ColumnPromise } from '../../runner/model/query.js'
import { splitType } from '../../runner/model/typed-value.js'

/** A value that an argument may have. */
export type Choice = string | number | boolean

export interface ClientParameter {
  readonly name: string
  readonly type: ParameterType
  /** A call must give it. */
  readonly isRequired: boolean
  readonly description: string
  readonly examples: readonly string[]
  /** The only arguments that are allowed, or for an array the only elements; null where they are not listed. */
  readonly choices: readonly Choice[] | null
  /** The default, as text; null where the parameter has none. */
  readonly fallback: string | null
  readonly minimum: string | null
  readonly maximum: string | null
  /** The argument is a regular expression. */
  readonly isPattern: boolean
  /** How a token's pin becomes a regular expression; null where the manifest does not say it. */
  readonly pinnedAs: string | null
}

export interface ClientEndpoint {
  readonly name: string
  readonly description: string
  /** Those that a call may give: without the ones that the token pins. */
  readonly parameters: readonly ClientParameter[]
  readonly columns: readonly ContractColumn[]
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** Null where the server does not say it. */
  readonly maxRows: number | null
}

/** A name that may be written into a program without quotes: letters, digits and `_`, as manifests have it. */
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/
const ENDPOINT_NAME = /^[a-z0-9][a-z0-9.-]{0,127}$/

/**
 * The endpoints of a document `{"endpoints": […]}`, sorted by name, without the parameters that `pinned` names. Null where the
 * document is not of this form. Members that an older server does not send have their defaults.
 */
export function readEndpoints(document: unknown): readonly ClientEndpoint[] | null {
  const list = membersOf(document)['endpoints']
  if (!Array.isArray(list)) return null
  const endpoints = list.map(readEndpoint)
  if (endpoints.includes(null)) return null
  return (endpoints as ClientEndpoint[]).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Twelve hexadecimal digits that change with anything that callers can see of these endpoints. */
export function revisionOf(endpoints: readonly ClientEndpoint[]): string {
  return createHash('sha256').update(JSON.stringify(endpoints)).digest('hex').slice(0, 12)
}

function readEndpoint(described: unknown): ClientEndpoint | null {
  const { name, description, parameters, columns, settings, pinned } = membersOf(described)
  if (!isName(ENDPOINT_NAME, name) || !Array.isArray(parameters) || !Array.isArray(columns)) return null
  const read = parameters.map(readParameter)
  const contract = columns.map(readColumn)
  if (read.includes(null) || contract.includes(null)) return null
  const isPinned = (one: string): boolean => Object.hasOwn(membersOf(pinned), one)
  const { timestamps, max_rows: maxRows } = membersOf(settings)
  return {
    name,
    description: textOf(description),
    parameters: (read as ClientParameter[]).filter(parameter => !isPinned(parameter.name)),
    columns: contract as ContractColumn[],
    timestamps: timestamps === 'unix_micros' ? timestamps : 'iso8601',
    maxRows: typeof maxRows === 'number' ? maxRows : null,
  }
}

function readParameter(described: unknown): ClientParameter | null {
  const parameter = membersOf(described)
  const { name, type, examples, default: fallback } = parameter
  if (!isName(PARAMETER_NAME, name) || !isParameterType(type)) return null
  return {
    name,
    type,
    isRequired: parameter['required'] === true && fallback === undefined,
    description: textOf(parameter['description']),
    examples: Array.isArray(examples) ? examples.map(String) : [],
    choices: choicesOf(splitType(type).scalar, parameter['enum']),
    fallback: wordsOf(fallback),
    minimum: wordsOf(parameter['minimum']),
    maximum: wordsOf(parameter['maximum']),
    isPattern: parameter['format'] === 're2',
    pinnedAs: typeof parameter['pinned_as'] === 'string' ? parameter['pinned_as'] : null,
  }
}

function readColumn(described: unknown): ContractColumn | null {
  const { name, type, description, required, json, unit, fields } = membersOf(described)
  if (typeof name !== 'string' || typeof type !== 'string') return null
  return {
    name,
    type,
    description: textOf(description),
    required: required === true,
    json: json === 'number' || json === 'string' ? json : null,
    unit: typeof unit === 'string' ? unit : null,
    ...(Array.isArray(fields) && { fields: fields.map(readField) }),
  }
}

function readField(described: unknown): ColumnPromise {
  const { required, json, fields } = membersOf(described)
  return {
    required: required === true,
    json: json === 'number' ? json : null,
    ...(Array.isArray(fields) && { fields: fields.map(readField) }),
  }
}

/** The values of `enum` in the parameter's type: an INT64, and the row of a lookup table, are described as text. */
function choicesOf(type: ScalarParameterType, described: unknown): readonly Choice[] | null {
  if (!Array.isArray(described)) return null
  return described.map(value => {
    const text = String(value)
    if (type === 'bool') return text === 'true'
    if (type !== 'int64' && type !== 'float64') return text
    // Digits beyond 2^53 stay text: a number would lose them.
    return type === 'float64' || Number.isSafeInteger(Number(text)) ? Number(text) : text
  })
}

const isName = (form: RegExp, name: unknown): name is string => typeof name === 'string' && form.test(name)

const TYPES: ReadonlySet<unknown> = new Set(SCALAR_PARAMETER_TYPES.flatMap(type => [type, `array<${type}>`]))
const isParameterType = (type: unknown): type is ParameterType => TYPES.has(type)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A value as documents write it; null for no value. */
function wordsOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return Array.isArray(value) ? value.map(String).join(', ') : String(value)
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})
