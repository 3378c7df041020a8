/** FLOAT64 arithmetic step by step with BigQuery's errors, for rows whose plain result is not finite. */
import { doubleText } from './decimal-text.js'
import { type ScalarFunction, ScalarFunctionError, scalar } from './scalar-function.js'

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
  if (operator === '/' && b === 0) throw new ScalarFunctionError(`division by zero: ${textOf(a)} / ${textOf(b)}`)
  const result = OPERATORS[operator](a, b)
  if (overflows(result, a, b)) throw new ScalarFunctionError(`double overflow: ${textOf(a)} ${operator} ${textOf(b)}`)
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

const binary =
  (compute: (operator: Operator, a: number, b: number) => number | null, operator: Operator) =>
  (a: number, b: number): number | null =>
    compute(operator, a, b)

type Compute =
  | { readonly width: 1; readonly compute: (a: number) => number }
  | { readonly width: 2; readonly compute: (a: number, b: number) => number | null }

const STEPS: Readonly<Record<FloatStep, Compute>> = {
  '+': { width: 2, compute: binary(checked, '+') },
  '-': { width: 2, compute: binary(checked, '-') },
  '*': { width: 2, compute: binary(checked, '*') },
  '/': { width: 2, compute: binary(checked, '/') },
  'safe+': { width: 2, compute: binary(safe, '+') },
  'safe-': { width: 2, compute: binary(safe, '-') },
  'safe*': { width: 2, compute: binary(safe, '*') },
  'safe/': { width: 2, compute: binary(safe, '/') },
  ieee: { width: 2, compute: (a, b) => a / b },
  negate: { width: 1, compute: a => -a },
  abs: { width: 1, compute: Math.abs },
  ceil: { width: 1, compute: Math.ceil },
  floor: { width: 1, compute: Math.floor },
  round: { width: 1, compute: a => (a < 0 ? -Math.round(-a) : Math.round(a)) },
  trunc: { width: 1, compute: Math.trunc },
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
    const b = step.width === 2 ? stack.pop()! : null
    const a = stack.pop()!
    if (step.width === 1) stack.push(a === null ? null : step.compute(a))
    else stack.push(a === null || b === null ? null : step.compute(a, b))
  }
  return stack[0]!
}

export const FLOAT_STEP_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_float_steps', ['VARCHAR', 'DOUBLE[]'], 'DOUBLE', computeSteps),
  // Volatile, so that DuckDB does not copy a column with this call into the filters above it.
  scalar('bq_float_steps_apart', ['VARCHAR', 'DOUBLE[]'], 'DOUBLE', computeSteps, { isVolatile: true }),
]
