/** What reloads change, endpoint by endpoint, for pages that show an author the effect of an edit (`serve --dev`). */
import type { Loaded } from '../manifest/load.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import type { EndpointChange } from '../model/published-endpoint.js'
import type { EndpointIndex } from '../request/route.js'

/** The outcome of a reload; `loaded` is null where the reload failed before it read the manifests. */
export interface ReadOutcome {
  readonly loaded: Loaded | null
  readonly diagnostics: readonly Diagnostic[]
  /** What is served now. */
  readonly served: EndpointIndex
}

type States = ReadonlyMap<string, EndpointChange>

export class EndpointChanges {
  /** The endpoints that the last load read or that are served, by file and id: the id in a file may differ from the id that is served. */
  #states: States = new Map()
  readonly #listeners = new Set<(change: EndpointChange) => void>()

  /** Takes the outcome of a load or reload, and tells listeners what it changed. */
  update(outcome: ReadOutcome): void {
    const old = this.#states
    const readStates = byKey(statesOf(outcome, old))
    const unreadStates = byKey(unreadOf(old, readStates, outcome.served))
    this.#states = new Map([...[...unreadStates].filter(([, { revision }]) => revision !== null), ...readStates])
    for (const [key, change] of [...unreadStates, ...readStates]) {
      if (JSON.stringify(old.get(key)) === JSON.stringify(change)) continue
      for (const listener of this.#listeners) listener(change)
    }
  }

  /** Calls `listener` with each later change; returns a function that ends this. */
  subscribe(listener: (change: EndpointChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Endpoints with diagnostics. */
  current(): readonly EndpointChange[] {
    return [...this.#states.values()].filter(({ diagnostics }) => diagnostics.length > 0)
  }
}

const byKey = (changes: readonly EndpointChange[]): States =>
  new Map(changes.map(change => [`${change.file} ${change.id}`, change]))

const revisionOf = (id: string | null, served: EndpointIndex): string | null =>
  id === null ? null : (served.find(id)?.revision ?? null)

/** The endpoints of the manifests that were read, and the mistakes that belong to no manifest. */
function statesOf({ loaded, diagnostics, served }: ReadOutcome, old: States): readonly EndpointChange[] {
  if (loaded === null)
    return withRest(
      [...old.values()].filter(({ file }) => file !== null),
      diagnostics,
    )
  const sound = loaded.loadedEndpoints.map(({ file, endpoint: { name, id } }) => {
    return { file, name, id, diagnostics: diagnostics.filter(diagnostic => diagnostic.file === file) }
  })
  const ids = new Set([...sound, ...loaded.broken].map(({ id }) => id))
  const states = [...sound, ...loaded.broken].map(({ file, name, id, diagnostics: own }) => {
    const isServedFromFile = (change: EndpointChange): boolean =>
      change.file === file && !ids.has(change.id) && revisionOf(change.id, served) !== null
    // A file whose id cannot be read stands for the endpoint that is served from it.
    const earlier = id === null ? [...old.values()].find(isServedFromFile) : undefined
    const shown = { file, name: name ?? earlier?.name ?? null, id: id ?? earlier?.id ?? null }
    return { ...shown, revision: revisionOf(shown.id, served), diagnostics: own }
  })
  const reported = new Set(states.flatMap(state => state.diagnostics))
  return withRest(
    states,
    diagnostics.filter(diagnostic => !reported.has(diagnostic)),
  )
}

/** The endpoints of the load before that this load has not read. If one is no longer served, its revision is null. */
function unreadOf(old: States, readStates: States, served: EndpointIndex): readonly EndpointChange[] {
  const ids = new Set([...readStates.values()].map(({ id }) => id))
  const files = new Set([...readStates.values()].map(({ file }) => file))
  return [...old.values()]
    .filter(({ id, file }) => (id === null ? !files.has(file) : !ids.has(id)))
    .map(change => ({ ...change, revision: revisionOf(change.id, served), diagnostics: [] }))
}

function withRest(states: readonly EndpointChange[], rest: readonly Diagnostic[]): readonly EndpointChange[] {
  const diagnostics = [...rest].sort(compareDiagnostics)
  return diagnostics.length === 0
    ? states
    : [...states, { file: null, name: null, id: null, revision: null, diagnostics }]
}
