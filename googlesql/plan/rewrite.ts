/**
 * Makes a new plan by replacing parts of another one. Every function that rebuilds a node uses mapParts, mapOwn and withInputs.
 */
import type { AggregateCall, Column, Computed, Expr, ResolvedBound, Scan, SortKey, WindowCall } from './nodes.js'
import { columnsMade, columnsNamed, exprsOfScan, hasSubquery, inputsOfScan, visitExpr, visitScan } from './walk.js'

/** Returns a replacement for the expression, or undefined to continue with its parts. */
export type Replace = (expr: Expr) => Expr | undefined

export const mapExpr = (expr: Expr, replace: Replace): Expr =>
  replace(expr) ??
  mapParts(
    expr,
    part => mapExpr(part, replace),
    scan => mapScan(scan, replace),
  )

export const mapScan = (scan: Scan, replace: Replace): Scan =>
  withInputs(
    mapOwn(scan, part => mapExpr(part, replace)),
    inputsOfScan(scan).map(input => mapScan(input, replace)),
  )

/** The expression with its direct parts mapped, and with the scan of a subquery mapped. */
function mapParts(expr: Expr, map: (part: Expr) => Expr, mapQuery: (part: Scan) => Scan = scan => scan): Expr {
  const maybe = (part: Expr | null): Expr | null => part && map(part)
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'word':
      return expr
    case 'call':
      return { ...expr, arguments: expr.arguments.map(maybe) }
    case 'cast':
      return { ...expr, operand: map(expr.operand), format: maybe(expr.format), timeZone: maybe(expr.timeZone) }
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
        otherwise: maybe(expr.otherwise),
      }
    case 'subquery':
      return { ...expr, scan: mapQuery(expr.scan) }
    case 'in-query':
      return { ...expr, operand: map(expr.operand), scan: mapQuery(expr.scan) }
    case 'lambda':
      return { ...expr, body: map(expr.body) }
    case 'let':
      return { ...expr, bindings: mapComputed(expr.bindings, map), result: map(expr.result) }
    default:
      return expr satisfies never
  }
}

/** The scan with its own expressions mapped; its inputs are unchanged. */
export function mapOwn(scan: Scan, map: (part: Expr) => Expr): Scan {
  const maybe = (part: Expr | null): Expr | null => part && map(part)
  switch (scan.kind) {
    case 'one-row':
    case 'table':
    case 'cte':
    case 'set':
    case 'with':
      return scan
    case 'unnest':
      return { ...scan, array: map(scan.array), condition: maybe(scan.condition) }
    case 'join':
      return { ...scan, condition: maybe(scan.condition) }
    case 'filter':
      return { ...scan, condition: map(scan.condition) }
    case 'project':
      return { ...scan, computed: mapComputed(scan.computed, map) }
    case 'aggregate':
      return {
        ...scan,
        keys: mapComputed(scan.keys, map),
        aggregates: scan.aggregates.map(part => ({ ...part, call: mapAggregate(part.call, map) })),
      }
    case 'window':
      return { ...scan, functions: scan.functions.map(part => ({ ...part, call: mapWindow(part.call, map) })) }
    case 'order':
      return { ...scan, keys: mapKeys(scan.keys, map) }
    case 'limit':
      return { ...scan, limit: map(scan.limit), offset: maybe(scan.offset) }
    default:
      return scan satisfies never
  }
}

const mapComputed = (computed: readonly Computed[], map: (part: Expr) => Expr): readonly Computed[] =>
  computed.map(({ column, expr }) => ({ column, expr: map(expr) }))

const mapKeys = (keys: readonly SortKey[], map: (part: Expr) => Expr): readonly SortKey[] =>
  keys.map(key => ({ ...key, expr: map(key.expr) }))

/** The call with the expressions in it mapped. */
function mapAggregate(call: AggregateCall, map: (part: Expr) => Expr): AggregateCall {
  const maybe = (part: Expr | null): Expr | null => part && map(part)
  return {
    ...call,
    arguments: call.arguments.map(maybe),
    having: call.having && { ...call.having, expr: map(call.having.expr) },
    orderBy: mapKeys(call.orderBy, map),
    limit: maybe(call.limit),
    filter: maybe(call.filter),
  }
}

export function mapWindow(window: WindowCall, map: (part: Expr) => Expr): WindowCall {
  const bound = (part: ResolvedBound): ResolvedBound => ({ ...part, offset: part.offset && map(part.offset) })
  return {
    call: mapAggregate(window.call, map),
    partitionBy: window.partitionBy.map(map),
    orderBy: mapKeys(window.orderBy, map),
    frame: window.frame && { ...window.frame, start: bound(window.frame.start), end: bound(window.frame.end) },
  }
}

/** The same scan over other inputs, in the number and order that `inputsOfScan` returns. */
export function withInputs(scan: Scan, inputs: readonly Scan[]): Scan {
  const [first] = inputs
  switch (scan.kind) {
    case 'one-row':
    case 'table':
    case 'cte':
      return scan
    case 'unnest':
      return { ...scan, input: first ?? null }
    case 'join':
      return { ...scan, left: first!, right: inputs[1]! }
    case 'filter':
    case 'project':
    case 'aggregate':
    case 'window':
    case 'order':
    case 'limit':
      return { ...scan, input: first! }
    case 'set':
      return { ...scan, inputs }
    case 'with': {
      const rest = [...inputs]
      const ctes = scan.ctes.map(cte => {
        const [base, ...terms] = rest.splice(0, 1 + (cte.recursion?.terms.length ?? 0))
        return { ...cte, scan: base!, recursion: cte.recursion && { ...cte.recursion, terms } }
      })
      return { ...scan, ctes, body: rest[0]! }
    }
    default:
      return scan satisfies never
  }
}

/**
 * Replaces every scan, after the scans in its inputs and subqueries. A scan that is not replaced, and has no subquery and no
 * changed input, stays the same object.
 *
 * @param replace returns the replacement of a scan; `isInner` is true for a scan in a subquery
 */
export function mapScans(root: Scan, replace: (scan: Scan, isInner: boolean) => Scan, isInner = false): Scan {
  const inputs = inputsOfScan(root)
  const mapped = inputs.map(input => mapScans(input, replace, isInner))
  const scan = mapped.every((input, i) => input === inputs[i]) ? root : withInputs(root, mapped)
  const inExpr = (expr: Expr): Expr =>
    hasSubquery(expr) ? mapParts(expr, inExpr, query => mapScans(query, replace, true)) : expr
  return replace(exprsOfScan(scan).some(hasSubquery) ? mapOwn(scan, inExpr) : scan, isInner)
}

/**
 * Sets the offset of every part of a plan to the same one. The body of a function in a dataset needs this, because its own
 * offsets refer to another text than the query's.
 */
export interface Mover {
  scan(scan: Scan): Scan
  expr(expr: Expr): Expr
}

export function moverTo(at: number): Mover {
  const expr = (part: Expr): Expr => ({ ...mapParts(part, expr, scan), at })
  const scan = (part: Scan): Scan => withInputs(calledAt(mapOwn(part, expr), at), inputsOfScan(part).map(scan))
  return { scan, expr }
}

/** The scan with this offset for its table, or for its aggregate and window calls. */
function calledAt(scan: Scan, at: number): Scan {
  if (scan.kind === 'table') return { ...scan, at }
  if (scan.kind === 'aggregate') {
    return { ...scan, aggregates: scan.aggregates.map(part => ({ ...part, call: { ...part.call, at } })) }
  }
  if (scan.kind !== 'window') return scan
  const moved = (window: WindowCall): WindowCall => ({ ...window, call: { ...window.call, at } })
  return { ...scan, functions: scan.functions.map(part => ({ ...part, call: moved(part.call) })) }
}

/** Copies scans, and expressions over them, with new columns; columns of outer queries stay the same. */
export interface Copier {
  scan(scan: Scan): Scan
  expr(expr: Expr): Expr
}

/** @param newColumn returns a new column with the same name and type */
export function copierOf(
  scans: readonly Scan[],
  exprs: readonly Expr[],
  newColumn: (column: Column) => Column,
): Copier {
  const made = new Set<number>()
  const make = (columns: readonly Column[]): void => columns.forEach(({ id }) => void made.add(id))
  const visit = (expr: Expr): void => void (expr.kind === 'column' || make(columnsNamed(expr)))
  for (const scan of scans) visitScan(scan, visit, part => make(columnsMade(part)))
  for (const expr of exprs) visitExpr(expr, visit, part => make(columnsMade(part)))
  const fresh = new Map<number, Column>()
  const of = (column: Column): Column => {
    if (!made.has(column.id)) return column
    const known = fresh.get(column.id) ?? newColumn(column)
    fresh.set(column.id, known)
    return known
  }
  const copyScan = (scan: Scan): Scan =>
    withInputs(renamed(mapOwn(scan, copyExpr), of), inputsOfScan(scan).map(copyScan))
  const copyExpr = (expr: Expr): Expr => {
    const copied = mapParts(expr, copyExpr, copyScan)
    if (copied.kind === 'column') return { ...copied, column: of(copied.column) }
    if (copied.kind === 'lambda') return { ...copied, parameters: copied.parameters.map(of) }
    return copied.kind === 'let' ? { ...copied, bindings: renamedParts(copied.bindings, of) } : copied
  }
  return { scan: copyScan, expr: copyExpr }
}

const renamedParts = <P extends { readonly column: Column }>(
  parts: readonly P[],
  of: (part: Column) => Column,
): readonly P[] => parts.map(part => ({ ...part, column: of(part.column) }))

/** The scan with its columns replaced; its expressions and inputs are unchanged. */
function renamed(scan: Scan, of: (part: Column) => Column): Scan {
  const columns = (scan.columns as readonly Column[]).map(of)
  switch (scan.kind) {
    case 'one-row':
      return scan
    case 'table':
    case 'cte':
    case 'join':
    case 'filter':
    case 'set':
    case 'order':
    case 'limit':
      return { ...scan, columns }
    case 'unnest':
      return { ...scan, columns, element: of(scan.element), offset: scan.offset && of(scan.offset) }
    case 'project':
      return { ...scan, columns, computed: renamedParts(scan.computed, of) }
    case 'aggregate':
      return {
        ...scan,
        columns,
        keys: renamedParts(scan.keys, of),
        aggregates: renamedParts(scan.aggregates, of),
        groupingCalls: renamedParts(scan.groupingCalls, of),
      }
    case 'window':
      return { ...scan, columns, functions: renamedParts(scan.functions, of) }
    case 'with':
      return { ...scan, columns, ctes: scan.ctes.map(cte => ({ ...cte, columns: cte.columns.map(of) })) }
    default:
      return scan satisfies never
  }
}
