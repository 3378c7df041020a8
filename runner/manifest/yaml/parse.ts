/** YAML text → plain values with their places. Hostile text gives a diagnostic within milliseconds, never an exception. */

import { type Document, type Node, parseDocument } from 'yaml'
import type { Diagnostic } from '../../model/diagnostic.js'
import { lineStartsOf } from '../../model/line-starts.js'
import type { RuleId } from '../../model/rules.js'
import { diagnosticAt } from '../report.js'
import { type FilePlace, ManifestSource, placeAt } from '../source.js'
import { findOddCharacter } from './characters.js'
import { findExcess } from './limits.js'
import { readNode } from './read-node.js'
import { syntaxMistake } from './syntax-message.js'

/**
 * Parses one YAML document. The value may be used only when there are no diagnostics. The source is null when the text could not be
 * parsed far enough to place anything.
 */
export function parseManifest(file: string, fileText: string) {
  const text = fileText.replace(/^\ufeff/, '')
  const starts = lineStartsOf(text)
  const at = (offset: number): FilePlace => placeAt(file, starts, offset)
  const refused = (place: FilePlace, rule: RuleId, message: string) => ({
    source: null,
    value: undefined,
    diagnostics: [diagnosticAt(place, rule, message)],
  })
  const excess = findExcess(text, starts)
  if (excess !== null) return refused(at(excess.offset), excess.rule, excess.message)
  const odd = findOddCharacter(text)
  if (odd !== null) return refused(at(odd.offset), 'yaml/odd-character', odd.message)
  const document = documentOf(text)
  const syntax = syntaxDiagnostics(text, document, at)
  // The document is not kept: it is ten times as large as its text, and most manifests are never asked for a place.
  const source = new ManifestSource(file, text, document.contents, again => documentOf(again).contents)
  if (syntax.length > 0) return { source, value: undefined, diagnostics: syntax }
  const diagnostics: Diagnostic[] = []
  const value = readNode(document.contents as Node | null, (offset, rule, message) =>
    diagnostics.push(diagnosticAt(at(offset), rule, message)),
  )
  return { source, value, diagnostics }
}

const documentOf = (text: string): Document.Parsed =>
  parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, strict: true })

function syntaxDiagnostics(text: string, document: Document.Parsed, at: (offset: number) => FilePlace): Diagnostic[] {
  const [several, ...rest] = document.errors.filter(error => error.code === 'MULTIPLE_DOCS')
  if (several && rest.length === 0) {
    return [
      diagnosticAt(
        at(several.pos[0]),
        'yaml/several-documents',
        'a manifest is one YAML document; put the next one into a file of its own',
      ),
    ]
  }
  const [first] = document.errors
  if (first === undefined) return []
  const { offset, message } = syntaxMistake(first, text, document)
  return [diagnosticAt(at(offset), 'yaml/syntax', message)]
}
