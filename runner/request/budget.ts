/** Daily budgets of tokens in billed bytes: checked before each query, counted after it. */
import { type RunnerError, retryLater } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Caller, Clock, CounterStore } from '../model/ports.js'

/** The caller whose call starts the query, and who is charged for it; null for background refreshes, which no token pays. */
export type Payer = Pick<Caller, 'token' | 'bytesPerDay'> | null

export interface BudgetDeps {
  readonly counters: CounterStore
  readonly clock: Clock
  readonly observe: Observer
  /** The limit for endpoints without a limit of their own; null for no limit. */
  readonly maxBytesBilled: number | null
}

const DAY_MS = 86_400_000
/** How long a counter is kept: its day and an hour, since the clocks of replicas may differ. */
const KEEP_MS = DAY_MS + 3_600_000

/** Whether billed bytes count against a budget of the payer. */
export const hasBudget = (payer: Payer): payer is NonNullable<Payer> => payer !== null && payer.bytesPerDay !== null

/** Budgets per UTC day. While the counters cannot be reached, the last values known to this process apply. */
export class Budgets {
  readonly #deps: BudgetDeps
  /** The last known value of each counter, plus the amounts that this process has added since. */
  readonly #totals = new Map<string, number>()
  #day = ''

  constructor(deps: BudgetDeps) {
    this.#deps = deps
  }

  /**
   * The most bytes that a query may be billed for, null for no limit, and whether this limit is the rest of the payer's budget.
   * `ownLimit` is the endpoint's own limit. Each of several concurrent queries is allowed all that is left.
   * @throws RunnerError BUDGET_EXCEEDED when nothing is left.
   */
  async allow(payer: Payer, ownLimit: number | null) {
    const limit = ownLimit ?? this.#deps.maxBytesBilled
    const budget = payer?.bytesPerDay ?? null
    if (payer === null || budget === null) return { maxBytesBilled: limit, isBudget: false }
    const left = budget - (await this.#add(payer.token, 0))
    if (left <= 0) throw this.exceeded()
    const isBudget = limit === null || left < limit
    return { maxBytesBilled: isBudget ? left : limit, isBudget }
  }

  async spend(payer: Payer, bytesBilled: number): Promise<void> {
    if (hasBudget(payer) && bytesBilled > 0) await this.#add(payer.token, bytesBilled)
  }

  /** The error for a query that would be billed for more than the rest of the budget. */
  exceeded(cause?: unknown): RunnerError {
    const untilMidnightMs = DAY_MS - (this.#deps.clock.nowMs() % DAY_MS)
    const detail = "The token's queries would be billed for more than it may cost today (UTC)."
    return retryLater('BUDGET_EXCEEDED', detail, untilMidnightMs, cause)
  }

  async #add(token: string, bytes: number): Promise<number> {
    const { counters, clock, observe } = this.#deps
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10)
    if (day !== this.#day) this.#totals.clear()
    this.#day = day
    const key = `bytes-billed:${day}:${token}`
    let total = (this.#totals.get(key) ?? 0) + bytes
    try {
      // A lower count is one that Redis has lost, or that another program has changed.
      total = Math.max(total, await counters.add(key, bytes, KEEP_MS))
    } catch (cause) {
      observe({ kind: 'store.failed', operation: 'count', cause })
    }
    if (day === this.#day) this.#totals.set(key, total)
    return total
  }
}
