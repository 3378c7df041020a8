/** The rows of results with their buckets, and a result put together from such rows. */
import { bucketMicros, type KeptQuery } from '../../googlesql/index.js'
import { rowEnd, valueTextsOf } from '../formats/rows.js'
import { nextTurnOf } from '../model/deadline.js'
import { PIECE_BYTES } from '../model/in-turns.js'
import type { ResultSet } from '../model/query.js'
import { RESULT_HEAD, RESULT_TAIL } from '../result/body.js'
import type { KeptRow, Span } from './time-spans.js'

/** How many bytes one turn of the event loop works on. Each row counts as ROW_BYTES more than its bytes. */
const TURN_BYTES = PIECE_BYTES / 8
const ROW_BYTES = 100

/** The rows of a result, in its order; their bytes are views of the body. @throws JsonTextError; RunnerError as nextTurnOf does. */
export async function readRows(
  { body, rowCount }: Pick<ResultSet, 'body' | 'rowCount'>,
  kept: KeptQuery,
  signal: AbortSignal,
): Promise<readonly KeptRow[]> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const column = kept.bucketColumn
  const rows: KeptRow[] = []
  let [start, work] = [RESULT_HEAD.length, 0]
  let previous: { readonly json: string; readonly bucket: bigint | null } | undefined
  for (let row = 0; row < rowCount; row++) {
    const end = rowEnd(bytes, start)
    const json = valueTextsOf(bytes.toString('utf8', start, end), column + 1)[column]!
    // Most rows have the bucket of the row before.
    if (previous?.json !== json) previous = { json, bucket: bucketMicros(kept, bucketValue(json)) }
    rows.push({ bucket: previous.bucket, bytes: body.subarray(start, end) })
    work += end - start + ROW_BYTES
    start = end + 1
    if (work < TURN_BYTES) continue
    work = 0
    await nextTurnOf(signal)
  }
  return rows
}

/** A number stays a text of digits: microseconds after the year 2255 are too large for an exact number. */
const bucketValue = (json: string): unknown => (/^-?\d/.test(json) ? json : JSON.parse(json))

/**
 * The rows of the whole result.
 *
 * @param spans in the order of time, which do not overlap
 * @param nulls the rows without a bucket, in the result's order
 */
export function wholeRows(kept: KeptQuery, spans: readonly Span[], nulls: readonly KeptRow[]): readonly KeptRow[] {
  const { order } = kept
  const ordered = order?.isDescending ? [...spans].reverse() : spans
  const dated = ordered.flatMap(({ rows }) => rows)
  return order?.nullsFirst ? [...nulls, ...dated] : [...dated, ...nulls]
}

/** The result of these rows, cut at `maxRows`. @throws RunnerError as nextTurnOf does. */
export async function resultOf(
  rows: readonly KeptRow[],
  signal: AbortSignal,
  maxRows = rows.length,
): Promise<Omit<ResultSet, 'columns'>> {
  const shown = rows.slice(0, maxRows)
  const bytes = shown.reduce((sum, row) => sum + row.bytes.byteLength + 1, 0)
  const body = Buffer.allocUnsafeSlow(RESULT_HEAD.length + Math.max(0, bytes - 1) + RESULT_TAIL.length)
  let [end, work] = [body.write(RESULT_HEAD), 0]
  for (const [row, { bytes }] of shown.entries()) {
    if (row > 0) end = body.writeUInt8(COMMA, end)
    body.set(bytes, end)
    end += bytes.byteLength
    work += bytes.byteLength + ROW_BYTES
    if (work < TURN_BYTES) continue
    work = 0
    await nextTurnOf(signal)
  }
  body.write(RESULT_TAIL, end)
  return { body, rowCount: shown.length, isTruncated: rows.length > maxRows }
}

const COMMA = 0x2c

/** The number of buckets that have rows. */
export const countBuckets = (spans: readonly Span[]): number =>
  new Set(spans.flatMap(({ rows }) => rows.map(({ bucket }) => bucket))).size

/** The rows as the values of a parameter: objects with a field `c0`, `c1`, … for each column. */
export const fieldsOf = (rows: readonly KeptRow[], columns: ResultSet['columns']): readonly object[] =>
  rows.map(({ bytes }) => {
    const row = JSON.parse(Buffer.from(bytes).toString()) as Readonly<Record<string, unknown>>
    return Object.fromEntries(columns.map(({ name }, i) => [`c${i}`, row[name]]))
  })
