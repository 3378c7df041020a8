/** Compiles the constraints of a parameter, and finds mistakes in them. */

import { brokenConstraint } from '../model/broken-constraint.js'
import type { Parameter as AuthoredParameter, Scalar } from '../model/manifest.js'
import {
  type ArgumentValue,
  PATTERN_LENGTH,
  type Parameter,
  type ScalarParameterType,
  type ScalarValue,
  splitType,
} from '../model/param.js'
import { Pattern, re2Problem } from '../model/re2.js'
import { compareValues, typeScalar } from '../model/typed-value.js'
import { compileSchema } from './argument-schema.js'
import { compilePinnedAs } from './pinned-as.js'
import { describeValue } from './report.js'
import type { NodePath } from './source.js'

/**
 * The mistakes in a parameter's constraints, each at the path of its member below the parameter.
 * @param written the text of a value in the file: a number may have fewer digits than its text
 */
export function constraintMistakes(authored: AuthoredParameter, written: (path: NodePath) => string | undefined) {
  const { scalar, isArray } = splitType(authored.type)
  const mistakes: { path: NodePath; message: string }[] = findMisplacedMembers(authored, scalar, isArray)
  const report = (path: NodePath, message: string): void => void mistakes.push({ path, message })
  const readValue = (path: NodePath, value: Scalar | undefined): ScalarValue => {
    if (value === undefined) return null
    const mayLose = typeof value === 'number' && (scalar === 'numeric' || scalar === 'bignumeric')
    const result = typeAuthored(scalar, value, mayLose ? written(path) : undefined)
    if (result.ok) return result.value
    report(path, `${describeValue(value)} is not a valid ${scalar}; it ${result.detail}`)
    return null
  }
  for (const [index, value] of authored.enum?.entries() ?? []) readValue(['enum', index], value)
  const minimum = readValue(['minimum'], authored.minimum)
  const maximum = readValue(['maximum'], authored.maximum)
  if (minimum !== null && maximum !== null && compareValues(scalar, minimum, maximum) > 0) {
    report(['minimum'], `minimum ${authored.minimum} is more than maximum ${authored.maximum}`)
  }
  // The examples of a parameter with pinned_as may be pins, which are not regular expressions.
  const { format, ...others } = compileParameter('', authored, {}, Number.POSITIVE_INFINITY)
  const parameter = { ...others, ...(format && !authored.pinned_as && { format }) }
  const checkValue = (path: NodePath, value: Scalar, what: string): void => {
    const argument = readValue(path, value)
    if (argument === null) return
    const constraint = brokenConstraint(parameter, scalar, argument)
    const problem = argument === '' ? 'an empty argument counts as absent' : constraint && `it ${constraint}`
    if (problem !== null) report(path, `${describeValue(value)} is not a valid ${what}; ${problem}`)
  }
  for (const [index, example] of authored.examples?.entries() ?? []) checkValue(['examples', index], example, 'example')
  const { default: fallback } = authored
  if (fallback === undefined) return mistakes
  if (Array.isArray(fallback) !== isArray) {
    report(['default'], isArray ? 'the default must be a list' : 'the default must be a single value')
  } else if (!Array.isArray(fallback)) checkValue(['default'], fallback, 'default')
  else for (const [index, value] of fallback.entries()) checkValue(['default', index], value, 'default')
  return mistakes
}

const UNORDERED: ReadonlySet<ScalarParameterType> = new Set(['string', 'bool', 'uuid', 'timezone', 'json'])

/** Finds members that do not apply to this type. */
function findMisplacedMembers(authored: AuthoredParameter, scalar: ScalarParameterType, isArray: boolean) {
  const isOrdered = !UNORDERED.has(scalar)
  const rows: readonly (readonly [member: keyof AuthoredParameter, isFitting: boolean, forWhat: string])[] = [
    ['pattern', scalar === 'string', 'strings'],
    ['format', scalar === 'string', 'strings'],
    ['pinned_as', authored.format !== undefined, 'parameters with format: re2'],
    ['max_length', scalar === 'string' || isArray, 'strings and arrays'],
    ['max_element_length', scalar === 'string' && isArray, 'arrays of strings'],
    ['schema', scalar === 'json', 'parameters of type json'],
    ['minimum', isOrdered, 'numbers, dates and times'],
    ['maximum', isOrdered, 'numbers, dates and times'],
  ]
  return rows
    .filter(([member, isFitting]) => authored[member] !== undefined && !isFitting)
    .map(([member, , forWhat]) => ({ path: [member], message: `${member} is for ${forWhat} only` }))
}

/**
 * Compiles a parameter that has no mistakes; `rows` are those of the lookup tables that it picks from. A regular expression
 * has at most `maxRegexpLength` characters.
 */
export function compileParameter(
  name: string,
  authored: AuthoredParameter,
  rows: Pick<Parameter, 'rows' | 'openRows' | 'fallbackRow'> = {},
  maxRegexpLength = PATTERN_LENGTH,
): Parameter {
  const { scalar } = splitType(authored.type)
  const value = (scalarValue: Scalar): ScalarValue => {
    const result = typeAuthored(scalar, scalarValue)
    return result.ok ? result.value : null
  }
  const fallback: ArgumentValue | undefined = Array.isArray(authored.default)
    ? Object.freeze(authored.default.map(value))
    : authored.default === undefined
      ? undefined
      : value(authored.default as Scalar)
  const { pattern } = authored
  const schema = authored.schema && compileSchema(authored.schema)
  return Object.freeze({
    name,
    type: authored.type,
    isRequired: authored.required ?? false,
    description: authored.description ?? '',
    examples: Object.freeze((authored.examples ?? []).map(String)),
    ...(fallback !== undefined && { default: fallback }),
    ...(authored.enum && { enum: Object.freeze(authored.enum.map(value)) }),
    // A rule reports a pattern that is not valid.
    ...(pattern !== undefined && re2Problem(pattern) === null && { pattern: new Pattern(pattern) }),
    ...(authored.minimum !== undefined && { minimum: value(authored.minimum) }),
    ...(authored.maximum !== undefined && { maximum: value(authored.maximum) }),
    ...lengthsOf(authored, maxRegexpLength),
    ...(authored.format && { format: authored.format }),
    // A rule reports a schema that is not valid.
    ...(typeof schema === 'object' && { schema }),
    ...(authored.pinned_as !== undefined && { pinnedAs: compilePinnedAs(authored.pinned_as) }),
    ...(authored.role && { role: authored.role }),
    ...rows,
  })
}

/** The bounds of a text, and of a list and its elements. A text that has a pattern, or is a regular expression, always has a bound. */
function lengthsOf(
  authored: AuthoredParameter,
  maxRegexpLength: number,
): Pick<Parameter, 'maxLength' | 'maxElementLength'> {
  const { isArray } = splitType(authored.type)
  const { max_length: maxLength, max_element_length: maxElementLength, pattern, format } = authored
  const textLength = isArray ? maxElementLength : maxLength
  const ownLimit = textLength ?? (pattern === undefined ? undefined : PATTERN_LENGTH)
  const limit = format === undefined ? ownLimit : Math.min(ownLimit ?? maxRegexpLength, maxRegexpLength)
  if (!isArray) return limit === undefined ? {} : { maxLength: limit }
  return {
    ...(maxLength !== undefined && { maxLength }),
    ...(limit !== undefined && { maxElementLength: limit }),
  }
}

/**
 * Types an authored value. A YAML number is typed by its decimal text; a string parameter takes text only, so that 007 does
 * not become 7.
 * @param written a number as the file has it
 */
function typeAuthored(type: ScalarParameterType, value: Scalar, written?: string): ReturnType<typeof typeScalar> {
  if (type === 'string' && typeof value !== 'string') return { ok: false, detail: 'must be text, so put it in quotes' }
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { ok: false, detail: 'must be in quotes beyond 2^53, or it would lose digits' }
  }
  const result = typeScalar(type, String(value))
  const exact = written === undefined ? result : typeScalar(type, written)
  const losesDigits = result.ok && exact.ok && result.value !== exact.value
  return losesDigits ? { ok: false, detail: 'must be in quotes, or it would lose digits' } : result
}
