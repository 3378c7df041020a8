/** Compiles RE2 patterns in this process, by RE2JS. It reads nearly all patterns as RE2 does; this file removes the differences. */
import { RE2JS, RE2JSSyntaxException } from 're2js'

/** The result of reading a pattern: its program and its number of groups, or its error in RE2's words. */
export type ReadPattern =
  | { readonly program: RE2JS; readonly groups: number; readonly error: null }
  | { readonly error: string }

/** BigQuery's error for a pattern with several groups in the functions that extract. */
export const MORE_THAN_ONE_GROUP =
  'Regular expressions passed into extraction functions must not have more than 1 capturing group'

/** RE2's words for errors of RE2JS, which uses the words of Go. */
const WORDS: Readonly<Record<string, string>> = {
  'missing argument to repetition operator': 'no argument for repetition operator',
  'missing closing ]': 'missing ]',
  'missing closing )': 'missing )',
  'trailing backslash at end of expression': 'trailing \\',
  'invalid nested repetition operator': 'bad repetition operator',
  'invalid or unsupported Perl syntax': 'invalid perl operator',
  'invalid repeat count': 'invalid repetition size',
  'invalid named capture': 'invalid named capture group',
  'expression too large': 'pattern too large',
}

export function readPattern(pattern: string): ReadPattern {
  try {
    const program = compile(withAnyByte(pattern))
    return { program, groups: program.groupCount(), error: null }
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const words = WORDS[error.error] ?? error.error
    return { error: error.input ? `${words}: ${error.input}` : words }
  }
}

/** Whether a valid pattern may match the empty text somewhere; every assertion counts as true. */
export const mayMatchEmpty = (pattern: string): boolean =>
  compile(withTokens(withAnyByte(pattern), token => (ASSERTIONS.has(token) ? '(?:)' : token))).testExact('')

const ASSERTIONS: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B', '\\A', '\\z'])

/** The pattern with a class of all characters for `\C` (one byte), for texts whose characters are bytes. */
export const withAnyByte = (pattern: string): string =>
  pattern.includes('\\C') ? withTokens(pattern, token => (token === '\\C' ? '(?s:.)' : token)) : pattern

/** Compiles the pattern without the names of its groups: RE2 allows more names than RE2JS. */
const compile = (pattern: string): RE2JS =>
  RE2JS.compile(
    withTokens(pattern, token => {
      if (token === '(?<') throw new RE2JSSyntaxException('invalid perl operator', token)
      return token.startsWith('(?P<') ? '(' : token
    }),
  )

/** A quotation, a class, the beginning of a named group, or any other character or escape. Every pattern is a sequence of such tokens. */
const TOKEN = /\\Q.*?(?:\\E|$)|\[\^?\]?(?:\[:\^?\w+:\]|\\.?|[^\]\\])*\]?|\(\?P<[\p{L}\p{N}_]+>|\(\?<|\\.|./gsu

const withTokens = (pattern: string, replace: (token: string) => string): string => pattern.replace(TOKEN, replace)

/** The error in the replacement of REGEXP_REPLACE, in RE2's words; null without an error. */
export function rewriteError(replacement: string, groups: number): string | null {
  let highest = 0
  for (let at = replacement.indexOf('\\'); at >= 0; at = replacement.indexOf('\\', at + 2)) {
    const next = replacement[at + 1]
    if (next === undefined) return "Rewrite schema error: '\\' not allowed at end."
    if (next >= '0' && next <= '9') highest = Math.max(highest, Number(next))
    else if (next !== '\\') return "Rewrite schema error: '\\' must be followed by a digit or '\\'."
  }
  if (highest <= groups) return null
  return `Rewrite schema requests ${highest} matches, but the regexp only has ${groups} parenthesized subexpressions.`
}
