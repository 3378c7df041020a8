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

/** @throws ScalarFunctionError for a division by zero, and for an infinite result of finite operands. */
function checked(operator: Operator, a: number, b: number): number {
  if (operator === '/' && b === 0) fail(`division by zero: ${textOf(a)} / ${textOf(b)}`)
  const result = OPERATORS[operator](a, b)
  if (overflows(result, a, b)) fail(`double overflow: ${textOf(a)} ${operator} ${textOf(b)}`)
  return result
}

/** Computes one operation; null in place of an error. */
function safe(operator: Operator, a: number, b: number): number | null {
  if (operator === '/' && b === 0) return null
  const result = OPERATORS[operator](a, b)
  return overflows(result, a, b) ? null : result
}

const overflows = (result: number, a: number, b: number): boolean =>
  !Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)

const STEPS: Readonly<Record<FloatStep, (a: number, b: number) => number | null>> = {
  '+': (a, b) => checked('+', a, b),
  '-': (a, b) => checked('-', a, b),
  '*': (a, b) => checked('*', a, b),
  '/': (a, b) => checked('/', a, b),
  'safe+': (a, b) => safe('+', a, b),
  'safe-': (a, b) => safe('-', a, b),
  'safe*': (a, b) => safe('*', a, b),
  'safe/': (a, b) => safe('/', a, b),
  ieee: (a, b) => a / b,
  negate: a => -a,
  abs: a => Math.abs(a),
  ceil: a => Math.ceil(a),
  floor: a => Math.floor(a),
  round: a => (a < 0 ? -Math.round(-a) : Math.round(a)),
  trunc: a => Math.trunc(a),
}

/**
 * @param steps the steps in postfix notation, separated by spaces: each step is an index into `leaves`, or an operation on the
 * top values of the stack.
 */
function computeSteps(steps: string, leaves: readonly (number | null)[]): number | null {
  const stack: (number | null)[] = []
  for (const word of steps.split(' ')) {
    const step = Object.hasOwn(STEPS, word) ? STEPS[word as FloatStep] : undefined
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
