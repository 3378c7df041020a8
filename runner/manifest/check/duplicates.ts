/** Finds ids and names that manifests share. Each of the manifests gets a diagnostic, which gives the place of another. */
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
  readonly #claims = new Map<string, Claim | readonly Claim[]>()

  add(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const key = `${claim.member} ${claim.text.toLowerCase()}`
      const before = this.#claims.get(key)
      this.#claims.set(key, before === undefined ? claim : [before, claim].flat())
    }
  }

  /** A diagnostic in each manifest whose id or name another manifest has too. */
  diagnostics(): readonly Diagnostic[] {
    return [...this.#claims.values()].flatMap(claims => (Array.isArray(claims) ? blameAll(claims) : []))
  }
}

function blameAll(claims: readonly Claim[]): readonly Diagnostic[] {
  const places = claims.map(({ place }) => place())
  return claims.map(({ member, text }, i) => {
    const other = places[i === 0 ? 1 : 0]!
    const message = `the ${member} "${text}" is also that of ${other.file}:${other.line}; give one of them another`
    return diagnosticAt(places[i]!, `manifest/duplicate-${member}`, message)
  })
}
