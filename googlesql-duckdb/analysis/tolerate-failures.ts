/**
 * Finds the expression at which a query fails. The caller runs the query again with the first `count` fallible expressions made
 * safe: if the query still fails, another expression is the cause.
 *
 * Before: any plan. After: the first expressions that may fail, in the order of their evaluation, return NULL instead of
 * failing.
 */
import { hasBranches, isVolatile } from '../../googlesql/functions/facts.js'
import type { CallExpr, Expr, ResolvedQuery } from '../../googlesql/plan/nodes.js'
import { mapExpr, mapScan } from '../../googlesql/plan/rewrite.js'
import { visitScan } from '../../googlesql/plan/walk.js'
import { raises } from './fallible-expressions.js'

/** The places of the expressions at which a query may fail. */
export interface FalliblePlaces {
  /** The offsets, in the text of the query, of the expressions that can be made safe, in the order of their evaluation. */
  readonly tolerable: readonly number[]
  /** The offsets of the expressions that cannot be made safe. */
  readonly notTolerable: readonly number[]
}

/** @param count how many of the expressions are made safe. */
export function tolerate(query: ResolvedQuery, count: number) {
  const tolerable: number[] = []
  const inner = (expr: Expr): Expr => mapExpr(expr, part => (part === expr ? undefined : whole(part)))
  const whole = (expr: Expr): Expr => {
    // The operands are evaluated before the expression itself.
    const mapped = inner(expr)
    if (!isTolerable(mapped)) return mapped
    return tolerable.push(mapped.at) <= count ? safe(mapped) : mapped
  }
  const scan = mapScan(query.scan, whole)
  const places: FalliblePlaces = { tolerable, notTolerable: notTolerableOf(query) }
  return { query: { ...query, scan }, places }
}

/** The safe variants of arithmetic operators are functions of their own; other calls get `isSafe`. */
const SAFE_NAMES: Readonly<Record<string, string>> = {
  $add: 'SAFE_ADD',
  $subtract: 'SAFE_SUBTRACT',
  $multiply: 'SAFE_MULTIPLY',
  $divide: 'SAFE_DIVIDE',
  $negate: 'SAFE_NEGATE',
}
const NUMBERS: ReadonlySet<string> = new Set(['INT64', 'FLOAT64', 'NUMERIC'])

function safe(expr: Tolerable): Expr {
  const name = expr.kind === 'call' && NUMBERS.has(expr.type.kind) ? SAFE_NAMES[expr.name] : undefined
  return name === undefined ? { ...expr, isSafe: true } : { ...(expr as CallExpr), name }
}

type Tolerable = Extract<Expr, { kind: 'call' | 'cast' }>

const isTolerable = (expr: Expr): expr is Tolerable =>
  (expr.kind === 'call' && !hasBranches(expr) && !isVolatile(expr) && expr.name !== '$interval' && raises(expr)) ||
  (expr.kind === 'cast' && !expr.isSafe && expr.typeParameters === null && raises(expr))

function notTolerableOf({ scan }: ResolvedQuery): readonly number[] {
  const offsets: number[] = []
  visitScan(
    scan,
    expr => {
      if (raises(expr) && !hasBranches(expr) && !isTolerable(expr)) offsets.push(expr.at)
    },
    part => {
      if (part.kind === 'aggregate') offsets.push(...part.aggregates.map(({ call }) => call.at))
      if (part.kind === 'window') offsets.push(...part.functions.map(({ call }) => call.call.at))
    },
  )
  return [...new Set(offsets)]
}
