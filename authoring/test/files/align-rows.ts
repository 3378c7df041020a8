/** Aligns two lists of rows: which rows both have, in order, and which only one has. */
import { diffArrays } from 'diff'
import { equalValues } from './equal-values.js'

/** A pair of indexes; null where a side has no such row. */
export interface Aligned {
  readonly expected: number | null
  readonly found: number | null
}

/** Lists that differ in more rows are not aligned: the time grows with the square of this. */
export const MAX_DIFFERENCES = 2_000

/** The longest common subsequence; rows that only one side has come before the next common row, expected ones first. */
export function alignRows(expected: readonly unknown[], found: readonly unknown[]): readonly Aligned[] {
  const options = { comparator: equalValues, maxEditLength: MAX_DIFFERENCES }
  const runs = diffArrays([...expected], [...found], options) ?? [
    { count: expected.length, removed: true, added: false },
    { count: found.length, removed: false, added: true },
  ]
  let [i, j] = [0, 0]
  return runs.flatMap(({ count, removed, added }) =>
    Array.from({ length: count }, () => ({ expected: added ? null : i++, found: removed ? null : j++ })),
  )
}

/** Between two equal items, removed and added items are paired in order: a pair counts as one item that was changed. */
export function pairChanges(pairs: readonly Aligned[]): readonly Aligned[] {
  const changed: Aligned[] = []
  let [gone, come]: [number[], number[]] = [[], []]
  const flush = (): void => {
    for (let i = 0; i < Math.max(gone.length, come.length); i++) {
      changed.push({ expected: gone[i] ?? null, found: come[i] ?? null })
    }
    gone = []
    come = []
  }
  for (const pair of pairs) {
    if (pair.expected !== null && pair.found !== null) {
      flush()
      changed.push(pair)
    } else if (pair.expected !== null) gone.push(pair.expected)
    else come.push(pair.found!)
  }
  flush()
  return changed
}
