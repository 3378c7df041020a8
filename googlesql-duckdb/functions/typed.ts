/** Casts calls whose type DuckDB would forget. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import type { Type } from '../../googlesql/types/types.js'
import { duckdbType } from '../emit/type.js'
import type { SqlWriter } from './function-sql.js'

/** A writer whose calls are cast to their type where DuckDB would forget the type. */
export const recast =
  (writer: SqlWriter): SqlWriter =>
  call =>
    typedSql(writer(call), call.args, call.type)

/**
 * Casts the call to its type where an argument may be NULL during planning: DuckDB folds a call with a NULL argument to an
 * untyped NULL, which becomes an INTEGER.
 */
export function typedSql(sql: string, args: readonly (Expr | null)[], type: Type): string {
  return args.some(arg => arg !== null && mayFoldToNull(arg)) ? `CAST(${sql} AS ${duckdbType(type)})` : sql
}

/** Whether the expression may be NULL during planning, so that the type of a call that takes it is unknown to DuckDB. */
export function mayFoldToNull(expr: Expr): boolean {
  if (expr.kind === 'literal') return expr.value === null
  if (expr.kind === 'column' || expr.kind === 'array') return false
  if (expr.kind === 'cast' || expr.kind === 'field') return mayFoldToNull(expr.operand)
  // A nested concatenation of texts or bytes has such a cast already.
  const isConcatenation = expr.kind === 'call' && (expr.name === '$concat' || expr.name === 'CONCAT')
  return !isConcatenation || expr.type.kind === 'ARRAY'
}
