/**
 * The work that remains after DuckDB's RE2 has matched: it selects the matches that GoogleSQL also finds, and handles BYTES as
 * text with code points 0 to 255.
 */

import { patternSize } from '../../../googlesql/data.js'
import { type PlacedPattern, placedPattern } from '../../functions/regexp/re2-group-place.js'
import {
  type Alternatives,
  MORE_THAN_ONE_GROUP,
  type PatternFacts,
  readPattern,
  rewriteError,
  withPrefix,
} from '../../functions/regexp/re2-pattern.js'
import { latin1 } from './bytes.js'
import { keepLast } from './keep-last.js'
import { fail, RefusalError, type ScalarFunction, scalar } from './scalar-function.js'

/** The size of a class of Unicode in DuckDB's RE2, whose programs read bytes. */
const UNICODE_CLASS = 200
/** What counts as this large is refused, whatever the text is. */
const MAX_SIZE = 1_000_000

function sizeOf(pattern: string): bigint {
  const { pieces } = patternSize(pattern, UNICODE_CLASS)
  // A size beyond what a number can hold is NaN.
  return BigInt(pieces < MAX_SIZE ? pieces : MAX_SIZE)
}

/** The matches that DuckDB found with a `withPrefix` pattern: the prefix and the text of each match. */
interface Matches {
  readonly prefixes: readonly string[]
  readonly wholes: readonly string[]
}

interface Found {
  readonly index: number
  readonly start: number
}

/**
 * Selects the matches of DuckDB that GoogleSQL also finds. GoogleSQL continues after a match, or one character further after an
 * empty match, and stops at the end of the text. DuckDB finds an empty match a second time, and matches once more at the end.
 */
function* languageMatches({ prefixes, wholes }: Matches, size: number): Generator<Found> {
  let from = 0
  let next = 0
  for (let index = 0; index < wholes.length; index++) {
    const start = from + codePoints(prefixes[index]!)
    const end = start + codePoints(wholes[index]!)
    from = end > from ? end : from + 1
    if (start < next) continue
    yield { index, start }
    next = end === start && end < size ? end + 1 : end
    if (next >= size) return
  }
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function all(prefixes: string[], wholes: string[], values: (string | null)[], size: bigint): (string | null)[] {
  return [...languageMatches({ prefixes, wholes }, Number(size))].map(({ index }) => values[index]!)
}

/** `parts` are the texts of each group of the pattern that bq_re_placed returns. */
function instr(
  parts: readonly (readonly (string | null)[])[],
  pattern: string,
  size: bigint,
  position: bigint,
  occurrence: bigint,
  atEnd: bigint,
): string {
  const { group, lengths } = placed(pattern)
  const [prefixes, wholes] = parts as string[][]
  const textOf = (part: number, index: number): string | null => parts[part - 1]![index]!
  let count = 0
  for (const { index, start } of languageMatches({ prefixes: prefixes!, wholes: wholes! }, Number(size))) {
    if (++count < Number(occurrence)) continue
    const [value, whole] = [textOf(group, index), wholes![index]!]
    // A group that took no part in the match has no position.
    if (value === null) return '0'
    const leads = lengths?.map(part => codePoints(textOf(Math.abs(part), index) ?? '') * Math.sign(part))
    const lead = leads ? leads.reduce((total, length) => total + length, 0) : solePlace(value, whole)
    // If the pattern has no group, the position of an empty match is one higher, except at the end of the text: the reference
    // implementation has already advanced when it reads the position.
    const passed = whole === '' && parts.length === 2 && start < Number(size) ? 1 : 0
    return String(position + BigInt(start + passed + lead + (atEnd === 1n ? codePoints(value) : 0)))
  }
  return '0'
}

/**
 * The place of the group's text in the match. @throws RefusalError where the text occurs several times, since the group may
 * have captured any of them.
 */
function solePlace(value: string, whole: string): number {
  const at = whole.indexOf(value)
  if (whole.lastIndexOf(value) !== at) throw new RefusalError(UNCERTAIN_GROUP)
  return codePoints(whole.slice(0, at))
}

const groupsOf = (pattern: string): bigint => BigInt(readPattern(pattern).groups)

function group(pattern: string): bigint {
  return BigInt(soleGroup(pattern).groups)
}

const wrap = (pattern: string): string => withPrefix(soleGroup(pattern))

const placed = keepLast((pattern: string): PlacedPattern => placedPattern(soleGroup(pattern)))

/** Reads a pattern with at most one group. An invalid pattern is refused here, since RE2 might accept it inside a wrapper. */
function soleGroup(pattern: string): PatternFacts {
  const facts = readPattern(pattern)
  if (facts.error !== null) fail(`Cannot parse regular expression: ${facts.error}`)
  if (facts.groups > 1) fail(MORE_THAN_ONE_GROUP)
  return facts
}

const UNCERTAIN_GROUP =
  'REGEXP_INSTR with a capturing group that some turns of a repetition around it may pass over is not supported by the embedded engine'

function position(value: bigint): bigint {
  if (value < 1n) fail('Position must be positive')
  return value
}
function occurrence(value: bigint): bigint {
  if (value < 1n) fail('Occurrence must be positive')
  return value
}
function returnPosition(value: bigint): bigint {
  if (value !== 0n && value !== 1n) fail('Invalid return_position_after_match.')
  return value
}

function rewrite(replacement: string, pattern: string): string {
  const { groups, error } = readPattern(pattern)
  const problem = error === null ? rewriteError(replacement, groups) : null
  if (problem !== null) fail(`Invalid REGEXP_REPLACE pattern: ${problem}`)
  return replacement
}

/**
 * The pattern of BYTES as text. `\C` (one byte) is replaced, since it would match one of the two bytes that UTF-8 has for a
 * code point beyond 127.
 */
function latin1Pattern(bytes: Uint8Array): string {
  const pattern = latin1(bytes)
  if (!pattern.includes('\\C')) return pattern
  const { error, closed, alternatives } = readPattern(pattern)
  return error === null ? withAnyByte(closed, alternatives, 0, closed.length) : pattern
}

function withAnyByte(pattern: string, alternatives: Alternatives, start: number, end: number): string {
  let text = ''
  let at = start
  for (const { start, atomEnd, group } of alternatives.flat()) {
    const isAnyByte = pattern.slice(start, atomEnd) === '\\C'
    if (!isAnyByte && !group) continue
    text += pattern.slice(at, start)
    text += isAnyByte ? '(?s:.)' : pattern.slice(start, group!.contentStart)
    if (group) text += withAnyByte(pattern, group.alternatives, group.contentStart, atomEnd)
    at = atomEnd
  }
  return text + pattern.slice(at, end)
}

export const REGEXP_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_re_all', ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR[]', 'BIGINT'], 'VARCHAR[]', all),
  scalar('bq_re_instr', ['VARCHAR[][]', 'VARCHAR', 'BIGINT', 'BIGINT', 'BIGINT', 'BIGINT'], 'VARCHAR', instr, {
    refuses: true,
  }),
  scalar('bq_re_size', ['VARCHAR'], 'BIGINT', sizeOf),
  scalar('bq_re_group', ['VARCHAR'], 'BIGINT', group),
  scalar('bq_re_wrap', ['VARCHAR'], 'VARCHAR', wrap),
  scalar('bq_re_placed', ['VARCHAR'], 'VARCHAR', pattern => placed(pattern).text),
  scalar('bq_re_placed_groups', ['VARCHAR'], 'BIGINT', groupsOf),
  scalar('bq_re_position', ['BIGINT'], 'BIGINT', position),
  scalar('bq_re_occurrence', ['BIGINT'], 'BIGINT', occurrence),
  scalar('bq_re_return_position', ['BIGINT'], 'BIGINT', returnPosition),
  scalar('bq_re_rewrite', ['VARCHAR', 'VARCHAR'], 'VARCHAR', rewrite),
  scalar('bq_latin1', ['BLOB'], 'VARCHAR', latin1),
  scalar('bq_latin1_pattern', ['BLOB'], 'VARCHAR', latin1Pattern),
  scalar('bq_from_latin1', ['VARCHAR'], 'BLOB', text => Buffer.from(text, 'latin1')),
]
