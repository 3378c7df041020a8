/**
 * Finds texts in which a `pinned_as` matches two different values at overlapping places: one value is then a part of the
 * other (`abc` of `abc2`) or begins inside it, and a token that pins one could read the rows of the other.
 */
import type { Automaton } from './automaton.js'
import { type CodeRange, holds } from './code-ranges.js'

/** A text, and two values that the pattern would find in it. */
export interface Overlap {
  readonly text: string
  readonly values: readonly [string, string]
  /** True when both values begin at the same character and differ in their ends. */
  readonly isSameStart: boolean
}

interface CharacterStep {
  readonly to: number
  /** The characters of the text, as indexes into the samples. */
  readonly samples: readonly number[]
  readonly isValue: boolean
}

/** Two runs of the automaton over one text, at the same character. */
interface Pair {
  readonly a: number
  readonly b: number
  /** A character so far was part of both values. */
  readonly hasMet: boolean
  /** A character so far was part of one value only. */
  readonly hasDiffered: boolean
  readonly from: Pair | null
  readonly sample: number
  readonly inA: boolean
  readonly inB: boolean
}

/** The most comparisons of two transitions; more would take seconds. */
const MAX_WORK = 2_000_000

/**
 * The shortest example of an overlap; null where no overlap exists, `unknown` where the search would take too long. With
 * `apart`, values at places that do not overlap count too: null then means that every text holds at most one value.
 */
export function findOverlap(automaton: Automaton, places: 'overlapping' | 'apart'): Overlap | 'unknown' | null {
  const { steps, first, value, afterValue } = automaton
  const samples = samplesOf(automaton)
  const ahead = steps.map((_, state) => characterSteps(automaton, state, samples, false))
  const atStart = characterSteps(automaton, first, samples, true)
  const mayEnd = steps.map((_, state) => reachable(automaton, state, ['end']).has(automaton.last))
  const size = steps.length
  const seen = new Uint8Array(size * size * 4)
  const queue: Pair[] = []
  let work = 0

  function visit(from: Pair | null, a: CharacterStep, b: CharacterStep, sample: number): void {
    const hasMet = places === 'apart' || (from?.hasMet ?? false) || (a.isValue && b.isValue)
    const hasDiffered = (from?.hasDiffered ?? false) || a.isValue !== b.isValue
    // After the end of one value, no later character can be in both.
    if (!hasMet && (a.to >= afterValue || b.to >= afterValue)) return
    const key = (a.to * size + b.to) * 4 + (hasMet ? 2 : 0) + (hasDiffered ? 1 : 0)
    if (seen[key] === 1) return
    seen[key] = 1
    queue.push({ a: a.to, b: b.to, hasMet, hasDiffered, from, sample, inA: a.isValue, inB: b.isValue })
  }

  function visitAll(from: Pair | null, all: readonly CharacterStep[], others: readonly CharacterStep[]): void {
    work += all.length * others.length
    for (const a of all) {
      for (const b of others) {
        const sample = a.samples.find(index => b.samples.includes(index))
        if (sample !== undefined) visit(from, a, b, sample)
      }
    }
  }

  visitAll(null, atStart, atStart)
  for (let i = 0; i < queue.length; i++) {
    if (work > MAX_WORK) return 'unknown'
    const pair = queue[i]!
    if (pair.hasMet && pair.hasDiffered && mayEnd[pair.a] && mayEnd[pair.b]) return exampleOf(pair, samples)
    visitAll(pair, ahead[pair.a]!, ahead[pair.b]!)
  }
  return null

  function characterSteps(
    { steps }: Automaton,
    state: number,
    codes: readonly number[],
    isStart: boolean,
  ): readonly CharacterStep[] {
    return [...reachable(automaton, state, isStart ? ['start'] : [])].flatMap(from =>
      steps[from]!.flatMap(({ to, on }) => {
        if (typeof on === 'string') return []
        return [{ to, samples: codes.flatMap((code, i) => (holds(on, code) ? [i] : [])), isValue: to === value }]
      }),
    )
  }
}

/** The states that are reachable without consuming a character. */
function reachable({ steps }: Automaton, from: number, where: readonly string[]): ReadonlySet<number> {
  const found = new Set([from])
  for (const state of found) {
    for (const { to, on } of steps[state]!) if (on === 'always' || where.includes(on as string)) found.add(to)
  }
  return found
}

/** One character of each class that the automaton distinguishes; letters first, since examples are built from them. */
function samplesOf({ steps }: Automaton): readonly number[] {
  const ranges = steps.flat().flatMap(({ on }): readonly CodeRange[] => (typeof on === 'string' ? [] : on))
  const starts = [...new Set(ranges.flatMap(([least, most]) => [least, most + 1]))].sort((a, b) => a - b)
  const likeable = [...'abcxyzABC0123456789-_./:é'].map(character => character.codePointAt(0)!)
  const samples = starts.map((start, i) => {
    const end = starts[i + 1] ?? start + 1
    return likeable.find(code => code >= start && code < end) ?? start
  })
  const rank = (code: number): number => (likeable.indexOf(code) + likeable.length + 1) % (likeable.length + 1)
  return samples.filter(code => code <= 0x10ffff).sort((a, b) => rank(a) - rank(b))
}

function exampleOf(end: Pair, samples: readonly number[]): Overlap {
  const path: Pair[] = []
  for (let pair: Pair | null = end; pair !== null; pair = pair.from) path.unshift(pair)
  const textOf = (pairs: readonly Pair[]): string =>
    String.fromCodePoint(...pairs.map(({ sample }) => samples[sample]!))
  const values = [textOf(path.filter(({ inA }) => inA)), textOf(path.filter(({ inB }) => inB))] as const
  const isSameStart = path.findIndex(({ inA }) => inA) === path.findIndex(({ inB }) => inB)
  return { text: textOf(path), values, isSameStart }
}
