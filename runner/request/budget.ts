/** Daily budgets of tokens in billed bytes: checked before each query, counted after it. */
import { RunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Caller, Clock, CounterStore } from '../model/ports.js'

/**
 * The caller that is charged: the one whose call starts the query; null for background refreshes, which are charged to no
 * token.
 */
export type Payer = Pick<Caller, 'token' | 'bytesPerDay'> | null

/** The most bytes that one query may be billed for; null for no limit. */
export interface Allowance {
  readonly maxBytesBilled: number | null
  /** Whether the limit comes from the rest of the payer's budget. */
  readonly isBudget: boolean
}

export interface Budgets {
  /**
   * The allowance of a query; `maxBytesBilled` is the endpoint's own limit. Concurrent queries are each allowed all that is
   * left.
   * @throws RunnerError BUDGET_EXCEEDED when nothing is left.
   */
  allow(payer: Payer, maxBytesBilled: number | null): Promise<Allowance>
  spend(payer: Payer, bytesBilled: number): Promise<void>
  /** The error for a query that would be billed for more than the rest of the budget. */
  exceeded(cause: unknown): RunnerError
}

export interface BudgetDeps {
  readonly counters: CounterStore
  readonly clock: Clock
  readonly observe: Observer
  /** The limit where the endpoint has none; null for no limit. */
  readonly maxBytesBilled: number | null
}

const DAY_MS = 86_400_000
/** How long a counter is kept: its day and an hour, since the clocks of replicas may differ. */
const KEEP_MS = DAY_MS + 3_600_000

/** Budgets per UTC day. While the counters cannot be reached, the last values known to this process apply. */
export function createBudgets({ counters, clock, observe, maxBytesBilled: fallback }: BudgetDeps): Budgets {
  /** The last known value of each counter, plus the amounts that this process has added since. */
  const known = new Map<string, number>()
  let knownDay = ''

  async function add(token: string, bytes: number): Promise<number> {
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10)
    if (day !== knownDay) known.clear()
    knownDay = day
    const key = `bytes-billed:${day}:${token}`
    let total = (known.get(key) ?? 0) + bytes
    try {
      // A lower count is one that Redis has lost, or that another program has changed.
      total = Math.max(total, await counters.add(key, bytes, KEEP_MS))
    } catch (cause) {
      observe({ kind: 'store.failed', operation: 'count', cause })
    }
    if (day === knownDay) known.set(key, total)
    return total
  }

  function exceeded(cause?: unknown): RunnerError {
    const untilMidnightMs = DAY_MS - (clock.nowMs() % DAY_MS)
    return new RunnerError('BUDGET_EXCEEDED', {
      detail: "The token's queries would be billed for more than it may cost today (UTC).",
      headers: { 'Retry-After': String(Math.ceil(untilMidnightMs / 1000)) },
      cause,
    })
  }

  return {
    exceeded,
    async allow(payer, ownLimit) {
      const limit = ownLimit ?? fallback
      const budget = payer?.bytesPerDay ?? null
      if (payer === null || budget === null) return { maxBytesBilled: limit, isBudget: false }
      const left = budget - (await add(payer.token, 0))
      if (left <= 0) throw exceeded()
      const isBudget = limit === null || left < limit
      return { maxBytesBilled: isBudget ? left : limit, isBudget }
    },
    async spend(payer, bytesBilled) {
      if (payer !== null && payer.bytesPerDay !== null && bytesBilled > 0) await add(payer.token, bytesBilled)
    },
  }
}
