/** Finds patterns that must not be applied to callers' text: they do not compile, or some text would take too long. */

/**
 * The longest text for a pattern with two repetitions that can match the same characters: its time grows with the square of
 * the length.
 */
const MAX_LENGTH_FOR_TWO = 1_024
const MAX_BOUNDED_REPEAT = 1_000
/** A part whose maximum exceeds its minimum by at most this counts as an option, not as a repetition. */
const MAX_SMALL_SPAN = 16
/** The most ways in which optional parts may share the same characters, as the binary logarithm. */
const MAX_CHOICES = 12

/** The rest of a sentence that begins with `the pattern`; null when the pattern is safe. */
export function findPatternDanger(pattern: string, maxLength: number | undefined): string | null {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message.replace(/^.*: /, '') : String(error)}`
  }
  const shape = readShape(pattern)
  if (typeof shape === 'string') return shape
  if (shape.repeats <= 1) return null
  if (shape.repeats === 2 && maxLength !== undefined && maxLength <= MAX_LENGTH_FOR_TWO) return null
  return shape.repeats === 2
    ? `has two unbounded repetitions that can match the same characters; add "max_length" of at most ${MAX_LENGTH_FOR_TWO}`
    : `has ${shape.repeats} unbounded repetitions that can match the same characters; use fewer, or bound them`
}

interface Shape {
  /** The most unbounded repetitions that can match one and the same character. */
  readonly repeats: number
}

// One sample of each kind of character is enough to see whether two classes overlap in practice.
const SAMPLES = [
  ...Array.from({ length: 127 }, (_, code) => String.fromCharCode(code)),
  'é',
  'Ж',
  '中',
  '😀',
  '\u00a0',
  '\u2028',
]

function readShape(pattern: string): Shape | string {
  const tallies = new Map(SAMPLES.map(sample => [sample, { repeats: 0, choices: 0 }]))
  /** For each open group, whether something in it repeats. */
  const groups: { hasRepeat: boolean; isAlternating: boolean }[] = [{ hasRepeat: false, isAlternating: false }]
  let closed: { hasRepeat: boolean; isAlternating: boolean } | null = null
  let atom = ''
  // Classes do not nest without the `v` flag.
  for (const [token] of pattern.matchAll(
    /\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\(\?:|\(\?<[^>]*>|\(|\)|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[\s\S]/gu,
  )) {
    if (/^\(\?<?[=!]/.test(token)) return 'uses look-around, which is not allowed'
    if (/^\\[1-9k]/.test(token)) return 'uses a back reference, which is not allowed'
    const inner = groups[groups.length - 1]!
    if (token.startsWith('(')) {
      groups.push({ hasRepeat: false, isAlternating: false })
    } else if (token === ')') {
      closed = groups.pop()!
      const outer = groups[groups.length - 1]!
      outer.hasRepeat ||= closed.hasRepeat
      continue
    } else if (token === '|') {
      inner.isAlternating = true
    } else if (/^(?:[*+?]|\{\d)/.test(token)) {
      const { least, most } = readQuantifier(token)
      if (most > MAX_BOUNDED_REPEAT && Number.isFinite(most)) {
        return `repeats up to ${most} times; at most ${MAX_BOUNDED_REPEAT} are allowed`
      }
      if (closed !== null && most > 1) {
        if (closed.hasRepeat) return 'repeats a group that holds a repetition itself, which can take exponential time'
        if (closed.isAlternating) {
          return 'repeats a group of alternatives, which can take exponential time; use a character class'
        }
      }
      inner.hasRepeat = true
      const span = most - least
      for (const [sample, tally] of tallies) {
        if (closed === null && !matches(atom, sample)) continue
        if (span > MAX_SMALL_SPAN) tally.repeats++
        else tally.choices += Math.log2(span + 1)
      }
    } else {
      atom = token
    }
    closed = null
  }
  const all = [...tallies.values()]
  if (all.some(tally => tally.choices > MAX_CHOICES)) {
    return 'has too many optional parts that can match the same characters, which can take exponential time'
  }
  return { repeats: Math.max(...all.map(tally => tally.repeats)) }
}

function readQuantifier(token: string): { readonly least: number; readonly most: number } {
  const range = /^\{(\d+)(,?)(\d*)/.exec(token)
  if (range === null)
    return { least: token.startsWith('+') ? 1 : 0, most: token.startsWith('?') ? 1 : Number.POSITIVE_INFINITY }
  const least = Number(range[1])
  if (range[3] !== '') return { least, most: Number(range[3]) }
  return { least, most: range[2] === '' ? least : Number.POSITIVE_INFINITY }
}

function matches(atom: string, sample: string): boolean {
  try {
    return new RegExp(`^(?:${atom})$`, 'u').test(sample)
  } catch {
    return true
  }
}
