/** "Did you mean": the nearest known name to an unknown one. */

/** The nearest candidate without regard to case, or undefined when none is near enough to be a slip of the pen. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  // Of so short a name any other would be near.
  if (word.length < 3) return undefined
  const lower = word.toLowerCase()
  const limit = Math.max(lower.length < 4 ? 1 : 2, Math.floor(lower.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - lower.length) >= bestDistance) continue
    const distance = editDistance(lower, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Insertions, deletions, changes and swaps of neighbours each cost one. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforePrevious[j - 2]! + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}
