/**
 * Sums and products of FLOAT64s. BigQuery fails where one overflows. Infinity never becomes a number again on its way up
 * through sums and products, so one look at the outcome of a whole expression is enough; only where it is not finite is
 * it computed again, step by step.
 */
import type { CallExpr, Expr } from '../../../googlesql/resolved.js'
import { costOf } from './bind.js'

const SYMBOLS: Readonly<Record<string, string>> = { $add: '+', $subtract: '-', $multiply: '*' }

/** Is this a sum or product of FLOAT64s with another one in it? */
export function isFloatTree(expr: CallExpr): boolean {
  return isNode(expr) && expr.arguments.some(argument => argument !== null && isNode(argument))
}

const isNode = (expr: Expr): expr is CallExpr =>
  expr.kind === 'call' && expr.type.kind === 'FLOAT64' && !expr.isSafe && Object.hasOwn(SYMBOLS, expr.name)

/** `write` writes what is no sum or product; `name` is free for a lambda's parameter, or null where no lambda may stand. */
export function floatTreeSql(tree: CallExpr, write: (expr: Expr) => string, name: string | null): string {
  const plain = fold(tree, write, (a, operator, b) => `(${a} ${SYMBOLS[operator]} ${b})`)
  const checked = fold(tree, write, (a, operator, b) => `bq_float_${operator.slice(1)}_once(${a}, ${b})`)
  if (name === null || leaves(tree).every(leaf => costOf(leaf) === 0))
    return `(CASE WHEN isfinite(${plain}) THEN ${plain} ELSE ${checked} END)`
  return `list_extract(list_transform([${plain}], lambda ${name}: CASE WHEN isfinite(${name}) THEN ${name} ELSE ${checked} END), 1)`
}

function fold(
  expr: Expr,
  write: (expr: Expr) => string,
  join: (a: string, operator: string, b: string) => string,
): string {
  if (!isNode(expr)) return write(expr)
  const [a, b] = expr.arguments
  return join(fold(a!, write, join), expr.name, fold(b!, write, join))
}

const leaves = (expr: Expr): readonly Expr[] =>
  isNode(expr) ? expr.arguments.flatMap(part => (part ? leaves(part) : [])) : [expr]
