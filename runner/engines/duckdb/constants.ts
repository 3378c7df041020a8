/** Finds the constants of a query that are invalid, such as a time zone that does not exist, by computing each by itself. */
import { constantChecks, type resolveQuery, SqlError, type TableCatalogue } from '../../../googlesql/index.js'
import { BoundedMap } from '../../model/bounded-map.js'
import { RequestFailure } from './process/request-queue.js'
import { readTypes } from './values/parameter-values.js'

export interface ConstantsDeps {
  readonly resolve: typeof resolveQuery
  /** Runs a query without tables and parameters. @throws RequestFailure */
  readonly run: (sql: string, signal: AbortSignal) => Promise<unknown>
}

const MAX_PROBES = 1_000

export class Constants {
  readonly #deps: ConstantsDeps
  /**
   * The messages of expressions that have failed, and null for those that have not: many manifests, and many variants of a
   * query, contain the same patterns.
   */
  readonly #outcomes = new BoundedMap<string, string | null>(MAX_PROBES)

  constructor(deps: ConstantsDeps) {
    this.#deps = deps
  }

  /** The error of the first invalid constant; null if all constants are valid. */
  async firstMistake(
    sql: string,
    types: Readonly<Record<string, string>>,
    tables: TableCatalogue,
    signal: AbortSignal,
  ): Promise<SqlError | null> {
    const { mistakes, probes } = constantChecks(this.#deps.resolve(sql, tables, readTypes(types)))
    const [mistake] = mistakes
    if (mistake) return new SqlError(mistake.reason, sql, mistake.at, mistake.mistake)
    for (const { at, sql: expression, parameters } of probes) {
      if (parameters.length > 0) continue
      const message = await this.#failureOf(expression, signal)
      if (message !== null) return new SqlError(message, sql, at)
    }
    return null
  }

  async #failureOf(sql: string, signal: AbortSignal): Promise<string | null> {
    const known = this.#outcomes.get(sql)
    if (known !== undefined) return known
    const outcome = await this.#deps.run(sql, signal).then(
      () => null,
      error => {
        if (error instanceof RequestFailure && error.failure.kind === 'query') return error.failure.message
        throw error
      },
    )
    this.#outcomes.set(sql, outcome)
    return outcome
  }
}
