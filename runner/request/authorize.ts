/** Who calls, and what they may. */
import type { Endpoint } from '../model/endpoint.js'
import { type Refusal, RunnerError } from '../model/errors.js'
import type { Parameter } from '../model/param.js'
import type { Caller, TokenStore } from '../model/ports.js'
import { splitType, typeScalar } from '../model/typed-value.js'
import { textProblem } from './bind-params.js'
import type { RawArgument, RawArguments } from './raw-arguments.js'

const CHALLENGE = 'Bearer realm="sluice"'

/**
 * The caller of this token; one call is counted against its rate.
 * @throws RunnerError TOKEN_MISSING, TOKEN_UNKNOWN, RATE_LIMITED.
 */
export function authenticate(tokens: TokenStore, token: string | null): Caller {
  if (token === null) {
    const detail = 'Send a token as X-API-KEY or as Authorization: Bearer.'
    throw new RunnerError('TOKEN_MISSING', { detail, headers: { 'WWW-Authenticate': CHALLENGE } })
  }
  const caller = tokens.find(token)
  if (!caller) {
    throw new RunnerError('TOKEN_UNKNOWN', {
      detail: 'The token is not known or has expired.',
      headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
    })
  }
  const waitMs = caller.admit()
  if (waitMs > 0) {
    throw new RunnerError('RATE_LIMITED', {
      detail: "The token's rate is used up for now.",
      headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) },
    })
  }
  return caller
}

/** What of an endpoint decides who may call it. */
export type Access = Pick<Endpoint, 'name' | 'parameters' | 'tenant'>

/** What of a caller decides what they may call. */
export type Confined = Pick<Caller, 'mayCall' | 'pinned' | 'allTenants'>

/**
 * Why this caller may not call the endpoint at all; null where the call may go on. A pinned parameter that the endpoint
 * does not declare would confine nothing, so such an endpoint is out of bounds. So is any endpoint where a pin is empty:
 * that would be an argument which is not given. An endpoint of tenants is closed to a token that does not say which. A pin of a regular expression needs a `pinned_as` that quotes it.
 */
export function refusalOf(caller: Confined, endpoint: Access): Refusal | null {
  if (!caller.mayCall(endpoint.name)) {
    return { rule: 'scope', reason: 'the token allows no endpoint of this name' }
  }
  const { tenant } = endpoint
  if (tenant !== null && !caller.allTenants && !Object.hasOwn(caller.pinned, tenant)) {
    return { rule: 'tenant', reason: `the token neither pins "${tenant}" nor was made with --all-tenants` }
  }
  for (const [name, pin] of Object.entries(caller.pinned)) {
    if (pin === '') return { rule: 'pin', reason: `the token pins "${name}" to nothing` }
    const parameter = endpoint.parameters.find(one => one.name === name)
    if (!parameter) return { rule: 'pin', reason: `the endpoint does not declare "${name}", which the token pins` }
    const reason = parameter.format === 're2' ? patternPinProblem(parameter, pin) : null
    if (reason !== null) return { rule: 'pattern-pin', reason }
  }
  return null
}

/** Why this value may not confine a parameter that is a regular expression; null where it may. */
function patternPinProblem({ name, pinnedAs }: Parameter, pin: string): string | null {
  if (!pinnedAs) return `"${name}" is a regular expression, and the manifest has no pinned_as for it`
  if (pinnedAs.textFor(pin) !== null) return null
  return `the pinned value of "${name}" holds characters with which its pinned_as cannot tell where a value begins or ends`
}

/** May this caller call the endpoint at all? */
export function mayRun(caller: Caller, endpoint: Access): boolean {
  return refusalOf(caller, endpoint) === null
}

/** @throws RunnerError TOKEN_NOT_ALLOWED, which tells the caller nothing of the reason. */
export function authorize(caller: Caller, endpoint: Access): void {
  const refusal = refusalOf(caller, endpoint)
  if (refusal !== null) {
    throw new RunnerError('TOKEN_NOT_ALLOWED', { detail: 'The token does not allow this endpoint.', refusal })
  }
}

/**
 * The arguments with the token's pins in place, each as the token has it.
 * @throws RunnerError TOKEN_NOT_ALLOWED when the caller gave a pinned parameter another value, or the pin is not of its type.
 */
export function applyPins(caller: Caller, endpoint: Pick<Endpoint, 'parameters'>, given: RawArguments): RawArguments {
  const pins = Object.entries(caller.pinned)
  if (pins.length === 0) return given
  const pinned = new Map(given)
  for (const [name, pin] of pins) {
    const wire = given.get(name)
    const type = endpoint.parameters.find(parameter => parameter.name === name)?.type ?? 'string'
    const reason = valueProblem(name, type, pin)
    if (reason !== null) {
      // As a bad argument it would be blamed on a caller who need not have given it.
      const refusal = { rule: 'pin', reason } as const
      const detail = `The token is pinned to what is no value of ${name} here.`
      throw new RunnerError('TOKEN_NOT_ALLOWED', { detail, refusal })
    }
    const isOther = (value: unknown): boolean => value !== '' && !isSameArgument(splitType(type).scalar, value, pin)
    if (wire?.values.some(isOther)) {
      const refusal = { rule: 'pin', reason: `the call gives another value of "${name}" than the pinned one` } as const
      throw new RunnerError('TOKEN_NOT_ALLOWED', {
        detail: `The token is pinned to another value of ${name}.`,
        refusal,
      })
    }
    // What was given stands no more, but a scalar that was repeated stays the mistake that it is.
    const isRepeated = wire !== undefined && (wire.values.length > 1 || wire.isList)
    if (!isRepeated || splitType(type).isArray) pinned.set(name, { values: [pin], isList: false } satisfies RawArgument)
  }
  return pinned
}

/** Why some pin of this caller could be no argument of the endpoint; null where each could. */
export function pinnedValueProblem(
  { pinned }: Pick<Caller, 'pinned'>,
  { parameters }: Pick<Endpoint, 'parameters'>,
): string | null {
  for (const [name, pin] of Object.entries(pinned)) {
    const parameter = parameters.find(one => one.name === name)
    const problem = parameter ? valueProblem(name, parameter.type, pin) : null
    if (problem !== null) return problem
  }
  return null
}

function valueProblem(name: string, type: Parameter['type'], pin: string): string | null {
  const isValue = textProblem(pin) === null && typeScalar(splitType(type).scalar, pin).ok
  return isValue ? null : `the pinned value is no value of "${name}"`
}

function isSameArgument(type: Parameters<typeof typeScalar>[0], value: unknown, pin: string): boolean {
  if (value === pin) return true
  if (typeof value === 'object') return false
  const [a, b] = [typeScalar(type, String(value)), typeScalar(type, pin)]
  return a.ok && b.ok && a.value === b.value
}
