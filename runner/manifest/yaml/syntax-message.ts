/** Rewords the YAML parser's messages for authors who do not know YAML's grammar. */
import { type Document, isCollection, isScalar, type Node, visit, type YAMLParseError } from 'yaml'

export interface SyntaxMistake {
  readonly offset: number
  readonly message: string
}

interface Found {
  readonly offset: number
  /** The whole file, and the line of the mistake. */
  readonly text: string
  readonly line: string
  readonly document: Document.Parsed
}

const NEVER_CLOSED = /^Flow (?:map|sequence) in block collection .* end with a (.)/
const IN_QUOTES = 'put the text in quotes'
const NO_COLON = 'a key is followed by a colon and a space, as in "name: value"'
const IN_BLOCK = 'the text of a block begins on the line after "|", indented deeper than its key'

/** Patterns of the parser's messages, with ours: the first match counts. A message without a match is shown as it is. */
const WORDINGS: readonly (readonly [RegExp, (match: RegExpExecArray, found: Found) => Partial<SyntaxMistake>])[] = [
  [/^Missing closing (.)quote/, ([, quote], found) => unclosedQuote(quote!, found)],
  [/^Nested mappings are not allowed/, (_, found) => deeperKey(found) ?? { message: severalKeys(found.line) }],
  [
    /^Plain value cannot start with .* character (.)/,
    ([, character], { text, offset }) => ({
      message: `a text cannot begin with "${character}"; ${argumentAt(text, offset) ?? IN_QUOTES}`,
    }),
  ],
  [/^Unexpected scalar at node end/, (_, found) => textAfterValue(found)],
  [
    /^Unexpected (?:flow-seq|flow-map)-start at node end/,
    (_, { line }) => {
      const element = /\btype:\s*(\w+)\[\]/.exec(line)?.[1]
      return { message: element ? `write array<${element}>` : `a text cannot hold "[" or "{" here; ${IN_QUOTES}` }
    },
  ],
  [NEVER_CLOSED, ([, end], found) => unclosedBracket(end!, found)],
  [
    /^Unexpected flow-(map|seq)-end/,
    ([, kind]) => ({ message: `there is one "${kind === 'map' ? '}' : ']'}" too many` }),
  ],
  [
    /^Block scalar lines must not be less indented/,
    (_, { line }) => ({
      message: /^ *\t/.test(line)
        ? 'a tab cannot indent a line; use spaces'
        : 'this line is indented less than the first line of its text; indent it like that line',
    }),
  ],
  [/^Tabs are not allowed/, () => ({ message: 'a tab cannot indent a line; use spaces' })],
  [
    /^All (?:mapping|collection|sequence) items must start at the same column/,
    () => ({
      message:
        'this line begins at another column than the keys before it; indent it like them, or deeper if it belongs to their text',
    }),
  ],
  [/^Block collections are not allowed within flow/, (_, found) => inBrackets(found)],
  [
    /^Unexpected (?:(?:double|single)-quoted-)?scalar token$/,
    (_, found) => unclosedBefore(found) ?? missingComma(found),
  ],
  [/^Missing , or : between flow map items/, (_, found) => keyWithoutColon(found)],
  [/^Missing , (?:or : )?between flow sequence items/, () => ({ message: 'a comma is missing before this' })],
  [/^Unexpected (?:,|empty item) in flow/, () => ({ message: 'there is one comma too many' })],
  [/^Implicit (?:map )?keys need to be/, (_, found) => (isInBraces(found) ? inBrackets(found) : missingColon(found))],
  [
    /^(?:Alias|Anchor) cannot be an empty string/,
    (_, { text, offset }) => ({ message: `a text cannot begin with "${text[offset]}"; ${IN_QUOTES}` }),
  ],
  [
    /^Comments must be separated/,
    () => ({ message: `a comment begins with a space and "#"; if it is a text, ${IN_QUOTES}` }),
  ],
  [/^Not a YAML token|^Block scalar header includes extra/, () => ({ message: IN_BLOCK })],
  [
    /^Unexpected block-seq-ind on same line/,
    () => ({ message: `a list begins on the next line, or stands in [ ]; if it is a text, ${IN_QUOTES}` }),
  ],
  [
    /^Invalid escape sequence (\S+)/,
    ([, written]) => ({
      message: `"${written}" means nothing in double quotes; write "\\${written}", or put the text in single quotes`,
    }),
  ],
]

/** The first mistake that the parser found; the later ones are mostly its consequences. */
export function syntaxMistake(error: YAMLParseError, text: string, document: Document.Parsed): SyntaxMistake {
  const [offset] = error.pos
  const begin = text.lastIndexOf('\n', offset - 1) + 1
  const line = text.slice(begin).split('\n', 1)[0]!
  for (const [pattern, explain] of WORDINGS) {
    const match = pattern.exec(error.message)
    if (match) return { offset, message: error.message, ...explain(match, { offset, text, line, document }) }
  }
  return { offset, message: error.message.replace(/\n[\s\S]*$/, '') }
}

/** Advice for `unit: @days`, where an argument stands in the place of a text; null for anything else. */
function argumentAt(text: string, offset: number): string | null {
  const [argument] = /^@\w+(?=[ \t]*(?:[,}\]\n]|$))/.exec(text.slice(offset, offset + 100)) ?? []
  return argument === undefined
    ? null
    : `an argument is read only in the SQL, as ${argument}; if this is a text, ${IN_QUOTES}`
}

function unclosedQuote(quote: string, found: Found): SyntaxMistake {
  const opened = lastNode(found, node => isScalar(node) && isQuoted(node))
  return { offset: opened?.range?.[0] ?? found.offset, message: `the quote ${quote} is never closed` }
}

const isQuoted = (node: Node): boolean =>
  isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE')

const COLON_IN_TEXT = `a text cannot hold a colon followed by a space; ${IN_QUOTES}`

/** A key below a finished `key: value` that is indented deeper, so that it reads as more of that text. */
function deeperKey({ text, offset, line }: Found): Partial<SyntaxMistake> | null {
  const begin = text.lastIndexOf('\n', offset - 1) + 1 + line.length + 1
  const next = text.slice(begin).split('\n', 1)[0]!
  const indent = (one: string): number => one.search(/\S/)
  if (!/^ *[\w-]+: +[^\s#]/.test(line) || !/^ *[\w-]+:(?: |$)/.test(next) || indent(next) <= indent(line)) return null
  const message =
    'this line is indented deeper than the key above, which has its value already; indent it like that key'
  return { offset: begin + indent(next), message }
}

function severalKeys(line: string): string {
  if (/^\s*description:\s+[^\s([{]/.test(line)) return COLON_IN_TEXT
  if (/\{[^}]*;\s*[\w-]+:\s/.test(line)) return 'in braces, members are separated by commas: { a: 1, b: 2 }'
  const isRow = /^\s*-\s+[\w-]+:.*,\s*[\w-]+: /.test(line)
  if (isRow || /^\s*[\w-]+:\s+\(?\s*[\w-]+:\s[^,"']+(?:,\s*[\w-]+:\s|$)/.test(line))
    return 'several keys on one line need braces, { name: a, type: STRING }; or write each on a line of its own'
  return COLON_IN_TEXT
}

function textAfterValue(found: Found): Partial<SyntaxMistake> {
  const { text, offset } = found
  const quoted = lastNode(found, isQuoted)
  const range = quoted?.range
  const isAfterQuote = range && text.slice(range[1], offset).trim() === ''
  if (
    range &&
    isAfterQuote &&
    (text.slice(range[0], range[1]).includes('\n') || ENDS_WITH_KEY.test(text.slice(range[0], range[1])))
  ) {
    return { offset: range[0], message: `the quote ${text[range[0]]} is not closed where its text ends` }
  }
  if (isAfterQuote) {
    return {
      message:
        'the text goes on after its closing quote; inside single quotes write a quote twice, inside double quotes write \\"',
    }
  }
  return { message: `a text cannot begin with a bracket or "*"; ${IN_QUOTES}` }
}

function unclosedBracket(end: string, found: Found): SyntaxMistake {
  const start = end === '}' ? '{' : '['
  const opened = lastNode(found, node => isCollection(node) && found.text[node.range?.[0] ?? -1] === start)
  return { offset: opened?.range?.[0] ?? found.offset, message: `this "${start}" is not closed; "${end}" is missing` }
}

const inBrackets = (found: Found): Partial<SyntaxMistake> => closingBracketMissing(found) ?? missingComma(found)

/** What follows a bracket that is never closed looks like a key in it. */
function closingBracketMissing(found: Found): SyntaxMistake | null {
  const match = found.document.errors.map(({ message }) => NEVER_CLOSED.exec(message)).find(one => one !== null)
  return match ? unclosedBracket(match[1]!, found) : null
}

/** Ends in the unquoted text of a description in braces. */
const TEXT_AHEAD = /[{,]\s*description:\s+[^"'{}[\]\n]*$/

/** A second key in what has begun as the value of the first: `{ type: string default: DE }`. */
function missingComma({ text, offset, document }: Found): Partial<SyntaxMistake> {
  const end = document.errors.find(({ code, pos }) => code === 'BLOCK_IN_FLOW' && pos[0] === offset)?.pos[1]
  const keys = /("[^"]*"|'[^']*'|[\w.-]+)\s*:(?=\s|$)/g
  keys.lastIndex = offset
  const key = keys.exec(text.slice(0, end))
  if (key === null) return { message: 'a comma is missing before this' }
  const name = key[1]!.replace(/^["']|["']$/g, '')
  const comma = `a comma is missing before "${name}"`
  const isInText = TEXT_AHEAD.test(text.slice(0, key.index))
  return { offset: key.index, message: isInText ? `${comma}; if it belongs to the description, ${IN_QUOTES}` : comma }
}

const ENDS_WITH_KEY = /[,:]\s*["']$/

/** A text that ends with a comma took the quote of the next one for its own: `{ name: "a, type: "STRING" }`. */
function unclosedBefore(found: Found): SyntaxMistake | null {
  const quoted = lastNode(found, isQuoted)
  const range = quoted?.range
  if (!range || range[1] !== found.offset || !ENDS_WITH_KEY.test(found.text.slice(range[0], range[1]))) return null
  return { offset: range[0], message: `the quote ${found.text[range[0]]} is not closed where its text ends` }
}

/** `{ "name" "a" }` */
function keyWithoutColon(found: Found): Partial<SyntaxMistake> {
  const key = lastNode({ ...found, offset: found.offset - 1 }, isScalar)
  if (!isScalar(key)) return {}
  const colon = `a colon is missing after "${String(key.value)}"`
  const isInText = TEXT_AHEAD.test(found.text.slice(0, found.offset))
  return { message: isInText ? `${colon}; if it belongs to the description, ${IN_QUOTES}` : colon }
}

/** Whether the parser found a key in the braces of another value, too. */
const isInBraces = ({ document, offset }: Found): boolean =>
  document.errors.some(({ code, pos }) => code === 'BLOCK_IN_FLOW' && pos[0] === offset)

function missingColon({ text, offset }: Found): Partial<SyntaxMistake> {
  const open = /[[{][ \t]*\n[^\]}]*$/.exec(text.slice(0, offset))
  if (open) {
    const [start] = open[0]
    return { offset: open.index, message: `this "${start}" is not closed; "${start === '{' ? '}' : ']'}" is missing` }
  }
  const before = text.slice(0, text.lastIndexOf('\n', offset - 1) + 1).trimEnd()
  return { message: /:\s*[|>][-+\d]*$/.test(before) ? IN_BLOCK : NO_COLON }
}

/** The last node that begins before the mistake and passes the test. */
function lastNode({ document, offset }: Found, test: (node: Node) => boolean): Node | null {
  let last: Node | null = null
  visit(document, {
    Node(_key, node) {
      const begin = (node as Node).range?.[0] ?? Number.POSITIVE_INFINITY
      if (begin <= offset && test(node as Node) && begin >= (last?.range?.[0] ?? -1)) last = node as Node
    },
  })
  return last
}
