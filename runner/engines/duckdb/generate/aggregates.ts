/** Aggregate and window calls. */
import type { AggregateCall, Expr, ResolvedBound, WindowCall } from '../../../googlesql/resolved.js'
import { type Context, GenerateError, type Scope } from './context.js'
import { FormError } from './forms.js'
import { AGGREGATE_FORMS } from './functions/all.js'
import { limitSql } from './limit.js'
import { orderClause } from './sort.js'

export function aggregateSql(call: AggregateCall, scope: Scope, context: Context, over = ''): string {
  const form = Object.hasOwn(AGGREGATE_FORMS, call.name) ? AGGREGATE_FORMS[call.name] : undefined
  if (!form) throw new GenerateError(`Function ${call.name} is not supported on the embedded engine`, call.at)
  const operand = (expr: Expr | null): string | null => expr && context.expr(expr, scope)
  const filterSql = operand(call.filter)
  try {
    const sql = form({
      sql: call.arguments.map(operand),
      args: call.arguments,
      type: call.type,
      call,
      distinct: call.isDistinct ? 'DISTINCT ' : '',
      orderBy: orderClause(call.orderBy, scope, context),
      filter: filterSql === null ? '' : ` FILTER (WHERE ${filterSql})`,
      filterSql,
      havingSql: operand(call.having?.expr ?? null),
      limitSql: call.limit && limitSql(call.limit, context),
      offsetsRead: null,
      over,
    })
    return call.isSafe ? `TRY(${sql})` : sql
  } catch (error) {
    throw error instanceof FormError ? new GenerateError(error.message, call.at, error) : error
  }
}

export function windowSql(window: WindowCall, scope: Scope, context: Context): string {
  return aggregateSql(window.call, scope, context, ` OVER (${windowText(window, scope, context)})`)
}

function windowText({ partitionBy, orderBy, frame }: WindowCall, scope: Scope, context: Context): string {
  const hasRangeOffset = frame?.unit === 'range' && (frame.start.offset !== null || frame.end.offset !== null)
  const partition = partitionBy.map(expr => context.expr(expr, scope)).join(', ')
  const order = hasRangeOffset ? rangeKey(orderBy, scope, context) : orderClause(orderBy, scope, context).trimStart()
  const bound = (part: ResolvedBound): string => boundText(part, hasRangeOffset, scope, context)
  return [
    ...(partition === '' ? [] : [`PARTITION BY ${partition}`]),
    ...(order === '' ? [] : [order]),
    ...(frame ? [`${frame.unit.toUpperCase()} BETWEEN ${bound(frame.start)} AND ${bound(frame.end)}`] : []),
  ].join(' ')
}

/** DuckDB wants one key here. INT64 ones are widened, since key ± offset may pass the limits. */
function rangeKey([key]: WindowCall['orderBy'], scope: Scope, context: Context): string {
  if (!key) return ''
  const { kind } = key.expr.type
  if (kind === 'FLOAT64') {
    throw new GenerateError('Ordering by expressions of type FLOAT64 is not allowed in a RANGE-based window', key.expr.at)
  }
  const sql = context.expr(key.expr, scope)
  const wide = kind === 'INT64' ? `${sql}::HUGEINT` : sql
  return `ORDER BY ${wide} ${key.isDescending ? 'DESC' : 'ASC'} NULLS ${key.nullsFirst ? 'FIRST' : 'LAST'}`
}

const BOUNDS: Readonly<Record<ResolvedBound['kind'], string>> = {
  'unbounded-preceding': 'UNBOUNDED PRECEDING',
  preceding: 'PRECEDING',
  'current-row': 'CURRENT ROW',
  following: 'FOLLOWING',
  'unbounded-following': 'UNBOUNDED FOLLOWING',
}

function boundText({ kind, offset }: ResolvedBound, isRange: boolean, scope: Scope, context: Context): string {
  if (!offset) return BOUNDS[kind]
  const sql = context.expr(offset, scope)
  const isKnown = offset.kind === 'literal' && offset.value !== null && !String(offset.value).startsWith('-')
  const checked = isKnown ? sql : `bq_frame_offset(${sql})`
  return `${isRange && offset.type.kind === 'INT64' ? `${checked}::HUGEINT` : checked} ${BOUNDS[kind]}`
}
