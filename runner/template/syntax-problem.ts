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
export function findRefusal(text: string): TemplateProblem | null {
  const openBlocks: { readonly name: string; readonly offset: number; branches: number }[] = []
  let tags = 0
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
      from = nextEnd + 2
      continue
    }
    if (nextEnd - offset > MAX_TAG_LENGTH)
      return problem(offset, `this tag is longer than ${MAX_TAG_LENGTH} characters`)
    const block = openBlocks[openBlocks.length - 1]
    // Handlebars turns each `{{else if …}}` into a nested block.
    if (block && name === 'else' && ++block.branches > MAX_DEPTH) {
      return problem(offset, `this block has more than ${MAX_DEPTH} branches`)
    }
    // `{{^}}` means `{{else}}`.
    if (sigil === '#' || (sigil === '^' && name !== '')) openBlocks.push({ name, offset, branches: 0 })
    if (openBlocks.length > MAX_DEPTH) return problem(offset, `blocks are nested more than ${MAX_DEPTH} deep`)
    if (sigil !== '/') continue
    const opening = openBlocks.pop()
    if (opening === undefined)
      return problem(offset, `"{{/${name}}}" closes a block that was never opened; a block begins with "{{#${name}"`)
    if (opening.name !== name) {
      return problem(offset, `"{{/${name}}}" cannot close "{{#${opening.name}}}"; expected "{{/${opening.name}}}"`)
    }
  }
  const block = openBlocks.pop()
  if (block === undefined) return null
  return problem(block.offset, `"{{#${block.name}}}" is never closed; expected "{{/${block.name}}}"`)
}

/** Explains Handlebars' syntax error. Only its message has its place: the line, and the characters that follow, without line breaks. */
export function findSyntaxProblem(text: string, error: unknown): TemplateProblem {
  const message = error instanceof Error ? error.message : String(error)
  const starts = lineStartsOf(text)
  const parsed = /^Parse error on line (\d+):\n(.*)\n(-*)\^\n/s.exec(message)
  if (parsed === null) {
    const { lineNumber = 1, column = 0 } = error as { lineNumber?: number; column?: number }
    return problem((starts[lineNumber - 1] ?? 0) + column, message.replace(/ - \d+:\d+$/, ''))
  }
  const [, line, excerpt = '', dashes = ''] = parsed
  const rest = excerpt.slice(dashes.length).replace(/\.\.\.$/, '')
  let offset = starts[Number(line) - 1] ?? text.length
  const isHere = (at: number): boolean =>
    text[at] !== '\n' &&
    text
      .slice(at, at + MAX_EXCERPT)
      .replaceAll('\n', '')
      .startsWith(rest)
  while (offset < text.length && !isHere(offset)) offset++
  return problem(offset, `the template cannot be read from "${rest}" on; a tag holds one name, as in {{#if given.x}}`)
}

/** The message shows twenty characters; the text has line breaks between them. */
const MAX_EXCERPT = 64
