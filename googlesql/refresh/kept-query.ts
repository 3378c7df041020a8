/** Proves that the result of a query can be put together from buckets of time. README.md has the rules. */
import type { OutputColumn, ResolvedQuery, Scan, TableScan } from '../plan/nodes.js'
import { visitScans } from '../plan/walk.js'
import { orMistake, SqlError } from '../sql-error.js'
import { type Type, typeName } from '../types/types.js'
import type { TimeBound } from './bounds.js'
import { narrowedTexts } from './narrow-query.js'
import { type NotKept, Refusal, refuse } from './not-kept.js'
import { keyIndexes } from './row-keys.js'
import { isOrdered, isUpper, rowsType, type Split, splitsOf } from './split-query.js'
import { type Cells, cellPart, isWithin } from './time-cells.js'
import { cellsOf, isTime, type TableTime, type TimeType, type Trace } from './time-column.js'
import { type Aggregation, type BoundCondition, type Facts, type ParameterUse, traceRows } from './trace-rows.js'

/** How the result of a query is put together from buckets of time. Plain data. */
export interface KeptQuery {
  /** The table whose rows are cut by time, as the catalogue spells it. */
  readonly table: string
  /** The other tables of the query. Kept rows are valid only as long as these tables do not change. */
  readonly others: readonly string[]
  /** The column T of the table. */
  readonly column: string
  readonly timeType: TimeType
  /** Every bucket lies within one cell: the civil starts of this part in this zone (UTC for DATETIME and DATE). */
  readonly cells: Cells
  readonly bounds: readonly TimeBound[]
  /** Whether a row whose T is NULL can reach the result. */
  readonly hasNulls: boolean
  /** The index of the column of the result that has the bucket. */
  readonly bucketColumn: number
  readonly bucketType: TimeType
  /** How the result is ordered by its bucket; null where the query orders nothing. */
  readonly order: { readonly isDescending: boolean; readonly nullsFirst: boolean } | null
  /** Whether the query asks for an order of its rows; otherwise they may come in any order at each run. */
  readonly isOrdered: boolean
  /** The parameters that only bound T, the clock among them: kept rows do not depend on them. */
  readonly boundParameters: readonly string[]
  /** The text whose result is kept: the query itself, or a part of it. */
  readonly lower: string
  /** The query that computes the result from the rows of `lower`; null where these rows are the result. */
  readonly upper: UpperQuery | null
  /**
   * The text `lower`, restricted to the rows with T from `@_from` to `@_until`, both included; `narrowedWithNulls` reads the rows
   * without a T, too. Both are the same text where `hasNulls` is false.
   */
  readonly narrowed: string
  readonly narrowedWithNulls: string
  /**
   * Whether T is the day of a text like 20260131. Then both narrowed texts are `lower` itself: the caller drops the rows of other times,
   * and may read only parts of the table in which each row has such a text.
   */
  readonly isText: boolean
}

/** The query that runs over kept rows. They are its parameter @_rows: a list of STRUCTs with a field for each column, in order. */
export interface UpperQuery {
  readonly sql: string
  readonly rowsType: string
}

/** What the proof needs from its caller. */
export interface KeptQueryOptions {
  /** The name of the parameter with the time of the request. */
  readonly clock: string
  /** Whether a column of a table is known never to be NULL. */
  readonly isRequired: (table: string, column: string) => boolean
  /** Resolves another text, with @_rows of the type `rows`. Null where the engine runs no query over kept rows. @throws SqlError. */
  readonly resolve: ((sql: string, rows: Type | null) => ResolvedQuery) | null
}

/** @param query the resolved `sql` */
export function keptQuery(sql: string, query: ResolvedQuery, options: KeptQueryOptions): KeptQuery | NotKept {
  const whole = keptWhole(sql, query, options)
  const { resolve } = options
  if (resolve === null || !('reason' in whole)) return whole
  for (const split of splitsOf(sql)) {
    const kept = keptSplit(split, query, options, resolve)
    if (kept !== null) return kept
  }
  return whole
}

/** Null where no buckets of the lower part can be kept, or the upper part does not return the result of the query. */
function keptSplit(
  { lower, upper, isClear }: Split,
  query: ResolvedQuery,
  options: KeptQueryOptions,
  resolve: NonNullable<KeptQueryOptions['resolve']>,
): KeptQuery | null {
  const below = orMistake(() => resolve(lower, null))
  if (below instanceof SqlError || !isClear(below)) return null
  const rows = rowsType(below.columns)
  const kept = rows && keptWhole(lower, below, options)
  if (!kept || 'reason' in kept) return null
  const keys = keyIndexes(
    below.scan,
    below.columns.map(({ column }) => column),
  )
  const sql = upper(
    below.columns.map(({ name }) => name),
    keys,
  )
  const above = orMistake(() => resolve(sql, rows))
  if (above instanceof SqlError || !isUpper(above) || !isSameResult(above.columns, query.columns)) return null
  const unread = query.parameters.filter(name => !below.parameters.some(read => isSameName(read, name)))
  const boundParameters = [...kept.boundParameters, ...unread]
  return { ...kept, boundParameters, isOrdered: isOrdered(above.scan), upper: { sql, rowsType: typeName(rows) } }
}

const isSameResult = (a: readonly OutputColumn[], b: readonly OutputColumn[]): boolean =>
  a.length === b.length &&
  a.every(({ name, type }, i) => name === b[i]!.name && typeName(type) === typeName(b[i]!.type))

function keptWhole(sql: string, query: ResolvedQuery, options: KeptQueryOptions): KeptQuery | NotKept {
  const refusals: NotKept[] = []
  for (const table of tablesOf(query.scan).slice(0, MAX_TABLES)) {
    try {
      return prove(table, sql, query, options)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.push(error.notKept)
    }
  }
  return refusals[0] ?? { reason: 'the query reads no table', at: 0 }
}

/** The most tables for which a proof is tried. */
const MAX_TABLES = 4

/** The first scan of each table, in the order of the text. The first table for which the proof succeeds is the one that is cut by time. */
function tablesOf(query: Scan): readonly TableScan[] {
  const scans: TableScan[] = []
  visitScans(query, scan => void (scan.kind === 'table' && scans.push(scan)))
  scans.sort((a, b) => a.at - b.at)
  return scans.filter(({ table }, i) => scans.findIndex(other => other.table === table) === i)
}

/** @throws Refusal */
function prove(
  table: TableScan,
  sql: string,
  query: ResolvedQuery,
  { clock, isRequired }: KeptQueryOptions,
): KeptQuery {
  const facts = traceRows(query.scan, table)
  const { time, index } = bucketOf(query.columns, facts)
  const isOwn = ({ bounds }: BoundCondition): boolean => bounds.every(bound => bound.tableTime.column === time.column)
  const ownBounds = facts.bounds.filter(isOwn)
  const uses = [...facts.uses, ...facts.bounds.filter(found => !isOwn(found)).flatMap(found => found.uses)]
  const clockUse = uses.find(({ name }) => isSameName(name, clock))
  if (clockUse) refuse(`@${clock} is read elsewhere than in a bound of ${time.column}`, clockUse.at)
  const isText = !facts.types.has(time.column)
  const hasNulls = ownBounds.length === 0 && !isText && !isRequired(table.table, time.column)
  const narrowed = narrowedTexts(sql, query, facts.scans, time.column, hasNulls)
  const order = facts.order?.key
  return {
    table: table.table,
    others: facts.others,
    column: time.column,
    timeType: facts.types.get(time.column) ?? 'DATE',
    cells: cellsOf(time),
    bounds: ownBounds.flatMap(({ bounds }) => bounds),
    hasNulls,
    bucketColumn: index,
    bucketType: time.type,
    order: order ? { isDescending: order.isDescending, nullsFirst: order.nullsFirst } : null,
    isOrdered: isOrdered(query.scan),
    boundParameters: namesOnlyIn(
      ownBounds.flatMap(found => found.uses),
      uses,
    ),
    lower: sql,
    upper: null,
    ...(isText ? { narrowed: sql, narrowedWithNulls: sql } : narrowed),
    isText,
  }
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The names of parameters that are in `uses` and not in `elsewhere`. */
function namesOnlyIn(uses: readonly ParameterUse[], elsewhere: readonly ParameterUse[]): readonly string[] {
  const names = uses.map(({ name }) => name)
  return [...new Set(names.filter(name => !elsewhere.some(other => isSameName(other.name, name))))]
}

// ---- the bucket

interface Bucket {
  readonly time: TableTime
  readonly index: number
}

/** The column of the result that is the bucket: of several, the column with the shortest cells. @throws Refusal without such a column */
function bucketOf(columns: readonly OutputColumn[], facts: Facts): Bucket {
  const { aggregations, scans } = facts
  const { at } = scans[0]!
  if (aggregations.length === 0) refuse('the query has no aggregation', at)
  const outputs = columns.map(({ column }) => facts.columns.get(column.id))
  const buckets = outputs.flatMap((time, index) => (isTime(time) && isBucket(time) ? [{ time, index }] : []))
  const kept = buckets.filter(({ time }) => whyNot(time, facts) === null)
  const finest = kept.find(({ time }) => kept.every(other => isWithin(cellPart(time.part), cellPart(other.time.part))))
  const bucket = finest ?? kept[0]
  if (bucket) return bucket
  const why = buckets[0] ? whyNot(buckets[0].time, facts) : whyNoBucket(outputs, aggregations, at)
  return refuse(why!.reason, why!.at)
}

/** Whether the time can be the bucket of a result: it is truncated to seconds or longer, and is not a text. */
const isBucket = ({ part, isText }: TableTime): boolean => part !== null && !isText && isWithin('SECOND', part)

function whyNoBucket(
  outputs: readonly (Trace | undefined)[],
  aggregations: readonly Aggregation[],
  at: number,
): NotKept {
  const mixed = aggregations.find(({ keys }) => !keys.some(key => isTime(key) && !key.isText))
  if (mixed) return whyMixed(mixed)
  const lost = outputs.find(time => time && !isTime(time)) as NotKept | undefined
  return lost ?? { reason: 'no column of the result is a time of the table, truncated to a second or more', at }
}

/** Why the result cannot be put together from the cells of this time; null where it can. */
function whyNot(bucket: TableTime, { aggregations, joins, order }: Facts): NotKept | null {
  const isWithinBucket = (time: Trace): boolean => isWithinCell(time, bucket)
  const crossing = joins.find(({ equal }) => !equal.some(times => times.every(isWithinBucket)))
  if (crossing) return { reason: 'rows of different buckets are joined', at: crossing.at }
  const mixed = aggregations.find(({ keys }) => !keys.some(isWithinBucket))
  if (mixed) return whyMixed(mixed)
  if (order === null || isWithinBucket(order.time)) return null
  return { reason: 'the result is not ordered by its bucket first', at: order.key.expr.at }
}

function whyMixed({ keys, at }: Aggregation): NotKept {
  const lost = keys.find(key => key !== null && !isTime(key)) as NotKept | undefined
  return lost ?? { reason: 'the groups have rows of different buckets: no key is the time of the table, truncated', at }
}

/** Whether rows with equal values of `key` lie within one cell of `bucket`. */
const isWithinCell = (key: Trace, bucket: TableTime): boolean =>
  isTime(key) &&
  key.column === bucket.column &&
  (key.zone === null || key.zone === bucket.zone) &&
  (!key.since1970 || bucket.since1970 === true) &&
  isWithin(cellPart(key.part), cellPart(bucket.part))
