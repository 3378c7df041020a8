/**
 * FLOAT64 arithmetic with BigQuery's checks: overflow and division by zero are errors. DuckDB computes by IEEE 754, where both
 * give an infinity or NaN. In a tree of these functions, an infinity or NaN does not become finite again on the way up, except
 * as a divisor. So one test of the result of the whole tree, and one of each divisor that may overflow, detect every failure.
 * The tree is computed again, step by step, only for a row where a test fails.
 */
import type { CallExpr, Expr, LiteralExpr } from '../../../googlesql/plan/nodes.js'
import type { FloatStep } from '../../runtime/scalar-functions/float-steps.js'
import { quoteText } from '../quote.js'

/** The functions for which an infinite or NaN argument gives an infinite or NaN result, with their plain SQL. */
const STEPS: Readonly<Record<string, { readonly step: FloatStep; readonly write: (...args: string[]) => string }>> = {
  $add: { step: '+', write: (a, b) => `(${a} + ${b})` },
  $subtract: { step: '-', write: (a, b) => `(${a} - ${b})` },
  $multiply: { step: '*', write: (a, b) => `(${a} * ${b})` },
  $divide: { step: '/', write: (a, b) => `(${a} / ${b})` },
  $negate: { step: 'negate', write: a => `(-${a})` },
  ABS: { step: 'abs', write: a => `abs(${a})` },
  CEIL: { step: 'ceil', write: a => `ceil(${a})` },
  FLOOR: { step: 'floor', write: a => `floor(${a})` },
  ROUND: { step: 'round', write: a => `round(${a})` },
  TRUNC: { step: 'trunc', write: a => `trunc(${a})` },
  IEEE_DIVIDE: { step: 'ieee', write: (a, b) => `(${a} / ${b})` },
  SAFE_ADD: { step: 'safe+', write: (a, b) => `(${a} + ${b})` },
  SAFE_SUBTRACT: { step: 'safe-', write: (a, b) => `(${a} - ${b})` },
  SAFE_MULTIPLY: { step: 'safe*', write: (a, b) => `(${a} * ${b})` },
  SAFE_DIVIDE: { step: 'safe/', write: (a, b) => `(${a} / nullif(${b}, 0))` },
}

const DIVISIONS = new Set(['$divide', 'IEEE_DIVIDE', 'SAFE_DIVIDE'])

/** A call of one of the functions of `STEPS`. */
export type FloatCall = Omit<CallExpr, 'arguments'> & { readonly arguments: readonly Expr[] }

/** Whether the expression is a call of a function of `STEPS` on FLOAT64, without SAFE. */
export function isFloatArithmetic(expr: Expr): expr is FloatCall {
  return (
    expr.kind === 'call' &&
    expr.type.kind === 'FLOAT64' &&
    !expr.isSafe &&
    Object.hasOwn(STEPS, expr.name) &&
    expr.arguments.length === STEPS[expr.name]!.write.length &&
    expr.arguments.every(argument => argument !== null)
  )
}

/** The operands of the tree that are not part of it, from left to right. */
export function leavesOf(tree: FloatCall): readonly Expr[] {
  return tree.arguments.flatMap((part, i) => (isStep(tree, part, i) ? leavesOf(part) : [part]))
}

/** The tree as DuckDB SQL. `leaves` is the SQL of its leaves; each may be written several times. */
export function floatArithmeticSql(tree: FloatCall, leaves: readonly string[]): string {
  const { plain, steps, divisors, maskable } = writeTree(tree, leaves)
  if (!mayBreak(tree)) return plain
  const again = `bq_float_steps(${quoteText(steps)}, [${leaves.join(', ')}])`
  if (isDeep(tree)) return again
  // The result is tested first: DuckDB then computes it once for both the test and the value.
  const isBroken = [plain, ...divisors].map(sql => `NOT isfinite(${sql})`).join(' OR ')
  return `(CASE WHEN ${isBroken} THEN ${again}${maskedSql(plain, maskable, again)} ELSE ${plain} END)`
}

/** The tree without tests. Its result may stand for an error where it is NULL or not finite. */
export const untestedSql = (tree: FloatCall, leaves: readonly string[]): string => writeTree(tree, leaves).plain

/**
 * The branch for a NULL result: where an operand is NULL the result is NULL, though a part of the tree may have failed. With
 * more than MAX_MASKABLE such parts, the tree is computed again for every NULL result instead of testing each part.
 */
function maskedSql(plain: string, maskable: readonly string[], again: string): string {
  if (maskable.length === 0) return ''
  if (maskable.length > MAX_MASKABLE) return ` WHEN ${plain} IS NULL THEN ${again}`
  const isBroken = maskable.map(sql => `NOT isfinite(${sql})`).join(' OR ')
  return ` WHEN ${plain} IS NULL THEN CASE WHEN ${isBroken} THEN ${again} END`
}
const MAX_MASKABLE = 3

/**
 * `plain`: the tree as plain SQL. `steps`: its steps in postfix notation, the format of `bq_float_steps`. `divisors`: the SQL of the
 * divisors that may overflow (a finite number divided by infinity is zero). `maskable`: the SQL of the parts that may fail while another
 * operand is NULL.
 */
function writeTree(tree: FloatCall, leaves: readonly string[]) {
  let next = 0
  const steps: string[] = []
  const divisors: string[] = []
  const maskable: string[] = []
  /** `nullable` are the origins of the operands that can make the result NULL. */
  const write = (expr: FloatCall): { readonly sql: string; readonly nullable: ReadonlySet<unknown> } => {
    const operands = expr.arguments.map((part, i) => {
      if (isStep(expr, part, i)) return { part, ...write(part) }
      steps.push(String(next))
      const sql = leaves[next++]!
      return { part: null, sql, nullable: new Set(isNumber(part) ? [] : [originOf(part)]) }
    })
    const nullable = new Set(operands.flatMap(operand => [...operand.nullable]))
    if (expr.name.startsWith('SAFE_')) nullable.add(expr)
    for (const [i, { part, sql, nullable: own }] of operands.entries()) {
      if (!part || !mayBreak(part)) continue
      if (isDivisor(expr, i)) divisors.push(sql)
      if (own.size < nullable.size) maskable.push(sql)
    }
    const { step, write: join } = STEPS[expr.name]!
    steps.push(step)
    return { sql: join(...operands.map(operand => operand.sql)), nullable }
  }
  const { sql } = write(tree)
  return { plain: sql, steps: steps.join(' '), divisors, maskable }
}

/**
 * What an expression's NULL comes from: for a column, or a cast of a column, the column's id; else the expression itself.
 */
function originOf(expr: Expr): unknown {
  if (expr.kind === 'cast' && !expr.isSafe) return originOf(expr.operand)
  return expr.kind === 'column' ? expr.column.id : expr
}

/**
 * Each divisor is tested once more for each divisor that contains it. So a divisor with this many levels of divisors inside it
 * is computed separately, as a leaf of the tree.
 */
const MAX_NESTED_DIVISORS = 3
/**
 * A tree with this many levels of divisors is only computed step by step, in JavaScript: DuckDB takes more than linear time to
 * plan divisors that are computed separately within each other.
 */
const DEEP_DIVISORS = 24

const isDeep = (expr: Expr): boolean => nestedDivisors(expr) > DEEP_DIVISORS

/** Whether the argument is part of the tree, not a leaf. */
const isStep = (expr: FloatCall, part: Expr, index: number): part is FloatCall =>
  isFloatArithmetic(part) && !(isDivisor(expr, index) && isComputedApart(nestedDivisors(part)))

const isComputedApart = (levels: number): boolean => levels >= MAX_NESTED_DIVISORS && levels < DEEP_DIVISORS

const isDivisor = ({ name }: FloatCall, index: number): boolean => index === 1 && DIVISIONS.has(name)

/** The greatest nesting depth of divisors that are trees themselves, including the expression itself. */
function nestedDivisors(expr: Expr): number {
  if (!isFloatArithmetic(expr)) return 0
  return Math.max(...expr.arguments.map((part, i) => nestedDivisors(part) + (isDivisor(expr, i) ? 1 : 0)))
}

/** Whether finite leaves can give a result that is not finite. */
const mayBreak = (expr: Expr): boolean => !Number.isFinite(maxAbs(expr))

/** The largest absolute value of a finite result; Infinity where the result may overflow or a divisor may be zero. */
function maxAbs(expr: Expr): number {
  if (!isFloatArithmetic(expr)) return leafMaxAbs(expr)
  const [a, b] = expr.arguments
  switch (expr.name) {
    case '$add':
    case '$subtract':
    case 'SAFE_ADD':
    case 'SAFE_SUBTRACT':
      return maxAbs(a!) + maxAbs(b!)
    case '$multiply':
    case 'SAFE_MULTIPLY':
      return maxAbs(a!) * maxAbs(b!)
    case '$divide':
    case 'IEEE_DIVIDE':
    case 'SAFE_DIVIDE':
      return maxAbs(a!) / minAbs(b!)
    default:
      return maxAbs(a!)
  }
}

/** The smallest absolute value of the expression: known for literals only, else 0. */
const minAbs = (expr: Expr): number => (isNumber(expr) ? Math.abs(expr.value as number) : 0)

function leafMaxAbs(expr: Expr): number {
  if (isNumber(expr)) return Math.abs(expr.value as number)
  if (expr.kind === 'cast' && !expr.isSafe) return MAX_ABS[expr.operand.type.kind] ?? Number.MAX_VALUE
  return Number.MAX_VALUE
}

const isNumber = (expr: Expr): expr is LiteralExpr => expr.kind === 'literal' && typeof expr.value === 'number'

/** The largest absolute value of a value that was cast from the type. */
const MAX_ABS: Readonly<Record<string, number>> = { INT64: 2 ** 63, NUMERIC: 1e29, BIGNUMERIC: 1e39 }
