/** Chooses the content coding by `Accept-Encoding`. */
import { RunnerError } from '../model/errors.js'

/** Content codings that results may have, best first. */
export const CONTENT_CODINGS = ['br', 'zstd', 'gzip'] as const
export type ContentCoding = (typeof CONTENT_CODINGS)[number]

/** The codings that a caller accepts. */
export interface CodingChoice {
  /** Null where the caller prefers no coding, or accepts none of those that are available. */
  readonly coding: ContentCoding | null
  /** Whether the result may be sent uncompressed. */
  readonly mayBePlain: boolean
}

/** The choice without the header: uncompressed. */
export const PLAIN: CodingChoice = { coding: null, mayBePlain: true }

/** Parses the header by RFC 9110 §12.5.3; `available` are the codings that this Node supports. */
export function negotiateCoding(header: string | undefined, available: readonly ContentCoding[]): CodingChoice {
  if (header === undefined) return PLAIN
  const weights = new Map(weightsOf(header).map(({ value, weight }) => [value === 'x-gzip' ? 'gzip' : value, weight]))
  const otherWeight = weights.get('*')
  let best: ContentCoding | null = null
  let bestWeight = 0
  for (const coding of CONTENT_CODINGS) {
    const weight = available.includes(coding) ? (weights.get(coding) ?? otherWeight ?? 0) : 0
    if (weight <= bestWeight) continue
    best = coding
    bestWeight = weight
  }
  const plainWeight = weights.get('identity') ?? (otherWeight === 0 ? 0 : undefined)
  const isPlainBetter = weights.has('identity') && (plainWeight ?? 0) > bestWeight
  return { coding: isPlainBetter ? null : best, mayBePlain: plainWeight !== 0 }
}

/** As negotiateCoding. @throws RunnerError NOT_ACCEPTABLE where the caller accepts neither an available coding nor plain bytes. */
export function acceptableCoding(header: string | undefined, available: readonly ContentCoding[]): CodingChoice {
  const choice = negotiateCoding(header, available)
  if (isAcceptable(choice)) return choice
  const detail = `This can be had as it is, or encoded as: ${available.join(', ')}.`
  throw new RunnerError('NOT_ACCEPTABLE', { detail })
}

/** Whether a result can be sent in a way that the caller accepts. */
export const isAcceptable = ({ coding, mayBePlain }: CodingChoice): boolean => coding !== null || mayBePlain

/** A value that a header lists, in lower case and without parameters, with its weight. */
export interface WeightedValue {
  readonly value: string
  readonly weight: number
}

/** The values that the header lists (RFC 9110 §12.4.2); an invalid weight counts as 0. */
export function weightsOf(header: string): readonly WeightedValue[] {
  return header.split(',').map(item => {
    const [value = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    const quality = parameters.find(parameter => /^q\s*=/.test(parameter))
    const weight = quality === undefined ? 1 : Number(quality.slice(quality.indexOf('=') + 1))
    return { value, weight: weight >= 0 && weight <= 1 ? weight : 0 }
  })
}
