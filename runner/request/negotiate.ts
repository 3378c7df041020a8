/** Chooses the format of a result: by `format` in the address, else by `Accept`. */
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import { RESULT_FORMATS, type ResultFormat } from '../model/query.js'
import type { RawArguments } from './raw-arguments.js'

/** The name in an address that chooses the format, unless a parameter of the endpoint has it. */
export const FORMAT_NAME = 'format'

/** A format that callers can have. */
export interface OfferedType {
  readonly format: ResultFormat
  /**
   * The media types by which `Accept` asks for the format; the first is the format's own. If there are none, only `format` in the
   * address asks for it.
   */
  readonly mediaTypes: readonly string[]
  readonly contentType: string
  /** The extension of the file as which a browser saves the result; null where it shows the result. */
  readonly extension: string | null
}

const CSV_TYPE = 'text/csv; charset=utf-8; header=present'
const ARROW_TYPE = 'application/vnd.apache.arrow.stream'
const PARQUET_TYPE = 'application/vnd.apache.parquet'
const TABLE_TYPE = 'application/vnd.sluice.table+json'

const TYPES: Readonly<Record<ResultFormat, Omit<OfferedType, 'format'>>> = {
  json: { mediaTypes: ['application/json'], contentType: 'application/json; charset=utf-8', extension: null },
  ndjson: {
    mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
    contentType: 'application/x-ndjson',
    extension: null,
  },
  csv: { mediaTypes: ['text/csv'], contentType: CSV_TYPE, extension: 'csv' },
  excel: { mediaTypes: [], contentType: CSV_TYPE, extension: 'csv' },
  table: { mediaTypes: [TABLE_TYPE], contentType: TABLE_TYPE, extension: null },
  arrow: { mediaTypes: [ARROW_TYPE], contentType: ARROW_TYPE, extension: 'arrows' },
  parquet: { mediaTypes: [PARQUET_TYPE], contentType: PARQUET_TYPE, extension: 'parquet' },
}

/** The formats in the order of RESULT_FORMATS: of two that a caller likes equally, the first is chosen. */
const OFFERED_TYPES: readonly OfferedType[] = RESULT_FORMATS.map(format => ({ format, ...TYPES[format] }))
const BY_FORMAT = new Map<string, OfferedType>(OFFERED_TYPES.map(offered => [offered.format, offered]))

/** The type of a format. */
export const offeredType = (format: ResultFormat): OfferedType => BY_FORMAT.get(format)!

/**
 * `?format=` beats `Accept`. Where the endpoint has a parameter of that name, it is an argument and `Accept` alone chooses.
 * @throws RunnerError NOT_ACCEPTABLE listing what there is.
 */
export function chooseType(
  { parameters }: Pick<Endpoint, 'parameters'>,
  address: RawArguments,
  accept: string | undefined,
): OfferedType {
  const named = address.get(FORMAT_NAME)
  if (!named || parameters.some(({ name }) => name === FORMAT_NAME)) return negotiate(accept)
  const offered = named.values.length === 1 ? BY_FORMAT.get(String(named.values[0])) : undefined
  if (!offered) throw notAcceptable()
  return offered
}

/**
 * The type that the header likes best (RFC 9110 §12.5.1); JSON where there is no header.
 * @throws RunnerError NOT_ACCEPTABLE listing what there is.
 */
export function negotiate(accept: string | undefined): OfferedType {
  if (accept === undefined || accept.trim() === '') return OFFERED_TYPES[0]!
  const ranges = accept.split(',').map(parseRange)
  let best: { offered: OfferedType; quality: number } | null = null
  for (const offered of OFFERED_TYPES) {
    const quality = qualityOf(offered.mediaTypes, ranges)
    if (quality > (best?.quality ?? 0)) best = { offered, quality }
  }
  if (best) return best.offered
  throw notAcceptable()
}

function notAcceptable(): RunnerError {
  const all = OFFERED_TYPES.map(({ format, mediaTypes: [own] }) => (own === undefined ? format : `${format} (${own})`))
  return new RunnerError('NOT_ACCEPTABLE', { detail: `This can be had as: ${all.join(', ')}.` })
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

/** The quality of a format: the most specific matching ranges decide, so `application/json;q=0` beats any wildcard. */
function qualityOf(mediaTypes: readonly string[], ranges: readonly MediaRange[]): number {
  const [own] = mediaTypes
  if (own === undefined) return 0
  const family = `${own.slice(0, own.indexOf('/'))}/*`
  for (const covering of [mediaTypes, [family], ['*/*', '*']]) {
    const found = ranges.filter(range => covering.includes(range.type))
    if (found.length > 0) return Math.max(...found.map(range => range.quality))
  }
  return 0
}
