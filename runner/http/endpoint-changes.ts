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

export interface EndpointChanges {
  /** Takes the outcome of a load or reload, and tells listeners what it changed. */
  update(outcome: ReadOutcome): void
  /** Calls `listener` with each later change; returns a function that ends this. */
  subscribe(listener: (change: EndpointChange) => void): () => void
  /** Endpoints with diagnostics. */
  current(): readonly EndpointChange[]
}

/** The key of mistakes that belong to no manifest. */
const NO_FILE = ''

/** Nothing is known yet. */
export function createEndpointChanges(): EndpointChanges {
  let before = new Map<string, EndpointChange>()
  const listeners = new Set<(change: EndpointChange) => void>()
  return {
    update(outcome) {
      const now = statesOf(outcome, before)
      const isOther = (file: string, change: EndpointChange): boolean =>
        JSON.stringify(before.get(file)) !== JSON.stringify(change)
      const changed = [...now].filter(([file, change]) => isOther(file, change)).map(([, change]) => change)
      const gone = [...before].filter(([file]) => !now.has(file)).map(([, change]) => withoutRevision(change))
      // A manifest that was moved to another file is reported as it is now.
      const reported = new Set(changed.map(({ id }) => id))
      before = now
      for (const change of [...gone.filter(({ id }) => id === null || !reported.has(id)), ...changed]) {
        for (const listener of listeners) listener(change)
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    current: () => [...before.values()].filter(({ diagnostics }) => diagnostics.length > 0),
  }
}

const withoutRevision = ({ file, name, id }: EndpointChange): EndpointChange => ({
  file,
  name,
  id,
  revision: null,
  diagnostics: [],
})

/** Each endpoint by its file. */
function statesOf(
  { loaded, diagnostics, served }: ReadOutcome,
  before: ReadonlyMap<string, EndpointChange>,
): Map<string, EndpointChange> {
  if (loaded === null) return withRest(new Map(before), diagnostics)
  const states = new Map<string, EndpointChange>()
  const revisionOf = (id: string | null): string | null => (id === null ? null : (served.find(id)?.revision ?? null))
  for (const { file, endpoint } of loaded.details) {
    const { name, id } = endpoint
    states.set(file, {
      file,
      name,
      id,
      revision: revisionOf(id),
      diagnostics: diagnostics.filter(one => one.file === file),
    })
  }
  for (const { file, name, id, diagnostics: own } of loaded.broken) {
    states.set(file, { file, name, id, revision: revisionOf(id), diagnostics: own })
  }
  const reported = new Set([...states.values()].flatMap(state => state.diagnostics))
  return withRest(
    states,
    diagnostics.filter(one => !reported.has(one)),
  )
}

function withRest(states: Map<string, EndpointChange>, rest: readonly Diagnostic[]): Map<string, EndpointChange> {
  const diagnostics = [...rest].sort(compareDiagnostics)
  if (diagnostics.length > 0) states.set(NO_FILE, { file: null, name: null, id: null, revision: null, diagnostics })
  else states.delete(NO_FILE)
  return states
}
