/** Publishes the diagnostics of each file in the protocol's form, and an empty list for a file whose mistakes are gone. */
import type { Diagnostic as ShownDiagnostic } from 'vscode-languageserver'
import { nearest } from '../../googlesql/index.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import type { SourceTexts } from './source-texts.js'

export type SendDiagnostics = (file: string, diagnostics: readonly ShownDiagnostic[]) => void

export class DiagnosticPublisher {
  readonly #root: string
  readonly #texts: SourceTexts
  readonly #send: SendDiagnostics
  readonly #byFile = new Map<string, readonly ShownDiagnostic[]>()

  constructor(root: string, texts: SourceTexts, send: SendDiagnostics) {
    this.#root = root
    this.#texts = texts
    this.#send = send
  }

  /** The diagnostics that were sent last for this file. */
  lastSent(file: string): readonly ShownDiagnostic[] {
    return this.#byFile.get(file) ?? []
  }

  /**
   * Takes the diagnostics of the files `checked`, or of all files if `checked` is null. Other files keep theirs. The diagnostics of open
   * files are sent even if nothing has changed.
   */
  update(diagnostics: readonly Diagnostic[], checked: readonly string[] | null): void {
    const byFile = new Map<string, Diagnostic[]>()
    for (const file of checked ?? [...this.#byFile.keys(), ...this.#texts.open.keys()]) byFile.set(file, [])
    for (const diagnostic of diagnostics)
      byFile.set(diagnostic.file, [...(byFile.get(diagnostic.file) ?? []), diagnostic])
    for (const [file, own] of byFile) {
      const text = this.#texts.find(file)?.text ?? ''
      const shown = own.map(diagnostic => shownDiagnostic(diagnostic, text, this.#root))
      const isSame = JSON.stringify(shown) === JSON.stringify(this.lastSent(file))
      if (isSame && !this.#texts.open.has(file)) continue
      if (shown.length > 0) this.#byFile.set(file, shown)
      else this.#byFile.delete(file)
      this.#send(file, shown)
    }
  }

  /** Clears everything, as for a folder that is closed. */
  clear(): void {
    for (const file of this.#byFile.keys()) this.#send(file, [])
    this.#byFile.clear()
  }
}

/** The protocol's numbers of severities. */
const SEVERITIES = { error: 1, warning: 2, hint: 4 } as const

/** A name, a number, a parameter or a name in backticks: what is underlined where a diagnostic begins. */
const WORD_AT = /`[^`\n]*`|@?[\w$][\w.$-]*|"[^"\n]*"|'[^'\n]*'/y

/** The diagnostic in the protocol's form, with the replacement as data. @param root the folder whose path is left out of messages */
function shownDiagnostic(diagnostic: Diagnostic, text: string, root: string): ShownDiagnostic {
  const lines = text.split(/\r\n|\n/)
  const line = Math.max(0, Math.min(diagnostic.line - 1, lines.length - 1))
  const lineText = lines[line] ?? ''
  const from = Math.min(diagnostic.column - 1, lineText.length)
  const suggestion = suggestionOf(diagnostic, lines)
  return {
    range: { start: { line, character: from }, end: { line, character: endOf(lineText, from) } },
    severity: SEVERITIES[diagnostic.severity],
    code: diagnostic.rule,
    source: 'sluice',
    message: diagnostic.message.replaceAll(`${root}/`, ''),
    ...(suggestion && { data: suggestion }),
  }
}

function endOf(line: string, from: number): number {
  WORD_AT.lastIndex = from
  return Math.min(line.length, WORD_AT.exec(line) ? WORD_AT.lastIndex : from + 1)
}

/** A replacement in one line; columns are 0-based and count UTF-16 units, as in the protocol. */
export type Suggestion = NonNullable<ReturnType<typeof suggestionOf>>

/** What a proposal may replace: a whole dotted name, if the proposal has a dot itself, as a table does; otherwise one part of a name. */
const WORDS = { whole: /[\w.$-]+/g, part: /[\w$-]+/g } as const

/** The replacement that a diagnostic proposes; null where it proposes none, or where the text has changed since. */
function suggestionOf({ rule, data, line, column }: Diagnostic, lines: readonly string[]) {
  const { meant, sql } = data ?? {}
  const text = lines[line - 1]
  if (meant === undefined || text === undefined) return null
  for (const { 0: word, index } of text.matchAll(meant.includes('.') ? WORDS.whole : WORDS.part)) {
    const isBefore = index + word.length < column
    const isKey = rule === 'schema/unknown-key' && index === column - 1
    if (isBefore || word === meant || (!isKey && nearest(word, [meant]) === undefined)) continue
    // SQL functions are proposed in lower case, but authors write most of them in upper case.
    const newText = sql !== undefined && word === word.toUpperCase() ? meant.toUpperCase() : meant
    return { line: line - 1, from: index, to: index + word.length, newText }
  }
  return null
}
