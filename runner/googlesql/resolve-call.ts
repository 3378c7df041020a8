/** Calls: of operators, scalar functions, aggregates and window functions. */
import type * as ast from './ast.js'
import { coerceTo } from './coerce.js'
import { findFunction, functionNames } from './functions/all.js'
import type { AggregateTraits, FunctionEntry } from './functions/catalogue.js'
import { type ArgumentSource, matchCall } from './functions/match.js'
import { isGroupable, isOrderable } from './functions/operators.js'
import type { ExpressionEnv, Resolution } from './resolution.js'
import type { AggregateCall, Expr, LambdaExpr, ResolvedBound, ResolvedFrame, SortKey, WindowCall } from './resolved.js'
import { columnExpr, type Found, mapScope, visible } from './scope.js'
import { nearest } from './suggest.js'
import { INT64, isNumeric, type Type, typeName } from './types.js'

// ---- arguments

/** A date part as one word: `WEEK(MONDAY)` is WEEK_MONDAY. */
export const datePartWord = (part: ast.DatePart): string => (part.weekday ? `${part.part}_${part.weekday}` : part.part)

/** A keyword as an argument. */
export function wordSource(word: string, at: number): ArgumentSource {
  const no = (): Expr => ({ kind: 'word', type: INT64, word, at })
  return { name: null, at, isLambda: false, resolve: no, resolveLambda: () => null, word: () => word }
}

const exprSource = (expr: Expr): ArgumentSource => ({
  name: null,
  at: expr.at,
  isLambda: false,
  resolve: () => expr,
  resolveLambda: () => null,
  word: () => null,
})

function nodeSource(node: ast.Expression, name: string | null, env: ExpressionEnv, r: Resolution): ArgumentSource {
  let resolved: Expr | undefined
  return {
    name,
    at: node.at,
    isLambda: node.kind === 'lambda',
    resolve: () => (resolved ??= r.expression(node, env)),
    resolveLambda: types => (node.kind === 'lambda' ? resolveLambda(node, types, env, r) : null),
    word: () => wordOf(node),
  }
}

function wordOf(node: ast.Expression): string | null {
  if (node.kind === 'name' && !node.isQuoted) return node.name.toUpperCase()
  if (node.kind === 'call' && node.path.length === 1 && node.arguments.length === 1) {
    const inner = node.arguments[0]!.expression
    if (inner.kind === 'name') return `${node.path[0]!.name}_${inner.name}`.toUpperCase()
  }
  return null
}

function resolveLambda(node: ast.Lambda, types: readonly Type[], env: ExpressionEnv, r: Resolution): LambdaExpr | null {
  if (node.parameters.length !== types.length) return null
  const parameters = node.parameters.map((parameter, i) => r.newColumn(parameter.name, types[i]!))
  const names = new Map<string, Found>(
    parameters.map((column): [string, Found] => [
      column.name.toLowerCase(),
      { kind: 'column', column: visible(column) },
    ]),
  )
  const body = r.expression(node.body, { ...env, scope: mapScope(names, env.scope), aggregates: null, windows: null })
  return { kind: 'lambda', type: body.type, parameters, body, at: node.at }
}

type Operand = ast.Expression | Expr | ArgumentSource

const isSource = (operand: Operand): operand is ArgumentSource => 'resolve' in operand
const isResolved = (operand: ast.Expression | Expr): operand is Expr => 'type' in operand && !isNodeWithType(operand)
/** A cast and a struct have a `type` before they are resolved too: there it is a TypeNode, or null. */
const isNodeWithType = (operand: ast.Expression | Expr): boolean =>
  (operand.kind === 'cast' && !('isImplicit' in operand)) || (operand.kind === 'struct' && 'isTuple' in operand)

/** A call of an operator by its name in functions/operators.ts. */
export function operatorCall(
  name: string,
  operands: readonly Operand[],
  at: number,
  env: ExpressionEnv,
  r: Resolution,
): Expr {
  const entry = findFunction(name)
  if (!entry) return r.fail(`Operator ${name} is not known`, at)
  const sources = operands.map(operand =>
    isSource(operand) ? operand : isResolved(operand) ? exprSource(operand) : nodeSource(operand, null, env, r),
  )
  const { args, type } = matchCall(entry, sources, at, r.source)
  return { kind: 'call', type, name, arguments: args, isSafe: false, at }
}

// ---- functions

export function resolveCall(node: ast.Call, env: ExpressionEnv, r: Resolution): Expr {
  const isSafe = node.path.length > 1 && node.path[0]!.name.toUpperCase() === 'SAFE'
  const path = (isSafe ? node.path.slice(1) : node.path).map(part => part.name)
  const name = path.join('.').toUpperCase()
  if (name === 'GROUPING') return resolveGrouping(node, env, r)
  const entry =
    node.isStar && name === 'COUNT'
      ? findFunction('$count_star')
      : name.startsWith('$')
        ? undefined
        : findFunction(name)
  if (!entry) {
    const suggestion = nearest(name, functionNames())
    return r.fail(`Function not found: ${path.join('.')}${suggestion ? `; Did you mean ${suggestion}?` : ''}`, node.at)
  }
  if (node.isStar && entry.name !== '$count_star') return r.fail(`Argument * can only be used in COUNT(*)`, node.at)
  if (isSafe && entry.allowsSafe === false) return r.fail(`Function ${name} does not support SAFE error mode`, node.at)
  if (entry.kind === 'scalar') return scalarCall(node, entry, isSafe, env, r)
  return node.over ? windowCall(node, entry, isSafe, env, r) : aggregateCall(node, entry, isSafe, env, r)
}

function scalarCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv, r: Resolution): Expr {
  const refuse = (what: string): never => r.fail(`Function ${entry.name} does not support ${what}`, node.at)
  if (node.over) refuse('an OVER clause')
  if (node.isDistinct) refuse('DISTINCT in arguments')
  if (node.nulls) refuse('IGNORE NULLS or RESPECT NULLS in arguments')
  if (node.having) refuse('HAVING in arguments')
  if (node.orderBy.length > 0) refuse('ORDER BY in arguments')
  if (node.limit) refuse('LIMIT in arguments')
  const { args, type } = matchCall(entry, sourcesOf(node, env, r), node.at, r.source)
  return { kind: 'call', type, name: entry.name, arguments: args, isSafe, at: node.at }
}

const sourcesOf = (node: ast.Call, env: ExpressionEnv, r: Resolution): ArgumentSource[] =>
  node.arguments.map(argument => nodeSource(argument.expression, argument.name?.name.toLowerCase() ?? null, env, r))

function aggregateCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv, r: Resolution): Expr {
  if (entry.kind === 'window' || entry.aggregate?.requiresOver) {
    return r.fail(`Window function ${entry.name} cannot be called without an OVER clause`, node.at)
  }
  if (!env.aggregates) {
    return r.fail(`Aggregate function ${displayName(entry)} not allowed in ${env.clause}`, node.at)
  }
  const { collected, scope } = env.aggregates
  const call = aggregatePart(
    node,
    entry,
    isSafe,
    {
      ...env,
      scope,
      aggregates: null,
      windows: null,
      inlinesAliases: true,
      clause: `arguments of aggregate function ${displayName(entry)}`,
    },
    r,
  )
  const column = r.newColumn(entry.name.toLowerCase(), call.type)
  collected.aggregates.push({ column, call })
  return columnExpr(column, false, node.at)
}

const displayName = (entry: FunctionEntry): string => (entry.name === '$count_star' ? 'COUNT' : entry.name)

/** What an aggregate and a window function share: the call itself. */
function aggregatePart(
  node: ast.Call,
  entry: FunctionEntry,
  isSafe: boolean,
  env: ExpressionEnv,
  r: Resolution,
): AggregateCall {
  const traits: AggregateTraits = entry.aggregate ?? {}
  const refuse = (what: string): never => r.fail(`Function ${displayName(entry)} does not support ${what}`, node.at)
  if (node.isDistinct && !traits.allowsDistinct) refuse('DISTINCT in arguments')
  if (node.nulls && !traits.allowsNullsClause) refuse('IGNORE NULLS or RESPECT NULLS in arguments')
  if (node.having && !traits.allowsHaving) refuse('HAVING in arguments')
  if (node.orderBy.length > 0 && !traits.allowsOrderBy) refuse('ORDER BY in arguments')
  if (node.limit && !traits.allowsLimit) refuse('LIMIT in arguments')
  const { args, type } = matchCall(entry, sourcesOf(node, env, r), node.at, r.source)
  if (node.isDistinct) {
    const first = args[0]
    if (first && first.type.kind === 'JSON') refuse(`DISTINCT with arguments of type ${typeName(first.type)}`)
  }
  return {
    type,
    name: entry.name,
    arguments: args,
    isDistinct: node.isDistinct,
    ignoresNulls: node.nulls ? node.nulls === 'ignore' : (traits.ignoresNullsByDefault ?? false),
    having: node.having && { extreme: node.having.extreme, expr: r.expression(node.having.expression, env) },
    orderBy: node.orderBy.map(item => sortKey(item, r.expression(item.expression, env), r)),
    limit: node.limit && integer(node.limit, 'LIMIT', env, r),
    filter: null,
    isSafe,
    at: node.at,
  }
}

/** An INT64 expression: a literal or a parameter in LIMIT and OFFSET. */
export function integer(node: ast.Expression, clause: string, env: ExpressionEnv, r: Resolution): Expr {
  const expr = r.expression(node, { ...env, scope: null, aggregates: null, windows: null })
  const value = coerceTo(expr, INT64, r.source)
  if (!value) return r.fail(`${clause} expects an integer literal or parameter`, node.at)
  if (value.kind === 'literal' && typeof value.value === 'string' && value.value.startsWith('-')) {
    return r.fail(`${clause} expects a non-negative integer literal or parameter`, node.at)
  }
  return value
}

/** NULLs come first ascending and last descending when nothing is written. */
export function sortKey(item: ast.OrderItem, expr: Expr, r: Resolution): SortKey {
  if (!isOrderable(expr.type)) {
    return r.fail(`ORDER BY does not support expressions of type ${typeName(expr.type)}`, item.at)
  }
  return {
    expr,
    isDescending: item.isDescending,
    nullsFirst: item.nulls ? item.nulls === 'first' : !item.isDescending,
  }
}

function resolveGrouping(node: ast.Call, env: ExpressionEnv, r: Resolution): Expr {
  const argument = node.arguments[0]
  if (!env.aggregates) return r.fail(`GROUPING not allowed in ${env.clause}`, node.at)
  if (!argument || node.arguments.length !== 1) return r.fail('GROUPING must have exactly one argument', node.at)
  const expr = r.expression(argument.expression, {
    ...env,
    scope: env.aggregates.scope,
    aggregates: null,
    windows: null,
  })
  const column = r.newColumn('grouping', INT64)
  env.aggregates.collected.groupings.push({ column, expr, at: node.at })
  return columnExpr(column, false, node.at)
}

// ---- windows

function windowCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv, r: Resolution): Expr {
  if (!env.windows) return r.fail(`Window function ${displayName(entry)} not allowed in ${env.clause}`, node.at)
  const traits: AggregateTraits = entry.aggregate ?? {}
  if (entry.kind === 'aggregate' && traits.allowsOver === false) {
    return r.fail(`Aggregate function ${displayName(entry)} does not support an OVER clause`, node.at)
  }
  const { collected, named } = env.windows
  const inner: ExpressionEnv = {
    ...env,
    windows: null,
    inlinesAliases: true,
    clause: `arguments of window function ${displayName(entry)}`,
  }
  const call = aggregatePart(node, entry, isSafe, inner, r)
  const window = mergeWindow(node.over!, named, r)
  const partitionBy = window.partitionBy.map(part => {
    const expr = r.expression(part, inner)
    if (!isGroupable(expr.type))
      return r.fail(`Partitioning by expressions of type ${typeName(expr.type)} is not allowed`, part.at)
    return expr
  })
  const orderBy = window.orderBy.map(item => sortKey(item, r.expression(item.expression, inner), r))
  if (traits.requiresOrder && orderBy.length === 0) {
    return r.fail(`Window ORDER BY is required for analytic function ${displayName(entry)}`, node.at)
  }
  if (window.frame && !(traits.allowsFrame ?? entry.kind === 'aggregate')) {
    return r.fail(`Window framing clause is not allowed for analytic function ${displayName(entry)}`, window.frame.at)
  }
  const frame = window.frame && resolveFrame(window.frame, orderBy, inner, r)
  const column = r.newColumn(entry.name.toLowerCase(), call.type)
  const resolved: WindowCall = { call, partitionBy, orderBy, frame }
  collected.windows.push({ column, call: resolved })
  return columnExpr(column, false, node.at)
}

/** A window with the one that it is based on put in. */
function mergeWindow(window: ast.Window, named: ReadonlyMap<string, ast.Window>, r: Resolution, depth = 0): ast.Window {
  if (!window.base) return window
  const found = named.get(window.base.name.toLowerCase())
  if (!found) return r.fail(`Unrecognized window alias ${window.base.name}`, window.base.at)
  if (depth > named.size) return r.fail(`Window ${window.base.name} refers to itself`, window.base.at)
  const base = mergeWindow(found, named, r, depth + 1)
  const refuse = (what: string): never =>
    r.fail(
      `${what} cannot be specified in a window that references another named window ${window.base!.name}`,
      window.at,
    )
  if (window.partitionBy.length > 0) refuse('PARTITION BY')
  if (window.orderBy.length > 0 && base.orderBy.length > 0)
    refuse('If the referenced window has an ORDER BY, another one')
  const isAlone = window.orderBy.length === 0 && window.frame === null
  if (base.frame && !isAlone) refuse('If the referenced window has a frame, anything else')
  return {
    at: window.at,
    base: null,
    partitionBy: base.partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : base.orderBy,
    frame: window.frame ?? base.frame,
  }
}

const ORDER_OF_BOUNDS = ['unbounded-preceding', 'preceding', 'current-row', 'following', 'unbounded-following']

function resolveFrame(frame: ast.Frame, orderBy: readonly SortKey[], env: ExpressionEnv, r: Resolution): ResolvedFrame {
  const start = resolveBound(frame.start, frame, orderBy, env, r)
  const end: ResolvedBound = frame.end
    ? resolveBound(frame.end, frame, orderBy, env, r)
    : { kind: 'current-row', offset: null }
  const isBackward = ORDER_OF_BOUNDS.indexOf(start.kind) > ORDER_OF_BOUNDS.indexOf(end.kind)
  if (start.kind === 'unbounded-following' || end.kind === 'unbounded-preceding' || isBackward) {
    return r.fail('Starting window frame boundary is after the ending one', frame.at)
  }
  return { unit: frame.unit, start, end }
}

function resolveBound(
  bound: ast.FrameBound,
  frame: ast.Frame,
  orderBy: readonly SortKey[],
  env: ExpressionEnv,
  r: Resolution,
): ResolvedBound {
  if (!bound.offset) return { kind: bound.kind, offset: null }
  const expr = r.expression(bound.offset, { ...env, scope: null, aggregates: null })
  if (frame.unit === 'rows') {
    const offset = coerceTo(expr, INT64, r.source)
    if (!offset) return r.fail(`Window framing expression has type ${typeName(expr.type)} but must be INT64`, bound.at)
    return checkedBound(bound, offset, r)
  }
  const key = orderBy[0]
  if (!key || orderBy.length !== 1) {
    return r.fail('Window with a RANGE frame and an offset must have exactly one ORDER BY key', frame.at)
  }
  if (!isNumeric(key.expr.type)) {
    return r.fail(
      `ORDER BY key must be numeric in a RANGE-based window with OFFSET PRECEDING or OFFSET FOLLOWING boundaries, but has type ${typeName(key.expr.type)}`,
      key.expr.at,
    )
  }
  const offset = coerceTo(expr, key.expr.type, r.source)
  if (!offset) {
    return r.fail(
      `Window framing expression has type ${typeName(expr.type)} that cannot coerce to the type of the ORDER BY expression, which is ${typeName(key.expr.type)}`,
      bound.at,
    )
  }
  return checkedBound(bound, offset, r)
}

function checkedBound(bound: ast.FrameBound, offset: Expr, r: Resolution): ResolvedBound {
  if (offset.kind === 'literal' && (offset.value === null || String(offset.value).startsWith('-'))) {
    return r.fail('Window framing expression cannot be NULL or negative', bound.at)
  }
  return { kind: bound.kind, offset }
}
