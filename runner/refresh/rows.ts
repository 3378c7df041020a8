/** The rows of results with their buckets, and a result put together from such rows. */
import { bucketMicros, type KeptQuery } from '../../googlesql/index.js'
import { RowReader, rowPlaces } from '../formats/rows.js'
import { nextTurn, PIECE_BYTES } from '../model/in-turns.js'
import type { ResultSet } from '../model/query.js'
import { RESULT_HEAD, RESULT_TAIL } from '../result/body.js'
import type { KeptRow, Span } from './spans.js'

/** The rows of a result, in its order; their bytes are those of its body. @throws JsonTextError. */
export async function readRows(
  set: Pick<ResultSet, 'body' | 'rowCount'>,
  kept: KeptQuery,
): Promise<readonly KeptRow[]> {
  const { body, rowCount } = set
  const places = await rowPlaces(set)
  const reader = new RowReader(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  const rows: KeptRow[] = []
  let paused = 0
  for (let row = 0; row < rowCount; row++) {
    const start = places[row]!
    reader.begin(start)
    rows.push({ bucket: bucketMicros(kept, bucketOf(reader, kept)), bytes: body.subarray(start, reader.end) })
    if (reader.end - paused < PIECE_BYTES) continue
    paused = reader.end
    await nextTurn()
  }
  return rows
}

function bucketOf(reader: RowReader, { bucketColumn }: KeptQuery): unknown {
  for (let column = 0; column < bucketColumn; column++) {
    reader.toMember(column)
    reader.value()
  }
  reader.toMember(bucketColumn)
  const text = reader.value()
  // Microseconds of years after 2255 are more than a number holds.
  return /^-?\d/.test(text) ? text : JSON.parse(text)
}

/**
 * The rows of the whole result.
 *
 * @param spans in the order of time, which do not overlap
 * @param nulls the rows without a bucket, in the result's order
 */
export function wholeRows(kept: KeptQuery, spans: readonly Span[], nulls: readonly KeptRow[]): readonly KeptRow[] {
  const { order, limit } = kept
  const ordered = order?.isDescending ? [...spans].reverse() : spans
  const dated = ordered.flatMap(({ rows }) => rows)
  const rows = order?.nullsFirst ? [...nulls, ...dated] : [...dated, ...nulls]
  return limit === null ? rows : rows.slice(0, limit)
}

/** The result of these rows, cut at `maxRows`. */
export function resultOf(rows: readonly KeptRow[], maxRows = rows.length): Omit<ResultSet, 'columns'> {
  const shown = rows.slice(0, maxRows)
  const pieces = shown.flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [COMMA, bytes]))
  const body = Buffer.concat([Buffer.from(RESULT_HEAD), ...pieces, Buffer.from(RESULT_TAIL)])
  return { body, rowCount: shown.length, isTruncated: rows.length > maxRows }
}

const COMMA = Buffer.from(',')

/** The number of buckets that have rows. */
export const bucketsOf = (spans: readonly Span[]): number =>
  new Set(spans.flatMap(({ rows }) => rows.map(({ bucket }) => bucket))).size
