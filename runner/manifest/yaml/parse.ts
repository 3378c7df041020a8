/** YAML text → plain values with their places. Hostile text gives a diagnostic within milliseconds, never an exception. */

import { type Document, parseDocument } from 'yaml'
import type { Diagnostic } from '../../model/diagnostic.js'
import { lineStartsOf } from '../../model/line-starts.js'
import type { RuleId } from '../../model/rules.js'
import { diagnosticAt, type TextMistake } from '../report.js'
import { ManifestSource, placeAt } from '../source.js'
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
  const locate = ({ offset, rule, message }: TextMistake): Diagnostic =>
    diagnosticAt(placeAt(file, starts, offset), rule, message)
  const refusal = findExcess(text, starts) ?? findOddCharacter(text)
  if (refusal !== null) return { source: null, value: undefined, diagnostics: [locate(refusal)] }
  const document = documentOf(text)
  const syntax = findSyntaxMistake(text, document)
  // The document is not kept: it is ten times as large as its text, and most manifests are never asked for a place.
  const source = new ManifestSource(file, text, document.contents, again => documentOf(again).contents)
  if (syntax !== null) return { source, value: undefined, diagnostics: [locate(syntax)] }
  const diagnostics: Diagnostic[] = []
  const report = (offset: number, rule: RuleId, message: string) => diagnostics.push(locate({ offset, rule, message }))
  return { source, value: readNode(document.contents, report), diagnostics }
}

const documentOf = (text: string): Document.Parsed =>
  parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, strict: true })

function findSyntaxMistake(text: string, document: Document.Parsed): TextMistake | null {
  const [several, ...rest] = document.errors.filter(error => error.code === 'MULTIPLE_DOCS')
  const message = 'a manifest is one YAML document; put the next one into a file of its own'
  if (several && rest.length === 0) return { offset: several.pos[0], rule: 'yaml/several-documents', message }
  const [first] = document.errors
  return first ? { rule: 'yaml/syntax', ...syntaxMistake(first, text, document) } : null
}
