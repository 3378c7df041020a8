/**
 * Finds the arguments that make a query fail by themselves, such as a divisor that is 0 or a time zone that does not exist. Only a
 * query that has failed is examined: a query whose tables have no rows may succeed with the same arguments.
 */

import { type ConstantCall, constantChecks, type ResolvedQuery } from '../../googlesql/index.js'
import { BoundedMap, memo } from '../model/bounded-map.js'
import { type ArgumentProblem, invalidArguments, RunnerError } from '../model/errors.js'
import { nextTurn } from '../model/in-turns.js'
import type { RunOptions } from '../model/ports.js'
import type { BoundValue, Query, ResultSet } from '../model/query.js'

export interface ArgumentFaultsOptions {
  /** @throws any error for a text that cannot be resolved without the engine. */
  readonly resolve: (sql: string, types: Readonly<Record<string, string>>) => ResolvedQuery
  readonly run: (query: Query, options: RunOptions) => Promise<ResultSet>
}

/** The most queries whose probes are remembered. */
const MAX_TEXTS = 1_000
/** The most probes of a query: each computes one expression of constants and arguments, and is a query of its own. */
const MAX_PROBES = 16
/** The longest text that is examined, in characters: it takes about 20 ms to resolve, in which no other call is answered. */
const MAX_LENGTH = 20_000
/** The parameter with the time of the request, which callers do not give. */
const NOW = 'now'

export class ArgumentFaults {
  readonly #options: ArgumentFaultsOptions
  readonly #probes = new BoundedMap<string, readonly ConstantCall[]>(MAX_TEXTS)

  constructor(options: ArgumentFaultsOptions) {
    this.#options = options
  }

  /** The error of a query that has failed: ARGUMENT_INVALID where arguments alone are the cause, otherwise the error itself. */
  async explain(error: RunnerError, query: Query, options: RunOptions): Promise<RunnerError> {
    if (error.code !== 'QUERY_FAILED') return error
    const probes = this.#probesOf(query)
    const outcomes = await Promise.all(probes.map(probe => this.#fails(probe, query, options)))
    const problems = new Map<string, ArgumentProblem>()
    for (const { parameters, detail } of probes.filter((_, i) => outcomes[i])) {
      // The larger expressions around a wrong argument fail too: only the first problem of an argument is reported.
      if (parameters.some(name => problems.has(name))) continue
      for (const parameter of parameters) if (parameter !== NOW) problems.set(parameter, { parameter, detail })
    }
    if (problems.size === 0) return error
    const { cause, cost } = error
    return invalidArguments([...problems.values()], { cause, ...(cost && { cost }) })
  }

  #probesOf({ sql, parameters }: Query): readonly ConstantCall[] {
    const types = Object.entries(parameters).map(([name, { type }]) => [name, type] as const)
    if (sql.length > MAX_LENGTH || types.every(([name]) => name === NOW)) return []
    const key = JSON.stringify([types, sql])
    return memo(this.#probes, key, () => this.#findProbes(sql, Object.fromEntries(types)))
  }

  #findProbes(sql: string, types: Readonly<Record<string, string>>): readonly ConstantCall[] {
    try {
      const { probes } = constantChecks(this.#options.resolve(sql, types))
      return probes.filter(({ parameters }) => parameters.some(name => name !== NOW)).slice(0, MAX_PROBES)
    } catch {
      return [] // Only the engine can resolve the text.
    }
  }

  async #fails(probe: ConstantCall, query: Query, options: RunOptions): Promise<boolean> {
    // Each probe is translated in a turn of its own, so that other calls are answered between them.
    await nextTurn()
    const parameters: Record<string, BoundValue> = {}
    for (const name of probe.parameters) parameters[name] = query.parameters[name]!
    const { contract: _, ...others } = options
    try {
      await this.#options.run({ sql: probe.sql, parameters }, { ...others, maxRows: 1 })
      return false
    } catch (error) {
      return error instanceof RunnerError && (error.code === 'QUERY_FAILED' || error.code === 'ARGUMENT_INVALID')
    }
  }
}
