/** Decides which expressions may raise an error. For functions the catalogue says it; for casts it is decided here. */
import { findFunction } from '../../googlesql/functions/all.js'
import type { CanFail } from '../../googlesql/functions/catalogue.js'
import type { AggregateCall, CastExpr, Expr, Scan } from '../../googlesql/plan/nodes.js'
import { exprsOfScan, inputsOfScan, partsOf } from '../../googlesql/plan/walk.js'
import type { ScalarKind, Type } from '../../googlesql/types/types.js'

/** Whether the expression, or a part of it, raises an error for some values of the columns that it reads. */
export function mayFail(expr: Expr): boolean {
  if (raises(expr)) return true
  if (expr.kind === 'column' || expr.kind === 'literal') return false
  const isQuery = expr.kind === 'subquery' || expr.kind === 'in-query'
  return partsOf(expr).some(mayFail) || (isQuery && scanMayFail(expr.scan))
}

/** Whether computing the rows of a scan may raise an error. */
export function scanMayFail(scan: Scan): boolean {
  return raisesInScan(scan) || exprsOfScan(scan).some(mayFail) || inputsOfScan(scan).some(scanMayFail)
}

/** Whether the expression itself raises an error for some values of its operands; errors of the operands do not count. */
export function raises(expr: Expr): boolean {
  switch (expr.kind) {
    case 'call':
      // A function that is not in the catalogue was created by the resolver; it is assumed to be fallible.
      return expr.isSafe ? false : canFail(expr.name, expr.arguments)
    case 'cast':
      return castRaises(expr)
    case 'subquery':
      return expr.form === 'scalar' && !hasOneRow(expr.scan)
    case 'literal':
    case 'parameter':
    case 'column':
    case 'field':
    case 'struct':
    case 'array':
    case 'case':
    case 'in-query':
    case 'lambda':
    case 'let':
    case 'word':
      return false
    default:
      return expr satisfies never
  }
}

function raisesInScan(scan: Scan): boolean {
  switch (scan.kind) {
    case 'aggregate':
      return scan.aggregates.some(({ call }) => aggregateRaises(call))
    case 'window':
      return scan.functions.some(
        ({ call: { call, frame } }) =>
          aggregateRaises(call) ||
          [frame?.start.offset, frame?.end.offset].some(offset => offset && offset.kind !== 'literal'),
      )
    case 'limit':
      return [scan.limit, scan.offset].some(count => count !== null && count.kind !== 'literal')
    case 'one-row':
    case 'table':
    case 'cte':
    case 'unnest':
    case 'join':
    case 'filter':
    case 'project':
    case 'set':
    case 'order':
    case 'with':
      return false
    default:
      return scan satisfies never
  }
}

const aggregateRaises = (call: AggregateCall): boolean =>
  (!call.isSafe && canFail(call.name, call.arguments)) || (call.limit !== null && call.limit.kind !== 'literal')

function canFail(name: string, args: readonly (Expr | null)[]): boolean {
  const fact: CanFail = findFunction(name)?.canFail ?? true
  return typeof fact === 'boolean' ? fact : fact(args)
}

function castRaises({ operand, type, isSafe, format, typeParameters }: CastExpr): boolean {
  if (operand.kind === 'literal' && operand.value === null) return false
  // A value that is too long for the type's parameters is an error even in a SAFE_CAST.
  if (typeParameters !== null) return true
  return !isSafe && (format !== null || !isWidening(operand.type, type))
}

/** Whether every value of `from` can be cast to `to` without an error. */
function isWidening(from: Type, to: Type): boolean {
  if (from.kind === 'ARRAY') return to.kind === 'ARRAY' && isWidening(from.element, to.element)
  if (from.kind === 'STRUCT') {
    return to.kind === 'STRUCT' && from.fields.every(({ type }, i) => isWidening(type, to.fields[i]!.type))
  }
  return from.kind === to.kind || WIDER[from.kind].includes(to.kind as ScalarKind)
}

const WIDER: Readonly<Record<ScalarKind, readonly ScalarKind[]>> = {
  BOOL: ['STRING', 'INT64'],
  INT64: ['STRING', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL'],
  FLOAT64: ['STRING'],
  NUMERIC: ['STRING', 'FLOAT64', 'BIGNUMERIC'],
  BIGNUMERIC: ['STRING', 'FLOAT64'],
  STRING: ['BYTES'],
  BYTES: [],
  DATE: ['STRING', 'DATETIME', 'TIMESTAMP'],
  DATETIME: ['STRING', 'DATE', 'TIME', 'TIMESTAMP'],
  TIME: ['STRING'],
  TIMESTAMP: ['STRING', 'DATE', 'DATETIME', 'TIME'],
  INTERVAL: ['STRING'],
  JSON: [],
  'RANGE<DATE>': ['STRING'],
  'RANGE<DATETIME>': ['STRING'],
  'RANGE<TIMESTAMP>': ['STRING'],
}

/** Whether the plan shows that the scan has at most one row: an aggregation without keys, SELECT without FROM, or LIMIT 1. */
function hasOneRow(scan: Scan): boolean {
  switch (scan.kind) {
    case 'one-row':
      return true
    case 'aggregate':
      return scan.keys.length === 0 && !scan.groupingSets
    case 'project':
    case 'order':
      return hasOneRow(scan.input)
    case 'limit':
      return (scan.limit.kind === 'literal' && scan.limit.value === '1') || hasOneRow(scan.input)
    default:
      return false
  }
}
