/** Combines a caller's arguments with the token's pins, and types them as the endpoint declares. */
import { notAllowed } from '../model/errors.js'
import type { ArgumentValue, Parameter, PinnedPattern } from '../model/param.js'
import type { Caller } from '../model/ports.js'
import type { ArgumentMap } from '../model/query.js'
import { applyPins, NOT_ALLOWED } from './authorize.js'
import { type Bindable, bindParams, type ListHint } from './bind-params.js'
import type { RawArguments } from './raw-arguments.js'

/**
 * Typed arguments in declared order. A caller may send a pinned parameter with the pinned value. Constraints are checked on
 * that value; then `pinned_as` turns it into a regular expression. Engines and the cache key therefore see the pattern.
 * @throws RunnerError ARGUMENT_INVALID, TOKEN_NOT_ALLOWED.
 */
export function bindPinned(caller: Caller, endpoint: Bindable, given: RawArguments, listHint?: ListHint): ArgumentMap {
  const withPins = applyPins(caller, endpoint, given)
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

/** A pin is a plain text until `pinned_as` makes a regular expression of it. */
const asText = ({ format: _, ...parameter }: Parameter): Parameter => parameter

/** The pattern for a pin. Fails closed, although `authorize` has already refused pins that cannot be quoted. */
function patternOf(pinnedAs: PinnedPattern, value: ArgumentValue | undefined): ArgumentValue {
  if (Array.isArray(value)) return Object.freeze(value.map(element => patternOf(pinnedAs, element) as string))
  const text = typeof value === 'string' ? pinnedAs.textFor(value) : null
  if (text !== null) return text
  throw notAllowed(NOT_ALLOWED, { rule: 'pattern-pin', reason: 'the pinned value cannot be quoted' })
}
