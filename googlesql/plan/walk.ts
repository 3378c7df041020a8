/** Walks over the resolved tree: what stands directly inside an expression, a call or a scan. */
import type { AggregateCall, Column, Expr, Scan, SortKey, WindowCall } from './nodes.js'
import { mapScan } from './rewrite.js'

/** The expressions directly inside, in order; scans of subqueries are not entered. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'word':
    case 'subquery':
      return []
    case 'call':
      return present(expr.arguments)
    case 'cast':
      return present([expr.operand, expr.format, expr.timeZone])
    case 'field':
    case 'in-query':
      return [expr.operand]
    case 'struct':
      return expr.fields
    case 'array':
      return expr.items
    case 'case':
      return present([...expr.branches.flatMap(branch => [branch.when, branch.then]), expr.otherwise])
    case 'lambda':
      return [expr.body]
    case 'let':
      return [...expr.bindings.map(binding => binding.expr), expr.result]
  }
}

export const partsOfCall = (call: AggregateCall): readonly Expr[] => [
  ...present(call.arguments),
  ...(call.having ? [call.having.expr] : []),
  ...keyExprs(call.orderBy),
  ...present([call.limit, call.filter]),
]

export const partsOfWindow = ({ call, partitionBy, orderBy, frame }: WindowCall): readonly Expr[] => [
  ...partsOfCall(call),
  ...partitionBy,
  ...keyExprs(orderBy),
  ...present([frame?.start.offset ?? null, frame?.end.offset ?? null]),
]

/** The expressions directly in a scan. */
export function exprsOfScan(scan: Scan): readonly Expr[] {
  switch (scan.kind) {
    case 'one-row':
    case 'table':
    case 'cte':
    case 'set':
    case 'with':
      return []
    case 'unnest':
      return present([scan.array, scan.condition])
    case 'join':
      return present([scan.condition])
    case 'filter':
      return [scan.condition]
    case 'project':
      return scan.computed.map(computed => computed.expr)
    case 'aggregate':
      return [...scan.keys.map(key => key.expr), ...scan.aggregates.flatMap(aggregate => partsOfCall(aggregate.call))]
    case 'window':
      return scan.functions.flatMap(fn => partsOfWindow(fn.call))
    case 'order':
      return keyExprs(scan.keys)
    case 'limit':
      return present([scan.limit, scan.offset])
  }
}

/** The scans directly in a scan; of a WITH, the definitions' too. */
export function inputsOfScan(scan: Scan): readonly Scan[] {
  switch (scan.kind) {
    case 'one-row':
    case 'table':
    case 'cte':
      return []
    case 'unnest':
      return scan.input ? [scan.input] : []
    case 'join':
      return [scan.left, scan.right]
    case 'filter':
    case 'project':
    case 'aggregate':
    case 'window':
    case 'order':
    case 'limit':
      return [scan.input]
    case 'set':
      return scan.inputs
    case 'with':
      return [...scan.ctes.flatMap(cte => [cte.scan, ...(cte.recursion?.terms ?? [])]), scan.body]
  }
}

/** The same scan over other inputs, as many and in the same order as `inputsOfScan` gives them. */
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
  }
}

/** The same scan with its own expressions mapped, its inputs as they are. */
export function mapOwn(scan: Scan, map: (expr: Expr) => Expr): Scan {
  const inputs = inputsOfScan(scan)
  const alone = withInputs(
    scan,
    inputs.map((): Scan => ({ kind: 'one-row', columns: [] })),
  )
  return withInputs(mapScan(alone, map), inputs)
}

/** All columns that come into being with the scan, read or not. */
export function columnsMade(scan: Scan): readonly Column[] {
  switch (scan.kind) {
    case 'unnest':
      return [scan.element, ...(scan.offset ? [scan.offset] : []), ...scan.columns]
    case 'project':
      return [...scan.computed.map(part => part.column), ...scan.columns]
    case 'aggregate':
      return [...scan.keys, ...scan.aggregates, ...scan.groupingCalls].map(part => part.column)
    case 'window':
      return [...scan.functions.map(part => part.column), ...scan.columns]
    case 'with':
      return scan.ctes.flatMap(cte => cte.columns)
    default:
      return scan.columns
  }
}

const NO_COLUMNS: readonly Column[] = []

/** The columns that the expression itself refers to or makes; those of its parts are not among them. */
export function columnsNamed(expr: Expr): readonly Column[] {
  switch (expr.kind) {
    case 'column':
      return [expr.column]
    case 'lambda':
      return expr.parameters
    case 'let':
      return expr.bindings.map(binding => binding.column)
    default:
      return NO_COLUMNS
  }
}

const ignore = (): void => {}

/** Visits an expression and all inside it, scans of subqueries included. */
export function visitExpr(expr: Expr, visit: (expr: Expr) => void, visitScanToo: (scan: Scan) => void = ignore): void {
  visit(expr)
  if (expr.kind === 'column' || expr.kind === 'literal') return
  if (expr.kind === 'call') {
    for (const part of expr.arguments) if (part !== null) visitExpr(part, visit, visitScanToo)
    return
  }
  for (const part of partsOf(expr)) visitExpr(part, visit, visitScanToo)
  if (expr.kind === 'subquery' || expr.kind === 'in-query') visitScan(expr.scan, visit, visitScanToo)
}

export function visitScan(scan: Scan, visit: (expr: Expr) => void, visitScanToo: (scan: Scan) => void = ignore): void {
  visitScanToo(scan)
  for (const expr of exprsOfScan(scan)) visitExpr(expr, visit, visitScanToo)
  for (const input of inputsOfScan(scan)) visitScan(input, visit, visitScanToo)
}

/** The ids of all columns that the expressions refer to, at any depth. */
export function columnsRead(exprs: readonly Expr[]): Set<number> {
  const ids = new Set<number>()
  const visit = (part: Expr): void => {
    if (part.kind === 'column') ids.add(part.column.id)
  }
  for (const expr of exprs) visitExpr(expr, visit)
  return ids
}

const isQuery = (expr: Expr): boolean => expr.kind === 'subquery' || expr.kind === 'in-query'

/** Is one in it? */
export const hasSubquery = (expr: Expr): boolean => someOf(expr, isQuery)

/** Does it refer to a column, at any depth? */
export const readsColumn = (expr: Expr): boolean => someOf(expr, part => part.kind === 'column')

/** Whether the test holds for the expression or for one inside it, scans of subqueries included. */
export function someOf(expr: Expr, test: (expr: Expr) => boolean): boolean {
  if (test(expr)) return true
  if (expr.kind === 'column' || expr.kind === 'literal') return false
  if (isQuery(expr)) {
    let found = false
    visitExpr(expr, part => {
      found ||= test(part)
    })
    return found
  }
  for (const part of partsOf(expr)) if (someOf(part, test)) return true
  return false
}

/** The parts of a chain of ANDs. */
export function conjuncts(condition: Expr): readonly Expr[] {
  if (condition.kind !== 'call' || condition.name !== '$and') return [condition]
  return condition.arguments.flatMap(part => (part ? conjuncts(part) : []))
}

const present = (exprs: readonly (Expr | null)[]): readonly Expr[] =>
  exprs.includes(null) ? exprs.filter(expr => expr !== null) : (exprs as readonly Expr[])
const keyExprs = (keys: readonly SortKey[]): readonly Expr[] => keys.map(key => key.expr)

/** A NULL that is written without a type. */
export function isBareNull(expr: Expr): boolean {
  if (expr.kind === 'cast') return expr.isImplicit && isBareNull(expr.operand)
  return expr.kind === 'literal' && expr.value === null
}
