/**
 * FLOAT64 arithmetic as BigQuery checks it: a result beyond the range and a division by zero are errors. DuckDB computes by
 * IEEE 754, where both give an infinity or NaN, and neither becomes finite again on its way up through a tree of these
 * functions, unless as a divisor. So one look at the result of a whole tree, and one at each divisor that may overflow,
 * tells whether all went well; only where it did not is the tree computed again, step by step.
 */
import type { CallExpr, Expr, LiteralExpr } from '../../../googlesql/resolved.js'
import type { FloatStep } from '../natives/float-steps.js'
import { quoteText } from './quote.js'

/** The functions whose infinite or NaN arguments give an infinite result or NaN, with their plain SQL. */
const STEPS: Readonly<Record<string, { readonly step: FloatStep; readonly write: (...args: string[]) => string }>> = {
  $add: { step: '+', write: (a, b) => `(${a} + ${b})` },
  $subtract: { step: '-', write: (a, b) => `(${a} - ${b})` },
  $multiply: { step: '*', write: (a, b) => `(${a} * ${b})` },
  $divide: { step: '/', write: (a, b) => `(${a} / ${b})` },
  $negate: { step: 'negate', write: a => `(-${a})` },
  ABS: { step: 'abs', write: a => `abs(${a})` },
  CEIL: { step: 'ceil', write: a => `ceil(${a})` },
  FLOOR: { step: 'floor', write: a => `floor(${a})` },
  IEEE_DIVIDE: { step: 'ieee', write: (a, b) => `(${a} / ${b})` },
  SAFE_ADD: { step: 'safe+', write: (a, b) => `(${a} + ${b})` },
  SAFE_SUBTRACT: { step: 'safe-', write: (a, b) => `(${a} - ${b})` },
  SAFE_MULTIPLY: { step: 'safe*', write: (a, b) => `(${a} * ${b})` },
  SAFE_DIVIDE: { step: 'safe/', write: (a, b) => `(${a} / ${b})` },
}

const DIVISIONS = new Set(['$divide', 'IEEE_DIVIDE', 'SAFE_DIVIDE'])

/** A call of one of these functions. */
export type FloatCall = Omit<CallExpr, 'arguments'> & { readonly arguments: readonly Expr[] }

/** Is it one of these functions, of FLOAT64? */
export function isFloatArithmetic(expr: Expr): expr is FloatCall {
  return (
    expr.kind === 'call' &&
    expr.type.kind === 'FLOAT64' &&
    !expr.isSafe &&
    Object.hasOwn(STEPS, expr.name) &&
    expr.arguments.every(argument => argument !== null)
  )
}

/** What the tree computes with, in order. */
export function leavesOf(tree: FloatCall): readonly Expr[] {
  return tree.arguments.flatMap((part, i) => (isStep(tree, part, i) ? leavesOf(part) : [part]))
}

/** The tree as DuckDB SQL. `leaves` is the SQL of its leaves; each is written up to a few times. */
export function floatArithmeticSql(tree: FloatCall, leaves: readonly string[]): string {
  let next = 0
  const steps: string[] = []
  const tests: string[] = []
  const write = (expr: FloatCall): string => {
    const parts = expr.arguments.map((part, i) => {
      if (!isStep(expr, part, i)) {
        steps.push(String(next))
        return leaves[next++]!
      }
      const sql = write(part)
      if (isDivisor(expr, i) && mayBreak(part)) tests.push(`NOT isfinite(${sql})`)
      return sql
    })
    const { step, write: join } = STEPS[expr.name]!
    steps.push(step)
    return join(...parts)
  }
  const plain = write(tree)
  if (!mayBreak(tree)) return plain
  // The result first: DuckDB computes it once for the test and for the value.
  const isBroken = [`NOT isfinite(${plain})`, ...tests].join(' OR ')
  return `(CASE WHEN ${isBroken} THEN bq_float_steps(${quoteText(steps.join(' '))}, [${leaves.join(', ')}]) ELSE ${plain} END)`
}

/** A divisor is tested once more for each that lies around it: below so many it is computed by itself. */
const MAX_NESTED_DIVISORS = 3

/** Is the argument a part of the tree, rather than a leaf? */
const isStep = (expr: FloatCall, part: Expr, index: number): part is FloatCall =>
  isFloatArithmetic(part) && !(isDivisor(expr, index) && nestedDivisors(part) >= MAX_NESTED_DIVISORS)

const isDivisor = ({ name }: FloatCall, index: number): boolean => index === 1 && DIVISIONS.has(name)

/** How many divisors that are trees lie within each other at most, the expression itself included. */
function nestedDivisors(expr: Expr): number {
  if (!isFloatArithmetic(expr)) return 0
  return Math.max(...expr.arguments.map((part, i) => nestedDivisors(part) + (isDivisor(expr, i) ? 1 : 0)))
}

/** May finite leaves give a result that is not finite? */
const mayBreak = (expr: Expr): boolean => !Number.isFinite(greatest(expr))

/** The largest size of a finite result; Infinity where it may overflow or a divisor may be zero. */
function greatest(expr: Expr): number {
  if (!isFloatArithmetic(expr)) return greatestLeaf(expr)
  const [a, b] = expr.arguments
  switch (expr.name) {
    case '$add':
    case '$subtract':
    case 'SAFE_ADD':
    case 'SAFE_SUBTRACT':
      return greatest(a!) + greatest(b!)
    case '$multiply':
    case 'SAFE_MULTIPLY':
      return greatest(a!) * greatest(b!)
    case '$divide':
    case 'IEEE_DIVIDE':
    case 'SAFE_DIVIDE':
      return greatest(a!) / least(b!)
    default:
      return greatest(a!)
  }
}

/** The smallest size of a result; only of literals is more than zero known. */
const least = (expr: Expr): number => (isNumber(expr) ? Math.abs(expr.value as number) : 0)

function greatestLeaf(expr: Expr): number {
  if (isNumber(expr)) return Math.abs(expr.value as number)
  if (expr.kind === 'cast' && !expr.isSafe) return GREATEST[expr.operand.type.kind] ?? Number.MAX_VALUE
  return Number.MAX_VALUE
}

const isNumber = (expr: Expr): expr is LiteralExpr => expr.kind === 'literal' && typeof expr.value === 'number'

/** The largest size of a value that was cast from the type. */
const GREATEST: Readonly<Record<string, number>> = { INT64: 2 ** 63, NUMERIC: 1e29, BIGNUMERIC: 1e39 }
