/** Authentication and authorization. */
import type { Endpoint } from '../model/endpoint.js'
import { notAllowed, type Refusal, RunnerError, retryLater } from '../model/errors.js'
import type { Parameter } from '../model/param.js'
import type { Caller, TokenStore } from '../model/ports.js'

const CHALLENGE = 'Bearer realm="sluice"'

/** What callers read who may not call an endpoint. */
export const NOT_ALLOWED = 'The token does not allow this endpoint.'
export const OUT_OF_SCOPE = { rule: 'scope', reason: 'the token allows no endpoint of this name' } as const

/**
 * The caller with this token. Counts one call against the token's rate.
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
  countCall(caller)
  return caller
}

/** Counts one call against the token's rate. @throws RunnerError RATE_LIMITED. */
export function countCall(caller: Pick<Caller, 'admit'>): void {
  const waitMs = caller.admit()
  if (waitMs > 0) throw retryLater('RATE_LIMITED', "The token's rate is used up for now.", waitMs)
}

/** Counts a call while it waits for a query; returns the function to call at its end. @throws RunnerError RATE_LIMITED. */
export function beginWait(caller: Pick<Caller, 'beginWait'>): () => void {
  const endWait = caller.beginWait()
  if (endWait !== null) return endWait
  const detail = 'As many calls of the token wait for queries as may at once; ask again when one of them has ended.'
  throw retryLater('RATE_LIMITED', detail)
}

/** The members of an endpoint that decide which callers it admits. */
export type Access = Pick<Endpoint, 'name' | 'parameters' | 'tenant'>

/** The members of a caller that decide which endpoints it may call. */
export type CallerRights = Pick<Caller, 'mayCall' | 'pinned' | 'allTenants'>

/**
 * Why this caller may not call the endpoint at all; null where the call may go on. Refused are: an endpoint that does not
 * declare a pinned parameter, since the pin would confine nothing; an empty pin, since it would count as an absent argument;
 * an endpoint with a tenant, unless the token pins the tenant or is for all tenants; a pin of a regular expression without a
 * `pinned_as` that can quote it.
 */
export function refusalOf(caller: CallerRights, endpoint: Access): Refusal | null {
  if (!caller.mayCall(endpoint.name)) return OUT_OF_SCOPE
  const { tenant } = endpoint
  if (tenant !== null && !caller.allTenants && !Object.hasOwn(caller.pinned, tenant)) {
    return { rule: 'tenant', reason: `the token neither pins "${tenant}" nor was made with --all-tenants` }
  }
  for (const [name, pin] of Object.entries(caller.pinned)) {
    if (pin === '') return { rule: 'pin', reason: `the token pins "${name}" to nothing` }
    const parameter = endpoint.parameters.find(declared => declared.name === name)
    if (!parameter) return { rule: 'pin', reason: `the endpoint does not declare "${name}", which the token pins` }
    const reason = parameter.format === 're2' ? patternPinProblem(parameter, pin) : null
    if (reason !== null) return { rule: 'pattern-pin', reason }
  }
  return null
}

/** Why this pin cannot be applied to a parameter that is a regular expression; null where it can. */
function patternPinProblem({ name, pinnedAs }: Parameter, pin: string): string | null {
  if (!pinnedAs) return `"${name}" is a regular expression, and the manifest has no pinned_as for it`
  if (pinnedAs.textFor(pin) !== null) return null
  return `the pinned value of "${name}" holds characters with which its pinned_as cannot tell where a value begins or ends`
}

/** Whether this caller may call the endpoint at all. */
export const mayRun = (caller: CallerRights, endpoint: Access): boolean => refusalOf(caller, endpoint) === null

/** @throws RunnerError TOKEN_NOT_ALLOWED, which does not reveal the reason to the caller. */
export function authorize(caller: Caller, endpoint: Access): void {
  const refusal = refusalOf(caller, endpoint)
  if (refusal !== null) throw notAllowed(NOT_ALLOWED, refusal)
}
