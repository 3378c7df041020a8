/** Types a caller's arguments as the endpoint declares them, and reports all mistakes at once. */
import { DOUBLE_DIGITS } from '../../googlesql/data.js'
import { brokenConstraint } from '../model/broken-constraint.js'
import type { Endpoint } from '../model/endpoint.js'
import { type ArgumentProblem, invalidArguments } from '../model/errors.js'
import {
  type ArgumentValue,
  MAX_VALUES,
  type Parameter,
  type ScalarParameterType,
  type ScalarValue,
  splitType,
} from '../model/param.js'
import type { ArgumentMap } from '../model/query.js'
import { sizeProblem } from '../model/re2.js'
import { typeScalar } from '../model/typed-value.js'
import { countParts, type RawArgument, type RawArguments } from './raw-arguments.js'
import { unknownNames, unknownProblems } from './unknown-arguments.js'

/** The longest value, in bytes of UTF-8. */
export const MAX_VALUE_BYTES = 32_768
/** The most characters of a list's elements together, where a pattern is applied to each. */
export const MAX_MATCHED_LENGTH = 200_000

/** The members of an endpoint that say what its arguments are. */
export type Bindable = Pick<Endpoint, 'parameters'> & Partial<Pick<Endpoint, 'rejectsUnknown'>>

/**
 * Typed arguments in declared order, with defaults; absent arguments have no member. Undeclared names are ignored, unless the
 * endpoint rejects them. `listHint` says how this caller writes a list.
 * @throws RunnerError ARGUMENT_INVALID naming every bad argument.
 */
export function bindParams(endpoint: Bindable, input: RawArguments, listHint: ListHint = addressHint): ArgumentMap {
  const args: Record<string, ArgumentValue> = Object.create(null)
  const isBracketed = bracketedNames(input)
  const names = endpoint.parameters.map(({ name }) => name)
  const unknown = endpoint.rejectsUnknown ? unknownProblems(names, unknownNames(endpoint, input), 'endpoint') : []
  /** Parameters that are missing because the caller has misspelt their names: that is one mistake, not two. */
  const misspelt = new Set(
    unknown.map(({ suggests }) => suggests).filter(name => name !== undefined && !input.has(name)),
  )
  const errors: ArgumentProblem[] = unknown.map(({ parameter, detail }) => ({ parameter, detail }))
  let jsonRoom = MAX_VALUES
  for (const parameter of endpoint.parameters) {
    const inJson = parameter.type === 'json' ? valuesIn(input.get(parameter.name)) : 0
    jsonRoom -= inJson
    const bound = isBracketed.has(parameter.name)
      ? { problem: bracketProblem(parameter, listHint) }
      : inJson > 0 && jsonRoom < 0
        ? { problem: `must have at most ${MAX_VALUES} values together with the other JSON` }
        : bindOne(parameter, input.get(parameter.name), listHint)
    if (misspelt.has(parameter.name)) continue
    if (bound.problem !== undefined) errors.push({ parameter: parameter.name, detail: bound.problem })
    else if (bound.value !== undefined) args[parameter.name] = bound.value
  }
  if (errors.length > 0) throw invalidArguments(errors)
  return Object.freeze(args)
}

/** How many values this JSON has if it was sent as a text. The values of a JSON body were counted when the body was read. */
function valuesIn(raw: RawArgument | undefined): number {
  const texts = raw && !raw.isList ? raw.values.filter(value => typeof value === 'string') : []
  return texts.reduce((sum, text) => sum + countParts(text, Number.POSITIVE_INFINITY).values, 0)
}

/** The names that were sent with brackets, as `tag[]` or `tag[0]`. */
function bracketedNames(input: RawArguments): ReadonlySet<string> {
  const names = new Set<string>()
  for (const sent of input.keys()) {
    const name = sent.endsWith(']') ? /^(.+)\[\d*\]$/.exec(sent)?.[1] : undefined
    if (name !== undefined) names.add(name)
  }
  return names
}

const bracketProblem = ({ name, type }: Parameter, listHint: ListHint): string =>
  `must be sent without brackets: ${splitType(type).isArray ? listHint(name) : `${name}=…`}`

/** How a caller writes several values of the parameter with this name. */
export type ListHint = (name: string) => string

const addressHint: ListHint = name => `repeat the name, ${name}=a&${name}=b, or send a JSON array in a POST body`

type Bound<T> = { readonly value: T; readonly problem?: never } | { readonly problem: string }

function bindOne(
  parameter: Parameter,
  raw: RawArgument | undefined,
  listHint: ListHint,
): Bound<ArgumentValue | undefined> {
  const { scalar, isArray } = splitType(parameter.type)
  // In a JSON body, an array is the value of a parameter of type json.
  if (scalar === 'json' && raw?.isList) return bindScalar(parameter, scalar, raw.values)
  if (!isArray && raw?.isList) return { problem: 'must be a single value' }
  if (!isArray && raw && raw.values.length > 1) return { problem: 'must be given once' }
  // A null is an absent argument, as in a JSON body. Only elements of a JSON array can be empty texts.
  const isAbsent = (value: unknown): boolean =>
    (value === '' && !raw?.isList) || (scalar === 'json' && value === 'null')
  const values = raw?.values.filter(value => !isAbsent(value)) ?? []
  if (values.length === 0) {
    const { default: fallback } = parameter
    return parameter.isRequired && fallback === undefined ? { problem: 'is required' } : { value: fallback }
  }
  const [only] = values
  if (isArray && !raw?.isList && values.length === 1 && typeof only === 'string' && /^\[|,/.test(only)) {
    return { problem: `looks like several values in one: ${listHint(parameter.name)}` }
  }
  if (isArray && parameter.maxLength !== undefined && values.length > parameter.maxLength) {
    return { problem: `must have at most ${parameter.maxLength} elements` }
  }
  if (isArray && parameter.format === 're2') {
    const problem = patternsProblem(values, parameter.maxElementLength)
    if (problem !== null) return { problem }
  }
  if (isArray && parameter.pattern !== undefined && lengthOf(values) > MAX_MATCHED_LENGTH) {
    return { problem: lengthProblem(MAX_MATCHED_LENGTH) }
  }
  const boundValues: ScalarValue[] = []
  for (const value of values) {
    const bound = bindScalar(parameter, scalar, value)
    if (bound.problem !== undefined) return { problem: isArray ? `each element ${bound.problem}` : bound.problem }
    boundValues.push(bound.value)
  }
  return { value: isArray ? Object.freeze(boundValues) : boundValues[0] }
}

/** Why the elements of a list may not be used as regular expressions together: the work of checking them adds up. */
function patternsProblem(values: readonly unknown[], maxLength = Number.POSITIVE_INFINITY): string | null {
  if (lengthOf(values) > maxLength) return lengthProblem(maxLength)
  return sizeProblem(values.filter(value => typeof value === 'string'))
}

const lengthOf = (values: readonly unknown[]): number =>
  values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0)

const lengthProblem = (length: number): string => `must have at most ${length} characters in all elements together`

function bindScalar(parameter: Parameter, type: ScalarParameterType, raw: unknown): Bound<ScalarValue> {
  const text = argumentText(type, raw)
  if (text.problem !== undefined) return text
  const typed = typeScalar(type, text.value)
  if (!typed.ok) return { problem: typed.detail }
  const problem = brokenConstraint(parameter, type, typed.value)
  return problem === null ? { value: typed.value } : { problem }
}

/**
 * The text of an argument. JSON numbers and booleans are taken for parameters of these types, and any JSON value for type json. Every
 * other value must be a text.
 */
function argumentText(type: ScalarParameterType, raw: unknown): Bound<string> {
  if (type === 'json' && typeof raw !== 'string') return jsonText(raw)
  if (typeof raw === 'number' && (type === 'numeric' || type === 'bignumeric')) {
    const text = String(raw)
    if (text.replace(/e.*|\D/g, '').length <= DOUBLE_DIGITS) return { value: text }
    return { problem: `must be written as a string beyond ${DOUBLE_DIGITS} digits` }
  }
  if (typeof raw === 'number' && (type === 'int64' || type === 'float64')) {
    // JSON.parse has already rounded numbers beyond 2^53.
    if (type === 'float64' || Number.isSafeInteger(raw)) return { value: String(raw) }
    return { problem: Number.isInteger(raw) ? 'must be written as a string beyond 2^53' : 'must be an integer' }
  }
  if (typeof raw === 'boolean' && type === 'bool') return { value: String(raw) }
  if (typeof raw !== 'string') {
    const empty = typeScalar(type, '')
    return { problem: empty.ok ? 'must be a string' : empty.detail }
  }
  const problem = textProblem(raw)
  return problem === null ? { value: raw } : { problem }
}

/** The text of a JSON value. JSON.parse has already rounded numbers beyond 2^53. */
function jsonText(value: unknown): Bound<string> {
  let isRounded = false
  const text = JSON.stringify(value, (_, member) => {
    isRounded ||= typeof member === 'number' && Number.isInteger(member) && !Number.isSafeInteger(member)
    return member
  })
  if (isRounded) return { problem: 'must be written as a string of JSON where it has integers beyond 2^53' }
  const problem = textProblem(text)
  return problem === null ? { value: text } : { problem }
}

/** Why a text is refused for every type; null where it may be valid. */
export function textProblem(text: string): string | null {
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES) return `must be at most ${MAX_VALUE_BYTES} bytes long`
  if (!/[\0\p{Cs}]/u.test(text)) return null
  return text.includes('\0') ? 'must not hold NUL characters' : 'must be valid Unicode'
}
