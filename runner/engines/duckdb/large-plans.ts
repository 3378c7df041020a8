/**
 * Plans of very many aggregates, joins and sorts. One of DuckDB's optimizers compresses what each of them keeps, and rewrites the
 * whole plan every time: its work grows with the square of their number, to 18 s for a UNION ALL of 238 aggregates over
 * unnested rows that is planned in half a second without it. While such a query is planned and run, that optimizer is off.
 */
import type { DuckDBConnection } from '@duckdb/node-api'

export interface LargePlans {
  /** Does `work`, which plans this text. */
  readonly during: <T>(sql: string, work: () => Promise<T>) => Promise<T>
}

/** The only setting that may change once the configuration is locked. It changes no row, only how much memory keys take. */
export const LARGE_PLAN_SETTING = 'disabled_optimizers'
const OPTIMIZER = 'compressed_materialization'
/** Up to so many of them the optimizer takes less than a fifth of the planning. */
const MOST_OPERATORS = 60
/** A shorter text has fewer of them. */
const SHORTEST_TEXT = 4_000
const OPERATOR = /\b(?:GROUP BY|ORDER BY|JOIN|DISTINCT)\b/g

export function isLargePlan(sql: string): boolean {
  return sql.length >= SHORTEST_TEXT && (sql.match(OPERATOR)?.length ?? 0) > MOST_OPERATORS
}

/** `admin` is free for statements that end at once. The setting is the instance's: a query beside a large one does without the optimizer too. */
export function largePlans(admin: DuckDBConnection): LargePlans {
  let users = 0
  let isOff = false
  let turn: Promise<void> = Promise.resolve()
  const adjust = (): Promise<void> => {
    turn = turn.then(async () => {
      if (isOff === users > 0) return
      isOff = users > 0
      await admin.run(`SET ${LARGE_PLAN_SETTING} = '${isOff ? OPTIMIZER : ''}'`)
    })
    return turn
  }
  return {
    during: async (sql, work) => {
      if (!isLargePlan(sql)) return work()
      users++
      try {
        await adjust()
        return await work()
      } finally {
        users--
        await adjust()
      }
    },
  }
}
