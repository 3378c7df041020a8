/** Chooses the format of a result: by `format` in the address, else by `Accept`. */
import { displayName, FORMATS, type ListedFormat } from '../formats/index.js'
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import { type WeightedValue, weightsOf } from './negotiate-coding.js'
import type { RawArguments } from './raw-arguments.js'

/** The name in an address that chooses the format, unless the endpoint has a parameter of this name. */
export const FORMAT_NAME = 'format'

/**
 * `?format=` beats `Accept`. Where the endpoint has a parameter `format`, `Accept` alone chooses.
 * `offered` are the formats to choose from, best first. @throws RunnerError NOT_ACCEPTABLE listing them.
 */
export function chooseType(
  { parameters }: Pick<Endpoint, 'parameters'>,
  address: RawArguments,
  accept?: string,
  offered = FORMATS,
): ListedFormat {
  const choice = address.get(FORMAT_NAME)
  if (!choice || parameters.some(({ name }) => name === FORMAT_NAME)) return negotiate(accept, offered)
  const format = choice.values.length === 1 ? offered.find(({ name }) => name === String(choice.values[0])) : undefined
  if (!format) throw notAcceptable(offered)
  return format
}

/**
 * The format that the header prefers (RFC 9110 §12.5.1); the first where there is no header.
 * @throws RunnerError NOT_ACCEPTABLE listing the formats.
 */
export function negotiate(accept: string | undefined, offered = FORMATS): ListedFormat {
  if (accept === undefined || accept.trim() === '') return offered[0]!
  const ranges = weightsOf(accept)
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
    const [mediaType] = format.mediaTypes
    return mediaType === undefined ? displayName(format) : `${format.name} (${mediaType})`
  })
  return new RunnerError('NOT_ACCEPTABLE', { detail: `This can be had as: ${all.join(', ')}.` })
}

/** The weight of a format: the most specific matching ranges decide, so `application/json;q=0` beats any wildcard. */
function weightOf(mediaTypes: readonly string[], ranges: readonly WeightedValue[]): number {
  const [mediaType] = mediaTypes
  if (mediaType === undefined) return 0
  const family = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`
  for (const values of [mediaTypes, [family], ['*/*', '*']]) {
    const weights = ranges.filter(({ value }) => values.includes(value)).map(({ weight }) => weight)
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}
