/** Advice on text that cannot be split into tokens: a character that SQL does not have, or a quote that is not closed. */
import type { SyntaxForm } from '../mistakes.js'
import { type Adviser, type Context, isText } from './context.js'

const CURLY_QUOTES = /[“”„‟‘’‚‛«»]/
const LETTERS = /[\p{L}\p{N}_]/u
const QUOTE_IN_TEXT = "a quote inside a text is written \\', or the text stands in double quotes"

/** In `'it's'` the text ends after `it`. The last quote follows a letter, and begins a text that is never closed. */
function unclosedText({ source, offset, preceding }: Context): string {
  const isInWord = LETTERS.test(source[offset - 1] ?? '') && preceding.some(isText)
  return isInWord ? QUOTE_IN_TEXT : `the quote ${source[offset]} is never closed on its line`
}

function illegalCharacter({ source, offset, preceding }: Context): string | null {
  const character = String.fromCodePoint(source.codePointAt(offset)!)
  const rest = source.slice(offset)
  if (CURLY_QUOTES.test(character)) return 'write straight quotes: \'text\' or "text"'
  const parameter = /^[$%]\{?\s*([A-Za-z_]\w*)\s*\}?/.exec(rest)?.[1]
  if (character === '$') return `write @${parameter ?? 'name'} for a parameter`
  const last = preceding.at(-1)
  const isOperand = last !== undefined && (last.kind !== 'symbol' || last.term === ')')
  if (character === '%' && last?.term === '{') return 'a block of a template is written {{#if …}} … {{/if}}'
  if (character === '%') return isOperand ? 'write MOD(a, b)' : `write @${parameter ?? 'name'} for a parameter`
  if (!LETTERS.test(character)) return null
  const word = /[\p{L}\p{N}_]*$/u.exec(source.slice(0, offset))![0] + /^[\p{L}\p{N}_]*/u.exec(rest)![0]
  return `a name with letters other than a to z is quoted with backticks: \`${word}\``
}

/** The advice on each form of syntax that the lexer refuses, and on texts without a space between them. */
export const CHARACTERS: Partial<Record<SyntaxForm, Adviser>> = {
  'unclosed-text': unclosedText,
  'unclosed-name': () => 'the backtick is never closed',
  'digit-before-name': () => 'a name that begins with a digit is quoted with backticks',
  'adjacent-texts': () => QUOTE_IN_TEXT,
  'illegal-character': illegalCharacter,
}
