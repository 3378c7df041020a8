/** What is kept until the next refresh: the rows of all spans as one result, and how many of these rows each span has. */
import { bucketBoundary, type KeptQuery } from '../../googlesql/index.js'
import type { StoredResult } from '../model/ports.js'
import type { KeptRows } from '../model/query.js'
import { readRows, resultOf } from './rows.js'
import { isWithin, type Span } from './time-spans.js'

/** @param spans in the order of time @param parts the text of the table's parts that may have rows of the spans */
export async function encodeKept(
  spans: readonly Span[],
  parts: string,
  signal: AbortSignal,
): Promise<Omit<KeptRows, 'key' | 'columns'>> {
  const { body, rowCount } = await resultOf(
    spans.flatMap(({ rows }) => rows),
    signal,
  )
  const texts = spans.map(({ from, until, rows }) => ({ from: String(from), until: String(until), rows: rows.length }))
  return { body, rowCount, spans: texts, parts }
}

/** The spans that `encodeKept` has stored. Returns no spans for any other result: other programs may write to a shared store. */
export async function decodeKept(stored: StoredResult, kept: KeptQuery, signal: AbortSignal): Promise<readonly Span[]> {
  const encoded = stored.kept?.spans ?? []
  if (encoded.reduce((sum, { rows }) => sum + rows, 0) !== stored.rowCount) return []
  const rows = await readRows(stored, kept, signal).catch(() => [])
  if (rows.length !== stored.rowCount) return []
  let end = 0
  const spans = encoded.map(({ from, until, rows: count }) => {
    end += count
    return { from: BigInt(from), until: BigInt(until), rows: rows.slice(end - count, end) }
  })
  const isInOrder = spans.every(({ from, until }, i) => from < until && (i === 0 || spans[i - 1]!.until <= from))
  const bucketOf = (time: bigint): bigint => bucketBoundary(kept, time)
  return isInOrder && spans.every(span => isWithin(span, bucketOf)) ? spans : []
}
