/** JSON whose numbers keep their digits, also those that a double cannot hold. */
import { normalDecimal } from '../../googlesql/data.js'

/** The mark before the digits of a number that a double cannot hold. */
const MARK = '\0exact number '
const MARKED = /"\\u0000exact number (-?\d[\d.eE+-]*)"/g
/** A text, or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/**
 * Like JSON.parse, but numbers that a double cannot hold keep their digits, as values of their own: `JSON.stringify` writes such a
 * value as a marked text, from which `stringifyExact` makes the number again. @throws SyntaxError.
 */
export function parseExact(text: string): unknown {
  const marked = text.replace(TOKENS, token => {
    const isLost = token[0] !== '"' && normalDecimal(token) !== normalDecimal(String(Number(token)))
    return isLost ? JSON.stringify(MARK + token) : token
  })
  if (marked === text) return JSON.parse(text)
  JSON.parse(text) // A text that is not valid must not become valid by the marks.
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? { toJSON: () => value } : value,
  )
}

/** Like JSON.stringify, but also for values of `parseExact`. */
export function stringifyExact(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(MARKED, '$1')
}
