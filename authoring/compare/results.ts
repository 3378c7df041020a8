/** Where the results of two engines differ. */

import { isRecord } from '../../runner/model/is-record.js'
import type { ResultColumn } from '../../runner/model/query.js'

/** What an engine made of a call. `body` is in the format `table`. */
export type Answer =
  | {
      readonly kind: 'rows'
      readonly columns: readonly ResultColumn[]
      readonly body: Uint8Array
      readonly rowCount: number
      readonly isTruncated: boolean
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/** `duckdb` and `bigquery` are what each of them has, as text. Rows are counted from 1. */
export type Difference =
  | { readonly kind: 'failure' | 'columns' | 'row-count' | 'cut'; readonly duckdb: string; readonly bigquery: string }
  /** Both have the same rows in another order; this is the first row that is elsewhere. */
  | { readonly kind: 'order'; readonly row: number; readonly duckdb: string; readonly bigquery: string }
  | {
      readonly kind: 'value'
      readonly row: number
      /** With the path to a nested value: `metadata[0].status`. */
      readonly column: string
      readonly duckdb: string
      readonly bigquery: string
    }

export interface CompareOptions {
  /** How many differing rows are reported at most. */
  readonly maxRows: number
  /** The significant digits in which FLOAT64s must agree; null where they must be the same to the last bit. */
  readonly floatDigits: number | null
  /** Rows may come in any order. */
  readonly isUnordered: boolean
}

type Row = readonly unknown[]

/** Empty when the engines agree. When both fail there is nothing to agree on, and that is a difference too. */
export function resultDifferences(duckdb: Answer, bigquery: Answer, options: CompareOptions): readonly Difference[] {
  if (duckdb.kind === 'failed' || bigquery.kind === 'failed') {
    return [{ kind: 'failure', duckdb: answerText(duckdb), bigquery: answerText(bigquery) }]
  }
  const [ours, theirs] = [duckdb.columns, bigquery.columns].map(columnsText) as [string, string]
  const columns: readonly Difference[] = ours === theirs ? [] : [{ kind: 'columns', duckdb: ours, bigquery: theirs }]
  if (columns.length === 0 && Buffer.compare(duckdb.body, bigquery.body) === 0) return cutDifference(duckdb, bigquery)
  if (duckdb.columns.length !== bigquery.columns.length) return columns
  const names = duckdb.columns.map(({ name }) => name)
  const rows = rowDifferences(names, rowsOf(duckdb.body), rowsOf(bigquery.body), options)
  return [...columns, ...rows, ...cutDifference(duckdb, bigquery)]
}

const rowsOf = (body: Uint8Array): readonly Row[] =>
  (JSON.parse(Buffer.from(body).toString()) as { readonly rows: readonly Row[] }).rows

const columnsText = (columns: readonly ResultColumn[]): string =>
  columns.map(({ name, type }) => `${name} ${type}`).join(', ')

function answerText(answer: Answer): string {
  return answer.kind === 'rows' ? `${answer.rowCount} rows` : `${answer.code} (${answer.message})`
}

function cutDifference(duckdb: { isTruncated: boolean }, bigquery: { isTruncated: boolean }): readonly Difference[] {
  if (duckdb.isTruncated === bigquery.isTruncated) return []
  const [ours, theirs] = duckdb.isTruncated ? ['cut at max_rows', 'not cut'] : ['not cut', 'cut at max_rows']
  return [{ kind: 'cut', duckdb: ours, bigquery: theirs }]
}

function rowDifferences(
  names: readonly string[],
  ours: readonly Row[],
  theirs: readonly Row[],
  options: CompareOptions,
): readonly Difference[] {
  const [a, b] = options.isUnordered ? [sorted(ours), sorted(theirs)] : [ours, theirs]
  const differing: Difference[] = []
  let isFirst = true
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const differences = names.flatMap((name, column) => {
      const difference = valueDifference(name, a[i]![column], b[i]![column], options.floatDigits)
      return difference === null ? [] : [{ kind: 'value' as const, row: i + 1, ...difference }]
    })
    if (differences.length === 0) continue
    if (isFirst && !options.isUnordered && isReordered(ours, theirs)) {
      return [{ kind: 'order', row: i + 1, duckdb: JSON.stringify(a[i]), bigquery: JSON.stringify(b[i]) }]
    }
    isFirst = false
    differing.push(...differences)
    if (new Set(differing.map(difference => 'row' in difference && difference.row)).size >= options.maxRows) break
  }
  if (a.length === b.length) return differing
  return [...differing, { kind: 'row-count', duckdb: `${a.length} rows`, bigquery: `${b.length} rows` }]
}

const isReordered = (ours: readonly Row[], theirs: readonly Row[]): boolean =>
  ours.length === theirs.length && JSON.stringify(sorted(ours)) === JSON.stringify(sorted(theirs))

function sorted(rows: readonly Row[]): readonly Row[] {
  const keyed = rows.map(row => ({ row, key: JSON.stringify(row) }))
  return keyed.sort((x, y) => (x.key < y.key ? -1 : x.key > y.key ? 1 : 0)).map(({ row }) => row)
}

type ValueDifference = Pick<Difference & { readonly kind: 'value' }, 'column' | 'duckdb' | 'bigquery'>

/** The first difference within two values, with the path to it. */
function valueDifference(path: string, a: unknown, b: unknown, digits: number | null): ValueDifference | null {
  if (Object.is(a, b) || isClose(a, b, digits)) return null
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return first(a.map((item, i) => valueDifference(`${path}[${i}]`, item, b[i], digits)))
  }
  if (isRecord(a) && isRecord(b) && Object.keys(a).join('\0') === Object.keys(b).join('\0')) {
    return first(Object.keys(a).map(key => valueDifference(`${path}.${key}`, a[key], b[key], digits)))
  }
  return { column: path, duckdb: JSON.stringify(a), bigquery: JSON.stringify(b) }
}

const first = (all: readonly (ValueDifference | null)[]): ValueDifference | null =>
  all.find(item => item !== null) ?? null

/** Whole numbers are counts, which must be equal. */
function isClose(a: unknown, b: unknown, digits: number | null): boolean {
  if (digits === null || typeof a !== 'number' || typeof b !== 'number') return false
  if (Number.isInteger(a) && Number.isInteger(b)) return false
  return Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * 10 ** -digits
}
