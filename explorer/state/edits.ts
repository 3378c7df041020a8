/** What an author edits while the page is open (`serve --dev`): mistakes, and the open endpoint as it is now. */
import { batch, computed, effect, signal } from '@preact/signals'
import { isAbort } from '../api/ask.js'
import { readChanges } from '../api/changes.js'
import type { Endpoint, EndpointChange } from '../api/contract.js'
import { address, argumentsOfFields, endpoint, fieldTexts, fillFields } from './choice.js'
import { hasErrors, withChanges } from './flawed.js'
import { forgetPublished } from './published.js'
import { canRunAgain, runAgain } from './rerun.js'
import { endpoints, fetchEndpoints, forgetToken, problemOf, token, tokenFacts } from './session.js'

/** The pause between two attempts to connect, in milliseconds. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/** `off` without `serve --dev`. */
export const following = signal<'off' | 'on' | 'interrupted'>('off')

/** Endpoints and other files with mistakes or warnings. */
export const flawed = signal<readonly EndpointChange[]>([])

/** What the newest edit of an endpoint did here. `failed`: its new description could not be fetched. */
export interface Edit {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly outcome: 'shown' | 'run-again' | 'may-run-again' | 'failed'
}

export const edit = signal<Edit | null>(null)

/** What an address calls an endpoint whose manifest cannot be read. */
export const refOf = ({ name, file, diagnostics }: EndpointChange): string => name ?? file ?? diagnostics[0]?.file ?? ''

export const changeAt = (ref: string): EndpointChange | undefined =>
  flawed.value.find(change => refOf(change) === ref || (change.id !== null && change.id === ref))

/** The revisions that are known, by id. */
const revisions = new Map<string, string | null>()

const followed = computed(() => (tokenFacts.value?.dev === true ? token.value : null))

/** Follows edits while there is a token; does nothing where the server does not report edits. */
export function followEdits(): void {
  effect(() => {
    const id = endpoint.value?.id
    if (edit.peek()?.id !== id) edit.value = null
  })
  effect(() => {
    const of = followed.value
    if (of === null) return
    const controller = new AbortController()
    void follow(of, controller.signal)
    return () => {
      controller.abort()
      stop()
    }
  })
}

function stop(): void {
  revisions.clear()
  batch(() => {
    following.value = 'off'
    flawed.value = []
    edit.value = null
  })
}

async function follow(of: string, aborted: AbortSignal): Promise<void> {
  let failures = 0
  while (!aborted.aborted) {
    let isFirst = true
    const take = (changes: readonly EndpointChange[]): void => {
      if (isFirst) {
        failures = 0
        begin()
        // The stream does not report edits that were made before it began.
        void refresh(null, aborted)
      }
      apply(changes, aborted, isFirst)
      isFirst = false
    }
    try {
      await readChanges({ token: of, signal: aborted, take })
    } catch (thrown) {
      if (isAbort(thrown)) return
      const problem = problemOf(thrown)
      if (problem.status === 401) return forgetToken(problem)
      if (problem.status === 404) return stop()
    }
    if (aborted.aborted) return
    following.value = 'interrupted'
    await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures), aborted)
    failures += 1
  }
}

/** A stream begins with all endpoints and files that have mistakes or warnings. */
function begin(): void {
  following.value = 'on'
  flawed.value = []
}

function pause(ms: number, aborted: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    aborted.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * @param isState whether these are all flaws at the beginning of the stream. An endpoint that the page did not know before was
 * then not saved just now.
 */
function apply(changes: readonly EndpointChange[], aborted: AbortSignal, isState: boolean): void {
  if (changes.length === 0) return
  const opened = changeAt(address.peek().ref)
  flawed.value = withChanges(flawed.peek(), changes)
  const renamed = changes.findLast(
    ({ file, name, diagnostics }) =>
      file !== null && file === opened?.file && (name !== null || diagnostics.length > 0),
  )
  const changed = new Set<string>()
  for (const change of changes) {
    const { id, revision } = change
    if (id === null) continue
    // While there are mistakes, the server serves the state before them.
    const isOther = revisions.get(id) !== revision && (revisions.has(id) || !isState)
    if (revision !== null && !hasErrors(change) && isOther) changed.add(id)
    revisions.set(id, revision)
  }
  if (renamed && refOf(renamed) !== address.peek().ref && address.peek().ref !== renamed.id) moveTo(refOf(renamed))
  void refresh(changed, aborted)
}

let refreshed: Promise<void> = Promise.resolve()

/** One after the other, so that an older list never replaces a newer one. */
function refresh(changed: ReadonlySet<string> | null, aborted: AbortSignal): Promise<void> {
  refreshed = refreshed.then(() => refreshNow(changed, aborted))
  return refreshed
}

/** @param changed the ids of what has another revision; null where that is not known. */
async function refreshNow(changed: ReadonlySet<string> | null, aborted: AbortSignal): Promise<void> {
  if (aborted.aborted) return
  try {
    const list = await fetchEndpoints(token.peek() ?? '')
    if (!aborted.aborted) batch(() => show(list, changed))
  } catch (thrown) {
    const problem = problemOf(thrown)
    if (aborted.aborted) return
    if (problem.status === 401) return forgetToken(problem)
    const id = endpoint.peek()?.id
    if (id !== undefined && changed?.has(id)) edit.value = { id, at: Date.now(), outcome: 'failed' }
  }
}

/** What did not change stays the same object, so that nothing of it is drawn or fetched again. */
function show(list: readonly Endpoint[], changed: ReadonlySet<string> | null): void {
  const opened = endpoint.peek()
  const fields = fieldTexts.peek()
  const before = new Map(endpoints.peek()?.map(endpoint => [endpoint.id, endpoint]))
  forgetPublished()
  endpoints.value = list.map(endpoint =>
    changed?.has(endpoint.id) === false ? (before.get(endpoint.id) ?? endpoint) : endpoint,
  )
  const now = opened && list.find(({ id }) => id === opened.id)
  if (!now) return
  if (now.name !== opened.name) {
    if (address.peek().ref === opened.name) moveTo(now.name)
    fillFields(now, argumentsOfFields(opened, fields))
  }
  if (changed?.has(now.id)) edit.value = { id: now.id, at: Date.now(), outcome: callAgain(now) }
}

/** Runs the last call again on DuckDB; a query on BigQuery costs money, so there the reader decides. */
function callAgain(now: Endpoint): Edit['outcome'] {
  if (!canRunAgain(now)) return 'shown'
  if (tokenFacts.peek()?.engine !== 'duckdb') return 'may-run-again'
  runAgain(now)
  return 'run-again'
}

/** The open endpoint has another name. */
function moveTo(ref: string): void {
  history.replaceState(null, '', location.hash.replace(/^#?\/?[^?]*/, `#/${encodeURIComponent(ref)}`))
  address.value = { ...address.peek(), ref }
}
