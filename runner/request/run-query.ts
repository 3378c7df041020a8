/** Renders an endpoint's query for its arguments and runs it on the engine. */
import { keptKey } from '../cache/key.js'
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError, toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import { BACKGROUND, type Clock, type Engine, type ExportOptions } from '../model/ports.js'
import type { ArgumentMap, ResultSet, TimedResult } from '../model/query.js'
import type { Waiters } from '../model/waiters.js'
import type { Refresher } from '../refresh/refresher.js'
import { type Budgets, hasBudget, type Payer } from './budget.js'

export interface RunDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly observe: Observer
  readonly budgets: Budgets
  /** Answers from rows that were read before; absent where every query is run whole. */
  readonly refresher?: Refresher
}

export interface RunOrder {
  readonly endpoint: Endpoint
  readonly args: ArgumentMap
  /** The time of `@now`; null for the clock's time. */
  readonly nowMicros: bigint | null
  /** Whether rows are kept for the next refresh, and whether kept rows may be used. @default neither */
  readonly keeping?: 'keep' | 'keep-and-use'
  /** The callers that wait for this run beside the payer. */
  readonly waiters?: Waiters
}

/**
 * Runs one query on the engine and emits one event about it. With `exported`, the limits are those of the endpoint's exports, and a
 * result with more rows fails. @throws RunnerError as Engine.run does, BUDGET_EXCEEDED.
 */
export async function runQuery(
  order: RunOrder,
  payer: Payer,
  deps: RunDeps,
  signal: AbortSignal,
  exported?: ExportOptions,
): Promise<TimedResult> {
  const { endpoint } = order
  const { engine, clock, observe, budgets } = deps
  const { maxBytesBilled, isBudget } = await budgets.allow(payer, endpoint.maxBytesBilled)
  const nowMicros = order.nowMicros ?? clock.nowMicros()
  const query = endpoint.render(order.args, nowMicros)
  const about = { endpoint: endpoint.name, engine: engine.name }
  const began = clock.nowMs()
  observe({ kind: 'query.started', ...about })
  let freePlace: (() => void) | undefined
  try {
    // A call has one place, also while it works on kept rows. Exports have places of their own.
    if (!exported) freePlace = engine.admit?.(payer?.token ?? BACKGROUND)
    const { name, maxResultBytes, timestamps, columns, labels, revision } = endpoint
    const { maxRows, timeoutMs } = exported ? endpoint.export! : endpoint
    const more = exported ? { exported } : maxResultBytes === null ? {} : { maxBytes: maxResultBytes }
    const onBilledLater = (bytes: number): void => void budgets.spend(payer, bytes)
    const job = {
      maxBytesBilled,
      labels,
      revision,
      token: payer?.token ?? null,
      ...(order.waiters && { waiters: order.waiters }),
      ...(hasBudget(payer) && { onBilledLater }),
    }
    const contract = columns.map(({ required, json, fields }) => ({ required, json, ...(fields && { fields }) }))
    const options = { maxRows, ...more, timestamps, contract, endpoint: name, timeoutMs, signal, job } as const
    const keyWithout = (names: readonly string[], others: string): string =>
      keptKey(endpoint, order.args, query, names, others) + copyOf(engine)
    const settledMs = order.keeping ? (endpoint.cache?.settledMs ?? null) : null
    const result = await (deps.refresher && settledMs !== null
      ? deps.refresher.run(query, options, { keyWithout, settledMs, readsAll: order.keeping === 'keep' })
      : engine.run(query, options))
    const { rowCount: rows, cost, partial } = result
    if (exported && result.isTruncated) throw tooManyRows(maxRows, cost)
    const facts = { rows, ...(cost && { cost }), ...(partial && { partial }) }
    observe({ kind: 'query.done', ...about, durationMs: clock.nowMs() - began, ...facts })
    if (cost) await budgets.spend(payer, cost.bytesBilled)
    return { ...result, now: String(nowMicros) }
  } catch (thrown) {
    const failure = toRunnerError(thrown)
    // The limit by which the engine has refused the query was the rest of the budget.
    const error = isBudget && failure.code === 'COST_LIMIT_EXCEEDED' ? budgets.exceeded(failure.cause) : failure
    const { cost } = error
    observe({ kind: 'query.failed', ...about, durationMs: clock.nowMs() - began, error, ...(cost && { cost }) })
    if (cost) await budgets.spend(payer, cost.bytesBilled)
    throw error
  } finally {
    freePlace?.()
  }
}

/** Replicas with separate copies of the data keep rows of their own. */
const copyOf = (engine: Engine): string => `@${engine.dataCopy?.() ?? ''}`

const tooManyRows = (maxRows: number, cost: ResultSet['cost']): RunnerError =>
  new RunnerError('RESULT_TOO_LARGE', {
    detail: `The export has more than ${maxRows} rows, which is its limit; ask for less.`,
    ...(cost && { cost }),
  })
