/** Text functions that DuckDB does not have, or whose result differs. All count code points, as GoogleSQL does. */
import { keepLast } from './keep-last.js'
import { fail, RefusalError, type ScalarFunction, scalar } from './scalar-function.js'

/** GoogleSQL's limit on the output of LPAD, RPAD, REPEAT, REPLACE and TRANSLATE. */
const MAX_OUTPUT_BYTES = 1 << 20

/** @throws ScalarFunctionError where the result of the function has too many bytes */
function checkOutput(name: string, bytes: number | bigint): void {
  if (bytes > MAX_OUTPUT_BYTES) fail(`Output of ${name} exceeds max allowed output size of 1MB`)
}

const utf8Bytes = (text: string): number => Buffer.byteLength(text)

/**
 * INSTR: the 1-based position of the nth occurrence of `part`; 0 if there is no such occurrence. From a positive position the
 * search goes forwards. From a negative position it goes backwards, and an occurrence must begin at or before that position.
 * Occurrences may overlap.
 */
function findNth(value: readonly string[], part: readonly string[], position: bigint, occurrence: bigint): bigint {
  if (occurrence < 1n) fail('Occurrence must be positive')
  if (position === 0n) fail('Position must be non-zero')
  const [place, count] = [Number(position), Number(occurrence)]
  if (place > 0) {
    let seen = 0
    for (const start of occurrences(value, part)) {
      if (start >= place - 1 && ++seen === count) return BigInt(start + 1)
    }
    return 0n
  }
  // An empty part also occurs after the last character; for an empty part, position -1 means that place.
  const from = value.length + place + (part.length === 0 ? 1 : 0)
  const starts = [...occurrences(value, part)].filter(start => start <= from)
  return BigInt((starts.at(-count) ?? -1) + 1)
}

/** The places at which the part begins, by the algorithm of Knuth, Morris and Pratt, which never reads a character again. */
function* occurrences(value: readonly string[], part: readonly string[]): Generator<number> {
  if (part.length === 0) {
    for (let start = 0; start <= value.length; start++) yield start
    return
  }
  const borders = bordersOf(part)
  let length = 0
  for (let at = 0; at < value.length; at++) {
    while (length > 0 && (length === part.length || part[length] !== value[at])) length = borders[length - 1]!
    if (part[length] === value[at]) length++
    if (length === part.length) yield at - length + 1
  }
}

/** For each prefix of the part, the length of its longest proper prefix that is also a suffix. */
function bordersOf(part: readonly string[]): Uint32Array {
  const borders = new Uint32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part[length] !== part[at]) length = borders[length - 1]!
    if (part[length] === part[at]) length++
    borders[at] = length
  }
  return borders
}

const DEFAULT_DELIMITERS =
  '[](){}/|\\<>!?@"#$&~_,.:;*%+-^\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'

function initcap(value: string, delimiters: string): string {
  const isDelimiter = new Set(delimiters)
  let result = ''
  let startsWord = true
  for (const char of value) {
    if (isDelimiter.has(char)) {
      result += char
      startsWord = true
    } else {
      result += startsWord ? simpleUpper(char) : simpleLower(char)
      startsWord = false
    }
  }
  return result
}

/**
 * The upper case of a character as one character. A character whose upper case is several characters stays unchanged, except
 * for Greek letters with an iota subscript.
 */
function simpleUpper(char: string): string {
  const upper = char.toUpperCase()
  if ([...upper].length === 1) return upper
  const code = char.codePointAt(0)!
  if ((code >= 0x1f80 && code <= 0x1faf && (code & 8) === 0) || code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3) {
    return String.fromCodePoint(code + (code < 0x1fb0 ? 8 : 9))
  }
  return char
}
const simpleLower = (char: string): string => [...char.toLowerCase()][0]!

/** Unicode's full case folding, computed through the upper case; the three exceptions are written out. */
export function foldCase(text: string): string {
  let folded = ''
  for (const char of text) {
    const code = char.codePointAt(0)!
    if (code === 0x131) folded += char
    else if (code === 0x1e9e) folded += 'ss'
    // Cherokee letters fold to upper case.
    else if ((code >= 0x13a0 && code <= 0x13fd) || (code >= 0xab70 && code <= 0xabbf)) folded += char.toUpperCase()
    else {
      const upper = char.toUpperCase()
      folded += upper.length === 1 ? upper.toLowerCase() : [...upper].map(c => c.toLowerCase()).join('')
    }
  }
  return folded
}

/** The most combining marks in a row. No writing has more than a few. */
const MAX_MARKS = 1_000

/**
 * @throws RefusalError for a text with thousands of combining marks in a row: Unicode orders them, and ICU takes quadratic time
 * for that.
 */
export function checkMarks(text: string): void {
  if (text.length <= MAX_MARKS) return
  for (const [marks] of text.matchAll(/\p{M}+/gu)) {
    if (marks.length > MAX_MARKS) {
      throw new RefusalError('Resources exceeded during query execution: a text has too many combining marks in a row')
    }
  }
}

/** @throws RefusalError, see checkMarks */
export function normalize(text: string, form: string): string {
  checkMarks(text)
  return text.normalize(form)
}

const SOUNDEX_CODES = '01230120022455012623010202'

function soundex(value: string): string {
  let result = ''
  let previous = ''
  for (const char of value) {
    const index = (char.codePointAt(0)! | 0x20) - 97
    if (char.codePointAt(0)! > 127 || index < 0 || index > 25) continue
    const code = SOUNDEX_CODES[index]!
    if (result === '') {
      result = char
      previous = code
    } else if (code !== '0' && code !== previous) {
      result += code
      previous = code
    }
    if (result.length === 4) break
  }
  return result === '' ? '' : result.padEnd(4, '0')
}

/** @throws ScalarFunctionError for a character that is in the source twice. */
const mappingOf = keepLast((source: string, target: string): ReadonlyMap<string, string> => {
  const targets = [...target]
  const mapping = new Map<string, string>()
  ;[...source].forEach((char, index) => {
    if (mapping.has(char)) fail(`Duplicate character ${JSON.stringify(char)} in TRANSLATE source characters`)
    mapping.set(char, targets[index] ?? '')
  })
  return mapping
})

/** @throws ScalarFunctionError for a character that is in the source twice, and for a result that is too long. */
function translate(value: string, source: string, target: string): string {
  const mapping = mappingOf(source, target)
  let result = ''
  for (const char of value) result += mapping.get(char) ?? char
  checkOutput('TRANSLATE', utf8Bytes(result))
  return result
}

function repeat(value: string, count: bigint): string {
  if (count < 0n) fail('Second argument (repeat count) for REPEAT cannot be negative')
  checkOutput('REPEAT', BigInt(utf8Bytes(value)) * count)
  return value === '' ? '' : value.repeat(Number(count))
}

const pad =
  (side: 'left' | 'right') =>
  (value: string, size: bigint, pattern: string): string => {
    if (size < 0n) fail('Second argument (output size) for LPAD/RPAD cannot be negative')
    checkOutput('LPAD/RPAD', size)
    if (pattern === '') fail('Third argument (pad pattern) for LPAD/RPAD cannot be empty')
    const length = Number(size)
    const chars = [...value]
    if (length <= chars.length) return chars.slice(0, length).join('')
    const patterns = [...pattern]
    const missing = length - chars.length
    const padding =
      pattern.repeat(Math.floor(missing / patterns.length)) + patterns.slice(0, missing % patterns.length).join('')
    const result = side === 'left' ? padding + value : value + padding
    checkOutput('LPAD/RPAD', utf8Bytes(result))
    return result
  }

function replace(value: string, part: string, replacement: string): string {
  const parts = part === '' ? [value] : value.split(part)
  const bytes = utf8Bytes(value) + (parts.length - 1) * (utf8Bytes(replacement) - utf8Bytes(part))
  checkOutput('REPLACE', bytes)
  return parts.join(replacement)
}

function chr(code: bigint): string {
  return code === 0n ? '' : codePointsToString([code])
}

function codePointsToString(codes: readonly (bigint | null)[]): string {
  return codes
    .map(code => {
      const number = Number(code)
      if (number < 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) fail(`Invalid codepoint ${code}`)
      return String.fromCodePoint(number)
    })
    .join('')
}

function ascii(value: string): bigint {
  const code = value.codePointAt(0) ?? 0
  if (code > 127) fail(`Argument to ASCII is not a structurally valid ASCII string: '${value}'`)
  return BigInt(code)
}

/** The most cells of the table of distances that are computed: about 30 ms of processor time. */
const MAX_CELLS = 20_000_000

/**
 * The number of single edits from `a` to `b`, at most `max`; null where counting would take too long. Keeps only two rows of the
 * table of distances, and computes only the cells whose row and column differ by less than `max`.
 */
function editDistance(a: Uint32Array, b: Uint32Array, max: bigint): bigint | null {
  if (max < 0n) fail('Max distance must be non-negative')
  let start = 0
  let [height, width] = [a.length, b.length]
  while (start < height && start < width && a[start] === b[start]) start++
  while (height > start && width > start && a[height - 1] === b[width - 1]) {
    height--
    width--
  }
  height -= start
  width -= start
  const limit = Math.min(Number(max), Math.max(height, width))
  if (Math.abs(height - width) >= limit) return BigInt(limit)
  if (height * Math.min(width, 2 * limit + 1) > MAX_CELLS) return null
  let previous = Uint32Array.from({ length: width + 1 }, (_, column) => column)
  let current = new Uint32Array(width + 1).fill(limit)
  for (let row = 1; row <= height; row++) {
    const first = Math.max(1, row - limit)
    const last = Math.min(width, row + limit)
    current[first - 1] = first === 1 ? row : limit
    const value = a[start + row - 1]
    for (let column = first; column <= last; column++) {
      const substitution = previous[column - 1]! + (value === b[start + column - 1] ? 0 : 1)
      current[column] = Math.min(substitution, previous[column]! + 1, current[column - 1]! + 1)
    }
    ;[previous, current] = [current, previous]
  }
  return BigInt(Math.min(previous[width]!, limit))
}

const codePoints = (text: string): Uint32Array => Uint32Array.from(text, char => char.codePointAt(0)!)

export const STRING_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_upper_text', ['VARCHAR'], 'VARCHAR', value => value.toUpperCase()),
  scalar('bq_lower_text', ['VARCHAR'], 'VARCHAR', value => value.toLowerCase()),
  scalar('bq_reverse_text', ['VARCHAR'], 'VARCHAR', value => [...value].reverse().join('')),
  scalar('bq_instr', ['VARCHAR', 'VARCHAR', 'BIGINT', 'BIGINT'], 'BIGINT', (value, part, position, n) =>
    findNth([...value], [...part], position, n),
  ),
  scalar('bq_initcap', ['VARCHAR', 'VARCHAR'], 'VARCHAR', initcap),
  scalar('bq_initcap_default', ['VARCHAR'], 'VARCHAR', value => initcap(value, DEFAULT_DELIMITERS)),
  scalar('bq_normalize', ['VARCHAR', 'VARCHAR'], 'VARCHAR', normalize, { refuses: true }),
  scalar('bq_normalize_fold', ['VARCHAR', 'VARCHAR'], 'VARCHAR', (value, form) => foldCase(normalize(value, form)), {
    refuses: true,
  }),
  scalar('bq_soundex', ['VARCHAR'], 'VARCHAR', soundex),
  scalar('bq_translate', ['VARCHAR', 'VARCHAR', 'VARCHAR'], 'VARCHAR', translate),
  scalar('bq_repeat', ['VARCHAR', 'BIGINT'], 'VARCHAR', repeat),
  scalar('bq_lpad', ['VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', pad('left')),
  scalar('bq_rpad', ['VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', pad('right')),
  scalar('bq_replace', ['VARCHAR', 'VARCHAR', 'VARCHAR'], 'VARCHAR', replace),
  scalar('bq_chr', ['BIGINT'], 'VARCHAR', chr),
  scalar('bq_ascii', ['VARCHAR'], 'BIGINT', ascii),
  scalar('bq_unicode', ['VARCHAR'], 'BIGINT', value => BigInt(value.codePointAt(0) ?? 0)),
  scalar('bq_to_code_points', ['VARCHAR'], 'BIGINT[]', value =>
    Array.from(value, char => BigInt(char.codePointAt(0)!)),
  ),
  scalar('bq_code_points_to_string', ['BIGINT[]'], 'VARCHAR', codes =>
    codes.includes(null) ? null : codePointsToString(codes),
  ),
  // NULL where the computation would take too long.
  scalar('bq_edit_distance_of', ['VARCHAR', 'VARCHAR', 'BIGINT'], 'BIGINT', (a, b, max) =>
    editDistance(codePoints(a), codePoints(b), max),
  ),
]
