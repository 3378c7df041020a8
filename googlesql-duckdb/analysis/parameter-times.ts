/**
 * Times computed from a parameter by constant steps, such as `TIMESTAMP_SUB(@now, INTERVAL 1 HOUR)`. The code that runs the
 * query computes these times and binds them as parameters: DuckDB would need a tenth of a query's planning time for such an
 * expression and its check for errors.
 */
import type { CallExpr, Expr } from '../../googlesql/plan/nodes.js'
import { DAY_MICROS, microsOf, unitOf } from '../functions/dates/units.js'

/** An additional parameter of the SQL. */
export interface ParameterTime {
  /** The parameter's name, which differs from all names of the query's own parameters. */
  readonly name: string
  /** The name of the query's parameter that it is computed from, a TIMESTAMP. */
  readonly of: string
  /** The steps of the computation, in order. Each result must be a valid TIMESTAMP; otherwise the query raises an error. */
  readonly steps: readonly TimeStep[]
}

/**
 * `add` adds microseconds. `floor` rounds down to a multiple of `micros`, the length of a date part that is not longer than a
 * day.
 */
export type TimeStep = { readonly kind: 'add' | 'floor'; readonly micros: number }

/** The computation of a time from a parameter; null for any other expression. */
export function parameterTime(expr: Expr): ParameterTime | null {
  const steps: TimeStep[] = []
  let inner: Expr | null | undefined = expr
  for (; inner?.kind === 'call'; inner = inner.arguments[0]) {
    const step = stepOf(inner)
    if (step === null) return null
    steps.unshift(step)
  }
  if (steps.length === 0 || inner?.kind !== 'parameter' || inner.type.kind !== 'TIMESTAMP') return null
  const written = steps.map(({ kind, micros }) => `${kind} ${micros}`)
  return { name: `@${inner.name}: ${written.join(', ')}`, of: inner.name, steps }
}

function stepOf({ name, arguments: args, isSafe }: CallExpr): TimeStep | null {
  if (isSafe) return null
  switch (name) {
    case 'TIMESTAMP_ADD':
      return added(args[1], 1)
    case 'TIMESTAMP_SUB':
      return added(args[1], -1)
    case 'TIMESTAMP_TRUNC':
      return args[2] ? null : cutOff(args[1])
    default:
      return null
  }
}

function added(interval: Expr | null | undefined, sign: 1 | -1): TimeStep | null {
  if (interval?.kind !== 'call' || interval.name !== '$interval') return null
  const [count, part] = interval.arguments
  const unit = part?.kind === 'word' ? unitOf(part.word) : undefined
  if (count?.kind !== 'literal' || count.type.kind !== 'INT64' || count.value === null) return null
  if (unit === undefined || unit.base === 'months') return null
  const micros = sign * Number(count.value) * unit.size * (unit.base === 'days' ? DAY_MICROS : 1)
  return Number.isSafeInteger(micros) ? { kind: 'add', micros } : null
}

function cutOff(part: Expr | null | undefined): TimeStep | null {
  const micros = part?.kind === 'word' ? microsOf(part.word) : undefined
  return micros === undefined ? null : { kind: 'floor', micros }
}
