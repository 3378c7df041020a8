/** Walks over resolved expressions, scans inside them included, to compare them and to replace parts of them. */

import { typeName } from '../types/types.js'
import type { AggregateCall, Column, Computed, Expr, Scan, SortKey, WindowCall } from './nodes.js'

/** Gives a replacement, or undefined to go on into the parts. */
export type Replace = (expr: Expr) => Expr | undefined

export function mapExpr(expr: Expr, replace: Replace): Expr {
  const replaced = replace(expr)
  if (replaced) return replaced
  const map = (part: Expr): Expr => mapExpr(part, replace)
  const mapMaybe = (part: Expr | null): Expr | null => part && map(part)
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'word':
      return expr
    case 'call':
      return { ...expr, arguments: expr.arguments.map(mapMaybe) }
    case 'cast':
      return { ...expr, operand: map(expr.operand), format: mapMaybe(expr.format), timeZone: mapMaybe(expr.timeZone) }
    case 'field':
      return { ...expr, operand: map(expr.operand) }
    case 'struct':
      return { ...expr, fields: expr.fields.map(map) }
    case 'array':
      return { ...expr, items: expr.items.map(map) }
    case 'case':
      return {
        ...expr,
        branches: expr.branches.map(branch => ({ when: map(branch.when), then: map(branch.then) })),
        otherwise: mapMaybe(expr.otherwise),
      }
    case 'subquery':
      return { ...expr, scan: mapScan(expr.scan, replace) }
    case 'in-query':
      return { ...expr, operand: map(expr.operand), scan: mapScan(expr.scan, replace) }
    case 'lambda':
      return { ...expr, body: map(expr.body) }
    case 'let':
      return { ...expr, bindings: mapComputed(expr.bindings, replace), result: map(expr.result) }
  }
}

const mapComputed = (computed: readonly Computed[], replace: Replace): readonly Computed[] =>
  computed.map(({ column, expr }) => ({ column, expr: mapExpr(expr, replace) }))

const mapKeys = (keys: readonly SortKey[], replace: Replace): readonly SortKey[] =>
  keys.map(key => ({ ...key, expr: mapExpr(key.expr, replace) }))

function mapAggregate(call: AggregateCall, replace: Replace): AggregateCall {
  const mapMaybe = (part: Expr | null): Expr | null => part && mapExpr(part, replace)
  return {
    ...call,
    arguments: call.arguments.map(mapMaybe),
    having: call.having && { ...call.having, expr: mapExpr(call.having.expr, replace) },
    orderBy: mapKeys(call.orderBy, replace),
    limit: mapMaybe(call.limit),
    filter: mapMaybe(call.filter),
  }
}

export function mapWindow(window: WindowCall, replace: Replace): WindowCall {
  const bound = <B extends { readonly offset: Expr | null }>(b: B): B => ({
    ...b,
    offset: b.offset && mapExpr(b.offset, replace),
  })
  return {
    call: mapAggregate(window.call, replace),
    partitionBy: window.partitionBy.map(expr => mapExpr(expr, replace)),
    orderBy: mapKeys(window.orderBy, replace),
    frame: window.frame && { ...window.frame, start: bound(window.frame.start), end: bound(window.frame.end) },
  }
}

export function mapScan(scan: Scan, replace: Replace): Scan {
  const expr = (part: Expr): Expr => mapExpr(part, replace)
  const maybe = (part: Expr | null): Expr | null => part && expr(part)
  const input = (part: Scan): Scan => mapScan(part, replace)
  switch (scan.kind) {
    case 'one-row':
    case 'table':
    case 'cte':
      return scan
    case 'unnest':
      return {
        ...scan,
        input: scan.input && input(scan.input),
        array: expr(scan.array),
        condition: maybe(scan.condition),
      }
    case 'join':
      return { ...scan, left: input(scan.left), right: input(scan.right), condition: maybe(scan.condition) }
    case 'filter':
      return { ...scan, input: input(scan.input), condition: expr(scan.condition) }
    case 'project':
      return { ...scan, input: input(scan.input), computed: mapComputed(scan.computed, replace) }
    case 'aggregate':
      return {
        ...scan,
        input: input(scan.input),
        keys: mapComputed(scan.keys, replace),
        aggregates: scan.aggregates.map(({ column, call }) => ({ column, call: mapAggregate(call, replace) })),
      }
    case 'window':
      return {
        ...scan,
        input: input(scan.input),
        functions: scan.functions.map(({ column, call }) => ({ column, call: mapWindow(call, replace) })),
      }
    case 'set':
      return { ...scan, inputs: scan.inputs.map(input) }
    case 'order':
      return { ...scan, input: input(scan.input), keys: mapKeys(scan.keys, replace) }
    case 'limit':
      return { ...scan, input: input(scan.input), limit: expr(scan.limit), offset: maybe(scan.offset) }
    case 'with':
      return {
        ...scan,
        ctes: scan.ctes.map(cte => ({
          ...cte,
          scan: input(cte.scan),
          recursion: cte.recursion && { ...cte.recursion, terms: cte.recursion.terms.map(input) },
        })),
        body: input(scan.body),
      }
  }
}

/** Every expression in it, outermost first. */
export function someExpr(expr: Expr, test: (expr: Expr) => boolean): boolean {
  let found = false
  mapExpr(expr, part => {
    if (found || test(part)) {
      found = true
      return part
    }
    return undefined
  })
  return found
}

/** What two expressions may differ in and still compute the same. */
const IGNORED = new Set(['at', 'isImplicit', 'hasWrittenType', 'isCorrelated', 'written'])

/**
 * Equal keys: the same computation over the same columns. Places do not matter, nor what the columns are called that an
 * expression makes for itself (`WITH(a AS …, a)`). A subquery's columns have numbers of their own, so that two
 * subqueries never have equal keys.
 */
export function exprKey(expr: Expr): string {
  if (expr.kind === 'column') return `column ${expr.column.id}`
  const own = new Map<number, string>()
  const claim = ({ id }: Column): void => void (own.has(id) || own.set(id, `own ${own.size}`))
  return JSON.stringify(expr, (name, value) => {
    if (IGNORED.has(name)) return undefined
    if (name === 'type') return typeName(value).toLowerCase()
    if (name === 'column') return own.get(value.id) ?? value.id
    if (name === 'parameters') return value.map((column: Column) => own.get(column.id))
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
    if (Object.is(value, -0)) return '-0'
    if (value instanceof Uint8Array) return `bytes:${value.join(',')}`
    // What is made inside is seen here before the parts that read it.
    if (value?.kind === 'let') for (const { column } of value.bindings) claim(column)
    if (value?.kind === 'lambda') value.parameters.forEach(claim)
    return value
  })
}

/** Whether two expressions compute the same. */
export const isSameExpr = (a: Expr, b: Expr): boolean => a === b || (a.kind === b.kind && exprKey(a) === exprKey(b))
