/**
 * Queries that are planned and run while one of DuckDB's optimizers is off.
 *
 * Plans of very many aggregates, joins and sorts: one optimizer compresses what each of them keeps, and rewrites the whole plan
 * every time. Its work grows with the square of their number, to 18 s for a UNION ALL of 238 aggregates over unnested rows
 * that is planned in half a second without it.
 *
 * Some correlated subqueries over a join that read three columns of the outer query: another optimizer fails them with an error
 * of its own (1.5.5), `SELECT (SELECT o.a || o.b FROM t JOIN u ON t.id = u.id WHERE u.id = o.id) FROM o`.
 */
import type { DuckDBConnection } from '@duckdb/node-api'

export interface LargePlans {
  /** Does `work`, which plans this text. */
  readonly during: <T>(sql: string, work: () => Promise<T>) => Promise<T>
  /** Does `work` again without the optimizer that failed it. */
  readonly unfailing: <T>(work: () => Promise<T>) => Promise<T>
}

/** The only setting that may change once the configuration is locked. It changes no row, only how the plan is made. */
export const LARGE_PLAN_SETTING = 'disabled_optimizers'
const OPTIMIZERS = { large: 'compressed_materialization', failing: 'deliminator' } as const
/** Up to so many of them the optimizer takes less than a fifth of the planning. */
const MOST_OPERATORS = 60
/** A shorter text has fewer of them. */
const SHORTEST_TEXT = 4_000
const OPERATOR = /\b(?:GROUP BY|ORDER BY|JOIN|DISTINCT)\b/g

function isLargePlan(sql: string): boolean {
  return sql.length >= SHORTEST_TEXT && (sql.match(OPERATOR)?.length ?? 0) > MOST_OPERATORS
}

/** `admin` is free for statements that end at once. The setting is the instance's: a query beside a large one does without the optimizer too. */
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

/** Is it what the optimizer says that fails some correlated subqueries, in DuckDB's own text? */
export const isOptimizerFailure = (text: string): boolean => /^Invalid Error: unordered_map::at/m.test(text)
