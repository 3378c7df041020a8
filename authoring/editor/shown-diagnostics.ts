/** Diagnostics as the protocol has them: with a range, a severity, the link to the rule, and the replacement as data. */
import type { Diagnostic as ShownDiagnostic } from 'vscode-languageserver'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { suggestionOf } from './suggestion.js'

/** The protocol's numbers of severities. */
const SEVERITIES = { error: 1, warning: 2, hint: 4 } as const

/** A name, a number, a parameter or a name in backticks: what is underlined where a diagnostic begins. */
const WORD_AT = /`[^`\n]*`|@?[\w$][\w.$-]*|"[^"\n]*"|'[^'\n]*'/y

/** @param root the folder whose path is left out of messages */
export function shownDiagnostic(diagnostic: Diagnostic, text: string, root: string): ShownDiagnostic {
  const lines = text.split(/\r\n|\n/)
  const line = Math.max(0, Math.min(diagnostic.line - 1, lines.length - 1))
  const found = lines[line] ?? ''
  const from = Math.min(diagnostic.column - 1, found.length)
  const suggestion = suggestionOf(diagnostic, lines)
  return {
    range: { start: { line, character: from }, end: { line, character: endOf(found, from) } },
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
