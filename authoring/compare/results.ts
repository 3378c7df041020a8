/** Where the results of two engines differ. */

import { parseTypeName, type Type } from '../../googlesql/data.js'
import { parseExact, stringifyExact } from '../../runner/model/exact-json.js'
import { isRecord } from '../../runner/model/is-record.js'
import type { ResultColumn } from '../../runner/model/query.js'
import { plural } from '../terminal/plural.js'

/** The outcome of a call on one engine. `body` is in the format `table`. */
export type Answer =
  | {
      readonly kind: 'rows'
      readonly columns: readonly ResultColumn[]
      readonly body: Uint8Array
      readonly rowCount: number
      readonly isTruncated: boolean
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/** `duckdb` and `bigquery` are what each engine gave, as text. `row` is the row's place in the result of DuckDB, from 1. */
export type Difference =
  | {
      /** `bytes`: all values agree, but their texts differ. */
      readonly kind: 'failure' | 'columns' | 'row-count' | 'cut' | 'bytes'
      readonly duckdb: string
      readonly bigquery: string
    }
  /** Both results have the same rows in different orders; `row` is the first row that is in a different place. */
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
  /** The significant digits in which FLOAT64s must agree; null if they must be the same number. */
  readonly floatDigits: number | null
  /** Rows may come in any order. */
  readonly isUnordered: boolean
}

type Row = readonly unknown[]

/** The differences; none where the engines agree. If both engines fail, there is nothing to compare, which is a difference too. */
export function resultDifferences(duckdb: Answer, bigquery: Answer, options: CompareOptions): readonly Difference[] {
  if (duckdb.kind === 'failed' || bigquery.kind === 'failed') {
    return [{ kind: 'failure', duckdb: answerText(duckdb), bigquery: answerText(bigquery) }]
  }
  const texts = { duckdb: columnsText(duckdb.columns), bigquery: columnsText(bigquery.columns) }
  const columns: readonly Difference[] = texts.duckdb === texts.bigquery ? [] : [{ kind: 'columns', ...texts }]
  if (columns.length === 0 && Buffer.compare(duckdb.body, bigquery.body) === 0) return cutDifference(duckdb, bigquery)
  if (duckdb.columns.length !== bigquery.columns.length) return columns
  const rows = rowDifferences(duckdb.columns, rowsOf(duckdb.body), rowsOf(bigquery.body), options)
  const differences = [...columns, ...rows, ...cutDifference(duckdb, bigquery)]
  const isTolerant = options.floatDigits !== null || options.isUnordered
  return differences.length > 0 || isTolerant ? differences : [bytesDifference(duckdb.body, bigquery.body)]
}

const rowsOf = (body: Uint8Array): readonly Row[] =>
  (parseExact(Buffer.from(body).toString()) as { readonly rows: readonly Row[] }).rows

const columnsText = (columns: readonly ResultColumn[]): string =>
  columns.map(({ name, type }) => `${name} ${type}`).join(', ')

function answerText(answer: Answer): string {
  return answer.kind === 'rows' ? plural(answer.rowCount, 'row') : `${answer.code} (${answer.message})`
}

function cutDifference(duckdb: { isTruncated: boolean }, bigquery: { isTruncated: boolean }): readonly Difference[] {
  if (duckdb.isTruncated === bigquery.isTruncated) return []
  const text = ({ isTruncated }: { isTruncated: boolean }): string => (isTruncated ? 'cut at max_rows' : 'not cut')
  return [{ kind: 'cut', duckdb: text(duckdb), bigquery: text(bigquery) }]
}

/** The bytes from shortly before the first that differs. */
function bytesDifference(duckdb: Uint8Array, bigquery: Uint8Array): Difference {
  const at = Math.max(0, duckdb.findIndex((byte, i) => byte !== bigquery[i]) - 20)
  const text = (body: Uint8Array): string => Buffer.from(body.subarray(at, at + 60)).toString()
  return { kind: 'bytes', duckdb: text(duckdb), bigquery: text(bigquery) }
}

function rowDifferences(
  columns: readonly ResultColumn[],
  duckdb: readonly Row[],
  bigquery: readonly Row[],
  { maxRows, floatDigits, isUnordered }: CompareOptions,
): readonly Difference[] {
  const typed = columns.map(({ name, type }) => ({ name, type: parseTypeName(type) }))
  const findDifferences = (a: readonly Row[], b: readonly Row[], most: number) => {
    const rows: (Difference & { readonly kind: 'value' })[][] = []
    for (let i = 0; i < Math.min(a.length, b.length) && rows.length < most; i++) {
      const [left, right] = [a[i]!, b[i]!]
      const values = typed.flatMap(
        ({ name, type }, column) => valueDifference(name, type, left[column], right[column], floatDigits) ?? [],
      )
      if (values.length > 0) rows.push(values.map(item => ({ kind: 'value', row: duckdb.indexOf(left) + 1, ...item })))
    }
    return rows.flat()
  }
  const sort = (rows: readonly Row[]): readonly Row[] => sortedRows(rows, columns, floatDigits)
  const findSortedDifferences = (most: number) => findDifferences(sort(duckdb), sort(bigquery), most)
  const values = isUnordered ? findSortedDifferences(maxRows) : findDifferences(duckdb, bigquery, maxRows)
  if (duckdb.length !== bigquery.length) {
    return [
      ...values,
      { kind: 'row-count', duckdb: plural(duckdb.length, 'row'), bigquery: plural(bigquery.length, 'row') },
    ]
  }
  if (isUnordered || values.length === 0 || findSortedDifferences(1).length > 0) return values
  const { row } = values[0]!
  return [{ kind: 'order', row, duckdb: valueText(duckdb[row - 1]), bigquery: valueText(bigquery[row - 1]) }]
}

/** With this number of digits, different doubles always have different texts. */
const MAX_DIGITS = 17

/** Sorts by the exact columns, then by the rounded ones, so that rows that agree to `digits` digits come to the same place. */
function sortedRows(rows: readonly Row[], columns: readonly ResultColumn[], digits: number | null): readonly Row[] {
  const isExact = columns.map(({ type }) => digits === null || !/FLOAT64|JSON/.test(type))
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? value.toPrecision(Math.min(digits!, MAX_DIGITS)) : value
  const keyed = rows.map(row => {
    const others = row.filter((_, i) => !isExact[i])
    return { row, key: stringifyExact(row.filter((_, i) => isExact[i])) + JSON.stringify(others, rounded) }
  })
  return keyed.sort((x, y) => (x.key < y.key ? -1 : x.key > y.key ? 1 : 0)).map(({ row }) => row)
}

type ValueDifference = Pick<Difference & { readonly kind: 'value' }, 'column' | 'duckdb' | 'bigquery'>

/** The first difference within two values, with the path to it. */
function valueDifference(
  path: string,
  type: Type | undefined,
  a: unknown,
  b: unknown,
  digits: number | null,
): ValueDifference | null {
  if (Object.is(a, b) || isClose(type, a, b, digits)) return null
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    const element = type?.kind === 'ARRAY' ? type.element : type
    return first(a.map((item, i) => valueDifference(`${path}[${i}]`, element, item, b[i], digits)))
  }
  if (isObject(a) && isObject(b) && Object.keys(a).join('\0') === Object.keys(b).join('\0')) {
    const typeAt = (i: number): Type | undefined => (type?.kind === 'STRUCT' ? type.fields[i]?.type : type)
    return first(Object.keys(a).map((key, i) => valueDifference(`${path}.${key}`, typeAt(i), a[key], b[key], digits)))
  }
  const [duckdb, bigquery] = [valueText(a), valueText(b)]
  return duckdb === bigquery ? null : { column: path, duckdb, bigquery }
}

/** False for the objects in which `parseExact` keeps the digits of numbers. */
const isObject = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && typeof value['toJSON'] !== 'function'

const valueText = (value: unknown): string => (Object.is(value, -0) ? '-0' : stringifyExact(value))

const first = (all: readonly (ValueDifference | null)[]): ValueDifference | null =>
  all.find(item => item !== null) ?? null

/** The numbers within JSON have no type: whole numbers count as INT64s, which must be equal. */
function isClose(type: Type | undefined, a: unknown, b: unknown, digits: number | null): boolean {
  if (digits === null || typeof a !== 'number' || typeof b !== 'number') return false
  const areIntegers = Number.isInteger(a) && Number.isInteger(b)
  if (type?.kind !== 'FLOAT64' && (type?.kind !== 'JSON' || areIntegers)) return false
  return Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * 10 ** -digits
}
