/** Quick fixes: the word that a diagnostic proposes, put in the place of the wrong one. */
import type { CodeAction, Diagnostic, Range } from 'vscode-languageserver'
import type { Suggestion } from '../diagnostic-publisher.js'

export function codeActions(uri: string, range: Range, diagnostics: readonly Diagnostic[]): readonly CodeAction[] {
  return diagnostics
    .filter(diagnostic => overlaps(diagnostic.range, range))
    .flatMap(diagnostic => {
      const suggestion = diagnostic.data as Suggestion | undefined
      if (suggestion === undefined) return []
      const { line, from, to, newText } = suggestion
      const wordRange = { start: { line, character: from }, end: { line, character: to } }
      return [
        {
          title: `Change to ${newText}`,
          kind: 'quickfix',
          diagnostics: [diagnostic],
          isPreferred: true,
          edit: { changes: { [uri]: [{ range: wordRange, newText }] } },
        },
      ]
    })
}

/** Whether two ranges of lines meet: editors ask for the whole line or for the cursor alone. */
const overlaps = (a: Range, b: Range): boolean => a.start.line <= b.end.line && b.start.line <= a.end.line
