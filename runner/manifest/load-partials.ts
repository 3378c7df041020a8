/** Parses partials once for all manifests that include them. */

import type { Diagnostic } from '../model/diagnostic.js'
import { lineStartsOf } from '../model/line-starts.js'
import type { RuleId } from '../model/rules.js'
import type { ParsedTemplate } from '../template/node.js'
import { parseTemplate } from '../template/parse.js'
import type { SourceText } from './discover.js'
import { diagnosticAt } from './report.js'
import { type FilePlace, placeAt } from './source.js'
import { findOddCharacter } from './yaml/characters.js'
import { MAX_MANIFEST_LENGTH, TOO_LONG } from './yaml/limits.js'

export interface Partial {
  readonly file: string
  readonly text: string
  readonly template: ParsedTemplate
  placeAt(offset: number): FilePlace
}

export type LoadedPartials = ReturnType<typeof loadPartials>

/** Parses each partial under the name of its file, without `.sql`. */
export function loadPartials(sources: readonly SourceText[]) {
  const byName = new Map<string, Partial>()
  /** Mistakes in the partials themselves, independent of the manifests that include them. */
  const diagnostics: Diagnostic[] = []
  for (const source of sources) {
    const name = source.file.replace(/^.*\//, '').replace(/\.sql$/, '')
    const partial = parsePartial(source)
    byName.set(name, partial.partial)
    diagnostics.push(...partial.diagnostics)
  }
  return { byName, diagnostics }
}

function parsePartial({ file, text: fileText }: SourceText): { partial: Partial; diagnostics: readonly Diagnostic[] } {
  const marked = fileText.replace(/^\ufeff/, '')
  // Lines keep their numbers and columns. The last line gets a line feed, so that a comment in it cannot swallow the text
  // after the partial.
  const text = marked.replaceAll('\r\n', '\n').replace(/[^\n]$/, '$&\n')
  const starts = lineStartsOf(text)
  const place = (offset: number): FilePlace => placeAt(file, starts, offset)
  const refused = (offset: number, rule: RuleId, message: string) => ({
    partial: { file, text, template: { nodes: [], problems: [] }, placeAt: place },
    diagnostics: [diagnosticAt(place(offset), rule, message)],
  })
  if (text.length > MAX_MANIFEST_LENGTH) return refused(0, 'manifest/unreadable', TOO_LONG)
  const odd = findOddCharacter(text)
  if (odd !== null) return refused(odd.offset, 'template/odd-character', odd.message)
  const template = parseTemplate(text)
  return {
    partial: { file, text, template, placeAt: place },
    diagnostics: template.problems.map(({ offset, rule, message }) => diagnosticAt(place(offset), rule, message)),
  }
}
