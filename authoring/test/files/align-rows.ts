/** Aligns two lists of rows: which rows both have, in order, and which only one has. */
import { diffArrays } from 'diff'
import { equalValues } from './equal-values.js'

/** A pair of indexes; null where a side has no such row. */
export interface AlignedPair {
  readonly expected: number | null
  readonly found: number | null
}

/** Lists that differ in more rows are not aligned: the time grows with the square of this. */
export const MAX_DIFFERENCES = 2_000

/** The longest common subsequence. Rows that one side alone has precede the next common row, expected rows first. */
export function alignRows(expected: readonly unknown[], found: readonly unknown[]): readonly AlignedPair[] {
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
export function pairChanges(pairs: readonly AlignedPair[]): readonly AlignedPair[] {
  const result: AlignedPair[] = []
  let [removed, added]: [number[], number[]] = [[], []]
  const flush = (): void => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      result.push({ expected: removed[i] ?? null, found: added[i] ?? null })
    }
    removed = []
    added = []
  }
  for (const pair of pairs) {
    if (pair.expected !== null && pair.found !== null) {
      flush()
      result.push(pair)
    } else if (pair.expected !== null) removed.push(pair.expected)
    else added.push(pair.found!)
  }
  flush()
  return result
}
