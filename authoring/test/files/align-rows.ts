/** Aligns two lists of rows: which rows both have, in order, and which only one has. */
import { equalValues } from './equal-values.js'

/** A pair of indexes; null where a side has no such row. */
export interface Aligned {
  readonly expected: number | null
  readonly found: number | null
}

/** Above this product of lengths no rows are aligned: the table of the alignment would be too large. */
const MAX_CELLS = 4_000_000

/** The longest common subsequence; rows of one side only come before the next common row, expected ones first. */
export function alignRows(expected: readonly unknown[], found: readonly unknown[]): readonly Aligned[] {
  let first = 0
  while (first < expected.length && first < found.length && equalValues(expected[first], found[first])) first++
  let [a, b] = [expected.length, found.length]
  while (a > first && b > first && equalValues(expected[a - 1], found[b - 1])) {
    a--
    b--
  }
  const both = (from: number, to: number, shift: number): Aligned[] =>
    Array.from({ length: to - from }, (_, i) => ({ expected: from + i, found: from + i + shift }))
  const middle = alignMiddle(expected.slice(first, a), found.slice(first, b)).map(pair => ({
    expected: pair.expected === null ? null : pair.expected + first,
    found: pair.found === null ? null : pair.found + first,
  }))
  return [...both(0, first, 0), ...middle, ...both(a, expected.length, b - a)]
}

function alignMiddle(expected: readonly unknown[], found: readonly unknown[]): readonly Aligned[] {
  const only = (): Aligned[] => [
    ...expected.map((_, i) => ({ expected: i, found: null })),
    ...found.map((_, i) => ({ expected: null, found: i })),
  ]
  if (expected.length === 0 || found.length === 0 || expected.length * found.length > MAX_CELLS) return only()
  const width = found.length + 1
  // lengths[i * width + j]: how many rows expected[i…] and found[j…] have in common.
  const lengths = new Uint32Array((expected.length + 1) * width)
  const isSame = (i: number, j: number): boolean => equalValues(expected[i], found[j])
  for (let i = expected.length - 1; i >= 0; i--) {
    for (let j = found.length - 1; j >= 0; j--) {
      lengths[i * width + j] = isSame(i, j)
        ? lengths[(i + 1) * width + j + 1]! + 1
        : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const pairs: Aligned[] = []
  let added: Aligned[] = []
  let [i, j] = [0, 0]
  while (i < expected.length || j < found.length) {
    const [skipsExpected, skipsFound] = [lengths[(i + 1) * width + j] ?? -1, lengths[i * width + j + 1] ?? -1]
    if (i < expected.length && j < found.length && isSame(i, j)) {
      pairs.push(...added, { expected: i++, found: j++ })
      added = []
    } else if (j >= found.length || (i < expected.length && skipsExpected >= skipsFound)) {
      pairs.push({ expected: i++, found: null })
    } else added.push({ expected: null, found: j++ })
  }
  return [...pairs, ...added]
}

/** Between two equal items, those that went and those that came are paired in order: they are the same item, changed. */
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
