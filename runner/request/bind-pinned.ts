/** The arguments of a call: what the caller gives, what the token pins, typed as the endpoint declares them. */
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import type { ArgumentValue, PinnedPattern } from '../model/param.js'
import type { Caller } from '../model/ports.js'
import type { ArgumentMap } from '../model/query.js'
import { applyPins } from './authorize.js'
import { bindParams } from './bind-params.js'
import type { RawArguments } from './raw-arguments.js'

/**
 * Typed arguments in declared order. A caller may give a pinned parameter as the token has it, and its constraints are held
 * against that value; only then a `pinned_as` makes a regular expression of it. So the pattern, not the pin, is what engines
 * bind and what stands in the cache key.
 * @throws RunnerError ARGUMENT_INVALID, TOKEN_NOT_ALLOWED.
 */
export function bindPinned(caller: Caller, endpoint: Pick<Endpoint, 'parameters'>, given: RawArguments): ArgumentMap {
  const args = bindParams(endpoint, applyPins(caller, endpoint, given))
  const patterns = endpoint.parameters.filter(({ name, pinnedAs }) => pinnedAs && Object.hasOwn(caller.pinned, name))
  if (patterns.length === 0) return args
  const bound: Record<string, ArgumentValue> = Object.assign(Object.create(null), args)
  for (const { name, pinnedAs } of patterns) bound[name] = patternOf(pinnedAs!, args[name])
  return Object.freeze(bound)
}

/** Fails closed, though `authorize` has refused by now whatever could not be quoted. */
function patternOf(pinnedAs: PinnedPattern, value: ArgumentValue | undefined): ArgumentValue {
  if (Array.isArray(value)) return Object.freeze(value.map(element => patternOf(pinnedAs, element) as string))
  const text = typeof value === 'string' ? pinnedAs.textFor(value) : null
  if (text !== null) return text
  const refusal = { rule: 'pattern-pin', reason: 'the pinned value cannot be quoted' } as const
  throw new RunnerError('TOKEN_NOT_ALLOWED', { detail: 'The token does not allow this endpoint.', refusal })
}
