/** Aggregate and window function calls as DuckDB SQL. */
import type { AggregateCall, Expr, ResolvedBound, WindowCall } from '../../../googlesql/plan/nodes.js'
import { AGGREGATE_WRITERS } from '../../functions/all.js'
import { SqlWriterError } from '../../functions/function-sql.js'
import { type Context, type Env, GenerateError } from '../context.js'
import { type Fragment, fill, fragment, slot, templateOf, textFragment } from '../fragment.js'
import { callOf } from '../macro-usage.js'
import { variable } from '../quote.js'
import { rowCountSql } from '../scans/row-count.js'
import { orderClause } from '../scans/sort.js'
import { applyLambda, costOf } from '../share-arguments.js'
import { trySql } from '../try.js'

export function aggregateSql(call: AggregateCall, env: Env, over = '', frame: WindowCall['frame'] = null): string {
  const writer = AGGREGATE_WRITERS.get(call.name)
  if (!writer) throw new GenerateError(`Function ${call.name} is not supported on the embedded engine`, call.at)
  const parts: Fragment[] = []
  // In a SAFE call, slots separate the SQL of the arguments, whose errors must be raised, from the SQL of the function itself.
  const textOrSlot = (sql: Fragment): string => (call.isSafe ? slot(parts.push(sql) - 1) : sql.text)
  const operand = (expr: Expr | null): string | null => expr && textOrSlot(env.expr(expr, env))
  try {
    const sql = writer.write({
      sql: call.arguments.map(operand),
      args: call.arguments,
      type: call.type,
      call,
      distinct: call.isDistinct ? 'DISTINCT ' : '',
      orderBy: textOrSlot(textFragment(orderClause(call.orderBy, env))),
      filterSql: operand(call.filter),
      havingSql: operand(call.having?.expr ?? null),
      limitSql: call.limit && textOrSlot(textFragment(rowCountSql(call.limit, env))),
      over,
      addsByParts: env.addsByParts,
      mayBeBackward: frame !== null && frame.start.offset !== null && frame.start.kind === frame.end.kind,
    })
    return call.isSafe ? safeAggregate(sql, parts, call, env).text : sql
  } catch (error) {
    throw error instanceof SqlWriterError ? new GenerateError(error.message, call.at, error) : error
  }
}

/**
 * DuckDB allows no aggregates inside TRY. Only this project's function around the aggregate raises errors, so TRY goes around
 * that function, and the aggregate is its argument.
 */
function safeAggregate(text: string, parts: readonly Fragment[], { type }: AggregateCall, context: Context): Fragment {
  const outer = callOf(text)
  if (!outer) return fill(text, parts)
  const name = variable(context.newColumn('', type))
  const packed = outer.args.map((argument, i) => fragment`a${i} := ${fill(argument, parts)}`)
  const inner = `${outer.name}(${outer.args.map((_, i) => `${name}.a${i}`).join(', ')})`
  return applyLambda(fragment`struct_pack(${packed})`, name, fill(trySql(inner), []))
}

/**
 * The indexes of the arguments that should become columns of the input: expressions that the SQL of the call writes several times or in a
 * subquery. A macro that repeats an aggregate matters only in a window (see isCopied), since DuckDB computes equal aggregates once. Empty
 * for a call with a filter: the arguments of rows that the filter leaves out must not fail.
 */
export function repeatedArguments(call: AggregateCall, isWindow = false): readonly number[] {
  const writer = AGGREGATE_WRITERS.get(call.name)
  const costs = call.arguments.map(costOf)
  if (!writer || call.filter || Math.max(0, ...costs) === 0) return []
  const slots = call.arguments.map((argument, i) => (argument === null || costs[i] === 0 ? 'NULL' : slot(i)))
  const noClauses = {
    distinct: '',
    orderBy: '',
    filterSql: null,
    havingSql: null,
    limitSql: null,
    over: '',
    addsByParts: false,
    mayBeBackward: false,
  }
  try {
    const text = writer.write({ sql: slots, args: call.arguments, type: call.type, call, ...noClauses })
    const { hasQuery, uses, pieces } = templateOf(text)
    // DuckDB cannot copy a window function that contains a lambda, so a macro must not write it twice (1.5.5). An argument that calls a
    // function costs 10 or more; the SQL of the function may have a lambda.
    const isCopied = (i: number): boolean => isWindow && costs[i]! >= 10 && (uses.get(i) ?? 0) > 1
    const isRepeated = (i: number): boolean => pieces.filter(piece => piece === i).length > 1
    return costs.flatMap((cost, i) => (cost > 0 && (hasQuery || isRepeated(i) || isCopied(i)) ? [i] : []))
  } catch {
    // The same error is raised again when the call itself is written.
    return []
  }
}

export function windowSql(window: WindowCall, env: Env): string {
  return aggregateSql(window.call, env, ` OVER (${windowText(window, env)})`, window.frame)
}

/**
 * The constant partition of a window without PARTITION BY and ORDER BY. Without a partition, DuckDB computes such a window while the rows
 * stream; if they come from several inputs, several threads compute it, and two rows get the same number (1.5.6). With a partition,
 * DuckDB waits for all rows.
 */
const wholeInput = ({ call, frame }: WindowCall): readonly string[] =>
  frame || AGGREGATE_WRITERS.get(call.name)?.mayStream ? ['PARTITION BY true'] : []

function windowText(window: WindowCall, env: Env): string {
  const { partitionBy, orderBy, frame } = window
  const hasRangeOffset = frame?.unit === 'range' && (frame.start.offset !== null || frame.end.offset !== null)
  const partition = [
    ...partitionBy.map(expr => env.expr(expr, env).text),
    ...(hasRangeOffset ? floatClass(window, env) : []),
  ].join(', ')
  const order = hasRangeOffset ? rangeKey(orderBy, env) : orderClause(orderBy, env).trimStart()
  const bound = (part: ResolvedBound): string => boundText(part, hasRangeOffset, env)
  return [
    ...(partition !== '' ? [`PARTITION BY ${partition}`] : order === '' ? wholeInput(window) : []),
    ...(order === '' ? [] : [partition === '' && isRowNumberByOneKey(window) ? `${order}, 1` : order]),
    ...(frame ? [`${frame.unit.toUpperCase()} BETWEEN ${bound(frame.start)} AND ${bound(frame.end)}`] : []),
  ].join(' ')
}

/**
 * Whether DuckDB would rewrite `ROW_NUMBER() OVER (ORDER BY x) = 1` to a minimum, which gives one row of NULLs for an empty
 * input (1.5.5). It does not do so with two sort keys, so a constant key is added.
 */
const isRowNumberByOneKey = ({ call, orderBy }: WindowCall): boolean =>
  call.name === 'ROW_NUMBER' && orderBy.length === 1

/**
 * The partition key that separates NaN and the infinities from the finite values. In a RANGE frame with offsets, rows with NaN or the same
 * infinity form a frame of their own, since adding an offset does not change these values. The frame of a finite value never reaches them.
 * A frame that is unbounded at one end does reach them, so it is refused.
 */
function floatClass({ orderBy: [key], frame }: WindowCall, env: Env): readonly string[] {
  if (key?.expr.type.kind !== 'FLOAT64') return []
  if ([frame?.start.kind, frame?.end.kind].some(kind => kind?.startsWith('unbounded'))) {
    throw new GenerateError(
      'A RANGE frame over FLOAT64 that is UNBOUNDED on one side and has an offset on the other is not supported on the embedded engine',
      key.expr.at,
    )
  }
  const sql = env.expr(key.expr, env).text
  return [`CASE WHEN NOT isfinite(${sql}) THEN ${sql} END`]
}

/** DuckDB allows one key for RANGE with an offset. Exact types are widened, since key ± offset may exceed their range. */
function rangeKey([key]: WindowCall['orderBy'], env: Env): string {
  if (!key) return ''
  const sql = env.expr(key.expr, env).text
  const wide = Object.hasOwn(WIDENED, key.expr.type.kind) ? WIDENED[key.expr.type.kind]!(sql) : sql
  return `ORDER BY ${wide} ${key.isDescending ? 'DESC' : 'ASC'} NULLS ${key.nullsFirst ? 'FIRST' : 'LAST'}`
}

const units = (sql: string): string => `bq_decimal_units(${sql})`

/** Widening to HUGEINT; a NUMERIC is counted in units of 1e-9. */
const WIDENED: Readonly<Record<string, (sql: string) => string>> = {
  INT64: sql => `${sql}::HUGEINT`,
  NUMERIC: units,
  BIGNUMERIC: sql => `bq_bignumeric_frame_units(${sql})`,
}

const BOUNDS: Readonly<Record<ResolvedBound['kind'], string>> = {
  'unbounded-preceding': 'UNBOUNDED PRECEDING',
  preceding: 'PRECEDING',
  'current-row': 'CURRENT ROW',
  following: 'FOLLOWING',
  'unbounded-following': 'UNBOUNDED FOLLOWING',
}

/**
 * A number of rows that no input exceeds; it replaces larger offsets. DuckDB adds the offset to the row number, and the sum
 * would wrap around beyond the largest INT64.
 */
const MOST_ROWS = 1_000_000_000_000_000

function boundText({ kind, offset }: ResolvedBound, isRange: boolean, env: Env): string {
  if (!offset) return BOUNDS[kind]
  const sql = env.expr(offset, env).text
  const isValidLiteral = offset.kind === 'literal' && offset.value !== null && !String(offset.value).startsWith('-')
  const check = isRange && offset.type.kind === 'FLOAT64' ? 'bq_frame_offset_float' : 'bq_frame_offset'
  const checkedSql = isValidLiteral ? sql : `${check}(${sql})`
  if (!isRange) return `${isValidLiteral && Number(offset.value) > MOST_ROWS ? MOST_ROWS : checkedSql} ${BOUNDS[kind]}`
  if (offset.type.kind === 'BIGNUMERIC') return `bq_bignumeric_frame_units(${checkedSql}) ${BOUNDS[kind]}`
  if (offset.type.kind === 'NUMERIC') return `bq_frame_offset_numeric(${checkedSql}) ${BOUNDS[kind]}`
  return `${offset.type.kind === 'INT64' ? WIDENED['INT64']!(checkedSql) : checkedSql} ${BOUNDS[kind]}`
}
