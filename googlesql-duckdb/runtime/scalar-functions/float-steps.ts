/** FLOAT64 arithmetic step by step with BigQuery's errors, for rows whose plain result is not finite. */
import { doubleText } from './decimal-text.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

type Operator = '+' | '-' | '*' | '/'
export type FloatStep = Operator | `safe${Operator}` | 'ieee' | 'negate' | 'abs' | 'ceil' | 'floor' | 'round' | 'trunc'

const OPERATORS: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

const textOf = (x: number): string =>
  Number.isFinite(x) ? doubleText(x) : `${x}`.replace('Infinity', 'inf').toLowerCase()

/** Computes one operation; null in place of an error. */
function computeSafely(operator: Operator, a: number, b: number): number | null {
  if (operator === '/' && b === 0) return null
  const result = OPERATORS[operator](a, b)
  return !Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b) ? null : result
}

/** @throws ScalarFunctionError for a division by zero, and for an infinite result of finite operands. */
const computeOrFail = (operator: Operator, a: number, b: number): number =>
  computeSafely(operator, a, b) ??
  fail(`${operator === '/' && b === 0 ? 'division by zero' : 'double overflow'}: ${textOf(a)} ${operator} ${textOf(b)}`)

const STEPS: Readonly<Record<string, (a: number, b: number) => number | null>> = {
  ...Object.fromEntries(
    (Object.keys(OPERATORS) as Operator[]).flatMap(operator => [
      [operator, (a: number, b: number) => computeOrFail(operator, a, b)],
      [`safe${operator}`, (a: number, b: number) => computeSafely(operator, a, b)],
    ]),
  ),
  ieee: OPERATORS['/'],
  negate: a => -a,
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  round: a => (a < 0 ? -Math.round(-a) : Math.round(a)),
  trunc: Math.trunc,
}

/**
 * @param steps the steps in postfix notation, separated by spaces: each step is an index into `leaves`, or an operation on the
 * top values of the stack.
 */
function computeSteps(steps: string, leaves: readonly (number | null)[]): number | null {
  const stack: (number | null)[] = []
  for (const word of steps.split(' ')) {
    const step = Object.hasOwn(STEPS, word) ? STEPS[word] : undefined
    if (!step) {
      stack.push(leaves[Number(word)]!)
      continue
    }
    const b = step.length === 2 ? stack.pop()! : 0
    const a = stack.pop()!
    stack.push(a === null || b === null ? null : step(a, b))
  }
  return stack[0]!
}

export const FLOAT_STEP_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_float_steps', ['VARCHAR', 'DOUBLE[]'], 'DOUBLE', computeSteps),
]
