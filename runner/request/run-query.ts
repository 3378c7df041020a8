/** Renders an endpoint's query for its arguments and asks the engine. */
import type { Endpoint } from '../model/endpoint.js'
import { toRunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import type { ArgumentMap, Query, ResultFormat, ResultSet } from '../model/query.js'

export interface RunDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly observe: Observer
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

/** One query sent to the engine, and one event about it. @throws RunnerError as Engine.run does. */
export async function runQuery(order: RunOrder, deps: RunDeps, signal: AbortSignal): Promise<ResultSet> {
  const { endpoint, format } = order
  const { engine, clock, observe } = deps
  const query = renderQuery(order, clock)
  const about = { endpoint: endpoint.name, engine: engine.name }
  const began = clock.nowMs()
  try {
    const { maxRows, timestamps, timeoutMs } = endpoint
    const result = await engine.run(query, { maxRows, format, timestamps, endpoint: endpoint.name, timeoutMs, signal })
    observe({ kind: 'query.done', ...about, durationMs: clock.nowMs() - began, rows: result.rowCount })
    return result
  } catch (thrown) {
    const error = toRunnerError(thrown)
    observe({ kind: 'query.failed', ...about, durationMs: clock.nowMs() - began, error })
    throw error
  }
}

/** Down to a multiple of the granularity, before 1970 too. */
function truncate(micros: bigint, granularity: number): bigint {
  const step = BigInt(granularity)
  return micros - (((micros % step) + step) % step)
}
