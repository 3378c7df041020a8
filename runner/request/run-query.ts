/** Renders an endpoint's query for its arguments and runs it on the engine. */
import type { Endpoint } from '../model/endpoint.js'
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import type { ArgumentMap, TimedResult } from '../model/query.js'
import type { Budgets, Payer } from './budget.js'

export interface RunDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly observe: Observer
  readonly budgets: Budgets
}

export interface RunOrder {
  readonly endpoint: Endpoint
  readonly args: ArgumentMap
  /** The time of `@now`; null for the clock's time. */
  readonly nowMicros: bigint | null
}

/** Runs one query on the engine and emits one event about it. @throws RunnerError as Engine.run does, BUDGET_EXCEEDED. */
export async function runQuery(
  order: RunOrder,
  payer: Payer,
  deps: RunDeps,
  signal: AbortSignal,
): Promise<TimedResult> {
  const { endpoint } = order
  const { engine, clock, observe, budgets } = deps
  const { maxBytesBilled, isBudget } = await budgets.allow(payer, endpoint.maxBytesBilled)
  const nowMicros = order.nowMicros ?? clock.nowMicros()
  const query = endpoint.render(order.args, nowMicros)
  const about = { endpoint: endpoint.name, engine: engine.name }
  const began = clock.nowMs()
  observe({ kind: 'query.started', ...about })
  try {
    const { name, maxRows, maxResultBytes, timestamps, columns, timeoutMs, labels, revision } = endpoint
    const bytes = maxResultBytes === null ? {} : { maxBytes: maxResultBytes }
    const job = { maxBytesBilled, labels, revision, token: payer?.token ?? null }
    const contract = columns.map(({ required, json, fields }) => ({ required, json, ...(fields && { fields }) }))
    const options = { maxRows, ...bytes, timestamps, contract, endpoint: name, timeoutMs, signal, job } as const
    const result = await engine.run(query, options)
    const { rowCount: rows, cost } = result
    observe({ kind: 'query.done', ...about, durationMs: clock.nowMs() - began, rows, ...(cost && { cost }) })
    if (cost) await budgets.spend(payer, cost.bytesBilled)
    return { ...result, now: String(nowMicros) }
  } catch (thrown) {
    const failure = toRunnerError(thrown)
    // The engine refuses an expensive query by the limit that it was given.
    const error = isBudget && failure.code === 'COST_LIMIT_EXCEEDED' ? budgets.exceeded(failure.cause) : failure
    const { cost } = error
    observe({ kind: 'query.failed', ...about, durationMs: clock.nowMs() - began, error, ...(cost && { cost }) })
    if (cost) await budgets.spend(payer, cost.bytesBilled)
    throw error
  }
}
