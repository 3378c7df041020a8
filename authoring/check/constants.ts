/** Finds the constants of a query that are invalid, such as a time zone that does not exist, by computing each by itself. */
import { type ConstantChecks, SqlError } from '../../googlesql/index.js'
import { BoundedMap, memo } from '../../runner/model/bounded-map.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Engine } from '../../runner/model/ports.js'
import { QueryFault } from '../../runner/model/query-fault.js'

const MAX_KEPT_OUTCOMES = 1_000
const TIMEOUT_MS = 30_000

/** Returns a `check` that does the engine's check and then computes the constants of the query. */
export function constantsChecker(engine: Pick<Engine, 'check' | 'run'>): Engine['check'] {
  /**
   * The message of the failure of each computed expression, null if it did not fail. Outcomes are kept because many manifests, and
   * many variants of a query, contain the same constants.
   */
  const outcomes = new BoundedMap<string, Promise<string | null>>(MAX_KEPT_OUTCOMES)

  const failureOf = (expression: string): Promise<string | null> =>
    memo(outcomes, expression, sql => {
      const outcome = probe(engine, sql)
      outcome.catch(() => outcomes.delete(sql))
      return outcome
    })

  async function firstMistake(sql: string, { mistakes, probes }: ConstantChecks): Promise<SqlError | null> {
    const [wrong] = mistakes
    if (wrong) return new SqlError(wrong.reason, sql, wrong.at, wrong.mistake)
    for (const { at, sql: expression, parameters } of probes) {
      if (parameters.length > 0) continue
      const message = await failureOf(expression)
      if (message !== null) return new SqlError(message, sql, at)
    }
    return null
  }

  return async (sql, types, values) => {
    const result = await engine.check(sql, types, values)
    const mistake = result.constants ? await firstMistake(sql, result.constants) : null
    return mistake ? { ok: false, problem: mistake.problem } : result
  }
}

/** Runs a query without tables and parameters: the message of the expression that failed, or null if none failed. */
async function probe(engine: Pick<Engine, 'run'>, sql: string): Promise<string | null> {
  const { signal } = new AbortController()
  const options = { maxRows: 1, timestamps: 'iso8601', endpoint: '', timeoutMs: TIMEOUT_MS, signal } as const
  try {
    await engine.run({ sql, parameters: {} }, options)
    return null
  } catch (error) {
    const fault = error instanceof RunnerError && error.cause instanceof QueryFault ? error.cause : null
    if (fault === null) throw error
    return fault.kind === null ? null : fault.message
  }
}
