/**
 * Tells how large the program of an RE2 pattern will be, without compiling it: `a{1,1000}` written a hundred times is 1 kB of
 * text, and compiling it takes seconds and a gigabyte. One pass over the text.
 */

const TOKEN =
  /\\Q(?:(?!\\E).)*(?:\\E)?|\\[pP](?:\{[^}]{0,64}\}|.)|\\.|\[\^?\]?|\(\?P?<|\(\?[a-zA-Z-]*\)|\(\?[a-zA-Z-]*:|\{\d+(?:,\d*)?\}|./suy
const CLASS_MEMBER = /\[:\^?\w*:\]|\\[pP](?:\{[^}]{0,64}\}|.)|\\x\{[\da-fA-F]{1,8}\}|\\x[\da-fA-F]{2}|\\.|./suy
/** Looking up a Unicode class takes about as long as looking up this many characters. */
const CLASS_CHARACTERS = 2_500

/**
 * The size of a pattern; any size for a pattern that does not compile. `pieces` counts characters, classes, groups and assertions,
 * with counted repetitions written out: `(ab){3}` has 9. `ranged` counts the characters of the ranges in classes; a Unicode class
 * counts as 2,500. `hasAngleName`: the pattern has a group `(?<name>…)`, which newer versions of RE2 accept and DuckDB's refuses.
 *
 * @param unicodeClass the number of pieces whose program is as large as that of a Unicode class, such as `\p{Greek}`
 */
export function patternSize(pattern: string, unicodeClass: number) {
  let ranged = 0
  const piecesOf = (token: string): number => {
    if (token.startsWith('\\Q')) return token.length
    if (!/^\\p/i.test(token)) return 1
    ranged += CLASS_CHARACTERS
    return unicodeClass
  }
  /** The pieces of the pattern, then of each open group. */
  const sums = [0]
  let latest = 0
  let hasAngleName = false
  const add = (pieces: number): void => {
    latest = pieces
    sums.push(sums.pop()! + pieces)
  }
  for (let at = 0; at < pattern.length; ) {
    const token = tokenAt(TOKEN, pattern, at)
    at += token.length
    if (token[0] === '(') {
      hasAngleName ||= token === '(?<'
      // A group of flags alone matches nothing.
      if (!token.endsWith(')')) sums.push(1)
    } else if (token === ')' && sums.length > 1) add(sums.pop()!)
    else if (token[0] === '[') {
      const members = readMembers(pattern, at, piecesOf)
      at = members.end
      ranged += members.ranged
      add(members.pieces)
    } else if (token.length > 1 && token[0] === '{') {
      const times = Math.max(1, ...token.slice(1, -1).split(',').map(Number))
      sums.push(sums.pop()! + latest * (times - 1))
      latest *= times
    } else if (!'*+?|'.includes(token)) add(piecesOf(token))
  }
  return { pieces: sums.reduce((sum, pieces) => sum + pieces), ranged, hasAngleName }
}

/** Reads the members of a class to its end. */
function readMembers(
  pattern: string,
  start: number,
  piecesOf: (token: string) => number,
): { readonly pieces: number; readonly ranged: number; readonly end: number } {
  let [pieces, ranged, at] = [1, 0, start]
  let [first, dash] = ['', '']
  while (at < pattern.length && pattern[at] !== ']') {
    const token = tokenAt(CLASS_MEMBER, pattern, at)
    at += token.length
    pieces += piecesOf(token)
    if (dash === '-' && first !== '') ranged += Math.max(0, codeOf(token) - codeOf(first))
    ;[first, dash] = [dash, token]
  }
  return { pieces, ranged, end: at + 1 }
}

/** The code point of a member of a class, which is one character. */
const codeOf = (member: string): number =>
  /^\\x./.test(member)
    ? Number.parseInt(member.replace(/[^\da-fA-F]/g, ''), 16)
    : member.codePointAt(member.length > 1 && member[0] === '\\' ? 1 : 0)!

/** The token at this place. `tokens` matches some token at every place before the end of any text. */
function tokenAt(tokens: RegExp, text: string, at: number): string {
  tokens.lastIndex = at
  return tokens.exec(text)![0]
}
