/** Ids and names are unique among all manifests; the second one is told where the first stands. */
import type { Diagnostic } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'
import type { FilePlace, ManifestSource } from '../source.js'

/** An id or a name that a manifest takes, and where. */
export interface Claim {
  readonly member: 'id' | 'name'
  readonly text: string
  /** Worked out only when it is told. */
  readonly place: () => FilePlace
}

/** What a manifest takes. `value` may be anything: a manifest with other mistakes still takes its name. */
export function claimsOf(value: unknown, source: ManifestSource): readonly Claim[] {
  if (value === null || typeof value !== 'object') return []
  return (['id', 'name'] as const).flatMap(member => {
    const text = (value as Record<string, unknown>)[member]
    return typeof text === 'string' ? [{ member, text, place: () => source.valueAt([member]) }] : []
  })
}

/** Remembers the ids and names of the manifests of one load, in the order of their files. */
export class DuplicateFinder {
  readonly #firstAt = new Map<string, () => FilePlace>()

  /** What of this is taken already. */
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
