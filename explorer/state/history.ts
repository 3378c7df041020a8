/** Earlier calls of this tab: what was asked, and how it went. */
import { signal } from '@preact/signals'
import type { Arguments, Endpoint } from '../api/contract.js'
import type { Facts } from '../api/facts.js'

const KEY = 'sluice.history'
const MOST = 50

export interface PastCall {
  readonly endpoint: string
  readonly args: Arguments
  readonly at: number
  readonly rowCount: number
  readonly outcome: Facts['outcome']
  readonly elapsedMs: number
}

/** The newest first. */
export const pastCalls = signal<readonly PastCall[]>(readStored())

export function remember({ endpoint, args, facts }: { endpoint: Endpoint; args: Arguments; facts: Facts }): void {
  const { at, rowCount, outcome, elapsedMs } = facts
  pastCalls.value = [{ endpoint: endpoint.name, args, at, rowCount, outcome, elapsedMs }, ...pastCalls.value].slice(
    0,
    MOST,
  )
  try {
    sessionStorage.setItem(KEY, JSON.stringify(pastCalls.value))
  } catch {
    // The storage is full or switched off: a reload then loses them.
  }
}

export function forgetCalls(): void {
  pastCalls.value = []
  sessionStorage.removeItem(KEY)
}

function readStored(): readonly PastCall[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as readonly PastCall[]
  } catch {
    return []
  }
}
