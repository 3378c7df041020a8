/** The call of the open endpoint: running, refused, or a result. */
import { computed, type Signal, signal } from '@preact/signals'
import { callEndpoint, isAbort } from '../api/ask.js'
import type { Arguments, Column, Endpoint, Problem } from '../api/contract.js'
import { parseExactly } from '../api/exact-json.js'
import { type Facts, factsOf } from '../api/facts.js'
import { mayHoldLongNumbers } from '../value/types.js'
import { addressOf, readAddress } from './address.js'
import { address, lastUsed } from './choice.js'
import { remember } from './history.js'
import { forgetToken, problemOf, token } from './session.js'

/** From this many bytes on, the rows are not shown: they can be downloaded. */
const MAX_SHOWN_BYTES = 20_000_000
/** How many rows are fetched at once where the endpoint has pages, unless it allows fewer. */
const PAGE_ROWS = 300

/** The format with types beside the rows and each name once. Not asked for as `format=table`, which could be an argument. */
const TABLE = 'application/vnd.sluice.table+json'

export type Row = readonly unknown[]

export interface Result {
  readonly kind: 'result'
  readonly endpoint: Endpoint
  readonly args: Arguments
  readonly facts: Facts
  readonly columns: readonly Column[]
  readonly fetched: Signal<Fetched>
}

/** The rows of a result that have been fetched: all of them, where it has no pages. */
export interface Fetched {
  /** Null where there are too many bytes to show. */
  readonly rows: readonly Row[] | null
  /** The cursor of the next page; null on the last. */
  readonly next: string | null
  readonly bytes: number
  /** Why the next page could not be fetched. */
  readonly problem: Problem | null
}

export const isFull = ({ bytes }: Fetched): boolean => bytes >= MAX_SHOWN_BYTES

export type Call =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running'
      readonly endpoint: Endpoint
      readonly args: Arguments
      readonly since: number
      readonly before: Result | null
    }
  | { readonly kind: 'refused'; readonly endpoint: Endpoint; readonly args: Arguments; readonly problem: Problem }
  | { readonly kind: 'cancelled'; readonly endpoint: Endpoint }
  | Result

export const call = signal<Call>({ kind: 'none' })

/** The server's messages about arguments, by parameter; the message of a field is removed when the field changes. */
export const mistakes = signal<Readonly<Record<string, string>>>({})

export const isRunning = computed(() => call.value.kind === 'running')

let running: AbortController | null = null
/** For the next page. */
let fetching: AbortController | null = null

/** Aborts the call, so that the server cancels its query. */
export function cancel(): void {
  running?.abort()
  fetching?.abort()
  fetching = null
}

/** Cancels and clears the call, since another endpoint has been opened. */
export function closeCall(): void {
  cancel()
  call.value = { kind: 'none' }
  mistakes.value = {}
}

/** Runs a call and keeps its address, so that it can be shared and opened again. */
export async function run(endpoint: Endpoint, args: Arguments, options: { readonly wantsFresh?: boolean } = {}) {
  const hash = addressOf(endpoint.name, args, endpoint.parameters)
  if (location.hash !== hash) history.pushState(null, '', hash)
  address.value = readAddress(hash)
  cancel()
  const controller = new AbortController()
  running = controller
  const before = call.value.kind === 'result' && call.value.endpoint.name === endpoint.name ? call.value : null
  mistakes.value = {}
  call.value = { kind: 'running', endpoint, args, since: performance.now(), before }
  const next = await outcomeOf(endpoint, args, { ...options, signal: controller.signal })
  if (running !== controller) return
  running = null
  call.value = next
  settle(next)
}

function settle(next: Call): void {
  if (next.kind === 'result') {
    remember(next)
    const used = Object.entries(next.args).map(([name, value]) => [name, typeof value === 'string' ? [value] : value])
    lastUsed.value = { ...lastUsed.value, ...Object.fromEntries(used) }
  }
  if (next.kind !== 'refused') return
  if (next.problem.status === 401) forgetToken(next.problem)
  mistakes.value = Object.fromEntries((next.problem.errors ?? []).map(({ parameter, detail }) => [parameter, detail]))
}

interface CallOptions {
  readonly wantsFresh?: boolean
  readonly signal: AbortSignal
  /** That of the page to fetch; null for the first. */
  readonly cursor?: string | null
}

async function outcomeOf(endpoint: Endpoint, args: Arguments, options: CallOptions): Promise<Call> {
  try {
    return await fetchResult(endpoint, args, options)
  } catch (thrown) {
    if (isAbort(thrown)) return { kind: 'cancelled', endpoint }
    return { kind: 'refused', endpoint, args, problem: problemOf(thrown) }
  }
}

/** Fetches the next page of the result that is shown, and adds its rows. */
export async function fetchNext(result: Result): Promise<void> {
  const before = result.fetched.peek()
  if (before.next === null || isFull(before) || fetching !== null || call.peek() !== result) return
  const controller = new AbortController()
  fetching = controller
  try {
    const { signal } = controller
    const page = await fetchResult(result.endpoint, result.args, { signal, cursor: before.next })
    const { rows, next, bytes } = page.fetched.peek()
    result.fetched.value = {
      rows: [...(before.rows ?? []), ...(rows ?? [])],
      // A page that is too large to show is still to come.
      next: rows === null ? before.next : next,
      bytes: before.bytes + bytes,
      problem: null,
    }
  } catch (thrown) {
    if (isAbort(thrown)) return
    const problem = problemOf(thrown)
    if (problem.status === 401) forgetToken(problem)
    const isGone = problem.code === 'PAGE_GONE'
    const detail = 'The data has changed since the first rows were fetched. Run the call again.'
    result.fetched.value = isGone ? { ...before, next: null, problem: { ...problem, detail } } : { ...before, problem }
  } finally {
    if (fetching === controller) fetching = null
  }
}

/** The result, or its first page. @throws as `ask` does. */
export async function fetchResult(
  endpoint: Endpoint,
  args: Arguments,
  { cursor = null, ...options }: CallOptions,
): Promise<Result> {
  const began = performance.now()
  const asked = { token: token.value ?? '', accept: TABLE, ...options }
  const { pages } = endpoint.settings as { readonly pages?: { readonly max_size: number } }
  const page = pages && { page_size: String(Math.min(pages.max_size, PAGE_ROWS)), ...(cursor !== null && { cursor }) }
  const response = await callEndpoint(endpoint.name, { ...args, ...page }, asked)
  const body = await response.arrayBuffer()
  const elapsedMs = performance.now() - began
  const facts = factsOf(response.headers, { bodyBytes: body.byteLength, elapsedMs, at: Date.now() })
  const shown = { kind: 'result', endpoint, args, facts } as const
  const fetched = { bytes: body.byteLength, problem: null }
  if (isFull({ ...fetched, rows: null, next: null })) {
    return { ...shown, columns: endpoint.columns, fetched: signal({ ...fetched, rows: null, next: null }) }
  }
  const isLong = endpoint.columns.some(mayHoldLongNumbers)
  const { columns, rows, next } = parseExactly(new TextDecoder().decode(body), isLong) as {
    readonly columns: readonly Column[]
    readonly rows: readonly Row[]
    readonly next: string | null
  }
  const described = columns.map(column => withContract(column, endpoint))
  return { ...shown, columns: described, fetched: signal<Fetched>({ ...fetched, rows, next }) }
}

/** A column of the result with what the contract says about it. */
function withContract(column: Column, { columns }: Endpoint): Column {
  return { ...columns.find(({ name }) => name === column.name), ...column }
}
