/** Parameters as manifests declare them, and arguments as callers give them. */
import type { Pattern } from './re2.js'

/** The SQL type in which an argument of each type is bound. */
export const SQL_TYPES = {
  string: 'STRING',
  int64: 'INT64',
  float64: 'FLOAT64',
  numeric: 'NUMERIC',
  bignumeric: 'BIGNUMERIC',
  bool: 'BOOL',
  date: 'DATE',
  time: 'TIME',
  datetime: 'DATETIME',
  timestamp: 'TIMESTAMP',
  uuid: 'STRING',
  timezone: 'STRING',
  json: 'JSON',
} as const

export type ScalarParameterType = keyof typeof SQL_TYPES
export const SCALAR_PARAMETER_TYPES = Object.keys(SQL_TYPES) as readonly ScalarParameterType[]
/** There is no array of json, since a list of JSON values is one JSON value. */
export type ParameterType = ScalarParameterType | `array<${Exclude<ScalarParameterType, 'json'>}>`

/** `array<int64>` is `{ scalar: 'int64', isArray: true }`. */
export function splitType(type: ParameterType): { readonly scalar: ScalarParameterType; readonly isArray: boolean } {
  const isArray = type.startsWith('array<')
  return { scalar: (isArray ? type.slice(6, -1) : type) as ScalarParameterType, isArray }
}

/**
 * The value of a typed argument, as it is bound and as the cache key has it: FLOAT64 as a number (or 'NaN', 'Infinity',
 * '-Infinity'), BOOL as a boolean, and the rest as text in canonical form: INT64, NUMERIC and BIGNUMERIC as plain digits,
 * DATE `2026-01-31`, TIME `12:00:00.123456`, DATETIME `2026-01-31T12:00:00.123456`, TIMESTAMP `2026-01-31T12:00:00.123456Z`
 * (fraction without trailing zeros), a UUID in lower case, JSON without white space, its members sorted by name.
 */
export type ScalarValue = string | number | boolean | null
export type ArgumentValue = ScalarValue | readonly ScalarValue[]

/** The pattern that replaces a token's pin where the parameter is a regular expression (`pinned_as`). */
export interface PinnedPattern {
  /** As authored, with `{pin}`. */
  readonly source: string
  /**
   * The RE2 pattern that matches this value and no other; null where the value holds characters with which the pattern
   * could not tell where the value begins or ends.
   */
  textFor(pin: string): string | null
}

/** A JSON Schema, compiled. */
export interface ValueSchema {
  /** As authored. */
  readonly source: object
  /** What this JSON text breaks, as the rest of a sentence; null where it matches. */
  problem(text: string): string | null
}

/** The most values of a call, the elements of lists at any depth included: even a short value costs some time. */
export const MAX_VALUES = 10_000

/** The most characters of an argument that has a pattern, or is a regular expression, where nothing else bounds it. */
export const PATTERN_LENGTH = 1_024

/** A declared parameter, compiled: ready to type an argument. */
export interface Parameter {
  readonly name: string
  readonly type: ParameterType
  readonly isRequired: boolean
  readonly description: string
  readonly examples: readonly string[]
  /** The typed default; undefined where the parameter has no default. */
  readonly default?: ArgumentValue
  readonly enum?: readonly ArgumentValue[]
  /** For strings, what the whole argument must match. */
  readonly pattern?: Pattern
  readonly minimum?: ArgumentValue
  readonly maximum?: ArgumentValue
  /** The most characters (code points) of a string, or elements of an array. */
  readonly maxLength?: number
  /** The most characters of each element of an array of strings. */
  readonly maxElementLength?: number
  /** 're2': the argument is used as a regular expression; an invalid or large one is a 400. */
  readonly format?: 're2'
  /** For JSON, what the value must match. */
  readonly schema?: ValueSchema
  /** Only with `format: re2`. Without it a token may not pin the parameter, since its pin would be read as a pattern. */
  readonly pinnedAs?: PinnedPattern
  /** The argument is the start or the end of the period that a tool shows. */
  readonly role?: 'start' | 'end'
  /** The rows of lookup tables with `default: reject`: any other argument is a 400 that lists them. */
  readonly rows?: readonly string[]
  /** The rows of lookup tables without `default: reject`: any other argument picks the default row. */
  readonly openRows?: readonly string[]
  /** That default row; absent where lookup tables have different ones. */
  readonly fallbackRow?: string
}

/** The allowed values: the values in both `enum` and `rows`, or all of the list that is there; undefined where neither is there. */
export const allowedOf = ({ enum: values, rows }: Parameter): readonly ArgumentValue[] | undefined =>
  values && rows ? values.filter(value => rows.includes(String(value))) : (values ?? rows)
