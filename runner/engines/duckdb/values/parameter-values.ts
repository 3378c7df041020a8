/** Orders bound values as DuckDB's $1, $2, … */

import { datetimeText, MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS, parseTypeName } from '../../../../googlesql/index.js'
import type { ParameterTime, TimeStep } from '../../../../googlesql-duckdb/index.js'
import { RunnerError } from '../../../model/errors.js'
import type { BoundValue } from '../../../model/query.js'
import { readTimestamp } from '../../../model/typed-value.js'
import type { WireParameter } from '../process/messages.js'

/**
 * The parameters of a translation, in its order. Names are case-insensitive, as in GoogleSQL. Null if a time of `times` is out
 * of TIMESTAMP's range; the query must then be translated without such parameters, and reports the error.
 * @throws RunnerError
 */
export function wireParameters(
  { parameters, times }: { readonly parameters: readonly string[]; readonly times: readonly ParameterTime[] },
  given: Readonly<Record<string, BoundValue>>,
): readonly WireParameter[] | null {
  const wire = parameters.map(name => {
    const time = times.find(other => other.name === name)
    return time ? timeOf(time, wireParameter(time.of, given)) : wireParameter(name, given)
  })
  return wire.every(parameter => parameter !== null) ? wire : null
}

function wireParameter(name: string, given: Readonly<Record<string, BoundValue>>): WireParameter {
  const key = Object.hasOwn(given, name)
    ? name
    : Object.keys(given).find(other => other.toLowerCase() === name.toLowerCase())
  const bound = key === undefined ? undefined : given[key]
  const type = bound && parseTypeName(bound.type)
  if (!bound || !type)
    throw new RunnerError('ARGUMENT_INVALID', { errors: [{ parameter: name, detail: 'is not given' }] })
  return { name: key!, type, value: bound.value }
}

function timeOf({ steps }: ParameterTime, parameter: WireParameter): WireParameter | null {
  const { value } = parameter
  if (value === null) return parameter
  let micros = typeof value === 'string' ? readTimestamp(value) : null
  for (const step of steps) micros = micros === null ? null : withinTimestamp(after(step, micros))
  return micros === null ? null : { ...parameter, value: `${datetimeText(micros)}Z` }
}

function after({ kind, micros }: TimeStep, time: bigint): bigint {
  const size = BigInt(micros)
  return kind === 'add' ? time + size : time - (((time % size) + size) % size)
}

const withinTimestamp = (micros: bigint): bigint | null =>
  micros >= MIN_TIMESTAMP_MICROS && micros <= MAX_TIMESTAMP_MICROS ? micros : null
