/** The parameters of an endpoint as OpenAPI describes them. */
import type { Endpoint, PagePolicy } from '../model/endpoint.js'
import { CURSOR, MAX_CURSOR_LENGTH, PAGE_SIZE } from '../model/page.js'
import {
  type ArgumentValue,
  allowedOf,
  MAX_VALUES,
  type Parameter,
  type ScalarParameterType,
  type ScalarValue,
  splitType,
} from '../model/param.js'
import { isLongerThan } from '../model/text-length.js'
import { isSameInEcmaScript } from './ecmascript-pattern.js'
import type { Dialect, JsonSchema } from './schema.js'

/** The versions of OpenAPI that documents are written in. */
export type Version = '3.1' | '3.0'

/** The parameters that a caller may give: all that are not pinned, then `format`, then the parameters of pages. */
export function parameterObjects({ parameters, pages }: Endpoint, pinned: readonly string[], version: Version) {
  const unpinned = parameters.filter(({ name }) => !pinned.includes(name))
  const objects = unpinned.map(parameter => parameterObject(parameter, version))
  const hidesFormat = parameters.some(({ name }) => name === 'format')
  return [
    ...objects,
    ...(hidesFormat ? [] : [{ $ref: '#/components/parameters/format' }]),
    ...(pages ? [pageSizeParameter(pages), { $ref: `#/components/parameters/${CURSOR}` }] : []),
  ]
}

const pageSizeParameter = ({ maxSize }: PagePolicy) => ({
  name: PAGE_SIZE,
  in: 'query',
  allowEmptyValue: true,
  description: `The rows of a page. Without it and \`${CURSOR}\` the answer is the whole result.`,
  schema: { type: 'integer', minimum: 1, maximum: maxSize },
})

/** It is the same for all endpoints. */
export const CURSOR_PARAMETER = {
  name: CURSOR,
  in: 'query',
  allowEmptyValue: true,
  description: 'Asks for the next page: the `next` of the page before, whose other arguments are sent again.',
  schema: { type: 'string', maxLength: MAX_CURSOR_LENGTH },
}

function parameterObject(parameter: Parameter, version: Version) {
  const { name, isRequired, type, role } = parameter
  const { scalar, isArray } = splitType(type)
  const description = descriptionOf(parameter)
  const examples = examplesOf(parameter)
  const value = {
    schema: parameterSchema(parameter, version === '3.1' ? examples : [], version),
    ...(version === '3.0' && examples.length > 0 && { examples: namedExamples(examples) }),
  }
  return {
    name,
    in: 'query',
    // An empty argument counts as an absent one.
    ...(isRequired ? { required: true } : { allowEmptyValue: true }),
    ...(description !== '' && { description }),
    ...(isArray && { style: 'form', explode: true }),
    ...(scalar === 'json' ? { content: { 'application/json': value } } : value),
    ...(role && { 'x-sluice-role': role }),
  }
}

/** In OpenAPI 3.0, several examples are beside the schema, not in it, and each has a name. */
function namedExamples(examples: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(examples.map((value, i) => [`example-${i + 1}`, { value }]))
}

/** What the manifest says, and what no keyword of a schema can say. */
function descriptionOf({ description, type, format, fallbackRow, minimum, maximum }: Parameter): string {
  const { scalar } = splitType(type)
  // The keywords `minimum` and `maximum` are for numbers of JSON.
  const isText = JSON_TYPES[scalar] === undefined
  const [least, most] = DECIMALS.includes(scalar) ? ['At least', 'At most'] : ['Not before', 'Not after']
  const sentences = [
    description.trim(),
    format === 're2' && !/\bRE2\b/.test(description) ? 'An RE2 regular expression.' : '',
    fallbackRow !== undefined && !description.includes(`counts as ${fallbackRow}`)
      ? `Any other value counts as ${fallbackRow}.`
      : '',
    isText && minimum !== undefined ? `${least} ${minimum}.` : '',
    isText && maximum !== undefined ? `${most} ${maximum}.` : '',
  ]
  return sentences.filter(sentence => sentence !== '').join(' ')
}

/** The examples that the manifest declares, then the rows of lookup tables without `default: reject`. */
function examplesOf(parameter: Parameter): readonly unknown[] {
  const { scalar, isArray } = splitType(parameter.type)
  const { examples, openRows = [] } = parameter
  const values = [...new Set([...examples, ...openRows.filter(row => isAllowed(parameter, row))])].map(text =>
    jsonOf(scalar, text),
  )
  return isArray ? values.map(value => [value]) : values
}

/** Whether the other constraints allow this row's name. */
function isAllowed({ enum: values, pattern, maxLength = Infinity }: Parameter, row: string): boolean {
  if (values && !values.includes(row)) return false
  return !isLongerThan(row, maxLength) && (!pattern || pattern.matches(row))
}

/** The schema of an argument with its description and examples, complete in itself. */
export function argumentSchema(parameter: Parameter): JsonSchema {
  const description = descriptionOf(parameter)
  const schema = parameterSchema(parameter, examplesOf(parameter), 'json-schema')
  return { ...schema, ...(description !== '' && { description }) }
}

/** The schema of an argument. */
function parameterSchema(parameter: Parameter, examples: readonly unknown[], dialect: Dialect): JsonSchema {
  const { type, maxLength, isRequired } = parameter
  const { scalar, isArray } = splitType(type)
  const value = scalarSchema(parameter, scalar, isArray, dialect)
  const fallback = defaultOf(parameter, scalar)
  const more = { ...(fallback !== undefined && { default: fallback }), ...(examples.length > 0 && { examples }) }
  if (!isArray) return { ...value, ...more }
  return {
    type: 'array',
    items: value,
    ...(isRequired && { minItems: 1 }),
    maxItems: Math.min(maxLength ?? MAX_VALUES, MAX_VALUES),
    ...more,
  }
}

/** The types that are not texts. */
const JSON_TYPES: Readonly<Partial<Record<ScalarParameterType, string>>> = {
  int64: 'integer',
  float64: 'number',
  bool: 'boolean',
}

const DECIMALS: readonly ScalarParameterType[] = ['numeric', 'bignumeric']

/** The form of texts of these types in every dialect; each such text is accepted. A decimal is a text, since a number would lose digits. */
const FORMS: Readonly<Partial<Record<ScalarParameterType, JsonSchema>>> = {
  numeric: { pattern: '^-?[0-9]{1,29}(?:[.][0-9]{1,9})?$' },
  bignumeric: { pattern: '^-?[0-9]{1,38}(?:[.][0-9]{1,38})?$' },
  time: { pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?$' },
  uuid: { pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' },
}

const CIVIL_FORMATS: Partial<Record<ScalarParameterType, string>> = {
  date: 'date',
  datetime: 'date-time-local',
  timestamp: 'date-time',
}

/** Each text of this form is accepted. JSON Schema has no `date-time-local`: that format is in OpenAPI's registry alone. */
const DATETIME_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,6})?$'

/** The form of texts of this type, without the manifest's own constraints. */
function formOf(scalar: ScalarParameterType, isRe2: boolean, dialect: Dialect): JsonSchema {
  // Validators of JSON Schema take `regex` for a regular expression of JavaScript, which RE2's `(?i)` is not.
  if (isRe2) return dialect === 'json-schema' ? {} : { format: 'regex' }
  if (scalar === 'datetime' && dialect === 'json-schema') return { pattern: DATETIME_PATTERN }
  const civil = CIVIL_FORMATS[scalar]
  return civil === undefined ? (FORMS[scalar] ?? {}) : { format: civil }
}

function scalarSchema(parameter: Parameter, scalar: ScalarParameterType, isArray: boolean, dialect: Dialect) {
  const { pattern, format, schema, minimum, maximum, isRequired } = parameter
  const maxLength = isArray ? parameter.maxElementLength : parameter.maxLength
  const allowed = allowedOf(parameter)?.map(value => jsonOf(scalar, value))
  // OpenAPI 3.0 has a JSON Schema of its own.
  if (scalar === 'json') return { ...(dialect !== '3.0' && schema?.source), ...(allowed && { enum: allowed }) }
  const isNumber = scalar === 'int64' || scalar === 'float64'
  const [least, most] = [minimum, maximum].map(bound => (isNumber ? exactNumber(scalar, bound) : undefined))
  return {
    type: JSON_TYPES[scalar] ?? 'string',
    ...formOf(scalar, format === 're2', dialect),
    ...(allowed && { enum: allowed }),
    ...(pattern && isSameInEcmaScript(pattern.source) && { pattern: `^(?:${pattern.source})$` }),
    // An empty text is a missing argument. An enum and the format of a date exclude it themselves.
    ...(isRequired && scalar === 'string' && !allowed && { minLength: 1 }),
    ...(maxLength !== undefined && { maxLength }),
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
  }
}

/** The default in JSON; undefined also where a number would not hold it exactly: a text would not fit the schema of a number. */
function defaultOf({ default: fallback }: Parameter, scalar: ScalarParameterType): unknown {
  if (fallback === undefined) return undefined
  const values: readonly ScalarValue[] = Array.isArray(fallback) ? fallback : [fallback as ScalarValue]
  const jsonValues = values.map(value => jsonOf(scalar, value))
  const isNumber = scalar === 'int64' || scalar === 'float64'
  if (isNumber && jsonValues.some(value => typeof value !== 'number')) return undefined
  return Array.isArray(fallback) ? jsonValues : jsonValues[0]
}

/** The value as a number of JSON; undefined where that would not hold it exactly. */
function exactNumber(scalar: ScalarParameterType, value: ArgumentValue | undefined): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  return (scalar === 'int64' ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined
}

/** A typed argument, or its text, as the JSON value of its type. */
function jsonOf(scalar: ScalarParameterType, value: ArgumentValue): unknown {
  if (scalar === 'json') return JSON.parse(String(value))
  if (scalar === 'bool') return typeof value === 'string' ? value.toLowerCase() === 'true' : value
  if (scalar === 'int64' || scalar === 'float64') return exactNumber(scalar, value) ?? String(value)
  return value
}
