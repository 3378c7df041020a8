/**
 * Sums of INTERVALs, and of a time and INTERVALs: `ts + INTERVAL a DAY - INTERVAL b HOUR`. A single step reads its operand several times,
 * so it passes the operand to a lambda. For nested lambdas, DuckDB's planner takes more than linear time. So a chain of steps is written
 * as one list of operands: one lambda folds the list in the order of the steps, and tests the result of each step.
 */
import type { CallExpr, Expr } from '../../../googlesql/plan/nodes.js'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../googlesql/values/civil-text.js'
import { writtenMicros } from '../../functions/intervals.js'
import type { Env } from '../context.js'
import { asOperand, type Fragment, fragment, literalFragment } from '../fragment.js'
import { type Parts, shareArguments } from '../share-arguments.js'

/** An INTERVAL that is added to the sum, or subtracted from it. */
interface Step {
  readonly isSubtracted: boolean
  readonly operand: Expr
}
interface Chain {
  readonly start: Expr
  readonly steps: readonly Step[]
}

/** The fewest steps that are written as a chain. */
const MIN_STEPS = 2

/** The chain as an operand; null for any other expression, and for a single step. */
export function intervalChainSql(expr: Expr, env: Env): Fragment | null {
  const { start, steps } = chainOf(expr)
  if (steps.length < MIN_STEPS) return null
  if (expr.type.kind !== 'INTERVAL') return timeSql(expr, { start, steps }, env)
  return fragment`bq_interval_sum([${[env.expr(start, env), ...steps.map(step => addend(step, env))]}])`
}

/** The chain of an expression, with the innermost step first. `start` is the time, or the left operand of the innermost step. */
function chainOf(expr: Expr): Chain {
  const steps: Step[] = []
  let start = expr
  while (isStep(start)) {
    const [left, right] = start.arguments as readonly [Expr, Expr]
    const isTimeLast = right.type.kind !== 'INTERVAL'
    steps.push({ isSubtracted: start.name === '$subtract', operand: isTimeLast ? left : right })
    start = isTimeLast ? right : left
  }
  return { start, steps: steps.reverse() }
}

/** Whether the expression is a sum with an INTERVAL. */
const isStep = (expr: Expr): expr is CallExpr =>
  expr.kind === 'call' &&
  !expr.isSafe &&
  (expr.name === '$add' || expr.name === '$subtract') &&
  expr.arguments.some(part => part?.type.kind === 'INTERVAL')

function addend({ isSubtracted, operand }: Step, env: Env): Fragment {
  const sql = env.expr(operand, env)
  return isSubtracted ? fragment`(-${sql})` : sql
}

/** A chain that begins with a time. A DATE counts as the DATETIME of its midnight. */
function timeSql(expr: Expr, { start, steps }: Chain, env: Env): Fragment {
  const name = expr.type.kind === 'TIMESTAMP' ? 'timestamp' : 'datetime'
  const micros = steps.map(({ isSubtracted, operand }) => {
    const literalMicros = writtenMicros(operand)
    return literalMicros !== null && isSubtracted ? -literalMicros : literalMicros
  })
  const isConstant = !micros.includes(null)
  const value = env.expr(start, env)
  const write = ([part]: Parts): Fragment => {
    const time = start.type.kind === 'DATE' ? fragment`CAST(${part!} AS TIMESTAMP)` : part!
    if (isConstant) return movedSql(name, time, micros as bigint[])
    const list = [fragment`to_microseconds(epoch_us(${time}))`, ...steps.map(step => addend(step, env))]
    return fragment`bq_${name}_sum([${list}])`
  }
  return isConstant ? asOperand(shareArguments([start], [value], write, env)) : write([value])
}

/**
 * A time moved by constants: all intermediate sums are known, so it suffices to test the time against the least and the
 * greatest of them.
 */
function movedSql(name: string, time: Fragment, micros: readonly bigint[]): Fragment {
  let [total, least, greatest] = [0n, 0n, 0n]
  for (const step of micros) {
    total += step
    if (total < least) least = total
    if (total > greatest) greatest = total
  }
  const [first, last] = [MIN_TIMESTAMP_MICROS - least, MAX_TIMESTAMP_MICROS - greatest]
  const bounds = first <= last ? [first, last, total] : [1n, 0n, 0n]
  return fragment`bq_${name}_moved(${time}, ${bounds.map(n => literalFragment(`${n}::BIGINT`, true))})`
}
