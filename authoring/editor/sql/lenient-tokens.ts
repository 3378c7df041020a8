/** Tokens of SQL that is being typed: a literal that is not closed ends with its line, and a strange character is a token. */
import { endOf, RESERVED_KEYWORDS, readToken, SqlError, skipBlank, type Token } from '../../../googlesql/index.js'

export interface LenientToken extends Token {
  /** The token could not be read: a literal or a comment that is not closed. */
  readonly isBroken?: true
}

/** All tokens; the last one has the kind `end`. */
export function lenientTokens(sql: string): readonly LenientToken[] {
  const tokens: LenientToken[] = []
  for (let at = 0; at < sql.length; ) {
    let start = at
    try {
      start = skipBlank(sql, at)
      if (start >= sql.length) break
      const token = withKeyword(readToken(sql, start, tokens), tokens.at(-1))
      tokens.push(token)
      at = token.end
    } catch (thrown) {
      if (!(thrown instanceof SqlError)) throw thrown
      const token = brokenToken(sql, start)
      tokens.push(token)
      at = token.end
    }
  }
  tokens.push(endOf(sql))
  return tokens
}

/** After a dot that ends a line, as in `entry.`, a keyword on the next line is not a field. */
function withKeyword(token: Token, before: Token | undefined): Token {
  const isField = before?.term === '.' && before.end < token.at && token.kind === 'identifier'
  const term = isField ? token.text.toUpperCase() : ''
  return RESERVED_KEYWORDS.has(term) ? { ...token, term } : token
}

/** The beginning of a text, a quoted name or a comment. */
const OPENING = /^(?:(?:r|b|rb|br)?['"]|`|\/\*)/i

function brokenToken(sql: string, from: number): LenientToken {
  const at = /\S/.test(sql[from] ?? '') ? from : from + 1
  const lineEnd = OPENING.test(sql.slice(at, at + 3)) ? sql.indexOf('\n', at) : at + 1
  const end = Math.max(at + 1, lineEnd < 0 ? sql.length : lineEnd)
  return { kind: 'string', term: '', text: sql.slice(at, end), bytes: null, at, end, isBroken: true }
}
