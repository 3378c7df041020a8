/** What a token's queries may be billed for in a day: asked before each of them, counted after it. */
import { RunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Caller, Clock, CounterStore } from '../model/ports.js'

/** Who pays: the caller whose call starts the query; null for background refreshes, which nobody does. */
export type Payer = Pick<Caller, 'token' | 'bytesPerDay'> | null

/** What one query may be billed for; null for no limit of ours. */
export interface Allowance {
  readonly maxBytesBilled: number | null
  /** It is what is left of the payer's day that sets the limit. */
  readonly isBudget: boolean
}

export interface Budgets {
  /**
   * `maxBytesBilled` is the endpoint's own limit. Queries that run at the same time are each allowed all that is left.
   * @throws RunnerError BUDGET_EXCEEDED when nothing is left.
   */
  allow(payer: Payer, maxBytesBilled: number | null): Promise<Allowance>
  spend(payer: Payer, bytesBilled: number): Promise<void>
  /** The refusal of a query that would be billed for more than is left. */
  exceeded(cause: unknown): RunnerError
}

export interface BudgetDeps {
  readonly counters: CounterStore
  readonly clock: Clock
  readonly observe: Observer
  /** Where the endpoint has no limit; null for none. */
  readonly maxBytesBilled: number | null
}

const DAY_MS = 86_400_000
/** A counter is of no use once its day has ended; the clocks of replicas may differ a little. */
const KEEP_MS = DAY_MS + 3_600_000

/** Days are those of UTC. While the counters cannot be reached, what this process knows of them counts. */
export function createBudgets({ counters, clock, observe, maxBytesBilled: fallback }: BudgetDeps): Budgets {
  /** The last that was heard of each counter, and what has been added here since. */
  const known = new Map<string, number>()
  let knownDay = ''

  async function add(token: string, bytes: number): Promise<number> {
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10)
    if (day !== knownDay) known.clear()
    knownDay = day
    const key = `bytes-billed:${day}:${token}`
    let total = (known.get(key) ?? 0) + bytes
    try {
      total = await counters.add(key, bytes, KEEP_MS)
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
