/** The call of the open endpoint: running, refused, or a result. */
import { computed, signal } from '@preact/signals'
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

/** The format with types beside the rows and each name once. Not asked for as `format=table`, which could be an argument. */
const TABLE = 'application/vnd.sluice.table+json'

export type Row = readonly unknown[]

export interface Result {
  readonly kind: 'result'
  readonly endpoint: Endpoint
  readonly args: Arguments
  readonly facts: Facts
  readonly columns: readonly Column[]
  /** Null where there are too many bytes to show. */
  readonly rows: readonly Row[] | null
}

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

/** Aborts the call, so that the server cancels its query. */
export function cancel(): void {
  running?.abort()
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
}

async function outcomeOf(endpoint: Endpoint, args: Arguments, options: CallOptions): Promise<Call> {
  try {
    return await fetchResult(endpoint, args, options)
  } catch (thrown) {
    if (isAbort(thrown)) return { kind: 'cancelled', endpoint }
    return { kind: 'refused', endpoint, args, problem: problemOf(thrown) }
  }
}

/** @throws as `ask` does. */
export async function fetchResult(endpoint: Endpoint, args: Arguments, options: CallOptions): Promise<Result> {
  const began = performance.now()
  const asked = { token: token.value ?? '', accept: TABLE, ...options }
  const response = await callEndpoint(endpoint.name, args, asked)
  const body = await response.arrayBuffer()
  const elapsedMs = performance.now() - began
  const facts = factsOf(response.headers, { bodyBytes: body.byteLength, elapsedMs, at: Date.now() })
  const shown = { kind: 'result', endpoint, args, facts } as const
  if (body.byteLength >= MAX_SHOWN_BYTES) return { ...shown, columns: endpoint.columns, rows: null }
  const isLong = endpoint.columns.some(mayHoldLongNumbers)
  const { columns, rows } = parseExactly(new TextDecoder().decode(body), isLong) as {
    readonly columns: readonly Column[]
    readonly rows: readonly Row[]
  }
  return { ...shown, columns: columns.map(column => withContract(column, endpoint)), rows }
}

/** A column of the result with what the contract says about it. */
function withContract(column: Column, { columns }: Endpoint): Column {
  return { ...columns.find(({ name }) => name === column.name), ...column }
}
