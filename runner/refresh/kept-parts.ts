/** The parts of a table that may have rows of some spans of time, and their short text: a few rows may depend on thousands of parts. */
import { boundaryAfter, type KeptQuery } from '../../googlesql/index.js'
import { partKey } from '../model/file-stamp.js'
import { nextTurn } from '../model/in-turns.js'
import type { TablePart } from '../model/query.js'
import type { Interval } from './time-spans.js'

const MICROS = 1_000_000
const SECOND = BigInt(MICROS)

/** The parts that may have a time from `from`, which is a whole second, to `to`. */
export function partsWithin(parts: readonly TablePart[], from: bigint, to: bigint): readonly TablePart[] {
  const [first, last] = [from, to].map(time => Math.floor(Number(time) / MICROS)) as [number, number]
  return parts.filter(({ times }) => times === undefined || (times && times.least <= last && times.greatest >= first))
}

/** The parts that may have rows from the first to the last of these spans. A change of any other part does not matter to the spans. */
export const partsOf = (spans: readonly Interval[], parts: readonly TablePart[]): readonly TablePart[] =>
  spans.length === 0 ? [] : partsWithin(parts, spans[0]!.from, spans.at(-1)!.until)

/** A part, or all parts of one cell as a single part: a change of any of them makes the same rows invalid. */
export interface PartsOfCell extends TablePart {
  /** The keys of the joined parts; absent for a single part. */
  readonly keys?: readonly string[]
}

/** How many parts are assigned to cells in one turn of the event loop: some milliseconds of work. */
const PARTS_A_TURN = 4_000

/**
 * Joins the parts of each cell into one. The cells are those of UTC, whatever the query's zone, since these are found much faster.
 * A part that lies in one cell of UTC may lie in two cells of another zone.
 */
export async function joinPartsByCell(
  { cells, ...kept }: KeptQuery,
  parts: readonly TablePart[],
): Promise<readonly PartsOfCell[]> {
  const inUtc: KeptQuery = { ...kept, cells: { part: cells.part, zone: 'UTC' } }
  const groups = new Map<string | number, TablePart[]>()
  // The cell of the part before, in which most parts lie, too.
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
  return [...groups.values()].map(joinParts)
}

function joinParts(parts: readonly TablePart[]): PartsOfCell {
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
): Promise<string> => encodeParts(await joinPartsByCell(kept, partsOf(spans, parts)))

/** Digits and letters. */
const BASE = 36
/** More seconds than from the year 1 to 9999. */
const MAX_SECONDS = 1e12

/**
 * A part is written `1Zk_w0pRt3bA.t9k0w0.8c`: its key, its least time, and how many seconds later its greatest time is. It is written
 * `key.` where no row has a time, and `key` where the times are not known.
 */
export const encodeParts = (parts: readonly TablePart[]): string =>
  parts
    .map(({ key, times }) => {
      if (times === undefined) return key
      return times === null ? `${key}.` : `${key}.${toText(times.least)}.${toText(times.greatest - times.least)}`
    })
    .join(',')

/** Parts from the text of `encodeParts`. Where the times in the text are not valid, the part has unknown times. */
export const decodeParts = (text: string): readonly TablePart[] => (text === '' ? [] : text.split(',').map(decodePart))

function decodePart(text: string): TablePart {
  const [key = '', least, length] = text.split('.')
  if (least === '' && length === undefined) return { key, times: null }
  const [from, seconds] = [Number.parseInt(least ?? '', BASE), Number.parseInt(length ?? '', BASE)]
  const isKnown = Math.abs(from) < MAX_SECONDS && seconds >= 0 && seconds < MAX_SECONDS
  return isKnown ? { key, times: { least: from, greatest: from + seconds } } : { key }
}

const toText = (seconds: number): string => seconds.toString(BASE)
