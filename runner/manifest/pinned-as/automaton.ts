/** A `pinned_as` as a nondeterministic finite automaton (Thompson's construction). */
import { ANY, type CodeRange } from './code-ranges.js'
import type { Pattern } from './read-pattern.js'

/** A transition to another state, with or without consuming a character. */
export interface Step {
  readonly to: number
  /** `always`, `start` (at the beginning of the text only) and `end` consume no character. */
  readonly on: readonly CodeRange[] | 'always' | 'start' | 'end'
}

export interface Automaton {
  /** The transitions, indexed by the state that they leave. */
  readonly steps: readonly (readonly Step[])[]
  readonly first: number
  /** The state after the first character of a value; it also consumes all further characters of the value. */
  readonly value: number
  /** The accepting state, whatever text follows. */
  readonly last: number
  /** States from this number on come after the value. */
  readonly afterValue: number
}

/** The most states: comparing a larger automaton with itself would take seconds. */
const MAX_STATES = 400

/** Builds the automaton; null where it would be too large. A value has at least one character, all from `characters`. */
export function automatonOf(before: Pattern, after: Pattern, characters: readonly CodeRange[]): Automaton | null {
  const steps: Step[][] = []
  const state = (): number => steps.push([]) - 1
  const link = (from: number, to: number, on: Step['on'] = 'always'): void => void steps[from]?.push({ to, on })

  /** Adds the states of a pattern that starts at `from`; returns its final state. */
  function add(pattern: Pattern, from: number): number {
    if (steps.length > MAX_STATES) return from
    switch (pattern.kind) {
      case 'sequence':
        return pattern.parts.reduce((at, part) => add(part, at), from)
      case 'choice': {
        const to = state()
        for (const option of pattern.options) {
          const begin = state()
          link(from, begin)
          link(add(option, begin), to)
        }
        return to
      }
      case 'repeat':
        return addRepeat(pattern, from)
      case 'start':
      case 'end':
      case 'characters': {
        const to = state()
        link(from, to, pattern.kind === 'characters' ? pattern.of : pattern.kind)
        return to
      }
      default:
        return pattern satisfies never
    }
  }

  function addRepeat({ part, least, most }: Extract<Pattern, { kind: 'repeat' }>, from: number): number {
    let at = from
    for (let i = 0; i < least && steps.length <= MAX_STATES; i++) at = add(part, at)
    const to = state()
    if (most === null) {
      const loop = state()
      link(at, loop)
      link(add(part, loop), loop)
      link(loop, to)
      return to
    }
    link(at, to)
    for (let i = least; i < most && steps.length <= MAX_STATES; i++) {
      at = add(part, at)
      link(at, to)
    }
    return to
  }

  const first = state()
  const begin = state()
  link(first, first, ANY) // A match may begin anywhere,
  link(first, begin)
  const enter = add(before, begin)
  const value = state()
  link(enter, value, characters)
  link(value, value, characters)
  const afterValue = state()
  link(value, afterValue)
  const last = add(after, afterValue)
  link(last, last, ANY) // and end anywhere.
  return steps.length > MAX_STATES ? null : { steps, first, value, last, afterValue }
}
