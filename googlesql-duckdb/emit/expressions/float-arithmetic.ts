/**
 * FLOAT64 arithmetic as BigQuery checks it: a result beyond the range and a division by zero are errors. DuckDB computes by
 * IEEE 754, where both give an infinity or NaN, and neither becomes finite again on its way up through a tree of these
 * functions, unless as a divisor. So one look at the result of a whole tree, and one at each divisor that may overflow,
 * tells whether all went well; only where it did not is the tree computed again, step by step.
 */
import type { CallExpr, Expr, LiteralExpr } from '../../../googlesql/plan/nodes.js'
import type { FloatStep } from '../../runtime/scalar-functions/float-steps.js'
import { quoteText } from '../quote.js'

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
  ROUND: { step: 'round', write: a => `round(${a})` },
  TRUNC: { step: 'trunc', write: a => `trunc(${a})` },
  IEEE_DIVIDE: { step: 'ieee', write: (a, b) => `(${a} / ${b})` },
  SAFE_ADD: { step: 'safe+', write: (a, b) => `(${a} + ${b})` },
  SAFE_SUBTRACT: { step: 'safe-', write: (a, b) => `(${a} - ${b})` },
  SAFE_MULTIPLY: { step: 'safe*', write: (a, b) => `(${a} * ${b})` },
  SAFE_DIVIDE: { step: 'safe/', write: (a, b) => `(${a} / nullif(${b}, 0))` },
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
    expr.arguments.length === STEPS[expr.name]!.write.length &&
    expr.arguments.every(argument => argument !== null)
  )
}

/** What the tree computes with, in order. */
export function leavesOf(tree: FloatCall): readonly Expr[] {
  return tree.arguments.flatMap((part, i) => (isStep(tree, part, i) ? leavesOf(part) : [part]))
}

/** The tree as DuckDB SQL. `leaves` is the SQL of its leaves; each is written up to a few times. */
export function floatArithmeticSql(tree: FloatCall, leaves: readonly string[]): string {
  const { plain, steps, divisors, maskable } = written(tree, leaves)
  if (!mayBreak(tree)) return plain
  const again = `bq_float_steps(${quoteText(steps)}, [${leaves.join(', ')}])`
  // The result first: DuckDB computes it once for the tests and for the value.
  const isBroken = [plain, ...divisors].map(sql => `NOT isfinite(${sql})`).join(' OR ')
  return `(CASE WHEN ${isBroken} THEN ${again}${maskedSql(plain, maskable, again)} ELSE ${plain} END)`
}

/** Without tests: what is not finite may stand for an error, and so may a NULL, or a result of which a witness is not finite. */
export const untestedSql = (tree: FloatCall, leaves: readonly string[]): string => written(tree, leaves).plain

/**
 * The parts of the tree, itself included, that are finite or NULL where no step of it fails. Null where results that are not
 * finite are nothing unusual.
 */
export function witnessesOf(tree: FloatCall): readonly FloatCall[] | null {
  if (usesIeee(tree)) return null
  const { parts } = written(
    tree,
    leavesOf(tree).map(() => ''),
  )
  return mayBreak(tree) ? [tree, ...parts] : []
}

/** Where an operand is NULL the result is, though a part of it may have failed. Many parts are not tested one by one. */
function maskedSql(plain: string, maskable: readonly string[], again: string): string {
  if (maskable.length === 0) return ''
  if (maskable.length > MAX_MASKABLE) return ` WHEN ${plain} IS NULL THEN ${again}`
  const isBroken = maskable.map(sql => `NOT isfinite(${sql})`).join(' OR ')
  return ` WHEN ${plain} IS NULL THEN CASE WHEN ${isBroken} THEN ${again} END`
}
const MAX_MASKABLE = 3

interface Written {
  readonly plain: string
  /** As `bq_float_steps` reads them. */
  readonly steps: string
  /** Those that may overflow, by which a finite number is zero. */
  readonly divisors: readonly string[]
  /** Parts that may fail while an operand beside them is NULL. */
  readonly maskable: readonly string[]
  /** The expressions of both. */
  readonly parts: readonly FloatCall[]
}

function written(tree: FloatCall, leaves: readonly string[]): Written {
  let next = 0
  const steps: string[] = []
  const divisors: string[] = []
  const maskable: string[] = []
  const parts = new Set<FloatCall>()
  /** `nullable` is what a NULL of it may come from. */
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
      const isTested = isDivisor(expr, i)
      const isMaskable = own.size < nullable.size
      if (isTested) divisors.push(sql)
      if (isMaskable) maskable.push(sql)
      if (isTested || isMaskable) parts.add(part)
    }
    const { step, write: join } = STEPS[expr.name]!
    steps.push(step)
    return { sql: join(...operands.map(operand => operand.sql)), nullable }
  }
  const { sql } = write(tree)
  return { plain: sql, steps: steps.join(' '), divisors, maskable, parts: [...parts] }
}

/** Of a NULL: the column, where the expression is one or is cast from one. */
function originOf(expr: Expr): unknown {
  if (expr.kind === 'cast' && !expr.isSafe) return originOf(expr.operand)
  return expr.kind === 'column' ? expr.column.id : expr
}

const usesIeee = (expr: FloatCall): boolean =>
  expr.name === 'IEEE_DIVIDE' || expr.arguments.some((part, i) => isStep(expr, part, i) && usesIeee(part))

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
