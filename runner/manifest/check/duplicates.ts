/**
 * Finds ids and names that manifests share, each with a diagnostic in every one of these manifests, and names that are nearly
 * the same, with a warning in the later manifest.
 */
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
  /** The first name of each spelling; `-` and `.` count as the same character. */
  readonly #similar = new Map<string, Claim>()
  readonly #nearlySame: (readonly [name: Claim, first: Claim])[] = []

  add(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const text = claim.text.toLowerCase()
      const key = `${claim.member} ${text}`
      const earlier = this.#claims.get(key)
      this.#claims.set(key, earlier === undefined ? claim : [earlier, claim].flat())
      if (claim.member === 'name') this.#compare(claim, text)
    }
  }

  #compare(name: Claim, text: string): void {
    const key = text.replaceAll('.', '-')
    const first = this.#similar.get(key)
    if (first === undefined) this.#similar.set(key, name)
    else if (first.text.toLowerCase() !== text) this.#nearlySame.push([name, first])
  }

  /** An error in each manifest whose id or name another manifest has too, and warnings about names nearly the same. */
  diagnostics(): readonly Diagnostic[] {
    const shared = [...this.#claims.values()].flatMap(claims => (Array.isArray(claims) ? blameAll(claims) : []))
    return [...shared, ...this.#nearlySame.map(([name, first]) => similarName(name, first))]
  }
}

function blameAll(claims: readonly Claim[]): readonly Diagnostic[] {
  const places = claims.map(({ place }) => place())
  return claims.map(({ member, text }, i) => {
    const otherPlace = places[i === 0 ? 1 : 0]!
    const message = `the ${member} "${text}" is also used at ${otherPlace.file}:${otherPlace.line}; give one of the two another`
    return diagnosticAt(places[i]!, `manifest/duplicate-${member}`, message)
  })
}

/** Generators of clients write both names alike. */
function similarName({ text, place }: Claim, first: Claim): Diagnostic {
  const firstPlace = first.place()
  const message =
    `the name "${text}" differs from that of ${firstPlace.file}:${firstPlace.line}, "${first.text}", only in "-" and ".", ` +
    'so generated clients may give both the same name; choose another name'
  return diagnosticAt(place(), 'manifest/similar-name', message, { severity: 'warning' })
}
