/** The parts of a table: those that matter to spans of time, and all as one short text, since there may be thousands beside few rows. */
import { boundaryAfter, type KeptQuery } from '../../googlesql/index.js'
import { partKey } from '../model/file-stamp.js'
import { nextTurn } from '../model/in-turns.js'
import type { TablePart } from '../model/query.js'
import type { Interval } from './spans.js'

const MICROS = 1_000_000
const SECOND = BigInt(MICROS)

/** The parts that may have times from one to another, which `from` begins a second. */
export function partsWithin(parts: readonly TablePart[], from: bigint, to: bigint): readonly TablePart[] {
  const [first, last] = [from, to].map(time => Math.floor(Number(time) / MICROS)) as [number, number]
  return parts.filter(({ times }) => times === undefined || (times && times.least <= last && times.greatest >= first))
}

/** The parts that may have rows between the first and the last of these spans: all others may change, come and go. */
export const partsOf = (spans: readonly Interval[], parts: readonly TablePart[]): readonly TablePart[] =>
  spans.length === 0 ? [] : partsWithin(parts, spans[0]!.from, spans.at(-1)!.until)

/** A part, or all parts with times in one cell as one part: a change of any of them makes the same rows untrue. */
export interface PartsOfCell extends TablePart {
  /** Absent for one part. */
  readonly keys?: readonly string[]
}

/** The cells of so many parts are found in one turn of the event loop: some milliseconds. */
const PARTS_A_TURN = 4_000

/** The parts, those of each cell together. Cells are those of UTC, which are found in a moment; a part may lie in two of another zone. */
export async function inCells(
  { cells, ...kept }: KeptQuery,
  parts: readonly TablePart[],
): Promise<readonly PartsOfCell[]> {
  const inUtc: KeptQuery = { ...kept, cells: { part: cells.part, zone: 'UTC' } }
  const groups = new Map<string | number, TablePart[]>()
  // Most parts lie in the cell of the part before, which has times from here to its end.
  let [from, until] = [0, 0]
  for (const [i, part] of parts.entries()) {
    if (i % PARTS_A_TURN === PARTS_A_TURN - 1) await nextTurn()
    const { least, greatest } = part.times ?? { least: 0, greatest: Number.POSITIVE_INFINITY }
    if (part.times && !(least >= from && least < until)) {
      from = least
      until = Number(boundaryAfter(inUtc, BigInt(least + 1) * SECOND) ?? Number.POSITIVE_INFINITY) / MICROS
    }
    const cell = greatest < until ? until : part.key
    const group = groups.get(cell)
    if (group) group.push(part)
    else groups.set(cell, [part])
  }
  return [...groups.values()].map(together)
}

function together(parts: readonly TablePart[]): PartsOfCell {
  if (parts.length === 1) return parts[0]!
  const keys = parts.map(({ key }) => key)
  const times = parts.flatMap(part => part.times ?? [])
  const least = Math.min(...times.map(time => time.least))
  const greatest = Math.max(...times.map(time => time.greatest))
  return { key: partKey([...keys].sort().join()), keys, times: { least, greatest } }
}

/** The text of the parts that may have rows of these spans. */
export const partsText = async (
  kept: KeptQuery,
  spans: readonly Interval[],
  parts: readonly TablePart[],
): Promise<string> => encodeParts(await inCells(kept, partsOf(spans, parts)))

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
