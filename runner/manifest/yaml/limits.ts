/** Limits that protect the YAML parser: a text above them is refused before it is parsed. */
import { Lexer } from 'yaml'
import type { TextMistake } from '../report.js'

/** The longest manifest in UTF-16 units; a text never has more of them than bytes. */
export const MAX_MANIFEST_LENGTH = 1_048_576
export const TOO_LONG = `the file has more than ${MAX_MANIFEST_LENGTH.toLocaleString('en-US')} characters`
/** The longest line: the lexer searches for the end of the line at every token. */
export const MAX_LINE_LENGTH = 10_000
const MAX_TOKENS = 100_000
export const MAX_FLOW_DEPTH = 40
/** The most leading blanks and indicators (`- `, `? `, `: `) of a line: each level takes at least one of them. */
const MAX_BLOCK_DEPTH = 80

/**
 * The first limit that the text exceeds, or null. Depth is bounded before parsing, since the parser recurses. Where the stack runs out
 * while V8 compiles a regular expression, V8 ends the whole process, and nothing can catch that.
 */
export function findExcess(text: string, starts: readonly number[]): TextMistake | null {
  if (text.length > MAX_MANIFEST_LENGTH) return tooLarge(0, TOO_LONG)
  let hasContent = false
  for (let i = 0; i < starts.length; i++) {
    const [start, end] = [starts[i]!, starts[i + 1] ?? text.length]
    if (end - start > MAX_LINE_LENGTH) return tooLarge(start, `the line is longer than ${MAX_LINE_LENGTH} characters`)
    // The parser needs more than a second for thirty thousand directives.
    if (!hasContent && text[start] === '%') {
      return { offset: start, rule: 'yaml/directive', message: 'YAML directives are not allowed in manifests' }
    }
    hasContent ||= !/^[ \t\r\n]*(?:#|$)/.test(text.slice(start, end))
  }
  return findExcessTokens(text)
}

const tooLarge = (offset: number, message: string): TextMistake => ({ offset, rule: 'yaml/too-large', message })

const INDICATORS: ReadonlySet<string> = new Set(['-', '?', ':'])

/** Finds the exceeded limit from the lexer's tokens, which tell text from structure. */
function findExcessTokens(text: string): TextMistake | null {
  let [offset, tokens, flowDepth, lineDepth, isLineStart] = [0, 0, 0, 0, true]
  for (const token of new Lexer().lex(text)) {
    if (++tokens > MAX_TOKENS) return tooLarge(0, `the file holds more than ${MAX_TOKENS} YAML tokens`)
    // The lexer's control tokens for a document, a scalar and an error in flow have no characters in the text.
    const length = token === '\u0002' || token === '\u001f' || token === '\u0018' ? 0 : token.length
    if (token === '[' || token === '{') flowDepth++
    else if (token === ']' || token === '}') flowDepth = Math.max(0, flowDepth - 1)
    if (token === '\n' || token === '\r\n') [lineDepth, isLineStart] = [0, true]
    // Inside brackets a colon opens no level, so that JSON may be on one line.
    else if (INDICATORS.has(token) && !(token === ':' && flowDepth > 0)) lineDepth++
    else if (isLineStart && token.trim() === '') lineDepth += token.length
    else if (length > 0) isLineStart = false
    if (flowDepth > MAX_FLOW_DEPTH || lineDepth > MAX_BLOCK_DEPTH) {
      return { offset, rule: 'yaml/too-deep', message: 'the manifest is nested too deeply' }
    }
    offset += length
  }
  return null
}
