/** Reads the types of what a caller binds, and puts the values in the order in which DuckDB wants them. */
import { parseTypeName } from '../../googlesql/parse-type-name.js'
import type { Type } from '../../googlesql/types.js'
import { RunnerError } from '../../model/errors.js'
import type { BoundValue } from '../../model/query.js'
import type { WireParameter } from './messages.js'

/** @throws RunnerError ARGUMENT_INVALID for a type that GoogleSQL does not know. */
export const typesOf = (parameters: Readonly<Record<string, BoundValue>>): Readonly<Record<string, Type>> =>
  readTypes(Object.fromEntries(Object.entries(parameters).map(([name, { type }]) => [name, type])))

/** `{ project: 'STRING' }` as types. @throws RunnerError ARGUMENT_INVALID for one that GoogleSQL does not know. */
export function readTypes(types: Readonly<Record<string, string>>): Readonly<Record<string, Type>> {
  return Object.fromEntries(
    Object.entries(types).map(([name, text]) => {
      const type = parseTypeName(text)
      if (type) return [name, type]
      throw new RunnerError('ARGUMENT_INVALID', {
        errors: [{ parameter: name, detail: `has an unknown type: ${text}` }],
      })
    }),
  )
}

/** In the order of `names`, which are matched as the language matches them: without regard to case. @throws RunnerError. */
export function wireParameters(
  names: readonly string[],
  given: Readonly<Record<string, BoundValue>>,
): readonly WireParameter[] {
  return names.map(name => {
    const key = Object.hasOwn(given, name)
      ? name
      : Object.keys(given).find(other => other.toLowerCase() === name.toLowerCase())
    const bound = key === undefined ? undefined : given[key]
    const type = bound && parseTypeName(bound.type)
    if (!bound || !type)
      throw new RunnerError('ARGUMENT_INVALID', { errors: [{ parameter: name, detail: 'is not given' }] })
    return { name: key!, type, value: bound.value }
  })
}
