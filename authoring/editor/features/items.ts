/** What completion items have in common, and the names that a template can read. */
import type { CompletionItem, Range } from 'vscode-languageserver'
import type { DocumentView } from '../document-view.js'
import { constantText, lookupText, partialText } from '../documentation.js'

/** The protocol's kinds of completion items. */
export const KIND = {
  function: 3,
  field: 5,
  variable: 6,
  module: 9,
  value: 12,
  keyword: 14,
  file: 17,
  constant: 21,
  struct: 22,
} as const
/** Makes the range of template offsets that an item replaces. */
export type RangeOf = (from: number, to: number) => Range

export const markdown = (value: string): { kind: 'markdown'; value: string } => ({ kind: 'markdown', value })

/** A name that may be written into a template. */
export interface TemplateName {
  readonly label: string
  readonly kind: NonNullable<CompletionItem['kind']>
  /** Its documentation, in Markdown. */
  readonly text?: string
}

/** The fields of lookup tables: `interval.bucket`. */
export const lookupNames = ({ manifest }: DocumentView): readonly TemplateName[] =>
  Object.entries(manifest?.names.lookups ?? {}).flatMap(([name, lookup]) => {
    const fields = new Set(Object.values(lookup.rows).flatMap(row => Object.keys(row)))
    return [...fields].map(field => ({
      label: `${name}.${field}`,
      kind: KIND.value,
      text: lookupText(name, field, lookup),
    }))
  })

export const constantNames = ({ manifest }: DocumentView): readonly TemplateName[] =>
  Object.entries(manifest?.names.constants ?? {}).map(([name, value]) => ({
    label: `constants.${name}`,
    kind: Array.isArray(value) ? KIND.module : KIND.constant,
    text: constantText(name, value),
  }))

export const partialNames = ({ workspace }: DocumentView): readonly TemplateName[] =>
  [...workspace.partials()].map(([label, { text }]) => ({ label, kind: KIND.file, text: partialText(label, text) }))
