/** Chooses the format of a result by `Accept`. */
import { RunnerError } from '../model/errors.js'
import type { ResultFormat } from '../model/query.js'

/** The representations and their `Content-Type`, best first. */
export const OFFERED_TYPES = [
  { format: 'json', mediaType: 'application/json', contentType: 'application/json; charset=utf-8' },
] as const satisfies readonly { format: ResultFormat; mediaType: string; contentType: string }[]

export type OfferedType = (typeof OFFERED_TYPES)[number]

/**
 * The type that the header likes best (RFC 9110 §12.5.1); the first where there is no header.
 * @throws RunnerError NOT_ACCEPTABLE listing what there is.
 */
export function negotiate(accept: string | undefined): OfferedType {
  if (accept === undefined || accept.trim() === '') return OFFERED_TYPES[0]
  const ranges = accept.split(',').map(parseRange)
  let best: { offered: OfferedType; quality: number } | null = null
  for (const offered of OFFERED_TYPES) {
    const quality = qualityOf(offered.mediaType, ranges)
    if (quality > (best?.quality ?? 0)) best = { offered, quality }
  }
  if (best) return best.offered
  const all = OFFERED_TYPES.map(one => one.mediaType).join(', ')
  throw new RunnerError('NOT_ACCEPTABLE', { detail: `This can be had as: ${all}.` })
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const weight = parameters.find(parameter => /^q\s*=/.test(parameter))
  const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1))
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The quality of a media type: the most specific matching range decides, so `application/json;q=0` beats any wildcard. */
function qualityOf(mediaType: string, ranges: readonly MediaRange[]): number {
  const family = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`
  for (const covering of [mediaType, family, '*/*']) {
    const found = ranges.filter(range => range.type === covering || (covering === '*/*' && range.type === '*'))
    if (found.length > 0) return Math.max(...found.map(range => range.quality))
  }
  return 0
}
