/** The texts that a `pinned_as` matches, as a nondeterministic automaton (Thompson's construction). */
import { ANY, type CodeRange } from './code-ranges.js'
import type { Pattern } from './read-pattern.js'

/** From one state to another: over a character, or without one. */
export interface Step {
  readonly to: number
  /** `always`, `start` (at the beginning of the text only) and `end` take no character. */
  readonly on: readonly CodeRange[] | 'always' | 'start' | 'end'
}

export interface Automaton {
  /** By the state that they begin at. */
  readonly steps: readonly (readonly Step[])[]
  readonly first: number
  /** The state after the first character of a value, in which all the others are read. */
  readonly value: number
  /** A reading that is here has matched, whatever follows. */
  readonly last: number
  /** States from here on stand behind the value. */
  readonly behind: number
}

/** More would take seconds to compare with itself. */
const MAX_STATES = 400

/** Null where the automaton would be too large. `characters` are those that a value may hold; it holds at least one. */
export function automatonOf(before: Pattern, after: Pattern, characters: readonly CodeRange[]): Automaton | null {
  const steps: Step[][] = []
  const state = (): number => steps.push([]) - 1
  const link = (from: number, to: number, on: Step['on'] = 'always'): void => void steps[from]?.push({ to, on })

  /** Adds what leads from `from` through the pattern; returns where it ends. */
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
  link(first, first, ANY) // a match may begin anywhere
  link(first, begin)
  const enter = add(before, begin)
  const value = state()
  link(enter, value, characters)
  link(value, value, characters)
  const behind = state()
  link(value, behind)
  const last = add(after, behind)
  link(last, last, ANY) // and end anywhere
  return steps.length > MAX_STATES ? null : { steps, first, value, last, behind }
}
