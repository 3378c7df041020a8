/**
 * Keeps expressions that may fail from being evaluated early. DuckDB eliminates common subexpressions: if an expression is written twice in
 * one SELECT, DuckDB computes it first, for every row. It does so even for a later argument of a COALESCE that no row needs, and where TRY
 * would catch the error. It does not do so for the branches of a CASE.
 */
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { partsOf } from '../../../googlesql/plan/walk.js'
import { mayFail } from '../../analysis/fallible-expressions.js'
import { entryOf, type SqlScope } from '../context.js'
import { type Fragment, fragment } from '../fragment.js'

type Args = readonly (Expr | null)[]

/**
 * The operand of TRY, in a branch that every row takes. `operand` is a column of the row; null where the SQL reads no column.
 */
export const inTry = (sql: Fragment, operand: Fragment | null): Fragment =>
  operand === null ? sql : fragment`CASE WHEN ${isEveryRow(operand)} THEN ${sql} END`

/**
 * The arguments of a COALESCE. Each argument after the first is put in a branch of a CASE if it may fail. DuckDB would treat equal branches
 * of different calls as a common subexpression again, so each branch contains a hash of its whole call.
 */
export function inCoalesce(args: Args, sql: readonly (Fragment | null)[], scope: SqlScope | null): (Fragment | null)[] {
  return sql.map((part, i) => {
    if (i === 0 || !args[i] || !mayFail(args[i])) return part
    const operand = columnIn(args, scope)
    if (operand === null) return fragment`CASE WHEN ${ALWAYS} THEN ${part!} END`
    const mark = hashOf(`${i} ${sql.join()}`)
    return fragment`CASE WHEN ${isEveryRow(operand)} THEN ${part!} WHEN hash(${operand}) = ${mark} THEN NULL END`
  })
}

/**
 * True for every row. DuckDB finds this out only from the columns' statistics, which it reads after common subexpression
 * elimination.
 */
const isEveryRow = (operand: Fragment): Fragment => fragment`(${operand} IS NULL) IS NOT NULL`

/** True for every row, for calls that read no column: DuckDB does not compute volatile functions ahead of time. */
const ALWAYS = 'random() < 2'

/** The SQL of the first column that the expressions read outside of subqueries; null where they read no column. */
export function columnIn(exprs: Args, scope: SqlScope | null): Fragment | null {
  for (const expr of exprs) {
    const column =
      expr && (expr.kind === 'column' ? (entryOf(expr.column.id, scope)?.sql ?? null) : columnIn(partsOf(expr), scope))
    if (column) return column
  }
  return null
}

/** The 32-bit FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
