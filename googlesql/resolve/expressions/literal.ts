/** Literals and query parameters become typed expressions. */

import type * as ast from '../../ast/nodes.js'
import { literal } from '../../plan/build.js'
import type { Expr } from '../../plan/nodes.js'
import {
  BIGNUMERIC,
  DATE,
  DATETIME,
  elementOfRange,
  FLOAT64,
  INT64,
  isRangeKind,
  JSON_TYPE,
  NUMERIC,
  TIME,
  TIMESTAMP,
} from '../../types/types.js'
import {
  dateLiteral,
  datetimeLiteral,
  jsonLiteral,
  numericLiteral,
  timeLiteral,
  timestampLiteral,
} from '../../values/literals.js'
import { rangeText, readRange } from '../../values/ranges.js'
import type { ResolveContext } from '../context.js'

/** The largest INT64; the smallest is `-MAX_INT64 - 1n`. */
export const MAX_INT64 = 9223372036854775807n

export function intLiteral(digits: string, at: number, context: ResolveContext): Expr {
  if (BigInt(digits) > MAX_INT64) return context.fail(`Invalid integer literal: ${digits}`, at)
  return literal(INT64, BigInt(digits).toString(), at)
}

/** A FLOAT64 literal; a number that is too large for a FLOAT64 becomes infinite. */
export function floatLiteral(text: string, at: number): Expr {
  return { kind: 'literal', type: FLOAT64, value: Number(text), written: text, at }
}

const TYPED_LITERALS = {
  DATE: { type: DATE, read: dateLiteral },
  DATETIME: { type: DATETIME, read: datetimeLiteral },
  TIME: { type: TIME, read: timeLiteral },
  TIMESTAMP: { type: TIMESTAMP, read: timestampLiteral },
  NUMERIC: { type: NUMERIC, read: (text: string) => numericLiteral(text, 'NUMERIC') },
  BIGNUMERIC: { type: BIGNUMERIC, read: (text: string) => numericLiteral(text, 'BIGNUMERIC') },
  JSON: { type: JSON_TYPE, read: jsonLiteral },
} as const

export function typedLiteral(node: Extract<ast.Literal, { kind: 'typed' }>, context: ResolveContext): Expr {
  if (isRangeKind(node.typed)) {
    const bounds = readRange(node.value, elementOfRange(node.typed))
    if (typeof bounds === 'string') return context.fail(`Invalid RANGE literal value: ${bounds}`, node.at)
    return literal({ kind: node.typed }, rangeText(bounds), node.at)
  }
  const { type, read } = TYPED_LITERALS[node.typed]
  const value = read(node.value)
  if (value === null) return context.fail(`Invalid ${node.typed} literal: ${JSON.stringify(node.value)}`, node.at)
  return literal(type, value, node.at)
}

export function resolveParameter(node: ast.Parameter, context: ResolveContext): Expr {
  const key = node.name.toLowerCase()
  const type = context.parameterTypes.get(key)
  if (!type && context.onUndeclared) {
    context.onUndeclared(node.name, node.at)
    return literal(INT64, null, node.at)
  }
  if (!type) {
    return context.fail(`Query parameter '${node.name}' not found`, node.at, {
      code: 'unknown-parameter',
      name: node.name,
    })
  }
  if (!context.usedParameters.has(key)) context.usedParameters.set(key, node.name)
  return { kind: 'parameter', type, name: key, at: node.at }
}
