/** FLOAT64 arithmetic in DuckDB SQL: whole trees of it, and rounding of their results to a number of digits. */
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { digitsOf, roundedSql } from '../../functions/math.js'
import type { Env } from '../context.js'
import { asOperand, type Fragment } from '../fragment.js'
import { shareArguments, writeCall } from '../share-arguments.js'
import { type FloatCall, floatArithmeticSql, isFloatArithmetic, leavesOf, untestedSql } from './float-arithmetic.js'

/** The SQL of FLOAT64 arithmetic as an operand; null for any other expression. */
export function floatCallSql(expr: Expr, env: Env): Fragment | null {
  const rounded = roundedTree(expr)
  if (!rounded) return null
  const leaves = leavesOf(rounded.tree)
  const sql = leaves.map(leaf => env.expr(leaf, env))
  return asOperand(
    shareArguments(
      leaves,
      sql,
      parts => writeCall(leaves, parts, texts => treeSql(rounded, texts as readonly string[])),
      env,
    ),
  )
}

function treeSql({ tree, rounding }: RoundedTree, leaves: readonly string[]): string {
  const tested = floatArithmeticSql(tree, leaves)
  // A value that is not finite takes the branch of the rounding that reads `tested`, so the rounding adds no second test.
  return rounding ? roundedSql(rounding.name, untestedSql(tree, leaves), tested, rounding.digits) : tested
}

/** A tree of arithmetic, and the rounding of its result. */
interface RoundedTree {
  readonly tree: FloatCall
  readonly rounding: { readonly name: 'ROUND' | 'TRUNC'; readonly digits: number } | null
}

/** The expression as a tree with its rounding; null where it is not FLOAT64 arithmetic. */
function roundedTree(expr: Expr): RoundedTree | null {
  if (isFloatArithmetic(expr)) return { tree: expr, rounding: null }
  if (expr.kind !== 'call' || expr.isSafe || expr.type.kind !== 'FLOAT64' || expr.arguments.length !== 2) return null
  if (expr.name !== 'ROUND' && expr.name !== 'TRUNC') return null
  const [tree, count] = expr.arguments
  const digits = digitsOf(count)
  return tree && isFloatArithmetic(tree) && digits !== null ? { tree, rounding: { name: expr.name, digits } } : null
}
