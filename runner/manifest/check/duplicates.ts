/** Finds ids and names that two manifests share, and names that are nearly the same. The diagnostic in the second manifest gives the place of the first. */
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
  readonly #first = new Map<string, Claim>()

  /** A diagnostic for each claim that an earlier manifest has already made. */
  check(claims: readonly Claim[]): readonly Diagnostic[] {
    return claims.flatMap(claim => {
      const { member, text, place } = claim
      const first = this.#claim(`${member} ${text.toLowerCase()}`, claim)
      if (first !== null) {
        const at = first.place()
        const message = `the ${member} "${text}" is taken by ${at.file}:${at.line}; give this manifest its own`
        return [diagnosticAt(place(), `manifest/duplicate-${member}`, message)]
      }
      return member === 'name' ? this.#similar(claim) : []
    })
  }

  /** A warning for a name that generators of clients write as they write that of an earlier manifest. */
  #similar(claim: Claim): readonly Diagnostic[] {
    const { text, place } = claim
    const first = this.#claim(`similar ${text.toLowerCase().replaceAll('.', '-')}`, claim)
    if (first === null) return []
    const at = first.place()
    const message =
      `the name "${text}" differs from that of ${at.file}:${at.line}, "${first.text}", in - and . alone, ` +
      'so generated clients may give both the same name; take another name'
    return [diagnosticAt(place(), 'manifest/similar-name', message, 'warning')]
  }

  /** The first claim of this key; null where this one is. */
  #claim(key: string, claim: Claim): Claim | null {
    const first = this.#first.get(key)
    if (first === undefined) this.#first.set(key, claim)
    return first ?? null
  }
}
