/**
 * Keeps what may fail where it is written. DuckDB computes what stands twice in one SELECT ahead of it, for every row
 * (common subexpression elimination), though it is a later argument of COALESCE that no row needs, or TRY would catch its
 * error. The branches of a CASE it leaves alone.
 */
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { partsOf } from '../../../googlesql/plan/walk.js'
import { mayFail } from '../../analysis/fallible.js'
import { entryOf, type SqlScope } from '../context.js'
import { type Fragment, fragment } from '../fragment.js'

type Args = readonly (Expr | null)[]

/** What TRY tries, in a branch that every row takes; `operand` is a column of the row, null where none is read. */
export const inTry = (sql: Fragment, operand: Fragment | null): Fragment =>
  operand === null ? sql : fragment`CASE WHEN ${isEveryRow(operand)} THEN ${sql} END`

/**
 * The arguments of a COALESCE, the later ones in branches where they may fail. Two of these branches are the same only
 * where the whole calls are: otherwise DuckDB would take them for a common subexpression again.
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

/** DuckDB does not know that this holds until the columns' statistics are looked at, which is last of all. */
const isEveryRow = (operand: Fragment): Fragment => fragment`(${operand} IS NULL) IS NOT NULL`

/** The same where there is no column: what is random is not computed ahead. */
const ALWAYS = 'random() < 2'

/** The SQL of the first column that they read, outside of subqueries; null where they read none. */
export function columnIn(exprs: Args, scope: SqlScope | null): Fragment | null {
  for (const expr of exprs) {
    const found =
      expr && (expr.kind === 'column' ? (entryOf(expr.column.id, scope)?.sql ?? null) : columnIn(partsOf(expr), scope))
    if (found) return found
  }
  return null
}

/** FNV-1a, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
