/** "Did you mean": finds the known name that is nearest to an unknown name. */

/**
 * The candidate nearest to `word`, without regard to case; undefined when no candidate is so near that `word` is a likely typo
 * of it.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const lower = word.toLowerCase()
  // A word of one or two characters is near to almost every short name, so that only an equal name counts.
  if (word.length < 3) return [...candidates].find(candidate => candidate.toLowerCase() === lower)
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

/**
 * The number of edits from `a` to `b`: insertions, deletions, substitutions and swaps of adjacent characters cost one each.
 */
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
