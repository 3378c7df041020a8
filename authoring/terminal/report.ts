/** Diagnostics as text for people, JSON for tools, and annotations for GitHub's checks. */
import { readFileSync } from 'node:fs'
import { type Diagnostic, diagnosticLine, isAboutWholeFile, plainDiagnostic } from '../../runner/model/diagnostic.js'
import type { Io } from './io.js'

export type ReportFormat = 'text' | 'json' | 'github'

/** Prints diagnostics: JSON and annotations to standard output, where tools read them, and text to standard error. */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: ReportFormat,
  io: Io,
  /** Further entries after the diagnostics in JSON. */
  more: readonly object[] = [],
): void {
  if (format === 'json') {
    io.print(`${JSON.stringify([...diagnostics.map(plainDiagnostic), ...more], null, 2)}\n`)
    return
  }
  for (const d of diagnostics) {
    if (format === 'github') io.print(`${annotation(d)}\n`)
    else io.printError(`${diagnosticLine(d)}\n${io.isTerminal ? frame(d) : ''}`)
  }
}

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
export function annotation(
  d: Omit<Diagnostic, 'severity' | 'rule'> & { readonly severity: string; readonly rule: string },
): string {
  const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const place = `file=${property(d.file)},line=${d.line},col=${d.column},title=${property(d.rule)}`
  return `::${d.severity === 'hint' ? 'notice' : d.severity} ${place}::${data(d.message)}`
}

/** The source line with a caret under the column; '' for a diagnostic about a whole file, and when the file can no longer be read. */
function frame(d: Diagnostic): string {
  if (isAboutWholeFile(d)) return ''
  try {
    const line = readFileSync(d.file, 'utf8').split(/\r\n|\n|\r/)[d.line - 1]
    if (line === undefined) return ''
    const number = String(d.line)
    const shown = line.length > 160 ? `${line.slice(0, 160)}…` : line
    const indent = shown.slice(0, d.column - 1).replace(/[^\t]/g, ' ')
    return `  ${number} | ${shown}\n  ${' '.repeat(number.length)} | ${indent}^\n`
  } catch {
    return ''
  }
}
