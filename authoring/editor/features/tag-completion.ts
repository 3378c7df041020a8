/** Completion inside braces: lookups, constants, `given`, partials and block helpers. */
import type { CompletionItem, Range } from 'vscode-languageserver'
import type { SqlCursor } from '../cursor.js'
import { parameterText } from '../documentation.js'
import type { Tag } from '../sql/template-tags.js'
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
  if (tag.startsWith('>')) return /=[\w.]*$/.test(tag) ? valueNames(cursor) : []
  if (/^#(?:if|unless)\s/.test(tag)) return [...givenNames(cursor), ...valueNames(cursor)]
  if (/^#each\s/.test(tag)) return constantNames(cursor.view).filter(({ kind }) => kind === KIND.module)
  const keywords = (...labels: readonly string[]) => labels.map(label => ({ label, kind: KIND.keyword }))
  if (/^[#/]/.test(tag)) return keywords('if', 'unless', 'each')
  const helpers = keywords('#if given.', '#unless', '#each constants.', '/if', 'else', '> ')
  return [...valueNames(cursor), ...givenNames(cursor), ...helpers]
}

const givenNames = ({ view }: SqlCursor): readonly TemplateName[] =>
  Object.entries(view.manifest?.names.parameters ?? {}).map(([name, parameter]) => ({
    label: `given.${name}`,
    kind: KIND.variable,
    text: parameterText(name, parameter),
  }))

const valueNames = ({ view }: SqlCursor): readonly TemplateName[] => [...lookupNames(view), ...constantNames(view)]
