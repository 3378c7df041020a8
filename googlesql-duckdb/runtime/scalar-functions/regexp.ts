/**
 * Regular expression functions for the cases in which DuckDB's own functions differ from GoogleSQL. BYTES are matched as texts of
 * code points from 0 to 255.
 */
import type { Matcher, RE2JS } from 're2js'
import { patternSize } from '../../../googlesql/data.js'
import { MORE_THAN_ONE_GROUP, readPattern, rewriteError, withAnyByte } from '../../functions/regexp/re2-pattern.js'
import { latin1Bytes, latin1Text } from './bytes.js'
import { keepLast } from './keep-last.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

/** The size that a class of Unicode such as `\pL` has in a program of DuckDB's RE2: its programs read bytes. */
const UNICODE_CLASS = 200
/** The largest size that is returned: a pattern of this size is refused for every text, so larger sizes make no difference. */
const MAX_SIZE = 1_000_000

const sizeOf = keepLast((pattern: string): bigint => {
  const { pieces } = patternSize(pattern, UNICODE_CLASS)
  // A size beyond what a number can hold is NaN.
  return BigInt(pieces < MAX_SIZE ? pieces : MAX_SIZE)
})

/**
 * The matches as GoogleSQL finds them: the search continues after a match, or one character further after an empty match, and stops at the
 * end of the text.
 */
function* matchesOf(program: RE2JS, text: string): Generator<Matcher> {
  const matcher = program.matcher(text)
  let from = 0
  while (matcher.find(from)) {
    yield matcher
    from = matcher.end()
    if (matcher.start() === from) from += text.codePointAt(from)! > 0xffff ? 2 : 1
    if (from >= text.length) return
  }
}

/** The texts of all matches; if the pattern has a group, the texts of the group. Null for a group that took no part in the match. */
function findAll(text: string, pattern: string): (string | null)[] {
  const { program, group } = withSoleGroup(pattern)
  return Array.from(matchesOf(program, text), match => match.group(group))
}

function instr(text: string, pattern: string, position: bigint, occurrence: bigint, atEnd: bigint): bigint {
  const { program, group } = withSoleGroup(pattern)
  let count = 0
  for (const match of matchesOf(program, text)) {
    if (++count < Number(occurrence)) continue
    const [start, end] = [match.start(group), match.end(group)]
    // A group that took no part in the match has no position.
    if (start < 0) return 0n
    // If the pattern has no group, the position of an empty match is one higher, except at the end of the text. The reference
    // implementation has already advanced when it reads the position.
    const advance = group === 0 && start === end && start < text.length ? 1 : 0
    return position + BigInt(codePoints(text.slice(0, atEnd === 1n ? end : start)) + advance)
  }
  return 0n
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const patternOf = keepLast(readPattern)

/** The program of a pattern with at most one group. `group` is 1 if the pattern has a group, and 0, the whole match, if it has none. */
function withSoleGroup(pattern: string) {
  const parsed = patternOf(pattern)
  if (parsed.error !== null) fail(`Cannot parse regular expression: ${parsed.error}`)
  if (parsed.groups > 1) fail(MORE_THAN_ONE_GROUP)
  return { program: parsed.program, group: parsed.groups }
}

function checkRewrite(replacement: string, pattern: string): string {
  const parsed = patternOf(pattern)
  const problem = parsed.error === null ? rewriteError(replacement, parsed.groups) : null
  if (problem !== null) fail(`Invalid REGEXP_REPLACE pattern: ${problem}`)
  return replacement
}

export const REGEXP_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_re_all', ['VARCHAR', 'VARCHAR'], 'VARCHAR[]', findAll),
  scalar('bq_re_instr', ['VARCHAR', 'VARCHAR', 'BIGINT', 'BIGINT', 'BIGINT'], 'BIGINT', instr),
  scalar('bq_re_size', ['VARCHAR'], 'BIGINT', sizeOf),
  scalar('bq_re_rewrite', ['VARCHAR', 'VARCHAR'], 'VARCHAR', checkRewrite),
  scalar('bq_latin1', ['BLOB'], 'VARCHAR', latin1Text),
  scalar('bq_latin1_pattern', ['BLOB'], 'VARCHAR', bytes => withAnyByte(latin1Text(bytes))),
  scalar('bq_from_latin1', ['VARCHAR'], 'BLOB', latin1Bytes),
]
