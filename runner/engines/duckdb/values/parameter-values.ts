/** Puts bound values into the order of DuckDB's $1, $2, … */

import { parseTypeName } from '../../../../googlesql/index.js'
import { RunnerError } from '../../../model/errors.js'
import type { BoundValue } from '../../../model/query.js'
import type { WireParameter } from '../process/messages.js'

/**
 * The parameters of a translation, in its order. Names are case-insensitive, as in GoogleSQL.
 * @throws RunnerError
 */
export const wireParameters = (
  names: readonly string[],
  values: Readonly<Record<string, BoundValue>>,
): readonly WireParameter[] => names.map(name => wireParameter(name, values))

function wireParameter(name: string, values: Readonly<Record<string, BoundValue>>): WireParameter {
  const key = Object.hasOwn(values, name)
    ? name
    : Object.keys(values).find(other => other.toLowerCase() === name.toLowerCase())
  const bound = key === undefined ? undefined : values[key]
  const type = bound && parseTypeName(bound.type)
  if (!bound || !type)
    throw new RunnerError('ARGUMENT_INVALID', { errors: [{ parameter: name, detail: 'is not given' }] })
  return { name: key!, type, value: bound.value }
}
