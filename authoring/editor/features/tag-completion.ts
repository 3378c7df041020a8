/** Completion inside braces: lookups, constants, `given`, fields of a loop's entries, partials and block helpers. */
import type { CompletionItem, Range } from 'vscode-languageserver'
import type { SqlCursor } from '../cursor.js'
import { parameterText } from '../documentation.js'
import { loopsAround, type Tag, tagsOf } from '../sql/template-tags.js'
import { constantNames, KIND, lookupNames, markdown, partialNames, type RangeOf, type TemplateName } from './items.js'

export function tagItems(cursor: SqlCursor, tag: Tag, rangeOf: RangeOf): readonly CompletionItem[] {
  const before = tag.content.slice(0, cursor.offset - tag.contentAt)
  const word = /[\w.@-]*$/.exec(before)![0]
  const range = rangeOf(cursor.offset - word.length, cursor.offset)
  return namesIn(cursor, before).map((name, index) => itemOf(name, range, index))
}

const itemOf = ({ label, kind, text }: TemplateName, range: Range, index: number): CompletionItem => ({
  label,
  kind,
  sortText: String(index).padStart(5, '0'),
  textEdit: { range, newText: label },
  ...(text !== undefined && { documentation: markdown(text) }),
})

function namesIn(cursor: SqlCursor, before: string): readonly TemplateName[] {
  const tag = before.replace(/^~?\s*/, '')
  if (/^>\s*[\w.-]*$/.test(tag)) return partialNames(cursor.view)
  if (tag.startsWith('>')) return /=[\w.]*$/.test(tag) ? valueNames(cursor) : argumentNames(cursor, tag)
  if (/^#(?:if|unless)\s/.test(tag)) return [...givenNames(cursor), ...valueNames(cursor)]
  if (/^#each\s/.test(tag)) return constantNames(cursor.view).filter(({ kind }) => kind === KIND.module)
  const keywords = (...labels: readonly string[]) => labels.map(label => ({ label, kind: KIND.keyword }))
  if (/^[#/]/.test(tag)) return keywords('if', 'unless', 'each')
  const helpers = keywords('#if given.', '#unless', '#each constants.', '/if', 'else', '> ')
  return [...valueNames(cursor), ...givenNames(cursor), ...helpers]
}

/** The names that a partial reads and that neither a manifest nor a loop gives it: its arguments. */
function argumentNames({ view }: SqlCursor, tag: string): readonly TemplateName[] {
  const name = /^>\s*([^\s}~]+)/.exec(tag)?.[1] ?? ''
  const text = view.workspace.partials().get(name)?.text ?? ''
  const { lookups = {}, constants = {} } = view.manifest?.names ?? {}
  const read = tagsOf(text).flatMap(
    ({ content }) => /^~?\s*(?:#(?:if|unless)\s+)?([A-Za-z]\w*)/.exec(content)?.[1] ?? [],
  )
  const otherNames = new Set(['given', 'constants', 'this', 'else', ...Object.keys(lookups), ...Object.keys(constants)])
  return [...new Set(read)]
    .filter(name => !otherNames.has(name))
    .map(name => ({ label: `${name}=`, kind: KIND.variable }))
}

const givenNames = ({ view }: SqlCursor): readonly TemplateName[] =>
  Object.entries(view.manifest?.names.parameters ?? {}).map(([name, parameter]) => ({
    label: `given.${name}`,
    kind: KIND.variable,
    text: parameterText(name, parameter),
  }))

const valueNames = (cursor: SqlCursor): readonly TemplateName[] => [
  ...loopNames(cursor),
  ...lookupNames(cursor.view),
  ...constantNames(cursor.view),
]

/** `this`, its fields, `@index`, `@first` and `@last`, inside a loop. */
function loopNames({ view, template, offset }: SqlCursor): readonly TemplateName[] {
  const [list] = loopsAround(template, offset)
  if (list === undefined) return []
  const entries = view.manifest?.names.constants[list.replace(/^constants\./, '')]
  const maps = (Array.isArray(entries) ? entries : []).filter(entry => typeof entry === 'object' && entry !== null)
  const fields = new Set(maps.flatMap(entry => Object.keys(entry)))
  const names = maps.length > 0 ? [...fields].map(field => `this.${field}`) : ['this']
  return [...names, '@index', '@first', '@last'].map(label => ({ label, kind: KIND.variable }))
}
