/** Finds ids and names that two manifests share. The diagnostic in the second manifest gives the place of the first. */
import type { Diagnostic } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'
import type { FilePlace, ManifestSource } from '../source.js'

/** An id or a name of a manifest, and its place. */
export interface Claim {
  readonly member: 'id' | 'name'
  readonly text: string
  /** Called only when the place is printed. */
  readonly place: () => FilePlace
}

/** The id and name of a manifest. `value` may be anything: a manifest with other mistakes still claims its name. */
export function claimsOf(value: unknown, source: ManifestSource): readonly Claim[] {
  if (value === null || typeof value !== 'object') return []
  return (['id', 'name'] as const).flatMap(member => {
    const text = (value as Record<string, unknown>)[member]
    return typeof text === 'string' ? [{ member, text, place: () => source.valueAt([member]) }] : []
  })
}

/** Collects the ids and names of the manifests of one load, in the order of their files. */
export class DuplicateFinder {
  readonly #firstAt = new Map<string, () => FilePlace>()

  /** A diagnostic for each claim that an earlier manifest has already made. */
  check(claims: readonly Claim[]): readonly Diagnostic[] {
    const diagnostics: Diagnostic[] = []
    for (const { member, text, place } of claims) {
      const key = `${member} ${text.toLowerCase()}`
      const first = this.#firstAt.get(key)
      if (first === undefined) {
        this.#firstAt.set(key, place)
        continue
      }
      const at = first()
      const message = `the ${member} "${text}" is taken by ${at.file}:${at.line}; give this manifest its own`
      diagnostics.push(diagnosticAt(place(), `manifest/duplicate-${member}`, message))
    }
    return diagnostics
  }
}
