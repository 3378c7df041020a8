/** JSON text → plain values with their places. Its first mistake in syntax is explained to authors who do not know JSON's grammar. */
import {
  createScanner,
  findNodeAtLocation,
  getLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Diagnostic } from '../model/diagnostic.js'
import { lineStartsOf } from '../model/line-starts.js'
import type { RuleId } from '../model/rules.js'
import { diagnosticAt } from './report.js'
import { type FilePlace, type NodePath, type PlaceSource, placeAt } from './source.js'
import { findOddCharacter } from './yaml/characters.js'

/** The parser recurses, and so do the readers of its values. */
const MAX_DEPTH = 40

export interface ParsedJson {
  readonly source: PlaceSource
  /** To be used only when there are no diagnostics. */
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
}

/** Parses JSON that an author has written. Hostile text gives a diagnostic, never an exception. */
export function parseJson(file: string, fileText: string): ParsedJson {
  const text = fileText.replace(/^\ufeff/, '')
  const starts = lineStartsOf(text)
  const at = (offset: number): FilePlace => placeAt(file, starts, offset)
  const diagnostics = mistakesIn(text).map(({ offset, rule, message }) => diagnosticAt(at(offset), rule, message))
  const source = {
    file,
    keyAt: (path: NodePath) => {
      const node = nodeAt(text, path)
      return at((node?.parent?.type === 'property' ? node.parent : node)?.offset ?? 0)
    },
    valueAt: (path: NodePath) => at(nodeAt(text, path)?.offset ?? 0),
  }
  return { source, value: diagnostics.length === 0 ? JSON.parse(text) : undefined, diagnostics }
}

/** The node at this path, or its nearest parent. The text is parsed once more, since most files have no mistake. */
function nodeAt(text: string, path: NodePath): Node | undefined {
  const root = parseTree(text)
  for (let end = path.length; root && end > 0; end--) {
    const node = findNodeAtLocation(root, path.slice(0, end))
    if (node) return node
  }
  return root
}

interface Mistake {
  readonly offset: number
  readonly rule: RuleId
  readonly message: string
}

/** The first mistake in syntax, or all others. */
function mistakesIn(text: string): readonly Mistake[] {
  const odd = findOddCharacter(text)
  if (odd !== null) return [{ offset: odd.offset, rule: 'yaml/odd-character', message: odd.message }]
  const deepest = openBrackets(text, text.length)[MAX_DEPTH]
  if (deepest !== undefined) {
    return [{ offset: deepest, rule: 'yaml/too-deep', message: `nested more than ${MAX_DEPTH} levels deep` }]
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true })
  const [first] = errors
  return first ? [{ rule: 'table/syntax', ...syntaxMistake(text, first) }] : mistakesAt(root!)
}

/** The offsets of the brackets that are open at `end`; at most one more than may be. */
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

/** Keys that stand twice or are refused, and escapes that write what the file itself may not hold. */
function mistakesAt({ value, offset, children = [] }: Node): readonly Mistake[] {
  const odd = typeof value === 'string' ? findOddCharacter(value) : null
  if (odd !== null) {
    return [
      { offset, rule: 'yaml/odd-character', message: `the text holds the character ${odd.name}, which is not allowed` },
    ]
  }
  const keys = new Set<string>()
  const ofKeys = children.flatMap(({ type, children: [key] = [] }): readonly Mistake[] => {
    if (type !== 'property') return []
    const at = key!.offset
    if (key!.value === '__proto__') {
      return [{ offset: at, rule: 'yaml/key', message: 'the key "__proto__" is not allowed' }]
    }
    const message = `the key "${key!.value}" stands here a second time; delete one of them`
    if (keys.has(key!.value)) return [{ offset: at, rule: 'yaml/duplicate-key', message }]
    keys.add(key!.value)
    return []
  })
  return [...ofKeys, ...children.flatMap(mistakesAt)]
}

type Explained = Omit<Mistake, 'rule'>

const CLOSED_BY: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

function syntaxMistake(text: string, { error, offset, length }: ParseError): Explained {
  const here = (message: string): Explained => ({ offset, message })
  const code = printParseErrorCode(error)
  const written = text.slice(offset, offset + length)
  const before = text.slice(0, offset).trimEnd()
  const opened = openBrackets(text, offset).at(-1) ?? -1
  const bracket = text[opened] ?? ''
  const close = CLOSED_BY[bracket]
  const isMissing = !/(?:[,:[{]|^)$/.test(before)
  if (isMissing && bracket === '') return here('there is more text after the last bracket')
  // A quote that is not closed ends at the next one, with the comma of its own member inside.
  const { path, previousNode: last } = getLocation(text, before.length)
  const lastText = last && before.slice(last.offset)
  if (last && /^[\w-]/.test(written) && /^".*[,:{[]\s*"$/s.test(lastText!)) {
    return { offset: last.offset, message: 'the quote " is not closed where its text ends' }
  }
  if (isMissing && last?.type === 'property') return here(`a colon is missing after ${lastText}`)
  if (isMissing && code === 'InvalidSymbol') return here('a comma is missing before this')
  switch (code) {
    case 'UnexpectedEndOfString':
      return here('the quote " is never closed')
    case 'InvalidEscapeCharacter':
      return badEscape(offset, written)
    case 'InvalidUnicode':
      return here('four hexadecimal digits follow "\\u"')
    case 'InvalidCharacter':
      return here('a tab in a text is written \\t')
    case 'CommaExpected':
      if (/^\d/.test(written) && /\b0$/.test(before)) return here('a number does not begin with 0')
      if (!/^[\]}]/.test(written)) return here('a comma is missing before this')
      return here(`the "${close}" that closes the "${bracket}" is missing before this "${written}"`)
    case 'ValueExpected':
    case 'PropertyNameExpected':
      if (before.endsWith(':')) return here(`the value of ${JSON.stringify(path.at(-1))} is missing`)
      if (before.endsWith(',') && written === close) {
        return { offset: before.length - 1, message: `JSON allows no comma before "${close}"; delete it` }
      }
      if (before.endsWith(',') && written === ',') return here('there is one comma too many')
      if (/^[,:[{\]}]/.test(written)) return here(`${code === 'ValueExpected' ? 'a value' : 'a key'} is missing`)
  }
  if (written !== '') return here(unquoted(text.slice(offset, offset + 1_000)))
  if (bracket === '') return here('the file is empty')
  return { offset: opened, message: `this "${bracket}" is not closed; "${close}" is missing` }
}

function badEscape(offset: number, text: string): Explained {
  const escapes = [...text.matchAll(/\\(.)/gs)]
  const { 0: written, index } = escapes.find(([, character]) => !'"\\/bfnrtu'.includes(character!))!
  return { offset: offset + index, message: `JSON has no "${written}"; a backslash is written \\\\` }
}

/** For what is neither in double quotes nor a number. */
function unquoted(rest: string): string {
  if (/^(?:\/[/*]|#)/.test(rest)) return 'JSON has no comments; delete it'
  const [, single] = /^'([^'\n]*)'/.exec(rest) ?? []
  if (single !== undefined) return `JSON writes texts in double quotes: "${single}"`
  return `JSON writes texts and keys in double quotes: "${/^[^\s,:[\]{}"']*/.exec(rest)![0]}"`
}
