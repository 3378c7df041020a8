/** Subqueries as expressions in DuckDB SQL. */

import type { InQueryExpr, SubqueryExpr } from '../../../googlesql/plan/nodes.js'
import type { Type } from '../../../googlesql/types/types.js'
import type { FieldsSql } from '../../functions/function-sql.js'
import type { Env } from '../context.js'
import { type Fragment, fill, fragment, queryFragment } from '../fragment.js'
import { keepNameIfMacro } from '../keep-name.js'
import { variable } from '../quote.js'
import { applyLambda } from '../share-arguments.js'
import { arrayInQueryList, arraySubquerySql } from './array-subquery.js'
import { equalSql, inListSql } from './compare.js'

export function subquerySql(expr: SubqueryExpr, env: Env): Fragment {
  const arrayForm = arraySubquerySql(expr, env)
  if (arrayForm !== null) return arrayForm
  if (expr.form === 'exists') return queryFragment(`EXISTS (\n${env.query(expr.scan, [], [], env)}\n)`)
  const column = expr.scan.columns[0]!
  // DuckDB itself raises an error for more than one row (scalar_subquery_error_on_multiple_rows).
  if (expr.form === 'scalar') return queryFragment(`(\n${env.query(expr.scan, [column], [env.name(column)], env)}\n)`)
  return env.arrayQuery(expr.scan, column, env)
}

export function inQuerySql(expr: InQueryExpr, env: Env): Fragment {
  const column = expr.scan.columns[0]!
  const operand = env.expr(expr.operand, env)
  const list = arrayInQueryList(expr, env)
  if (list !== null) {
    const pair = variable(env.newColumn('', column.type))
    const test = inListSql(`${pair}.x`, expr.operand.type, `${pair}.list`, column.type)
    const sides = fragment`struct_pack(x := ${keepNameIfMacro(operand)}, list := ${keepNameIfMacro(list)})`
    return applyLambda(sides, pair, fill(test, []))
  }
  const name = env.name(column)
  const query = env.query(expr.scan, [column], [name], env)
  if (comparesAsBigQuery(column.type)) return queryFragment(`(${operand} IN (\n${query}\n))`)
  if (column.type.kind === 'FLOAT64') {
    // NaN equals no value, so rows with NaN never match.
    return queryFragment(
      `(${operand} IN (\nSELECT ${name} FROM (\n${query}\n) WHERE ${name} IS NULL OR NOT isnan(${name})\n))`,
    )
  }
  const left = { sql: operand.text, type: expr.operand.type, fields: fieldsSql(operand) }
  const equal = equalSql(left, { sql: name, type: column.type })
  const any = (condition: string): string => `EXISTS (SELECT 1 FROM (\n${query}\n) WHERE ${condition})`
  return queryFragment(`(CASE WHEN ${any(equal)} THEN true WHEN ${any(`(${equal}) IS NULL`)} THEN NULL ELSE false END)`)
}

const fieldsSql = ({ fields }: Fragment): FieldsSql | undefined =>
  fields?.map(({ sql }) => ({ sql: sql.text, fields: fieldsSql(sql) }))

/** Whether DuckDB compares the values of the type as BigQuery does. */
const comparesAsBigQuery = (type: Type): boolean =>
  type.kind !== 'FLOAT64' && type.kind !== 'STRUCT' && type.kind !== 'ARRAY'
