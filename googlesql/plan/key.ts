/** Determines which expressions compute the same value. */
import { memo } from '../memo.js'
import { type Type, typeName } from '../types/types.js'
import type { AggregateCall, Column, Expr, LiteralExpr, Scan, SortKey } from './nodes.js'
import { columnsMade, columnsRead, exprsOfScan, inputsOfScan } from './walk.js'

/**
 * The key of an expression. Two expressions with equal keys do the same computation over the same columns. The key does
 * not depend on offsets, on whether a cast or a type is written or implied, or on the names of columns that the expression
 * itself defines (`WITH(a AS …, a)`). Two subqueries have equal keys only if they are copies, because the ids of
 * columns are unique.
 */
export const exprKey = (expr: Expr): string =>
  expr.kind === 'column' ? `column ${expr.column.id}` : keyOf(expr, new Map())

/** Whether two expressions are known to compute the same value. */
export const isSameExpr = (a: Expr, b: Expr): boolean => a === b || (a.kind === b.kind && exprKey(a) === exprKey(b))

/**
 * The key of an aggregate call. Equal keys mean equal results over the same rows: the key covers the arguments, DISTINCT, the
 * order and all other clauses of the call, but not SAFE.
 */
export const aggregateKey = ({ name, arguments: args, isDistinct, ignoresNulls, ...call }: AggregateCall): string => {
  const locals: LocalNames = new Map()
  const keyOrDash = (part: Expr | null): string => (part ? keyOf(part, locals) : '-')
  const having = call.having ? `${call.having.extreme} ${keyOf(call.having.expr, locals)}` : '-'
  const order = call.orderBy.map(key => sortKey(key, locals))
  return `${name}(${[...args.map(keyOrDash), isDistinct, ignoresNulls, having, order, keyOrDash(call.limit), keyOrDash(call.filter)].join()})`
}

const sortKey = ({ expr, isDescending, nullsFirst }: SortKey, locals: LocalNames): string =>
  `${keyOf(expr, locals)} ${isDescending} ${nullsFirst}`

/** The numbered names that stand in a key for the columns that the expression itself defines, by column id. */
type LocalNames = Map<number, string>

function keyOf(expr: Expr, locals: LocalNames): string {
  const key = (part: Expr | null): string => (part ? keyOf(part, locals) : '-')
  const keys = (parts: readonly (Expr | null)[]): string => parts.map(key).join()
  const localName = (column: Column): string => memo(locals, column.id, () => `own ${locals.size}`)
  switch (expr.kind) {
    case 'literal':
      return `${typeKey(expr.type)} ${valueKey(expr)}`
    case 'parameter':
      return `@${expr.name} ${typeKey(expr.type)}`
    case 'column':
      return `#${locals.get(expr.column.id) ?? expr.column.id} ${typeKey(expr.type)}`
    case 'word':
      return expr.word
    case 'call':
      return `${expr.isSafe ? 'SAFE.' : ''}${expr.name}(${keys(expr.arguments)}) ${typeKey(expr.type)}`
    case 'cast': {
      const parameters = expr.typeParameters ? JSON.stringify(expr.typeParameters) : ''
      return `cast(${keys([expr.operand, expr.format, expr.timeZone])}, ${expr.isSafe}, ${typeKey(expr.type)}${parameters})`
    }
    case 'field':
      return `${key(expr.operand)}.${expr.index}`
    case 'struct':
      return `${typeKey(expr.type)}(${keys(expr.fields)})`
    case 'array':
      return `${typeKey(expr.type)}[${keys(expr.items)}]`
    case 'case': {
      const branches = expr.branches.map(({ when, then }) => `${key(when)} ? ${key(then)}`)
      return `case(${branches.join()}, ${key(expr.otherwise)}, ${typeKey(expr.type)})`
    }
    case 'subquery':
      return `${expr.form}(${scanKey(expr.scan)})`
    case 'in-query':
      return `${key(expr.operand)} in (${scanKey(expr.scan)})`
    case 'lambda':
      return `(${expr.parameters.map(localName).join()}) -> ${key(expr.body)}`
    case 'let': {
      const bindings = expr.bindings.map(({ column, expr: value }) => `${localName(column)} = ${key(value)}`)
      return `let(${bindings.join()}, ${key(expr.result)})`
    }
    default:
      return expr satisfies never
  }
}

/**
 * The key of a scan: its kind and columns. Scans with equal keys are copies of one scan, because the ids of columns are unique.
 */
function scanKey(scan: Scan): string {
  const columns = [...columnsMade(scan).map(({ id }) => id), ...columnsRead(exprsOfScan(scan))]
  return `${scan.kind} ${columns.join()} ${inputsOfScan(scan).map(scanKey).join()}`
}

const typeKey = (type: Type): string => typeName(type).toLowerCase()

function valueKey({ value }: LiteralExpr): string {
  if (value instanceof Uint8Array) return `bytes ${value.join()}`
  if (typeof value === 'string') return JSON.stringify(value)
  return Object.is(value, -0) ? '-0' : String(value)
}
