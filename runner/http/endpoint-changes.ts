/** What reloads change, endpoint by endpoint, for pages that show an author the effect of an edit (`serve --dev`). */
import type { Loaded } from '../manifest/load.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import type { EndpointChange } from '../model/published-endpoint.js'
import type { EndpointIndex } from '../request/route.js'

/** What a reload has read; `loaded` is null where it did not get as far as the manifests. */
export interface ReadOutcome {
  readonly loaded: Loaded | null
  readonly diagnostics: readonly Diagnostic[]
  /** What is served now. */
  readonly served: EndpointIndex
}

/** The key of mistakes that belong to no manifest. */
const NO_FILE = ''

export class EndpointChanges {
  /** The endpoints of the last load, by their files. */
  #states = new Map<string, EndpointChange>()
  readonly #listeners = new Set<(change: EndpointChange) => void>()

  /** Takes the outcome of a load or reload, and tells listeners what it changed. */
  update(outcome: ReadOutcome): void {
    const old = this.#states
    this.#states = statesOf(outcome, old)
    const changed = [...this.#states]
      .filter(([file, change]) => JSON.stringify(old.get(file)) !== JSON.stringify(change))
      .map(([, change]) => change)
    const gone = [...old]
      .filter(([file]) => !this.#states.has(file))
      .map(([, change]) => ({ ...change, revision: null, diagnostics: [] }))
    // A manifest that was moved to another file is reported as it is now.
    const reported = new Set(changed.map(({ id }) => id))
    for (const change of [...gone.filter(({ id }) => id === null || !reported.has(id)), ...changed]) {
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

/** Each endpoint by its file. */
function statesOf({ loaded, diagnostics, served }: ReadOutcome, old: ReadonlyMap<string, EndpointChange>) {
  if (loaded === null) return withRest(new Map(old), diagnostics)
  const states = new Map<string, EndpointChange>()
  const revisionOf = (id: string | null): string | null => (id === null ? null : (served.find(id)?.revision ?? null))
  const sound = loaded.details.map(({ file, endpoint: { name, id } }) => {
    return { file, name, id, diagnostics: diagnostics.filter(diagnostic => diagnostic.file === file) }
  })
  for (const { file, name, id, diagnostics: own } of [...sound, ...loaded.broken]) {
    states.set(file, { file, name, id, revision: revisionOf(id), diagnostics: own })
  }
  const reported = new Set([...states.values()].flatMap(state => state.diagnostics))
  const rest = diagnostics.filter(diagnostic => !reported.has(diagnostic))
  return withRest(states, rest)
}

function withRest(states: Map<string, EndpointChange>, rest: readonly Diagnostic[]): Map<string, EndpointChange> {
  const diagnostics = [...rest].sort(compareDiagnostics)
  if (diagnostics.length > 0) states.set(NO_FILE, { file: null, name: null, id: null, revision: null, diagnostics })
  else states.delete(NO_FILE)
  return states
}
