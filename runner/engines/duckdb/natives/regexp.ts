/**
 * What is left to do when DuckDB's RE2 has done the matching: putting its matches in the order and number that the
 * language gives, and BYTES as text of the code points 0 to 255.
 */
import {
  MORE_THAN_ONE_GROUP,
  type PatternFacts,
  readPattern,
  rewriteError,
  withPlacedGroup,
  withPrefix,
} from '../generate/functions/re2-pattern.js'
import { NativeError, type NativeFunction } from './native.js'

/** DuckDB's matches of a pattern `withPrefix`: each one's prefix and whole, in code points. */
interface Matches {
  readonly prefixes: readonly string[]
  readonly wholes: readonly string[]
}

interface Found {
  readonly index: number
  readonly start: number
}

/**
 * Those of DuckDB's matches that the language has. After a match it goes on behind it, after an empty one a character
 * further, and ends when it is at the end of the text; DuckDB meets an empty match again and looks once more at the end.
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

function instr(
  prefixes: string[],
  wholes: string[],
  leads: (string | null)[] | null,
  values: (string | null)[] | null,
  size: bigint,
  position: bigint,
  occurrence: bigint,
  atEnd: bigint,
): bigint {
  let count = 0
  for (const { index, start } of languageMatches({ prefixes, wholes }, Number(size))) {
    if (++count < Number(occurrence)) continue
    const lead = codePoints(leads?.[index] ?? '')
    const length = codePoints(values?.[index] ?? wholes[index]!)
    // An empty match without a group is told of a place further: the reference implementation has gone on by then.
    const passed = wholes[index] === '' && !leads?.length ? 1 : 0
    return position + BigInt(start + passed + lead + (atEnd === 1n ? length : 0))
  }
  return 0n
}

function group(pattern: string): bigint {
  return BigInt(soleGroup(pattern).groups)
}

const wrap = (pattern: string): string => withPrefix(soleGroup(pattern))

function wrapPlaced(pattern: string): string {
  const facts = soleGroup(pattern)
  if (facts.groups === 0) return withPrefix(facts)
  if (!facts.parts) throw new NativeError(NESTED_GROUP)
  return withPlacedGroup(facts.parts)
}

/** Wrapped, a broken pattern might no longer look broken to RE2. */
function soleGroup(pattern: string): PatternFacts {
  const facts = readPattern(pattern)
  if (facts.error !== null) throw new NativeError(`Cannot parse regular expression: ${facts.error}`)
  if (facts.groups > 1) throw new NativeError(MORE_THAN_ONE_GROUP)
  return facts
}

/** Where the place of a group cannot be told from what DuckDB gives. */
const NESTED_GROUP =
  'REGEXP_INSTR with a capturing group that is repeated, nested or one of several alternatives is not supported by the embedded engine'

function position(value: bigint): bigint {
  if (value < 1n) throw new NativeError('Position must be positive')
  return value
}
function occurrence(value: bigint): bigint {
  if (value < 1n) throw new NativeError('Occurrence must be positive')
  return value
}
function returnPosition(value: bigint): bigint {
  if (value !== 0n && value !== 1n) throw new NativeError('Invalid return_position_after_match.')
  return value
}

function rewrite(replacement: string, pattern: string): string {
  const { groups, error } = readPattern(pattern)
  const problem = error === null ? rewriteError(replacement, groups) : null
  if (problem !== null) throw new NativeError(`Invalid REGEXP_REPLACE pattern: ${problem}`)
  return replacement
}

/** In a pattern, `\C` would be one byte of the two that UTF-8 makes of a code point beyond 127. */
function latin1Pattern(bytes: Uint8Array): string {
  const pattern = latin1(bytes)
  if (/(?:^|[^\\])(?:\\\\)*\\C/.test(pattern)) {
    throw new NativeError('\\C in a regular expression of BYTES is not supported by the embedded engine')
  }
  return pattern
}
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

export const REGEXP_NATIVES: readonly NativeFunction[] = [
  {
    name: 'bq_re_all',
    parameters: ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR[]', 'BIGINT'],
    returns: 'VARCHAR[]',
    handlesNull: false,
    compute: all,
  },
  {
    name: 'bq_re_instr',
    parameters: ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR[]', 'VARCHAR[]', 'BIGINT', 'BIGINT', 'BIGINT', 'BIGINT'],
    returns: 'BIGINT',
    handlesNull: false,
    compute: instr,
  },
  { name: 'bq_re_group', parameters: ['VARCHAR'], returns: 'BIGINT', handlesNull: false, compute: group },
  { name: 'bq_re_wrap', parameters: ['VARCHAR'], returns: 'VARCHAR', handlesNull: false, compute: wrap },
  { name: 'bq_re_wrap_placed', parameters: ['VARCHAR'], returns: 'VARCHAR', handlesNull: false, compute: wrapPlaced },
  { name: 'bq_re_position', parameters: ['BIGINT'], returns: 'BIGINT', handlesNull: false, compute: position },
  { name: 'bq_re_occurrence', parameters: ['BIGINT'], returns: 'BIGINT', handlesNull: false, compute: occurrence },
  {
    name: 'bq_re_return_position',
    parameters: ['BIGINT'],
    returns: 'BIGINT',
    handlesNull: false,
    compute: returnPosition,
  },
  {
    name: 'bq_re_rewrite',
    parameters: ['VARCHAR', 'VARCHAR'],
    returns: 'VARCHAR',
    handlesNull: false,
    compute: rewrite,
  },
  { name: 'bq_latin1', parameters: ['BLOB'], returns: 'VARCHAR', handlesNull: false, compute: latin1 },
  { name: 'bq_latin1_pattern', parameters: ['BLOB'], returns: 'VARCHAR', handlesNull: false, compute: latin1Pattern },
  {
    name: 'bq_from_latin1',
    parameters: ['VARCHAR'],
    returns: 'BLOB',
    handlesNull: false,
    compute: (text: string) => Buffer.from(text, 'latin1'),
  },
]
