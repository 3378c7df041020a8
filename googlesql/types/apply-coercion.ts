/** Implicit conversion of resolved expressions. Source: the language reference, "Conversion rules". */

import { castExpr, literal } from '../plan/build.js'
import type { CastExpr, Expr, LiteralExpr } from '../plan/nodes.js'
import { SqlError } from '../sql-error.js'
import { dateLiteral, datetimeLiteral, numericLiteral, timeLiteral, timestampLiteral } from '../values/literals.js'
import { coercionCost, operandOf, supertypeOf } from './coercion-rules.js'
import { sameType, type Type, typeName } from './types.js'

/**
 * The expression coerced to this type: a literal is converted itself, any other expression gets an implicit cast. Null when
 * the language does not coerce it.
 *
 * @throws SqlError for a literal whose value the type does not have
 */
export function coerceTo(expr: Expr, type: Type, source: string): Expr | null {
  return coercionCost(operandOf(expr), type) === null ? null : convert(expr, type, source)
}

/**
 * The common supertype, to which literals are coerced if possible; INT64 if all are untyped NULLs. Null when no common type
 * exists.
 */
export function commonSupertype(exprs: readonly Expr[]): Type | null {
  return supertypeOf(exprs.map(operandOf))
}

/** Converts the expression; the caller has checked that the language allows the coercion. */
function convert(expr: Expr, type: Type, source: string): Expr {
  if (expr.kind === 'literal' && expr.value === null) return implicitCast(expr, type)
  if (sameType(expr.type, type)) return expr
  if (expr.kind === 'literal') return convertLiteral(expr, type, source)
  if (expr.kind === 'call' && expr.name === 'ERROR') return { ...expr, type }
  if (
    expr.kind === 'cast' &&
    expr.isImplicit &&
    (expr.operand.kind === 'literal' || expr.operand.kind === 'parameter')
  ) {
    return convert(expr.operand, type, source)
  }
  if (expr.kind === 'array' && type.kind === 'ARRAY' && !expr.hasWrittenType) {
    return { ...expr, type, items: expr.items.map(item => convert(item, type.element, source)) }
  }
  if (expr.kind === 'struct' && type.kind === 'STRUCT' && !expr.hasWrittenType) {
    return {
      ...expr,
      type,
      fields: expr.fields.map((field, index) => convertField(field, type.fields[index]!.type, source)),
    }
  }
  return implicitCast(expr, type)
}

/**
 * Within a STRUCT, a FLOAT64 literal that becomes a decimal is converted from its FLOAT64 value, not from its written digits.
 */
function convertField(field: Expr, type: Type, source: string): Expr {
  const isDecimal = type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC'
  if (!isDecimal || field.kind !== 'literal' || field.written === undefined) return convert(field, type, source)
  const { written: _, ...literal } = field
  return implicitCast(literal, type)
}

const implicitCast = (operand: Expr, type: Type): CastExpr => castExpr(operand, type, true)

function convertLiteral(expr: LiteralExpr, type: Type, source: string): Expr {
  const value = literalValue(expr, type)
  if (value === undefined) return implicitCast(expr, type)
  if (value === null) {
    const shown = expr.type.kind === 'STRING' ? JSON.stringify(expr.value) : (expr.written ?? String(expr.value))
    const mistake = { code: 'literal', type: typeName(type) } as const
    throw new SqlError(`Could not cast literal ${shown} to type ${mistake.type}`, source, expr.at, mistake)
  }
  return literal(type, value, expr.at)
}

/** The literal's value in this type; null when the type has no such value, undefined when only an engine can convert it. */
function literalValue(literal: LiteralExpr, type: Type): string | number | null | undefined {
  const { kind } = literal.type
  const text = literal.written ?? String(literal.value)
  switch (type.kind) {
    case 'FLOAT64':
      return kind === 'INT64' || kind === 'NUMERIC' || kind === 'BIGNUMERIC' ? Number(text) : undefined
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return numericLiteral(text, type.kind, 'cast')
    case 'DATE':
      return dateLiteral(text)
    case 'DATETIME':
      return kind === 'DATE' ? `${text} 00:00:00` : datetimeLiteral(text)
    case 'TIME':
      return timeLiteral(text)
    case 'TIMESTAMP':
      return timestampLiteral(text)
    default:
      return undefined
  }
}
