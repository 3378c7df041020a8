/** Says what the YAML parser's commonest errors mean to an author; other errors have the parser's own words. */
import { type Document, type Node, visit, type YAMLParseError } from 'yaml'

const IN_QUOTES = 'put the text in quotes'

const SENTENCES: Partial<Record<YAMLParseError['code'], string>> = {
  BAD_ALIAS: `a text cannot begin with "*" or "&"; ${IN_QUOTES}`,
  BAD_DQ_ESCAPE: 'this escape means nothing in double quotes; write "\\\\" for a backslash, or use single quotes',
  BAD_INDENT: 'this line begins at another column than the lines that it belongs to; indent it like them, with spaces',
  BAD_SCALAR_START: `a text cannot begin with this character; ${IN_QUOTES}`,
  BLOCK_AS_IMPLICIT_KEY:
    'a text that holds ": " needs quotes, several keys on one line need braces, and keys below each other the same indent',
  BLOCK_IN_FLOW: `a comma is missing in this map; if ": " belongs to a text, ${IN_QUOTES}`,
  MULTILINE_IMPLICIT_KEY:
    'a key is followed by a colon and a space, as in "name: value"; in braces a comma is before it',
  TAB_AS_INDENT: 'a tab cannot indent a line; use spaces',
  UNEXPECTED_TOKEN: 'this is not expected here; if it belongs to a text, put the whole text in quotes',
}

const CLOSED_BY: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"', "'": "'" }

/** The first mistake that the parser found; the later ones are mostly its consequences. */
export function syntaxMistake(error: YAMLParseError, text: string, document: Document.Parsed) {
  const [offset] = error.pos
  const open = unclosedAt(error, text, document)
  if (open === null) {
    const unexpected = error.code === 'UNEXPECTED_TOKEN' ? unexpectedAt(offset, text) : null
    return { offset, message: unexpected ?? SENTENCES[error.code] ?? error.message }
  }
  const start = text[open]!
  return { offset: open, message: `this ${start} is not closed; ${CLOSED_BY[start]} is missing` }
}

/** The message for an unexpected character that quotes would not mend; null for any other. */
function unexpectedAt(offset: number, text: string): string | null {
  const [before, rest] = [text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset), text.slice(offset)]
  if (/[|>][-+\d]*\s*$/.test(before))
    return 'the text of a block begins on the line after its sign, indented deeper than its key'
  if (/^-\s/.test(rest)) return 'a list begins on the next line, or stands in [ ]'
  if (rest.startsWith('[]')) return 'an array is written array<string>, and ARRAY<STRING> for a column'
  return /^[}\]]/.test(rest) ? `there is one ${rest[0]} too many` : null
}

/** The offset of the innermost unclosed bracket or quote around the mistake; null for none. */
function unclosedAt({ pos: [offset], code }: YAMLParseError, text: string, document: Document.Parsed): number | null {
  let begin: number | null = null
  // The parser ends a bracket at a token that it does not expect.
  const isAround = (from: number, to: number): boolean =>
    to === offset || (code !== 'UNEXPECTED_TOKEN' && from < offset && offset < to)
  const note = ({ range }: Node, opens: string): void => {
    const [from, to] = range ?? [0, -1]
    const open = text[from]!
    if (isAround(from, to) && opens.includes(open) && text[to - 1] !== CLOSED_BY[open]) begin = from
  }
  visit(document, { Scalar: (_key, node) => note(node, `"'`), Collection: (_key, node) => note(node, '{[') })
  return begin
}
