/** Literals as DuckDB SQL. */
import type { LiteralExpr } from '../../../googlesql/plan/nodes.js'
import { elementOfRange, type RangeKind } from '../../../googlesql/types/types.js'
import { readRange } from '../../../googlesql/values/ranges.js'
import { bignumericUnits } from '../../bignumeric.js'
import { quoteText } from '../quote.js'
import { duckdbType } from '../type.js'

/**
 * The literal as an operand. A cast binds tighter than any operator after it, but not tighter than a sign before the literal.
 */
export function literalSql({ type, value }: Pick<LiteralExpr, 'type' | 'value'>): string {
  if (value === null) return `NULL::${duckdbType(type)}`
  switch (type.kind) {
    case 'INT64':
      return String(value).startsWith('-') ? `(${value})::BIGINT` : `${value}::BIGINT`
    case 'FLOAT64':
      return `${quoteText(floatText(value as number))}::DOUBLE`
    case 'BOOL':
      return value ? 'true' : 'false'
    case 'STRING':
      return quoteText(value as string)
    case 'BYTES':
      return `from_hex('${[...(value as Uint8Array)].map(byte => byte.toString(16).padStart(2, '0')).join('')}')`
    case 'BIGNUMERIC':
      return `'${bignumericUnits(String(value))}'::BIGNUM`
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return rangeSql(String(value), type.kind)
    default:
      return `${quoteText(String(value))}::${duckdbType(type)}`
  }
}

function rangeSql(text: string, kind: RangeKind): string {
  const element = elementOfRange(kind)
  const bounds = readRange(text, element)
  if (typeof bounds === 'string') throw new TypeError(`A resolved RANGE literal is invalid: ${bounds}`)
  const bound = (value: string): string => `${quoteText(value)}::${duckdbType({ kind: element })}`
  return `struct_pack(s := ${bound(bounds.start ?? '-infinity')}, e := ${bound(bounds.end ?? 'infinity')})`
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return Object.is(value, -0) ? '-0.0' : String(value)
}
