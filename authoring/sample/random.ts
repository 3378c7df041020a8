/** A seeded random generator: the same seed gives the same entries. */

export type Random = ReturnType<typeof seededRandom>

/** Mulberry32: 32 bits of state, random enough for sample data, and identical on every machine. */
export function seededRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  const hex = (digits: number): string => {
    let text = ''
    for (let i = 0; i < digits; i++) text += '0123456789abcdef'[int(0, 15)]
    return text
  }
  return {
    /** A number in [0, 1). */
    next,
    /** An integer from `low` to `high`, both included. */
    int,
    pick: <T>(from: readonly T[]): T => from[int(0, from.length - 1)]!,
    /** One of the values, each with a probability proportional to its weight. */
    weighted: <T>(pairs: readonly (readonly [value: T, weight: number])[]): T => {
      let left = next() * pairs.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [value, weight] of pairs) {
        left -= weight
        if (left < 0) return value
      }
      return pairs[pairs.length - 1]![0]
    },
    isTrue: (probability: number): boolean => next() < probability,
    /** A positive number, log-normal around `median`: for durations and sizes. */
    skewed: (median: number, spread: number): number => {
      // Box–Muller: the logarithm is normally distributed.
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
      return median * Math.exp(spread * normal)
    },
    hex,
    uuid: (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[int(0, 3)]}${hex(3)}-${hex(12)}`,
  }
}

/** Derives a seed from a text (FNV-1a), so that each stream has its own random sequence. */
export function seedOf(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}
