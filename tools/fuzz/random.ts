/** Pseudorandom choices from a seed: the same seed gives the same choices on every machine. */

export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number
  /** An integer from `low` to `high`, both inclusive. */
  readonly between: (low: number, high: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(items: readonly T[]) => T
  /** One of the items, the second of each pair, with a probability in proportion to its weight, the first of the pair. */
  readonly weighted: <T>(items: readonly (readonly [number, T])[]) => T
  /** The results of `low` to `high` calls of `make`. */
  readonly several: <T>(low: number, high: number, make: (index: number) => T) => T[]
  /** From `low` to `high` of the items, each at most once, in their order. */
  readonly some: <T>(items: readonly T[], low: number, high: number) => T[]
}

/** The generator mulberry32 over a hash of the words, so that similar seeds give unrelated numbers. */
export function randomOf(...words: readonly (string | number)[]): Random {
  let state = hashOf(words.join('/'))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!
  return {
    next,
    between,
    pick,
    chance: probability => next() < probability,
    weighted: items => {
      let rest = next() * items.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of items) {
        rest -= weight
        if (rest < 0) return item
      }
      return items.at(-1)![1]
    },
    several: (low, high, make) => Array.from({ length: between(low, high) }, (_, i) => make(i)),
    some: (items, low, high) => {
      const wanted = Math.min(between(low, high), items.length)
      const left = items.map((_, i) => i)
      const chosen = Array.from({ length: wanted }, () => left.splice(Math.floor(next() * left.length), 1)[0]!)
      return chosen.sort((a, b) => a - b).map(i => items[i]!)
    },
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
