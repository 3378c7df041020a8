/** Combines a caller's arguments with the token's pins, and types them as the endpoint declares. */
import { type ArgumentProblem, invalidArguments, notAllowed, RunnerError } from '../model/errors.js'
import {
  type ArgumentValue,
  type Parameter,
  type PinnedPattern,
  type ScalarParameterType,
  splitType,
} from '../model/param.js'
import type { Caller } from '../model/ports.js'
import type { ArgumentMap } from '../model/query.js'
import { typeScalar } from '../model/typed-value.js'
import { NOT_ALLOWED } from './authorize.js'
import { type Bindable, bindParams, type ListHint, textProblem } from './bind-params.js'
import type { RawArguments } from './raw-arguments.js'

/**
 * Typed arguments in declared order. A caller may send a pinned parameter with the pinned value. Constraints are checked on
 * that value; then `pinned_as` turns it into a regular expression. Engines and the cache key therefore see the pattern.
 * @throws RunnerError ARGUMENT_INVALID, TOKEN_NOT_ALLOWED.
 */
export function bindPinned(caller: Caller, endpoint: Bindable, input: RawArguments, listHint?: ListHint): ArgumentMap {
  const withPins = applyPins(caller, endpoint, input)
  const isPattern = ({ name, pinnedAs }: Parameter): boolean =>
    pinnedAs !== undefined && Object.hasOwn(caller.pinned, name)
  const patterns = endpoint.parameters.filter(isPattern)
  if (patterns.length === 0) return bindParams(endpoint, withPins, listHint)
  const parameters = endpoint.parameters.map(parameter => (isPattern(parameter) ? asText(parameter) : parameter))
  const args = bindParams({ ...endpoint, parameters }, withPins, listHint)
  const bound: Record<string, ArgumentValue> = Object.assign(Object.create(null), args)
  for (const { name, pinnedAs } of patterns) bound[name] = patternOf(pinnedAs!, args[name])
  return Object.freeze(bound)
}

/**
 * The error ARGUMENT_INVALID with these problems, and with the problems that `bind` finds.
 * @throws any other error of `bind`.
 */
export function invalidBeside(problems: readonly ArgumentProblem[], bind: () => unknown): RunnerError {
  try {
    bind()
    return invalidArguments(problems)
  } catch (thrown) {
    if (!(thrown instanceof RunnerError) || thrown.code !== 'ARGUMENT_INVALID') throw thrown
    return invalidArguments([...problems, ...thrown.errors])
  }
}

/** A pin is a plain text until `pinned_as` makes a regular expression of it. */
const asText = ({ format: _, ...parameter }: Parameter): Parameter => parameter

/** The pattern for a pin. Fails closed, although `authorize` has already refused pins that cannot be quoted. */
function patternOf(pinnedAs: PinnedPattern, value: ArgumentValue | undefined): ArgumentValue {
  if (Array.isArray(value)) return Object.freeze(value.map(element => patternOf(pinnedAs, element) as string))
  const text = typeof value === 'string' ? pinnedAs.textFor(value) : null
  if (text !== null) return text
  throw notAllowed(NOT_ALLOWED, { rule: 'pattern-pin', reason: 'the pinned value cannot be quoted' })
}

/**
 * The arguments with the token's pins in place.
 * @throws RunnerError TOKEN_NOT_ALLOWED when the caller gave a pinned parameter another value, or the pin is not of its type.
 */
function applyPins({ pinned }: Caller, { parameters }: Bindable, input: RawArguments): RawArguments {
  const withPins = new Map(input)
  for (const [name, pin] of Object.entries(pinned)) {
    const raw = input.get(name)
    const { scalar, isArray } = splitType(typeOf(parameters, name) ?? 'string')
    const reason = valueProblem(name, scalar, pin)
    // Not reported as a bad argument, since the caller may not have sent it.
    if (reason !== null) {
      throw notAllowed(`The token pins ${name} to a value that this endpoint does not take.`, { rule: 'pin', reason })
    }
    if (raw && hasOtherThan(pin, scalar, raw.values)) {
      const other = `the call gives another value of "${name}" than the pinned one`
      throw notAllowed(`The token is pinned to another value of ${name}.`, { rule: 'pin', reason: other })
    }
    // The pin replaces the caller's value, but a repeated scalar stays a mistake.
    const isRepeated = raw !== undefined && (raw.values.length > 1 || raw.isList)
    if (!isRepeated || isArray) withPins.set(name, { values: [pin], isList: isArray })
  }
  return withPins
}

/** Why a pin of this caller is not a valid argument of the endpoint; null where all are valid. */
export function pinnedValueProblem({ pinned }: Pick<Caller, 'pinned'>, { parameters }: Bindable): string | null {
  for (const [name, pin] of Object.entries(pinned)) {
    const type = typeOf(parameters, name)
    const problem = type ? valueProblem(name, splitType(type).scalar, pin) : null
    if (problem !== null) return problem
  }
  return null
}

const typeOf = (parameters: readonly Parameter[], name: string): Parameter['type'] | undefined =>
  parameters.find(parameter => parameter.name === name)?.type

const valueProblem = (name: string, type: ScalarParameterType, pin: string): string | null =>
  textProblem(pin) === null && typeScalar(type, pin).ok ? null : `"${name}" does not take the pinned value`

/** Whether one of these values is neither empty nor the pin, in whatever spelling. */
function hasOtherThan(pin: string, type: ScalarParameterType, values: readonly unknown[]): boolean {
  const pinned = typeScalar(type, pin)
  return values.some(value => {
    if (value === pin || value === '') return false
    if (typeof value === 'object') return true
    const typed = typeScalar(type, String(value))
    return !typed.ok || !pinned.ok || typed.value !== pinned.value
  })
}
