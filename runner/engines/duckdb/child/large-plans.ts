/**
 * Plans and runs some queries while one of DuckDB's optimizers is off. There are two kinds of such queries:
 *
 * Queries with very many aggregates, joins and sorts: one optimizer compresses the materialised columns of each of these
 * operators, and rewrites the whole plan each time. Its time grows with the square of the number of operators: a UNION ALL of
 * 238 aggregates over unnested rows takes 18 s to plan, and half a second without this optimizer.
 *
 * Some correlated subqueries over a join that read three columns of the outer query: another optimizer fails with an internal
 * error (in DuckDB 1.5.5), for example `SELECT (SELECT o.a || o.b FROM t JOIN u ON t.id = u.id WHERE u.id = o.id) FROM o`.
 */
import type { DuckDBConnection } from '@duckdb/node-api'

/** The only setting that may change after the configuration is locked. It affects planning only, never rows. */
export const LARGE_PLAN_SETTING = 'disabled_optimizers'
const OPTIMIZERS = { large: 'compressed_materialization', failing: 'deliminator' } as const
/** Up to this number of operators, the optimizer takes less than a fifth of the planning time. */
const MOST_OPERATORS = 60
/** Generated SQL shorter than this, in characters, does not have so many operators: they are not counted. */
const SHORTEST_TEXT = 4_000
const OPERATOR = /\b(?:GROUP BY|ORDER BY|JOIN|DISTINCT)\b/g

function isLargePlan(sql: string): boolean {
  return sql.length >= SHORTEST_TEXT && (sql.match(OPERATOR)?.length ?? 0) > MOST_OPERATORS
}

export class LargePlans {
  readonly #admin: DuckDBConnection
  /** For each query that runs here, the optimizer that must be off. */
  readonly #disabledOptimizers: string[] = []
  #turn: Promise<unknown> = Promise.resolve()

  /**
   * `admin` is a connection that runs only short statements. The setting belongs to the instance, so queries that are planned at
   * the same time are planned without the optimizer too.
   */
  constructor(admin: DuckDBConnection) {
    this.#admin = admin
  }

  /** Runs `work`, which plans this SQL. If the plan is large, the optimizer that would take too long is off. */
  run<T>(sql: string, work: () => Promise<T>): Promise<T> {
    return isLargePlan(sql) ? this.#doWithout(OPTIMIZERS.large, work) : work()
  }

  /** Runs `work` while the optimizer that fails for some correlated subqueries is off. */
  rerun<T>(work: () => Promise<T>): Promise<T> {
    return this.#doWithout(OPTIMIZERS.failing, work)
  }

  async #doWithout<T>(optimizer: string, work: () => Promise<T>): Promise<T> {
    this.#disabledOptimizers.push(optimizer)
    try {
      await this.#apply()
      return await work()
    } finally {
      this.#disabledOptimizers.splice(this.#disabledOptimizers.indexOf(optimizer), 1)
      await this.#apply()
    }
  }

  #apply(): Promise<unknown> {
    const set = (): Promise<unknown> =>
      this.#admin.run(`SET ${LARGE_PLAN_SETTING} = '${[...new Set(this.#disabledOptimizers)].join()}'`)
    this.#turn = this.#turn.then(set)
    return this.#turn
  }
}

/** Whether the text contains the error of the optimizer that fails for some correlated subqueries. */
export const isOptimizerFailure = (text: string): boolean => /^Invalid Error: unordered_map::at/m.test(text)
