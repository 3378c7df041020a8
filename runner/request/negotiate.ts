/** Chooses the format of a result: by `format` in the address, else by `Accept`. */
import { displayName, FORMATS, type ListedFormat } from '../formats/index.js'
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import { type Weighted, weighted } from './negotiate-coding.js'
import type { RawArguments } from './raw-arguments.js'

/** The name in an address that chooses the format, unless a parameter of the endpoint has it. */
export const FORMAT_NAME = 'format'

/**
 * `?format=` beats `Accept`. Where the endpoint has a parameter of that name, it is an argument and `Accept` alone chooses.
 * `offered` are the formats to choose from, best first. @throws RunnerError NOT_ACCEPTABLE listing what there is.
 */
export function chooseType(
  { parameters }: Pick<Endpoint, 'parameters'>,
  address: RawArguments,
  accept?: string,
  offered = FORMATS,
): ListedFormat {
  const named = address.get(FORMAT_NAME)
  if (!named || parameters.some(({ name }) => name === FORMAT_NAME)) return negotiate(accept, offered)
  const format = named.values.length === 1 ? offered.find(({ name }) => name === String(named.values[0])) : undefined
  if (!format) throw notAcceptable(offered)
  return format
}

/**
 * The format that the header prefers (RFC 9110 §12.5.1); the first where there is no header.
 * @throws RunnerError NOT_ACCEPTABLE listing what there is.
 */
export function negotiate(accept: string | undefined, offered = FORMATS): ListedFormat {
  if (accept === undefined || accept.trim() === '') return offered[0]!
  const ranges = weighted(accept)
  let best: { format: ListedFormat; weight: number } | null = null
  for (const format of offered) {
    const weight = weightOf(format.mediaTypes, ranges)
    if (weight > (best?.weight ?? 0)) best = { format, weight }
  }
  if (best) return best.format
  throw notAcceptable(offered)
}

function notAcceptable(offered: readonly ListedFormat[]): RunnerError {
  const all = offered.map(format => {
    const [own] = format.mediaTypes
    return own === undefined ? displayName(format) : `${format.name} (${own})`
  })
  return new RunnerError('NOT_ACCEPTABLE', { detail: `This can be had as: ${all.join(', ')}.` })
}

/** The weight of a format: the most specific matching ranges decide, so `application/json;q=0` beats any wildcard. */
function weightOf(mediaTypes: readonly string[], ranges: readonly Weighted[]): number {
  const [own] = mediaTypes
  if (own === undefined) return 0
  const family = `${own.slice(0, own.indexOf('/'))}/*`
  for (const covering of [mediaTypes, [family], ['*/*', '*']]) {
    const weights = ranges.filter(({ value }) => covering.includes(value)).map(({ weight }) => weight)
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}
