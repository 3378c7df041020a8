/** JSON text → plain values with their places. Its first mistake in syntax is explained to authors who do not know JSON's grammar. */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { lineStartsOf } from '../model/line-starts.js'
import { diagnosticAt, type TextMistake } from './report.js'
import { type FilePlace, type NodePath, type PlaceSource, placeAt } from './source.js'
import { findOddCharacter, findOddEscape } from './yaml/characters.js'
import { keyMistake } from './yaml/read-node.js'

/** The parser recurses, and so do the readers of its values. */
const MAX_DEPTH = 40

/**
 * Parses JSON that an author has written. Hostile text gives a diagnostic, never an exception. The value is to be used only when
 * there are no diagnostics.
 */
export function parseJson(file: string, fileText: string) {
  const text = fileText.replace(/^\ufeff/, '')
  const starts = lineStartsOf(text)
  const at = (offset: number): FilePlace => placeAt(file, starts, offset)
  const diagnostics = mistakesIn(text).map(({ offset, rule, message }) => diagnosticAt(at(offset), rule, message))
  const source: PlaceSource = {
    file,
    keyAt: path => {
      const node = nodeAt(text, path)
      return at((node?.parent?.type === 'property' ? node.parent : node)?.offset ?? 0)
    },
    valueAt: path => at(nodeAt(text, path)?.offset ?? 0),
  }
  const value: unknown = diagnostics.length === 0 ? JSON.parse(text) : undefined
  return { source, value, diagnostics }
}

/** The node at this path, or its nearest parent. Parses the text again: most files have no mistake, so no tree is kept. */
function nodeAt(text: string, path: NodePath): Node | undefined {
  const root = parseTree(text)
  for (let end = path.length; root && end > 0; end--) {
    const node = findNodeAtLocation(root, path.slice(0, end))
    if (node) return node
  }
  return root
}

/** The first mistake in syntax; without one, all other mistakes. */
function mistakesIn(text: string): readonly TextMistake[] {
  const mistake = findOddCharacter(text)
  if (mistake !== null) return [mistake]
  const deepest = openBrackets(text, text.length)[MAX_DEPTH]
  if (deepest !== undefined) {
    return [{ offset: deepest, rule: 'yaml/too-deep', message: `nested more than ${MAX_DEPTH} levels deep` }]
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true })
  const [first] = errors
  return first ? [{ rule: 'table/syntax', ...syntaxMistake(text, first) }] : mistakesAt(root!)
}

/** The offsets of the brackets that are open at `end`; at most one more than MAX_DEPTH. */
function openBrackets(text: string, end: number): readonly number[] {
  const open: number[] = []
  const scanner = createScanner(text, true)
  for (scanner.scan(); scanner.getTokenOffset() < end && open.length <= MAX_DEPTH; scanner.scan()) {
    const offset = scanner.getTokenOffset()
    if ('[{'.includes(text[offset]!)) open.push(offset)
    else if (']}'.includes(text[offset]!)) open.pop()
  }
  return open
}

/** Keys that are repeated or refused, and escapes that write characters that the file itself may not have. */
function mistakesAt({ value, offset, children = [] }: Node): readonly TextMistake[] {
  const mistake = typeof value === 'string' ? findOddEscape(value, offset) : null
  if (mistake !== null) return [mistake]
  const keys = new Set<string>()
  const keyMistakes = children.flatMap(({ type, children: [key] = [] }) => {
    if (type !== 'property') return []
    const mistake = keyMistake(key!.value, keys.has(key!.value), key!.offset)
    keys.add(key!.value)
    return mistake ?? []
  })
  return [...keyMistakes, ...children.flatMap(mistakesAt)]
}

/** The most characters of a text that a message shows. */
const MAX_SHOWN_LENGTH = 60

const CLOSED_BY: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'JSON writes texts and keys in double quotes, and has no comments; found ',
  InvalidCommentToken: 'JSON has no comments; delete it',
  PropertyNameExpected: 'a key in double quotes is missing before this, or a comma too many',
  ColonExpected: 'a colon is missing before this',
  CommaExpected: 'a comma is missing before this',
  ValueExpected: 'a value is missing before this, or a comma too many',
  EndOfFileExpected: 'there is more text after the last bracket',
  UnexpectedEndOfString: 'the quote " is never closed',
  UnexpectedEndOfNumber: 'digits are missing at the end of this number',
  InvalidUnicode: 'four hexadecimal digits follow "\\u"',
  InvalidEscapeCharacter: 'JSON has no such escape; a backslash is written \\\\',
  InvalidCharacter: 'a tab in a text is written \\t',
}

/** Looks for an unclosed bracket first: the parser goes on after the bracket, and then reports another mistake. */
function syntaxMistake(text: string, { error, offset, length }: ParseError): Omit<TextMistake, 'rule'> {
  const token = text.slice(offset, offset + length)
  const bracket = openBrackets(text, offset).at(-1)
  if (bracket !== undefined && (token === '' || /^[\]}]/.test(token))) {
    const close = CLOSED_BY[text[bracket]!]
    if (token !== close)
      return { offset: bracket, message: `this "${text[bracket]}" is not closed; "${close}" is missing` }
  }
  const code = printParseErrorCode(error)
  const symbol = code === 'InvalidSymbol' ? token.slice(0, MAX_SHOWN_LENGTH) : ''
  return { offset, message: `${MESSAGES[code] ?? code}${symbol}` }
}
