/**
 * Chains of INTERVAL arithmetic: `ts + INTERVAL a DAY - INTERVAL b HOUR`, `(i + j) * 2`. Each step reads its operand several
 * times, so a step that is written alone passes its operand to a lambda, and DuckDB's planner takes more than linear time for
 * nested lambdas. So a chain is written as one list of operands. One lambda folds the list in the order of the steps, and tests
 * the result of each step.
 */
import { getOrMake } from '../../../googlesql/get-or-make.js'
import type { CallExpr, Expr } from '../../../googlesql/plan/nodes.js'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../googlesql/values/civil-text.js'
import { writtenMicros } from '../../functions/intervals.js'
import type { Place } from '../context.js'
import { asOperand, type Fragment, fragment, literalFragment } from '../fragment.js'
import { type Parts, shareArguments } from '../share-arguments.js'

/**
 * One operation on the sum. The operand is an INTERVAL for `add`, `subtract` and `from` (operand minus sum), and an INT64 for
 * `multiply` and `divide`.
 */
interface Step {
  readonly kind: 'add' | 'subtract' | 'from' | 'multiply' | 'divide' | 'negate'
  readonly operand: Expr | null
}
interface Chain {
  readonly start: Expr
  readonly steps: readonly Step[]
}
/** A step, and the operand that continues the chain. */
type Link = Step & { readonly inner: Expr }

/** The fewest steps that are written as a chain. */
const MIN_STEPS = 2

/** The chain as an operand; null for any other expression, and for a single step. */
export function intervalChainSql(expr: Expr, place: Place): Fragment | null {
  if (!isStep(expr)) return null
  const chain = chainOf(expr)
  if (chain.steps.length < MIN_STEPS) return null
  return expr.type.kind === 'INTERVAL' ? intervalSql(chain, place) : timeSql(expr, chain, place)
}

/** The chain of an expression, from its innermost operand outwards. */
function chainOf(expr: Expr): Chain {
  const lengths = new Map<Expr, number>()
  const steps: Step[] = []
  let start = expr
  for (let link = linkOf(start, lengths); link; link = linkOf(start, lengths)) {
    steps.push(link)
    start = link.inner
  }
  return { start, steps: steps.reverse() }
}

function linkOf(expr: Expr, lengths: Map<Expr, number>): Link | null {
  if (!isStep(expr)) return null
  const [left, right] = expr.arguments as readonly [Expr, Expr]
  if (expr.name === '$negate') return { kind: 'negate', operand: null, inner: left }
  if (expr.name === '$divide') return { kind: 'divide', operand: right, inner: left }
  const [a, b] = [left.type.kind, right.type.kind]
  if (expr.name === '$multiply') {
    return a === 'INT64'
      ? { kind: 'multiply', operand: left, inner: right }
      : { kind: 'multiply', operand: right, inner: left }
  }
  // The chain continues with the longer side, so that few chains are nested.
  const isRight = a === b ? lengthOf(right, lengths) > lengthOf(left, lengths) : a === 'INTERVAL'
  if (expr.name === '$add') return { kind: 'add', operand: isRight ? left : right, inner: isRight ? right : left }
  return isRight ? { kind: 'from', operand: left, inner: right } : { kind: 'subtract', operand: right, inner: left }
}

/** The number of steps of the longest chain whose last step is this expression. */
function lengthOf(expr: Expr, lengths: Map<Expr, number>): number {
  if (!isStep(expr)) return 0
  return getOrMake(lengths, expr, () => 1 + Math.max(...expr.arguments.map(part => lengthOf(part!, lengths))))
}

const NAMES = new Set(['$add', '$subtract', '$multiply', '$divide', '$negate'])

/** Whether the expression is a step: arithmetic of INTERVALs, or of a time and an INTERVAL. */
function isStep(expr: Expr): expr is CallExpr {
  if (expr.kind !== 'call' || expr.isSafe || !NAMES.has(expr.name)) return false
  return expr.arguments.some(part => part?.type.kind === 'INTERVAL')
}

function intervalSql({ start, steps }: Chain, place: Place): Fragment {
  const sql = (part: Expr): Fragment => place.expr(part, place)
  const isSum = steps.every(({ kind }) => kind === 'add' || kind === 'subtract')
  if (isSum) return fragment`bq_interval_sum([${[sql(start), ...steps.map(step => addend(step, place))]}])`
  const element = (i: Fragment, n: Fragment, by: number): Fragment =>
    fragment`struct_pack(i := coalesce(${i}, NULL), n := coalesce(${n}, NULL), by := ${by})`
  const noInterval = literalFragment('NULL::INTERVAL', true)
  const noFactor = literalFragment('NULL::BIGINT', true)
  const minusOne = literalFragment('-1::BIGINT', true)
  const elements = steps.flatMap(step => {
    const { kind, operand } = step
    switch (kind) {
      case 'multiply':
        return [element(noInterval, sql(operand!), 1)]
      case 'divide':
        return [element(noInterval, sql(operand!), -1)]
      case 'negate':
        return [element(noInterval, minusOne, 1)]
      case 'from':
        return [element(noInterval, minusOne, 1), element(sql(operand!), noFactor, 0)]
      default:
        return [element(addend(step, place), noFactor, 0)]
    }
  })
  return fragment`bq_interval_chain([${[element(sql(start), noFactor, 0), ...elements]}])`
}

function addend({ kind, operand }: Step, place: Place): Fragment {
  const sql = place.expr(operand!, place)
  return kind === 'subtract' ? fragment`(-${sql})` : sql
}

/** A chain that begins with a time. A DATE counts as the DATETIME of its midnight. */
function timeSql(expr: Expr, { start, steps }: Chain, place: Place): Fragment {
  const name = expr.type.kind === 'TIMESTAMP' ? 'timestamp' : 'datetime'
  const micros = steps.map(({ kind, operand }) => {
    const written = writtenMicros(operand!)
    return written === null || kind === 'add' ? written : -written
  })
  const isWritten = !micros.includes(null)
  const value = place.expr(start, place)
  const write = ([part]: Parts): Fragment => {
    const time = start.type.kind === 'DATE' ? fragment`CAST(${part!} AS TIMESTAMP)` : part!
    if (isWritten) return movedSql(name, time, micros as bigint[])
    const list = [fragment`to_microseconds(epoch_us(${time}))`, ...steps.map(step => addend(step, place))]
    return fragment`bq_${name}_sum([${list}])`
  }
  return isWritten ? asOperand(shareArguments([start], [value], write, place)) : write([value])
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
