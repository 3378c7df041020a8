/** Publishes diagnostics by file, and clears those of a file that has none any more. */
import type { Diagnostic as ShownDiagnostic } from 'vscode-languageserver'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { shownDiagnostic } from './shown-diagnostics.js'

export interface PublishDeps {
  readonly root: string
  readonly textOf: (file: string) => string
  /** The files that are open: their diagnostics are sent even where nothing has changed. */
  readonly openFiles: () => readonly string[]
  readonly send: (file: string, diagnostics: readonly ShownDiagnostic[]) => void
}

export class Published {
  readonly #deps: PublishDeps
  readonly #byFile = new Map<string, readonly ShownDiagnostic[]>()

  constructor(deps: PublishDeps) {
    this.#deps = deps
  }

  /** What was sent last for this file. */
  of(file: string): readonly ShownDiagnostic[] {
    return this.#byFile.get(file) ?? []
  }

  /** Takes the diagnostics of the files `checked`, or of all files where it is null. Files that were not checked keep theirs. */
  update(diagnostics: readonly Diagnostic[], checked: readonly string[] | null): void {
    const { root, textOf, openFiles, send } = this.#deps
    const found = groupByFile(diagnostics)
    const stale = checked ?? [...this.#byFile.keys()]
    for (const file of new Set([...found.keys(), ...stale, ...(checked ?? openFiles())])) {
      const shown = (found.get(file) ?? []).map(one => shownDiagnostic(one, textOf(file), root))
      const isSame = JSON.stringify(shown) === JSON.stringify(this.of(file))
      if (isSame && !openFiles().includes(file)) continue
      if (shown.length > 0) this.#byFile.set(file, shown)
      else this.#byFile.delete(file)
      send(file, shown)
    }
  }

  /** Clears everything, as for a folder that is closed. */
  clear(): void {
    for (const file of this.#byFile.keys()) this.#deps.send(file, [])
    this.#byFile.clear()
  }
}

function groupByFile(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const byFile = new Map<string, Diagnostic[]>()
  for (const one of diagnostics) byFile.set(one.file, [...(byFile.get(one.file) ?? []), one])
  return byFile
}
