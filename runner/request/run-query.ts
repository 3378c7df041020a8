/** Renders an endpoint's query for its arguments and asks the engine. */
import type { Endpoint } from '../model/endpoint.js'
import { type RunnerError, toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import type { ArgumentMap, Query, ResultFormat, ResultSet } from '../model/query.js'
import type { Allowance, Budgets, Payer } from './budget.js'
import { blamePatterns } from './narrow-regex-errors.js'

export interface RunDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly observe: Observer
  readonly budgets: Budgets
}

export interface RunOrder {
  readonly endpoint: Endpoint
  readonly args: ArgumentMap
  readonly format: ResultFormat
  /** Null: the clock's time. */
  readonly nowMicros: bigint | null
}

/** The endpoint's query for these arguments; `@now` is truncated as the endpoint says. */
export function renderQuery({ endpoint, args, nowMicros }: Omit<RunOrder, 'format'>, clock: Clock): Query {
  return endpoint.render(args, truncate(nowMicros ?? clock.nowMicros(), endpoint.nowGranularityMicros))
}

/** One query sent to the engine, and one event about it. @throws RunnerError as Engine.run does, BUDGET_EXCEEDED. */
export async function runQuery(order: RunOrder, payer: Payer, deps: RunDeps, signal: AbortSignal): Promise<ResultSet> {
  const { endpoint, format } = order
  const { engine, clock, observe, budgets } = deps
  const allowance = await budgets.allow(payer, endpoint.maxBytesBilled)
  const query = renderQuery(order, clock)
  const about = { endpoint: endpoint.name, engine: engine.name }
  const began = clock.nowMs()
  observe({ kind: 'query.started', ...about })
  try {
    const { name, maxRows, maxResultBytes, timestamps, timeoutMs, labels, revision } = endpoint
    const bytes = maxResultBytes === null ? {} : { maxBytes: maxResultBytes }
    const job = { maxBytesBilled: allowance.maxBytesBilled, labels, revision, token: payer?.token ?? null }
    const options = { maxRows, ...bytes, format, timestamps, endpoint: name, timeoutMs, signal, job }
    const result = await engine.run(query, options)
    const { rowCount: rows, cost } = result
    observe({ kind: 'query.done', ...about, durationMs: clock.nowMs() - began, rows, ...(cost && { cost }) })
    if (cost) await budgets.spend(payer, cost.bytesBilled)
    return result
  } catch (thrown) {
    const error = blamePatterns(refusalOf(thrown, allowance, budgets), endpoint.parameters)
    const { cost } = error
    observe({ kind: 'query.failed', ...about, durationMs: clock.nowMs() - began, error, ...(cost && { cost }) })
    if (cost) await budgets.spend(payer, cost.bytesBilled)
    throw error
  }
}

/** A query that costs too much for what is left of a budget costs too much for its caller, today. */
function refusalOf(thrown: unknown, { isBudget }: Allowance, budgets: Budgets): RunnerError {
  const error = toRunnerError(thrown)
  return isBudget && error.code === 'COST_LIMIT_EXCEEDED' ? budgets.exceeded(error.cause) : error
}

/** Down to a multiple of the granularity, before 1970 too. */
function truncate(micros: bigint, granularity: number): bigint {
  const step = BigInt(granularity)
  return micros - (((micros % step) + step) % step)
}
