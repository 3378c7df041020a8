/** Compiles a `pinned_as`: the pattern that a token's pin becomes where its parameter is a regular expression. */
import { BoundedMap } from '../../model/bounded-map.js'
import type { PinnedPattern } from '../../model/param.js'
import { automatonOf } from './automaton.js'
import { type CodeRange, holds, normalized, rangesOf } from './code-ranges.js'
import { findOverlap } from './overlap.js'
import { type PatternAroundPin, readPinnedAs } from './read-pattern.js'

/** The characters that any value may hold: letters, digits, `_`, `-`, and every character outside ASCII. */
const PLAIN: readonly CodeRange[] = normalized([
  ...rangesOf('-_'),
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0x80, 0x10ffff],
])

/** The rest of a sentence that says what is wrong with the pattern; null where it compiles. */
export function pinnedAsMistake(text: string): string | null {
  const around = readPinnedAs(text)
  return 'mistake' in around ? around.mistake : confusionOf(around, '')
}

/**
 * A text in which the pattern finds several values at separate places; null where no such text exists. The pattern must have
 * no mistake.
 */
export function textOfSeveral(pinnedAs: string): string | null {
  const around = readPinnedAs(pinnedAs)
  const automaton = 'mistake' in around ? null : automatonOf(around.before, around.after, PLAIN)
  const found = automaton && findOverlap(automaton, 'apart')
  return typeof found === 'object' ? (found?.text ?? null) : null
}

/** Compiles a pattern that has no mistake. */
export function compilePinnedAs(source: string): PinnedPattern {
  const around = readPinnedAs(source)
  const known = new BoundedMap<string, string | null>(MAX_KNOWN)
  const isClearWith = new BoundedMap<string, boolean>(MAX_KNOWN)
  return Object.freeze({
    source,
    textFor(pin: string): string | null {
      let text = known.get(pin)
      if (text !== undefined) return text
      text = 'mistake' in around || !holdsPinned(around, pin, isClearWith) ? null : textOf(around, pin)
      known.set(pin, text)
      return text
    },
  })
}

/** The most pins whose pattern is cached. */
const MAX_KNOWN = 1_000

/** Whether the pattern still tells values apart when values may hold every character of this pin. */
function holdsPinned(around: PatternAroundPin, pin: string, isClearWith: Map<string, boolean>): boolean {
  if (pin === '' || pin.includes('\0')) return false
  const unusual = [...new Set(pin)]
    .filter(character => !holds(PLAIN, character.codePointAt(0)!))
    .sort()
    .join('')
  let isClear = isClearWith.get(unusual)
  if (isClear === undefined) {
    isClear = confusionOf(around, unusual) === null
    isClearWith.set(unusual, isClear)
  }
  return isClear
}

/** The mistake that appears when values may also hold these characters; null where it is still safe. */
function confusionOf({ before, after }: PatternAroundPin, unusual: string): string | null {
  const automaton = automatonOf(before, after, normalized([...PLAIN, ...rangesOf(unusual)]))
  const overlap = automaton === null ? 'unknown' : findOverlap(automaton, 'overlapping')
  if (overlap === null) return null
  if (overlap === 'unknown') return 'is too large to be checked; use fewer and shorter repetitions'
  const { text, isSameStart } = overlap
  const [one, other] = overlap.values.map(value => JSON.stringify(value))
  const example = `the text ${JSON.stringify(text)} would belong to ${one} and to ${other}`
  return isSameStart
    ? `does not say where a value ends: ${example}; put after {pin} something that no value holds, such as \\. or / or $`
    : `does not say where a value begins: ${example}; put before {pin} the beginning, ^, or something that no value holds, such as /`
}

const textOf = ({ prefix, suffix }: PatternAroundPin, pin: string): string => prefix + quote(pin) + suffix

/** Quotes a text, so that RE2 matches it literally outside a character class. */
function quote(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&').replace(/[\u0001-\u001f\u007f]/g, character => {
    return `\\x{${character.charCodeAt(0).toString(16)}}`
  })
}
