/** Ids and names are unique among all manifests; the second one is told where the first stands. */
import type { Diagnostic } from '../model/diagnostic.js'
import { diagnosticAt } from './report.js'
import type { FilePlace, ManifestSource } from './source.js'

/** Remembers the ids and names of the manifests of one load, in the order of their files. */
export class DuplicateFinder {
  readonly #firstAt = new Map<string, FilePlace>()

  /** What this manifest repeats. `value` may be anything: a manifest with other mistakes still takes its name. */
  check(value: unknown, source: ManifestSource): readonly Diagnostic[] {
    if (value === null || typeof value !== 'object') return []
    const diagnostics: Diagnostic[] = []
    for (const member of ['id', 'name'] as const) {
      const text = (value as Record<string, unknown>)[member]
      if (typeof text !== 'string') continue
      const key = `${member} ${text.toLowerCase()}`
      const first = this.#firstAt.get(key)
      const place = source.valueAt([member])
      if (first === undefined) this.#firstAt.set(key, place)
      else
        diagnostics.push(
          diagnosticAt(
            place,
            `manifest/duplicate-${member}`,
            `the ${member} "${text}" is taken by ${first.file}:${first.line}; give this manifest its own`,
          ),
        )
    }
    return diagnostics
  }
}
