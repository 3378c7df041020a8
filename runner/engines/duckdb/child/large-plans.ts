/**
 * Queries that are planned and run while one of DuckDB's optimizers is off.
 *
 * Plans with very many aggregates, joins and sorts: one optimizer compresses the materialised columns of each operator, and
 * rewrites the whole plan each time. Its time grows with the square of their number, to 18 s for a UNION ALL of 238
 * aggregates over unnested rows that is planned in half a second without it.
 *
 * Some correlated subqueries over a join that read three columns of the outer query: another optimizer fails them with an
 * error of its own (1.5.5), `SELECT (SELECT o.a || o.b FROM t JOIN u ON t.id = u.id WHERE u.id = o.id) FROM o`.
 */
import type { DuckDBConnection } from '@duckdb/node-api'

export interface LargePlans {
  /** Runs `work`, which plans this text. */
  readonly during: <T>(sql: string, work: () => Promise<T>) => Promise<T>
  /** Runs `work` again without the optimizer that failed it. */
  readonly unfailing: <T>(work: () => Promise<T>) => Promise<T>
}

/** The only setting that may change after the configuration is locked. It affects planning only, never rows. */
export const LARGE_PLAN_SETTING = 'disabled_optimizers'
const OPTIMIZERS = { large: 'compressed_materialization', failing: 'deliminator' } as const
/** The most such operators with which the optimizer takes less than a fifth of the planning time. */
const MOST_OPERATORS = 60
/** A shorter text cannot have more operators than that. */
const SHORTEST_TEXT = 4_000
const OPERATOR = /\b(?:GROUP BY|ORDER BY|JOIN|DISTINCT)\b/g

function isLargePlan(sql: string): boolean {
  return sql.length >= SHORTEST_TEXT && (sql.match(OPERATOR)?.length ?? 0) > MOST_OPERATORS
}

/**
 * `admin` is a connection for statements that end at once. The setting belongs to the instance, so queries that run beside a
 * large one are planned without the optimizer too.
 */
export function largePlans(admin: DuckDBConnection): LargePlans {
  const users = { large: 0, failing: 0 }
  let off = ''
  let turn: Promise<void> = Promise.resolve()
  const adjust = (): Promise<void> => {
    turn = turn.then(async () => {
      const wanted = REASONS.filter(reason => users[reason] > 0).map(reason => OPTIMIZERS[reason])
      if (off === wanted.join()) return
      off = wanted.join()
      await admin.run(`SET ${LARGE_PLAN_SETTING} = '${off}'`)
    })
    return turn
  }
  const without = async <T>(reason: keyof typeof OPTIMIZERS, work: () => Promise<T>): Promise<T> => {
    users[reason]++
    try {
      await adjust()
      return await work()
    } finally {
      users[reason]--
      await adjust()
    }
  }
  return {
    during: (sql, work) => (isLargePlan(sql) ? without('large', work) : work()),
    unfailing: work => without('failing', work),
  }
}

const REASONS = ['large', 'failing'] as const

/** Whether DuckDB's message is that of the optimizer which fails some correlated subqueries. */
export const isOptimizerFailure = (text: string): boolean => /^Invalid Error: unordered_map::at/m.test(text)
