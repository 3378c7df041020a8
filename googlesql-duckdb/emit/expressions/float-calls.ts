/** FLOAT64 arithmetic in DuckDB SQL: trees of it at once, and their rounding to some digits. */
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { digitsOf, roundedSql } from '../../functions/math.js'
import type { Context, SqlScope } from '../context.js'
import { asOperand, type Fragment } from '../fragment.js'
import { shareArguments, writeWith } from '../share-arguments.js'
import { type FloatCall, floatArithmeticSql, isFloatArithmetic, leavesOf, untestedSql } from './float-arithmetic.js'

/** A call of one argument, any FLOAT64, that is written without tests. */
export const UNTESTED = '$untested'

/** An operand; null for any other expression. */
export function floatCallSql(expr: Expr, scope: SqlScope | null, context: Context): Fragment | null {
  return writeTree(expr, scope, context, ({ tree, rounding }, leaves) => {
    const tested = floatArithmeticSql(tree, leaves)
    // What is not finite is not rounded at once, so that one test does for both.
    return rounding ? roundedSql(rounding.name, untestedSql(tree, leaves), tested, rounding.digits) : tested
  })
}

/** The same of arithmetic and of whatever else, without tests: see `untestedSql`. */
export function untestedCallSql(expr: Expr, scope: SqlScope | null, context: Context): Fragment {
  const sql = writeTree(expr, scope, context, ({ tree, rounding }, leaves) => {
    const plain = untestedSql(tree, leaves)
    return rounding ? roundedSql(rounding.name, plain, plain, rounding.digits) : plain
  })
  return sql ?? context.expr(expr, scope)
}

/** A tree of arithmetic, and how its result is rounded. */
interface RoundedTree {
  readonly tree: FloatCall
  readonly rounding: { readonly name: 'ROUND' | 'TRUNC'; readonly digits: number } | null
}

function writeTree(
  expr: Expr,
  scope: SqlScope | null,
  context: Context,
  write: (rounded: RoundedTree, leaves: readonly string[]) => string,
): Fragment | null {
  const rounded = roundedTree(expr)
  if (!rounded) return null
  const leaves = leavesOf(rounded.tree)
  const sql = leaves.map(leaf => context.expr(leaf, scope))
  return asOperand(
    shareArguments(
      leaves,
      sql,
      parts => writeWith(leaves, parts, texts => write(rounded, texts as readonly string[])),
      scope,
      context,
    ),
  )
}

/** Null for what is no arithmetic. */
export function roundedTree(expr: Expr): RoundedTree | null {
  if (isFloatArithmetic(expr)) return { tree: expr, rounding: null }
  if (expr.kind !== 'call' || expr.isSafe || expr.type.kind !== 'FLOAT64' || expr.arguments.length !== 2) return null
  if (expr.name !== 'ROUND' && expr.name !== 'TRUNC') return null
  const [tree, count] = expr.arguments
  const digits = digitsOf(count)
  return tree && isFloatArithmetic(tree) && digits !== null ? { tree, rounding: { name: expr.name, digits } } : null
}
