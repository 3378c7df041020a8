/** Queries of any size: each call and each cast of the GoogleSQL cases, nested in itself to a given depth. */

import type { CallExpr, CastExpr, Expr, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapScan } from '../../googlesql/plan/rewrite.js'
import { visitScan } from '../../googlesql/plan/walk.js'
import { resolveQuery } from '../../googlesql/resolve/resolve.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { mayCast } from '../../googlesql/types/cast-rules.js'
import { parseTypeName } from '../../googlesql/types/parse-type-name.js'
import { INT64, type Type, typeName } from '../../googlesql/types/types.js'
import { caseFiles, caseTables, readCases } from '../googlesql/case-files.js'

export interface GrownQuery {
  /** The call or cast with its types: `SAFE_DIVIDE(FLOAT64, FLOAT64)`, `CAST(STRING AS DATE)`. */
  readonly name: string
  /** The query with the call nested `depth` times, each time in the first argument that accepts it. */
  readonly at: (depth: number) => ResolvedQuery
}

/** One query for each call with different argument types, and for each cast, in the order of the cases. */
export function grownQueries(): readonly GrownQuery[] {
  const grown = new Map<string, GrownQuery>()
  visitCalls((name, expr, query) => {
    if (!grown.has(name) && nested(expr, expr)) grown.set(name, { name, at: depth => withGrown(query, expr, depth) })
  })
  return [...grown.values()]
}

/**
 * Calls `visit` with each call and each cast of the cases that have rows: a name with its types, the expression, its query.
 */
export function visitCalls(visit: (name: string, expr: CallExpr | CastExpr, query: ResolvedQuery) => void): void {
  const tables = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))
  for (const { sql, parameters = {}, rows } of caseFiles().flatMap(readCases)) {
    if (rows === undefined) continue
    const types = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!] as const)
    const query = resolveQuery(sql, tables, Object.fromEntries(types))
    visitScan(query.scan, expr => {
      if (expr.kind === 'call' || expr.kind === 'cast') visit(nameOf(expr), expr, query)
    })
  }
}

const INTERVAL = 'INTERVAL i DAY'
const COLUMNS = 'id, i, f, s, b, d, dt, ts, n'
const WIDE: Readonly<Record<string, (width: number) => string>> = {
  'f + f + …': width => chain(width, 'f', ' + '),
  'f / f / …': width => chain(width, 'f', ' / '),
  'f / (f / (…))': width => nestedText(width, 'f', inner => `f / (${inner})`),
  'f - i * f / 2 + …': width => chain(width, 'f - i * f / 2', ' + '),
  'i * i * …': width => chain(width, 'i', ' * '),
  'n * n * …': width => chain(width, 'n', ' * '),
  'n / n / …': width => chain(width, 'n', ' / '),
  's || s || …': width => chain(width, 's', ' || '),
  'b AND b AND …': width => chain(width, 'b', ' AND '),
  'f < f OR f < f OR …': width => chain(width, 'f / i < f * i', ' OR '),
  'f IN (f, f, …)': width => `f / i IN (${chain(width, 'f', ', ')})`,
  'GREATEST(f, f, …)': width => `GREATEST(${chain(width, 'f * 2', ', ')})`,
  'LEAST(f, f, …)': width => `LEAST(${chain(width, 'f * 2', ', ')})`,
  'COALESCE(f / i, …)': width => `COALESCE(${chain(width, 'f / i', ', ')})`,
  'CONCAT(s, s, …)': width => `CONCAT(${chain(width, 's', ', ')})`,
  'CASE WHEN f / i > 1 …': width => `CASE ${chain(width, 'WHEN f / i > 1 THEN f * 2', ' ')} END`,
  'CASE f / i WHEN f …': width => `CASE f / i ${chain(width, 'WHEN f THEN 1', ' ')} END`,
  'STRUCT(f / i, …) = STRUCT(…)': width =>
    `STRUCT(${chain(width, 'f / i', ', ')}) = STRUCT(${chain(width, 'f', ', ')})`,
  'IF(f / i > 1, …)': width => nestedText(width / 2, 'f', inner => `IF(f / i > 1, ${inner}, f * 2)`),
  'IF(… > 1, f, i)': width => nestedText(width / 2, 'f', inner => `IF(${inner} / 2 > f, f, i)`),
  'f BETWEEN … AND …': width => chain(width, 'f / i BETWEEN f - 1 AND f * 2', ' OR '),
  'iv + iv + …': width => chain(width, 'INTERVAL i DAY', ' + '),
  'iv + (iv + (…))': width => nestedText(width, INTERVAL, inner => `${INTERVAL} + (${inner})`),
  'iv - (iv - (…))': width => nestedText(width, INTERVAL, inner => `${INTERVAL} - (${inner})`),
  '(iv + iv) * i / 2 + …': width => nestedText(width / 3, INTERVAL, inner => `(${inner} + ${INTERVAL}) * i / 2`),
  'ts + iv + iv …': width => `ts + ${chain(width, 'INTERVAL i HOUR', ' + ')}`,
  'ts + INTERVAL 1 HOUR - …': width => `ts${chain(width / 2, ' + INTERVAL 1 HOUR - INTERVAL 2 DAY', '')}`,
  'dt - iv - iv …': width => `dt - ${chain(width, INTERVAL, ' - ')}`,
  'd + iv + iv …': width => `d + ${chain(width, INTERVAL, ' + ')}`,
  'EXTRACT(DAY FROM iv - iv) + …': width => chain(width, `EXTRACT(DAY FROM ${INTERVAL} - ${INTERVAL})`, ' + '),
  'UNIX_DATE(DATE_BUCKET(d, iv)) + …': width => chain(width, `UNIX_DATE(DATE_BUCKET(d, ${INTERVAL}))`, ' + '),
  'TIMESTAMP_BUCKET(ts, iv) > ts OR …': width => chain(width, `TIMESTAMP_BUCKET(ts, ${INTERVAL}) > ts`, ' OR '),
}

const chain = (width: number, part: string, separator: string): string =>
  Array.from({ length: width }, () => part).join(separator)
const nestedText = (depth: number, start: string, around: (inner: string) => string): string =>
  Array.from({ length: depth }).reduce<string>(inner => around(inner), start)

/** Chains of operators and long lists of arguments; `depth` is their width. */
export function wideQueries(): readonly GrownQuery[] {
  const tables = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))
  return Object.entries(WIDE).map(([name, write]) => ({
    name,
    at: width => resolveQuery(`SELECT ${write(width)} FROM (SELECT ${COLUMNS} FROM \`types.every\`)`, tables, {}),
  }))
}

/** The number of expressions and scans in the query. */
export function sizeOfTree({ scan }: ResolvedQuery): number {
  let size = 0
  const count = (): void => {
    size++
  }
  visitScan(scan, count, count)
  return size
}

function withGrown(query: ResolvedQuery, original: CallExpr | CastExpr, depth: number): ResolvedQuery {
  let expr: Expr = original
  for (let i = 1; i < depth; i++) expr = nested(original, expr)!
  const scan: Scan = mapScan(query.scan, part => (part === original ? expr : undefined))
  return { ...query, scan }
}

/** The outer expression with the inner one as an argument; null where no argument accepts it. */
function nested(outer: CallExpr | CastExpr, inner: Expr): Expr | null {
  if (outer.kind === 'cast') {
    // The operand may be a NULL literal, which can be cast to types that other INT64 values cannot be cast to.
    if (!mayCast(outer.operand.type, outer.type)) return null
    const operand = converted(inner, outer.operand.type)
    return operand && { ...outer, operand }
  }
  for (const [index, argument] of outer.arguments.entries()) {
    if (!argument || argument.kind === 'word' || argument.kind === 'lambda') continue
    if (argument.kind === 'call' && argument.name === '$interval' && !outer.name.startsWith('$')) continue
    const operand = converted(inner, argument.type)
    if (operand) return { ...outer, arguments: outer.arguments.map((other, i) => (i === index ? operand : other)) }
  }
  return null
}

/**
 * The value converted to the type by a cast, by a list around it, or by taking an element; null where that is not possible.
 */
function converted(expr: Expr, type: Type): Expr | null {
  if (typeName(expr.type) === typeName(type)) return expr
  const { at } = expr
  if (type.kind === 'ARRAY' && expr.type.kind !== 'ARRAY') {
    const item = converted(expr, type.element)
    return item && { kind: 'array', type, items: [item], hasWrittenType: false, at }
  }
  if (expr.type.kind === 'ARRAY' && type.kind !== 'ARRAY') {
    const one: Expr = { kind: 'literal', type: INT64, value: '0', at }
    const args = [expr, one]
    const element: Expr = {
      kind: 'call',
      type: expr.type.element,
      name: '$safe_array_at_offset',
      arguments: args,
      isSafe: false,
      at,
    }
    return converted(element, type)
  }
  if (!mayCast(expr.type, type)) return null
  const none = { format: null, timeZone: null, typeParameters: null }
  return { kind: 'cast', type, operand: expr, isSafe: false, isImplicit: false, ...none, at }
}

function nameOf(expr: CallExpr | CastExpr): string {
  if (expr.kind === 'cast') {
    const format = expr.format ? ' FORMAT' : ''
    return `${expr.isSafe ? 'SAFE_' : ''}CAST(${typeName(expr.operand.type)} AS ${typeName(expr.type)}${format})`
  }
  const args = expr.arguments.map(argument => {
    if (!argument) return '-'
    return argument.kind === 'word' ? argument.word : typeName(argument.type)
  })
  return `${expr.isSafe ? 'SAFE.' : ''}${expr.name}(${args.join(', ')})`
}
