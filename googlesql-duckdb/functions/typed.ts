/** Calls whose type DuckDB would forget. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import type { Type } from '../../googlesql/types/types.js'
import { duckdbType } from '../emit/type.js'
import type { Form } from './function-sql.js'

/** The form, with its calls cast to their types where DuckDB would forget them. */
export const typed =
  (form: Form): Form =>
  call =>
    typedSql(form(call), call.args, call.type)

/**
 * The call, cast to its type unless none of its arguments can be NULL before there are rows: DuckDB folds a call with such
 * an argument to a NULL of no type, and gives an INTEGER.
 */
export function typedSql(sql: string, args: readonly (Expr | null)[], type: Type): string {
  return args.some(arg => arg !== null && mayFoldToNull(arg)) ? `CAST(${sql} AS ${duckdbType(type)})` : sql
}

function mayFoldToNull(expr: Expr): boolean {
  if (expr.kind === 'literal') return expr.value === null
  if (expr.kind === 'column' || expr.kind === 'array') return false
  if (expr.kind === 'cast' || expr.kind === 'field') return mayFoldToNull(expr.operand)
  // Another join of texts is typed already.
  return !(expr.kind === 'call' && (expr.name === '$concat' || expr.name === 'CONCAT'))
}
