/** Finds the kept rows that are still valid: no part of the table in their cells is new, has changed or is gone. */
import { boundaryAfter, boundaryBefore, bucketBoundary, firstTime, type KeptQuery } from '../../googlesql/index.js'
import { nextTurn } from '../model/in-turns.js'
import type { TablePart } from '../model/query.js'
import { joinPartsByCell, partsOf } from './kept-parts.js'
import { endOfTime } from './plan.js'
import { cut, type Interval, type Span } from './time-spans.js'

/** If more parts have changed, everything is read anew: finding their cells would keep other calls waiting. */
const MAX_CHANGED = 100

/** One turn of the event loop finds the cells of this many parts: a millisecond of work in a zone whose clocks change. */
const PARTS_A_TURN = 2

/** The spans without the cells of changed parts. @param before the parts that were kept with the spans @param now the parts now */
export async function validSpans(
  kept: KeptQuery,
  spans: readonly Span[],
  before: readonly TablePart[],
  now: readonly TablePart[],
): Promise<readonly Span[]> {
  const groups = await joinPartsByCell(kept, partsOf(spans, now))
  const keysBefore = keysOf(before)
  // A group is not new if each of its parts was kept by itself, as parts with unknown times are.
  const added = groups.filter(({ key, keys }) => !keysBefore.has(key) && !keys?.every(key => keysBefore.has(key)))
  const changed = [...missingFrom(before, [...now, ...groups]), ...added]
  if (changed.length > MAX_CHANGED) return []
  const changedCells: Interval[] = []
  for (const [i, part] of changed.entries()) {
    changedCells.push(...cellsOf(kept, part))
    if (i % PARTS_A_TURN === 0) await nextTurn()
  }
  return cut(spans, changedCells, time => bucketBoundary(kept, time))
}

/** The parts that are not among the others. */
function missingFrom(parts: readonly TablePart[], others: readonly TablePart[]): readonly TablePart[] {
  const keys = keysOf(others)
  return parts.filter(({ key }) => !keys.has(key))
}

const keysOf = (parts: readonly TablePart[]): ReadonlySet<string> => new Set(parts.map(({ key }) => key))

export const isSameParts = (a: readonly TablePart[], b: readonly TablePart[]): boolean =>
  a.length === b.length && missingFrom(a, b).length === 0

/** All boundaries are at whole seconds. */
const SECOND = 1_000_000n

/** The cells in which the part may have rows: no interval if no row has a time, all cells if the times are not known. */
function cellsOf(kept: KeptQuery, { times }: TablePart): readonly Interval[] {
  if (times === null) return []
  const from = times ? boundaryBefore(kept, BigInt(times.least) * SECOND) : null
  const until = times ? boundaryAfter(kept, BigInt(times.greatest + 1) * SECOND) : null
  return [{ from: from ?? firstTime(kept), until: until ?? endOfTime(kept) }]
}
