/** The parts of a table: those that matter to spans of time, and all as one short text, since there may be thousands beside few rows. */
import type { TablePart } from '../model/query.js'
import type { Interval } from './spans.js'

const MICROS = 1_000_000

/** The parts that may have times from one to another, which `from` begins a second. */
export function partsWithin(parts: readonly TablePart[], from: bigint, to: bigint): readonly TablePart[] {
  const [first, last] = [from, to].map(time => Math.floor(Number(time) / MICROS)) as [number, number]
  return parts.filter(({ times }) => times === undefined || (times && times.least <= last && times.greatest >= first))
}

/** The parts that may have rows between the first and the last of these spans: all others may change, come and go. */
export const partsOf = (spans: readonly Interval[], parts: readonly TablePart[]): readonly TablePart[] =>
  spans.length === 0 ? [] : partsWithin(parts, spans[0]!.from, spans.at(-1)!.until)

/** Digits and letters. */
const BASE = 36
/** More seconds than from the year 1 to 9999. */
const MAX_SECONDS = 1e12

/** `1Zk_w0pRt3bA.t9k0w0.8c`: the key, the least time, and how much later the greatest is; without these two where they are not known. */
export const encodeParts = (parts: readonly TablePart[]): string =>
  parts
    .map(({ key, times }) => {
      if (times === undefined) return key
      return times === null ? `${key}.` : `${key}.${toText(times.least)}.${toText(times.greatest - times.least)}`
    })
    .join(',')

/** The times of a part are not known where the text says anything else. */
export const decodeParts = (text: string): readonly TablePart[] => (text === '' ? [] : text.split(',').map(decodePart))

function decodePart(text: string): TablePart {
  const [key = '', least, length] = text.split('.')
  if (least === '' && length === undefined) return { key, times: null }
  const [from, seconds] = [Number.parseInt(least ?? '', BASE), Number.parseInt(length ?? '', BASE)]
  const isKnown = Math.abs(from) < MAX_SECONDS && seconds >= 0 && seconds < MAX_SECONDS
  return isKnown ? { key, times: { least: from, greatest: from + seconds } } : { key }
}

const toText = (seconds: number): string => seconds.toString(BASE)
