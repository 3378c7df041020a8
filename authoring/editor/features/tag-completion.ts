/** Completion inside braces: lookups, constants, `given`, fields of a loop's entries, partials and block helpers. */
import type { CompletionItem, Range } from 'vscode-languageserver'
import type { SqlCursor } from '../cursor.js'
import { constantText, lookupText, parameterText, partialText } from '../documentation.js'
import { loopsAround, type Tag, tagsOf } from '../sql/template-tags.js'
import { KIND, markdown, type RangeOf } from './items.js'

type Name = Pick<CompletionItem, 'label'> & {
  readonly kind: NonNullable<CompletionItem['kind']>
  readonly text?: string
}

export function tagItems(cursor: SqlCursor, tag: Tag, rangeOf: RangeOf): readonly CompletionItem[] {
  const before = tag.content.slice(0, cursor.offset - tag.contentAt)
  const word = /[\w.@-]*$/.exec(before)![0]
  const range = rangeOf(cursor.offset - word.length, cursor.offset)
  return namesIn(cursor, before).map((name, index) => itemOf(name, range, index))
}

const itemOf = ({ label, kind, text }: Name, range: Range, index: number): CompletionItem => ({
  label,
  kind,
  sortText: String(index).padStart(5, '0'),
  textEdit: { range, newText: label },
  ...(text !== undefined && { documentation: markdown(text) }),
})

function namesIn(cursor: SqlCursor, before: string): readonly Name[] {
  if (/^~?\s*>\s*[\w.-]*$/.test(before)) return partialNames(cursor)
  if (/^~?\s*>/.test(before))
    return before.endsWith('=') || /=[\w.]*$/.test(before) ? valueNames(cursor) : argumentNames(cursor, before)
  if (/^~?\s*#(?:if|unless)\s/.test(before)) return [...givenNames(cursor), ...valueNames(cursor)]
  if (/^~?\s*#each\s/.test(before)) return constantNames(cursor).filter(({ kind }) => kind === KIND.module)
  if (/^~?\s*#/.test(before)) return ['if', 'unless', 'each'].map(label => ({ label, kind: KIND.keyword }))
  if (/^~?\s*\//.test(before)) return ['if', 'unless', 'each'].map(label => ({ label, kind: KIND.keyword }))
  const helpers = ['#if given.', '#unless', '#each constants.', '/if', 'else', '> '].map(label => ({
    label,
    kind: KIND.keyword,
  }))
  return [...valueNames(cursor), ...givenNames(cursor), ...helpers]
}

const partialNames = ({ view }: SqlCursor): readonly Name[] =>
  [...view.workspace.partials()].map(([label, { text }]) => ({
    label,
    kind: KIND.file,
    text: partialText(label, text),
  }))

/** The names that a partial reads and that neither a manifest nor a loop gives it: its arguments. */
function argumentNames({ view }: SqlCursor, before: string): readonly Name[] {
  const name = /^~?\s*>\s*([^\s}~]+)/.exec(before)?.[1] ?? ''
  const text = view.workspace.partials().get(name)?.text ?? ''
  const { lookups = {}, constants = {} } = view.manifest?.names ?? {}
  const read = tagsOf(text).flatMap(
    ({ content }) => /^~?\s*(?:#(?:if|unless)\s+)?([A-Za-z]\w*)/.exec(content)?.[1] ?? [],
  )
  const known = new Set(['given', 'constants', 'this', 'else', ...Object.keys(lookups), ...Object.keys(constants)])
  return [...new Set(read)].filter(one => !known.has(one)).map(one => ({ label: `${one}=`, kind: KIND.variable }))
}

const givenNames = ({ view }: SqlCursor): readonly Name[] =>
  Object.entries(view.manifest?.names.parameters ?? {}).map(([name, parameter]) => ({
    label: `given.${name}`,
    kind: KIND.variable,
    text: parameterText(name, parameter),
  }))

function valueNames(cursor: SqlCursor): readonly Name[] {
  return [...loopNames(cursor), ...lookupNames(cursor), ...constantNames(cursor)]
}

function lookupNames({ view }: SqlCursor): readonly Name[] {
  return Object.entries(view.manifest?.names.lookups ?? {}).flatMap(([name, lookup]) => {
    const fields = new Set(Object.values(lookup.rows).flatMap(row => Object.keys(row)))
    return [...fields].map(field => ({
      label: `${name}.${field}`,
      kind: KIND.value,
      text: lookupText(name, field, lookup),
    }))
  })
}

const constantNames = ({ view }: SqlCursor): readonly Name[] =>
  Object.entries(view.manifest?.names.constants ?? {}).map(([name, value]) => ({
    label: `constants.${name}`,
    kind: Array.isArray(value) ? KIND.module : KIND.constant,
    text: constantText(name, value),
  }))

/** `this` and its fields inside a loop, and the arguments of a partial inside it. */
function loopNames({ view, template, offset }: SqlCursor): readonly Name[] {
  const [list] = loopsAround(template, offset)
  if (list === undefined) return []
  const entries = view.manifest?.names.constants[list.replace(/^constants\./, '')]
  const maps = (Array.isArray(entries) ? entries : []).filter(entry => typeof entry === 'object' && entry !== null)
  const fields = new Set(maps.flatMap(entry => Object.keys(entry)))
  const names = maps.length > 0 ? [...fields].map(field => `this.${field}`) : ['this']
  return [...names, '@index', '@first', '@last'].map(label => ({ label, kind: KIND.variable }))
}
