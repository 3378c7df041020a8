/** Explains the YAML parser's errors to authors who do not know YAML's grammar, by the code of each error and its place. */
import {
  type Document,
  isCollection,
  isScalar,
  type Node,
  type Pair,
  type Range,
  visit,
  type YAMLParseError,
} from 'yaml'

export interface SyntaxMistake {
  readonly offset: number
  readonly message: string
}

interface Found {
  readonly offset: number
  /** The whole file, and the line of the mistake. */
  readonly text: string
  readonly line: string
  readonly errors: readonly YAMLParseError[]
  /** The nodes and the members of maps, in the order of the text. */
  readonly nodes: readonly Placed[]
  readonly members: readonly Member[]
}

type Placed = Node & { readonly range: Range }
type Member = Pair<Placed | null, Placed | null>

/** Null where the parser's own words are as good. */
type Explain = (found: Found) => SyntaxMistake | string | null

const IN_QUOTES = 'put the text in quotes'
const TAB = 'a tab cannot indent a line; use spaces'
const NO_COLON = 'a key is followed by a colon and a space, as in "name: value"'
const IN_BLOCK = 'the text of a block begins on the line after "|", indented deeper than its key'
const NO_COMMA = 'a comma is missing before this'
const COLON_IN_TEXT = `a text cannot hold a colon followed by a space; ${IN_QUOTES}`
const CLOSED_BY: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

const EXPLAIN: Partial<Record<YAMLParseError['code'], Explain>> = {
  BAD_ALIAS: ({ text, offset }) => (/[*&]/.test(text[offset]!) ? cannotBegin(text[offset]!) : null),
  BAD_DQ_ESCAPE: ({ text, offset }) => {
    const [written] = /^\\(?:x\w{0,2}|u\w{0,4}|U\w{0,8}|.)/.exec(text.slice(offset, offset + 10))!
    return `"${written}" means nothing in double quotes; write "\\${written}", or put the text in single quotes`
  },
  BAD_INDENT: badIndent,
  BAD_SCALAR_START: ({ text, offset }) =>
    text[offset] === '\t' ? TAB : cannotBegin(text[offset]!, argumentAt(text, offset)),
  BLOCK_AS_IMPLICIT_KEY: found => (isListAt(found) ? null : (deeperKey(found) ?? severalKeys(found.line))),
  BLOCK_IN_FLOW: inBrackets,
  MISSING_CHAR: missingCharacter,
  MULTILINE_IMPLICIT_KEY: missingColon,
  TAB_AS_INDENT: () => TAB,
  UNEXPECTED_TOKEN: unexpectedToken,
}

/** The first mistake that the parser found; the later ones are mostly its consequences. */
export function syntaxMistake(error: YAMLParseError, text: string, document: Document.Parsed): SyntaxMistake {
  const [offset] = error.pos
  const begin = text.lastIndexOf('\n', offset - 1) + 1
  const line = text.slice(begin).split('\n', 1)[0]!
  const nodes: Placed[] = []
  const members: Member[] = []
  visit(document, {
    Node: (_key, node) => void nodes.push(node as Placed),
    Pair: (_key, pair) => void members.push(pair as Member),
  })
  const { errors } = document
  const explained =
    EXPLAIN[error.code]?.({ offset, text, line, errors, nodes, members }) ?? error.message.split('\n', 1)[0]!
  return typeof explained === 'string' ? { offset, message: explained } : explained
}

const cannotBegin = (character: string, advice = IN_QUOTES): string =>
  `a text cannot begin with "${character}"; ${advice}`

const isListAt = ({ text, offset }: Found): boolean => /^\s*- /.test(text.slice(offset, offset + 100))

function badIndent(found: Found): SyntaxMistake | string | null {
  const { offset, line } = found
  const open = unclosedBracket(found)
  if (open !== null) return open
  if (/^ *\t/.test(line)) return TAB
  const scalar = lastNode(found, isScalar)
  if (isScalar(scalar) && scalar.type?.startsWith('BLOCK') && offset < scalar.range[1]) {
    return 'this line is indented less than the first line of its text; indent it like that line'
  }
  return 'this line begins at another column than the keys before it; indent it like them, or deeper if it belongs to their text'
}

function missingCharacter(found: Found): SyntaxMistake | string | null {
  const { offset, text } = found
  const quoted = lastNode(found, isQuoted)
  if (quoted?.range[1] === offset && !isClosed(text.slice(quoted.range[0], offset))) {
    return { offset: quoted.range[0], message: `the quote ${text[quoted.range[0]]} is never closed` }
  }
  const open = unclosedBracket(found)
  if (open !== null) return open
  if (text[offset] === '#') return `a comment begins with a space and "#"; if it is a text, ${IN_QUOTES}`
  if (/[!&]\S*$/.test(text.slice(Math.max(0, offset - 100), offset))) return null
  const around = flowAround(found)
  if (around !== null) return around === '[' ? NO_COMMA : (keyWithoutColon(found) ?? missingComma(found))
  const isKey = found.members.some(({ key, value }) => key?.range?.[0] === offset && value === null)
  return isKey ? missingColon(found) : null
}

function unexpectedToken(found: Found): SyntaxMistake | string | null {
  const { offset, text, line } = found
  const rest = text.slice(offset, offset + 100)
  if (/(?:^|[:\s])[|>][-+\d]*\s*$/.test(text.slice(Math.max(0, offset - 1000), offset))) return IN_BLOCK
  if (/^[}\]]/.test(rest)) return `there is one "${rest[0]}" too many`
  if (/^-(?:\s|$)/.test(rest)) return `a list begins on the next line, or stands in [ ]; if it is a text, ${IN_QUOTES}`
  const element = rest.startsWith('[]') && /\btype:\s*(\w+)\[\]/.exec(line)?.[1]
  if (element) return `write array<${element}>`
  const isInFlow = flowAround(found) !== null
  const isKey = /^[[{]?[ \t]*["'\w.-]+[ \t]*:(?:\s|$)/.test(rest)
  const afterQuote = textAfterQuote(found)
  if (afterQuote !== null && !(isInFlow && isKey && typeof afterQuote === 'string')) return afterQuote
  if (isInFlow && rest[0] === ',') return 'there is one comma too many'
  if (/^(?:[&!*]|[:?](?:\s|$))/.test(rest)) return null
  if (/^[[{]/.test(rest) && !(isInFlow && isKey)) return `a text cannot hold "[" or "{" here; ${IN_QUOTES}`
  if (isInFlow) return missingComma(found)
  return /^[|>]/.test(rest) ? null : `a text cannot begin with a bracket or "*"; ${IN_QUOTES}`
}

/** Advice for `unit: @days`, where an argument stands in the place of a text, or for any other text. */
function argumentAt(text: string, offset: number): string {
  const [argument] = /^@\w+(?=[ \t]*(?:[,}\]\n]|$))/.exec(text.slice(offset, offset + 100)) ?? []
  return argument ? `an argument is read only in the SQL, as ${argument}; if this is a text, ${IN_QUOTES}` : IN_QUOTES
}

const isQuoted = (node: Node): boolean =>
  isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE')

/** Whether a text in quotes ends with its quote, which no backslash precedes. */
const isClosed = (quoted: string): boolean =>
  quoted[0] === "'" ? /^'.*'$/s.test(quoted) : /^"(?:[^\\]|\\.)*"$/s.test(quoted)

/** A key below a finished `key: value` that is indented deeper, so that it reads as more of that text. */
function deeperKey({ text, offset, line }: Found): SyntaxMistake | null {
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

/** What follows a text in quotes, with nothing but blanks between; null where there is no such text. */
function textAfterQuote(found: Found): SyntaxMistake | string | null {
  const { text, offset } = found
  const [from, to] = lastNode(found, isQuoted)?.range ?? [0, -1]
  if (to < 0 || text.slice(to, offset).trim() !== '') return null
  const quoted = text.slice(from, to)
  return quoted.includes('\n') || /[,:]\s*["']$/.test(quoted)
    ? { offset: from, message: `the quote ${text[from]} is not closed where its text ends` }
    : 'the text goes on after its closing quote; inside single quotes write a quote twice, inside double quotes write \\"'
}

/** The bracket whose list or map the parser ends here, because it is not closed; null for any other place. */
function unclosedBracket(found: Found): SyntaxMistake | null {
  const { text, offset } = found
  const ending = flows(found).filter(({ range }) => range[1] === offset)
  // The innermost may be closed by the character before.
  const isClosed = ending.length > 0 && text[offset - 1] === CLOSED_BY[text[ending.at(-1)!.range[0]]!]
  return openAt(ending.at(isClosed ? -2 : -1)?.range[0], text)
}

function openAt(offset: number | undefined, text: string): SyntaxMistake | null {
  if (offset === undefined) return null
  const start = text[offset]!
  return { offset, message: `this "${start}" is not closed; "${CLOSED_BY[start]}" is missing` }
}

/** The bracket of the innermost list or map in brackets that holds the place; null outside of brackets. */
function flowAround(found: Found): string | null {
  const { text, offset } = found
  return text[flows(found).findLast(({ range }) => range[0] < offset && offset < range[1])?.range[0] ?? -1] ?? null
}

/** What follows a bracket that is never closed looks like a key in it. */
function inBrackets(found: Found): SyntaxMistake | string {
  for (const { code, pos } of found.errors) {
    const open = code === 'BAD_INDENT' || code === 'MISSING_CHAR' ? unclosedBracket({ ...found, offset: pos[0] }) : null
    if (open !== null) return open
  }
  return missingComma(found)
}

/** Ends in the unquoted text of a description in braces. */
const TEXT_AHEAD = /[{,]\s*description:\s+[^"'{}[\]\n]*$/

/** A second key in what has begun as the value of the first: `{ type: string default: DE }`. */
function missingComma({ text, offset, errors }: Found): SyntaxMistake | string {
  const end = errors.find(({ code, pos }) => code === 'BLOCK_IN_FLOW' && pos[0] === offset)?.pos[1]
  const keys = /("[^"]*"|'[^']*'|[\w.-]+)\s*:(?=\s|$)/g
  keys.lastIndex = offset
  const key = keys.exec(text.slice(0, end))
  if (key === null) return NO_COMMA
  const name = key[1]!.replace(/^["']|["']$/g, '')
  return { offset: key.index, message: unlessInText(`a comma is missing before "${name}"`, text.slice(0, key.index)) }
}

const unlessInText = (message: string, ahead: string): string =>
  TEXT_AHEAD.test(ahead) ? `${message}; if it belongs to the description, ${IN_QUOTES}` : message

/** `{ "name" "a" }` */
function keyWithoutColon({ members, text, offset }: Found): string | null {
  const key = members.find(({ value }) => value?.range?.[0] === offset)?.key
  if (!isScalar(key)) return null
  return unlessInText(`a colon is missing after "${String(key.value)}"`, text.slice(0, offset))
}

function missingColon(found: Found): SyntaxMistake | string {
  const { text, offset, errors } = found
  // The parser found a key in the braces of another value, too.
  if (errors.some(({ code, pos }) => code === 'BLOCK_IN_FLOW' && pos[0] === offset)) return inBrackets(found)
  const open = openAt(/[[{][ \t]*\n[^\]}]*$/.exec(text.slice(0, offset))?.index, text)
  if (open !== null) return open
  const before = text.slice(0, text.lastIndexOf('\n', offset - 1) + 1).trimEnd()
  return /:\s*[|>][-+\d]*$/.test(before) ? IN_BLOCK : NO_COLON
}

/** The lists and maps in brackets. A single pair in a list is a map without them. */
const flows = ({ nodes, text }: Found): readonly Placed[] =>
  nodes.filter(node => isCollection(node) && node.flow && Object.hasOwn(CLOSED_BY, text[node.range[0]]!))

/** The last node that begins before the mistake and passes the test. */
const lastNode = ({ nodes, offset }: Found, test: (node: Node) => boolean): Placed | undefined =>
  nodes.findLast(node => node.range?.[0] <= offset && test(node))
