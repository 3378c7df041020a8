/** Syntax errors of a template, in words that do not need the token names of Handlebars' parser. */
import { lineStartsOf } from '../model/line-starts.js'
import type { TemplateProblem } from './node.js'

/** The deepest nesting of blocks, more than any query needs; Handlebars' tree walk recurses once per level. */
export const MAX_DEPTH = 32
/** The most tags, more than any query needs; Handlebars copies the whole remaining text at every comment. */
export const MAX_TAGS = 2_000
const MAX_TAG_LENGTH = 2_000

const problem = (offset: number, message: string): TemplateProblem => ({ rule: 'template/syntax', offset, message })

// The opening of a tag: a comment's, or a tag's with its sigil and first word.
const TAG = /\{\{~?(?:!(--)?|\s*([#^/])?\s*[*>]?\s*([\w.-]*))/g
const DASHED_END = /--~?\}\}/g

/**
 * Finds what must be refused before Handlebars reads the text: escaped braces, raw blocks, tags and blocks that are not
 * closed or are closed by another name, and blocks nested too deeply. Null when the text has none of these.
 */
export function findUnreadable(text: string): TemplateProblem | null {
  const open: { readonly name: string; readonly sigil: string; readonly offset: number; branches: number }[] = []
  let tags = 0
  // A comment that holds the beginning of a block is one whose end is missing.
  let swallowing: number | null = null
  /** The first tag that was probably meant to open a block. */
  let unopened: { readonly offset: number; readonly message: string } | null = jinjaBlock(text)
  // Each search begins where the last one ended; otherwise the rest of a long text would be searched again at every tag.
  let from = 0
  let nextEnd = -1
  for (;;) {
    TAG.lastIndex = from
    const tag = TAG.exec(text)
    if (tag === null) break
    const [whole, dashes, sigil, name = ''] = tag
    const offset = tag.index
    from = offset + whole.length
    if (++tags > MAX_TAGS) return problem(offset, `the template holds more than ${MAX_TAGS} tags`)
    if (text[offset - 1] === '\\')
      return problem(offset - 1, 'braces cannot be escaped in SQL: write them without "\\"')
    if (text.startsWith('{{{{', offset))
      return { ...problem(offset, 'raw blocks are not supported'), rule: 'template/unsupported' }
    if (dashes !== undefined) {
      DASHED_END.lastIndex = from
      if (!DASHED_END.test(text)) return problem(offset, 'this comment is never closed; expected "--}}"')
      from = DASHED_END.lastIndex
      continue
    }
    if (nextEnd < from) nextEnd = text.indexOf('}}', from)
    if (nextEnd < 0) return problem(offset, 'this "{{" is never closed; expected "}}"')
    if (whole.includes('!')) {
      if (text.slice(from, nextEnd).includes('{{#')) swallowing ??= offset
      from = nextEnd + 2
      continue
    }
    if (nextEnd - offset > MAX_TAG_LENGTH)
      return problem(offset, `this tag is longer than ${MAX_TAG_LENGTH} characters`)
    const block = open[open.length - 1]
    // Handlebars turns each `{{else if …}}` into a nested block.
    if (block && name === 'else' && ++block.branches > MAX_DEPTH) {
      return problem(offset, `this block has more than ${MAX_DEPTH} branches`)
    }
    if (
      sigil === undefined &&
      (name === 'if' || name === 'unless' || name === 'each') &&
      !text.startsWith('}}', from)
    ) {
      unopened ??= { offset, message: `a block begins with "#": write {{#${name} …}}` }
    }
    if (sigil === '#' && /^end(?:if|unless|each)$/.test(name)) {
      return problem(offset, `a block ends with "/": write {{/${name.slice(3)}}}`)
    }
    // `{{^}}` means `{{else}}`.
    if (sigil === '#' || (sigil === '^' && name !== '')) open.push({ name, sigil, offset, branches: 0 })
    if (open.length > MAX_DEPTH) return problem(offset, `blocks are nested more than ${MAX_DEPTH} deep`)
    if (sigil !== '/') continue
    const opened = open.pop()
    if (opened === undefined && swallowing !== null)
      return problem(swallowing, 'this comment is never closed; expected "}}"')
    if (opened === undefined && unopened !== null) return problem(unopened.offset, unopened.message)
    if (opened === undefined) return problem(offset, `"{{/${name}}}" closes a block that was never opened`)
    if (opened.name !== name && opened.name.startsWith('given.')) {
      return problem(opened.offset, askWhetherGiven(opened.name, opened.sigil === '^'))
    }
    if (opened.name !== name) {
      return problem(offset, `"{{/${name}}}" cannot close "{{#${opened.name}}}"; expected "{{/${opened.name}}}"`)
    }
  }
  const unclosed = open.pop()
  if (unclosed === undefined) return null
  return problem(unclosed.offset, `"{{#${unclosed.name}}}" is never closed; expected "{{/${unclosed.name}}}"`)
}

/** What to write for the block `{{#given.x}}` or `{{^given.x}}`. */
export function askWhetherGiven(name: string, isNegated: boolean): string {
  const block = isNegated ? 'unless' : 'if'
  return `to ask whether an argument was given, write {{#${block} ${name}}} … {{/${block}}}`
}

/** `{% if x %}` of another template language. */
function jinjaBlock(text: string): { readonly offset: number; readonly message: string } | null {
  const found = /\{%-?\s*(if|for)\b/.exec(text)
  if (found === null) return null
  return { offset: found.index, message: `write {{#${found[1] === 'if' ? 'if' : 'each'} …}} for this block` }
}

const WORDS_FOR_TOKENS: Readonly<Record<string, string>> = {
  ID: 'a name',
  STRING: 'a string',
  NUMBER: 'a number',
  BOOLEAN: 'a boolean',
  UNDEFINED: 'undefined',
  NULL: 'null',
  DATA: '"@"',
  CLOSE: '"}}"',
  EOF: 'the end of the template',
  INVALID: 'a character that means nothing here',
  OPEN_SEXPR: '"("',
  CLOSE_SEXPR: '")"',
  EQUALS: '"="',
  SEP: '"." or "/"',
  INVERSE: '"{{else}}"',
  OPEN_ENDBLOCK: '"{{/"',
  OPEN_INVERSE_CHAIN: '"{{else"',
}

/** Handlebars' syntax error, placed as exactly as its message allows. */
export function findSyntaxProblem(text: string, error: unknown): TemplateProblem {
  const message = error instanceof Error ? error.message : String(error)
  const parsed = /^Parse error on line (\d+):\n(.*)\n(-*)\^\n.*got '(\w+)'/s.exec(message)
  if (parsed === null) {
    const place = error as { lineNumber?: unknown; column?: unknown }
    const line = typeof place.lineNumber === 'number' ? place.lineNumber : 1
    const column = typeof place.column === 'number' ? place.column : 0
    return problem((lineStartsOf(text)[line - 1] ?? 0) + column, message.replace(/ - \d+:\d+$/, ''))
  }
  const [, line, context, dashes, token] = parsed
  const found = WORDS_FOR_TOKENS[token!] ?? `"${token}"`
  const offset = offsetOf(text, Number(line), context!, dashes!.length)
  const hint = hintAt(text, offset)
  return problem(offset, `cannot read this tag: ${hint ?? `did not expect ${found}`}`)
}

/** What to write where other template languages are meant, or a brace is missing. */
function hintAt(text: string, offset: number): string | null {
  const rest = text.slice(offset)
  const [, name, field] = /^([A-Za-z_][\w.]*)\[\s*["']?([A-Za-z_]\w*)["']?\s*\]/.exec(rest) ?? []
  if (name !== undefined) return `a field stands after a dot; write ${name}.${field}`
  if (rest.startsWith('}}}')) return 'it ends with two braces, "}}"; delete the third'
  if (/^\}(?!\})/.test(rest)) return 'it ends with two braces, "}}"'
  if (/^(?:&&|\|\|)/.test(rest)) return 'it takes one name; for two conditions put one block inside the other'
  if (/^!/.test(rest)) return 'write {{#unless name}} … {{/unless}}'
  return /^[=<>]/.test(rest) ? 'it takes one name and compares nothing; conditions on values stand in the SQL' : null
}

/** The message shows up to twenty characters on either side of the place, without line breaks. */
function offsetOf(text: string, line: number, context: string, before: number): number {
  const starts = lineStartsOf(text)
  const from = starts[line - 1] ?? text.length
  const shown = context.slice(0, before).replace(/^\.\.\./, '')
  const wanted = shown + context.slice(before).replace(/\.\.\.$/, '')
  const windowStart = Math.max(0, from - 64)
  // The text without line breaks, and the offset of each kept character.
  const kept: number[] = []
  for (let i = windowStart; i < text.length && i < from + 4096; i++) if (text[i] !== '\n') kept.push(i)
  const flat = kept.map(i => text[i]).join('')
  for (let at = flat.indexOf(wanted); at >= 0; at = flat.indexOf(wanted, at + 1)) {
    const offset = kept[at + shown.length] ?? text.length
    if (offset >= from) return offset
  }
  return Math.min(from, text.length)
}
