/** Which kept rows are still valid: those in whose cells no part of the table is new, has changed or is gone. */
import { boundaryAfter, boundaryBefore, bucketBoundary, firstTime, type KeptQuery } from '../../googlesql/index.js'
import { nextTurn } from '../model/in-turns.js'
import type { TablePart } from '../model/query.js'
import { inCells, partsOf } from './kept-parts.js'
import { endOfTime } from './plan.js'
import { type Interval, type Span, without } from './time-spans.js'

/** Where more parts differ, everything is read anew: finding their cells would keep other calls waiting. */
const MAX_CHANGED = 100

/** For how many parts the boundaries are found in one turn of the event loop: a millisecond of work in a zone whose clocks change. */
const PARTS_A_TURN = 2

/** The spans without the cells of parts that have changed. @param before the parts that were kept with the spans @param now the table's */
export async function validSpans(
  kept: KeptQuery,
  spans: readonly Span[],
  before: readonly TablePart[],
  now: readonly TablePart[],
): Promise<readonly Span[]> {
  const groups = await inCells(kept, partsOf(spans, now))
  const known = keysOf(before)
  // A group whose parts were all kept one by one, as parts with unknown times are, is not new.
  const added = groups.filter(({ key, keys }) => !known.has(key) && !keys?.every(one => known.has(one)))
  const changed = [...missingFrom(before, [...now, ...groups]), ...added]
  if (changed.length > MAX_CHANGED) return []
  const dirty: Interval[] = []
  for (const [i, part] of changed.entries()) {
    dirty.push(...cellsOf(kept, part))
    if (i % PARTS_A_TURN === 0) await nextTurn()
  }
  return without(spans, dirty, time => bucketBoundary(kept, time))
}

/** The parts of the first list that the other one does not have. */
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
