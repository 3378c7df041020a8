/** Aggregate and window calls. */
import type { AggregateCall, Expr, ResolvedBound, WindowCall } from '../../../googlesql/plan/nodes.js'
import type { Type } from '../../../googlesql/types/types.js'
import { AGGREGATE_FORMS } from '../../functions/all.js'
import { FormError } from '../../functions/function-sql.js'
import { type Context, GenerateError, type SqlScope } from '../context.js'
import { type Fragment, fill, fragment, slot, templateOf, unread } from '../fragment.js'
import { callOf } from '../macro-usage.js'
import { variable } from '../quote.js'
import { rowCountSql } from '../scans/row-count.js'
import { orderClause } from '../scans/sort.js'
import { applied, costOf } from '../share-arguments.js'
import { trySql } from '../try.js'

export function aggregateSql(
  call: AggregateCall,
  scope: SqlScope,
  context: Context,
  over = '',
  frame: WindowCall['frame'] = null,
): string {
  const form = AGGREGATE_FORMS.get(call.name)
  if (!form) throw new GenerateError(`Function ${call.name} is not supported on the embedded engine`, call.at)
  const parts: Fragment[] = []
  // What raises in a SAFE call is told from its arguments by their slots.
  const written = (sql: Fragment): string => (call.isSafe ? slot(parts.push(sql) - 1) : sql.text)
  const operand = (expr: Expr | null): string | null => expr && written(context.expr(expr, scope))
  const filterSql = operand(call.filter)
  try {
    const sql = form.write({
      sql: call.arguments.map(operand),
      args: call.arguments,
      type: call.type,
      call,
      distinct: call.isDistinct ? 'DISTINCT ' : '',
      orderBy: written(unread(orderClause(call.orderBy, scope, context))),
      filter: filterSql === null ? '' : ` FILTER (WHERE ${filterSql})`,
      filterSql,
      havingSql: operand(call.having?.expr ?? null),
      limitSql: call.limit && written(unread(rowCountSql(call.limit, context))),
      over,
      addsByParts: context.addsByParts,
      mayBeBackward: frame !== null && frame.start.offset !== null && frame.start.kind === frame.end.kind,
    })
    return call.isSafe ? safeAggregate(sql, parts, call, context).text : sql
  } catch (error) {
    throw error instanceof FormError ? new GenerateError(error.message, call.at, error) : error
  }
}

/** DuckDB has no aggregates in TRY; what raises is the function of ours around them. */
function safeAggregate(text: string, parts: readonly Fragment[], { type }: AggregateCall, context: Context): Fragment {
  const outer = callOf(text)
  if (!outer) return fill(text, parts)
  const name = variable(context.newColumn('', type))
  const packed = outer.args.map((argument, i) => fragment`a${i} := ${fill(argument, parts)}`)
  const inner = `${outer.name}(${outer.args.map((_, i) => `${name}.a${i}`).join(', ')})`
  return applied(fragment`struct_pack(${packed})`, name, fill(trySql(inner), []))
}

/**
 * The arguments that the call's form gives to several aggregates or to a subquery, and that are more than columns: they are
 * better columns of the input. (DuckDB computes one aggregate once, though it is written several times.) With a filter there are none: what it leaves out must not fail.
 */
export function repeatedArguments(call: AggregateCall, isWindow = false): readonly number[] {
  const form = AGGREGATE_FORMS.get(call.name)
  const costs = call.arguments.map(costOf)
  if (!form || call.filter || Math.max(0, ...costs) === 0) return []
  const slots = call.arguments.map((argument, i) => (argument === null || costs[i] === 0 ? 'NULL' : slot(i)))
  const parts = {
    distinct: '',
    orderBy: '',
    filter: '',
    filterSql: null,
    havingSql: null,
    limitSql: null,
    over: '',
    addsByParts: false,
    mayBeBackward: false,
  }
  try {
    const text = form.write({ sql: slots, args: call.arguments, type: call.type, call, ...parts })
    const { hasQuery, uses, pieces } = templateOf(text)
    // A window function that a macro writes twice DuckDB cannot copy when there is a lambda in it (1.5.5).
    const isCopied = (i: number): boolean => isWindow && costs[i]! >= 10 && (uses.get(i) ?? 0) > 1
    const isRepeated = (i: number): boolean => pieces.filter(piece => piece === i).length > 1
    return costs.flatMap((cost, i) => (cost > 0 && (hasQuery || isRepeated(i) || isCopied(i)) ? [i] : []))
  } catch {
    // The form says why when the call itself is written.
    return []
  }
}

export function windowSql(window: WindowCall, scope: SqlScope, context: Context): string {
  return aggregateSql(window.call, scope, context, ` OVER (${windowText(window, scope, context)})`, window.frame)
}

/**
 * A window over all rows as they come would be computed while they stream by, in several threads at once where they come
 * from several inputs (1.5.6): rows then get one number twice. A partition, be it a constant, makes it wait for all rows.
 */
const wholeInput = ({ call, frame }: WindowCall): readonly string[] =>
  frame || AGGREGATE_FORMS.get(call.name)?.mayStream ? ['PARTITION BY true'] : []

function windowText(window: WindowCall, scope: SqlScope, context: Context): string {
  const { partitionBy, orderBy, frame } = window
  const hasRangeOffset = frame?.unit === 'range' && (frame.start.offset !== null || frame.end.offset !== null)
  const partition = [
    ...partitionBy.map(expr => context.expr(expr, scope).text),
    ...(hasRangeOffset ? floatClass(window, scope, context) : []),
  ].join(', ')
  const order = hasRangeOffset ? rangeKey(orderBy, scope, context) : orderClause(orderBy, scope, context).trimStart()
  const bound = (part: ResolvedBound): string => boundText(part, hasRangeOffset, scope, context)
  return [
    ...(partition !== '' ? [`PARTITION BY ${partition}`] : order === '' ? wholeInput(window) : []),
    ...(order === '' ? [] : [partition === '' && isFirstOfAll(window) ? `${order}, 1` : order]),
    ...(frame ? [`${frame.unit.toUpperCase()} BETWEEN ${bound(frame.start)} AND ${bound(frame.end)}`] : []),
  ].join(' ')
}

/**
 * DuckDB makes a minimum of `ROW_NUMBER() OVER (ORDER BY x) = 1`, which of no rows is a row of NULLs (1.5.5); not so by two
 * keys.
 */
const isFirstOfAll = ({ call, orderBy }: WindowCall): boolean => call.name === 'ROW_NUMBER' && orderBy.length === 1

/**
 * NaN and the infinities are frames of their own, whatever is added to them, and no finite value's frame reaches them: each
 * is a partition. That will not do for a frame that goes to one end of the rows.
 */
function floatClass({ orderBy: [key], frame }: WindowCall, scope: SqlScope, context: Context): readonly string[] {
  if (key?.expr.type.kind !== 'FLOAT64') return []
  if ([frame?.start.kind, frame?.end.kind].some(kind => kind?.startsWith('unbounded'))) {
    throw new GenerateError(
      'A RANGE frame over FLOAT64 that is UNBOUNDED on one side and has an offset on the other is not supported on the embedded engine',
      key.expr.at,
    )
  }
  const sql = context.expr(key.expr, scope).text
  return [`CASE WHEN NOT isfinite(${sql}) THEN ${sql} END`]
}

/** DuckDB wants one key here. Exact ones are widened, since key ± offset may pass the limits. */
function rangeKey([key]: WindowCall['orderBy'], scope: SqlScope, context: Context): string {
  if (!key) return ''
  const sql = context.expr(key.expr, scope).text
  const wide = Object.hasOwn(WIDENED, key.expr.type.kind) ? WIDENED[key.expr.type.kind]!(sql) : sql
  return `ORDER BY ${wide} ${key.isDescending ? 'DESC' : 'ASC'} NULLS ${key.nullsFirst ? 'FIRST' : 'LAST'}`
}

const units = (sql: string): string => `bq_decimal_units(${sql})`

/** As HUGEINTs: a NUMERIC counts thousand millionths. */
const WIDENED: Readonly<Record<string, (sql: string) => string>> = {
  INT64: sql => `${sql}::HUGEINT`,
  NUMERIC: units,
  BIGNUMERIC: units,
}

const BOUNDS: Readonly<Record<ResolvedBound['kind'], string>> = {
  'unbounded-preceding': 'UNBOUNDED PRECEDING',
  preceding: 'PRECEDING',
  'current-row': 'CURRENT ROW',
  following: 'FOLLOWING',
  'unbounded-following': 'UNBOUNDED FOLLOWING',
}

/** More than there are: DuckDB adds an offset to the number of a row, and beyond the largest INT64 finds rows again. */
const MOST_ROWS = 1_000_000_000_000_000

function boundText({ kind, offset }: ResolvedBound, isRange: boolean, scope: SqlScope, context: Context): string {
  if (!offset) return BOUNDS[kind]
  const sql = context.expr(offset, scope).text
  const isKnown = offset.kind === 'literal' && offset.value !== null && !String(offset.value).startsWith('-')
  const check = isRange && offset.type.kind === 'FLOAT64' ? 'bq_frame_distance' : 'bq_frame_offset'
  const checked = isKnown ? sql : `${check}(${sql})`
  if (!isRange) return `${isKnown && Number(offset.value) > MOST_ROWS ? MOST_ROWS : checked} ${BOUNDS[kind]}`
  if (isDecimal(offset.type)) return `bq_frame_units(${checked}) ${BOUNDS[kind]}`
  return `${offset.type.kind === 'INT64' ? WIDENED['INT64']!(checked) : checked} ${BOUNDS[kind]}`
}

const isDecimal = ({ kind }: Type): boolean => kind === 'NUMERIC' || kind === 'BIGNUMERIC'
