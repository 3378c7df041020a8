/** REST rows → the bytes of a result, page by page, so that no page is kept. */
import { bodyBuilder, byteBodyBuilder } from '../../encode/body.js'
import { compileRowWriter } from '../../encode/row-writer.js'
import { type StructField, typeName } from '../../googlesql/types.js'
import type { RunOptions } from '../../model/ports.js'
import type { ResultColumn, ResultSet } from '../../model/query.js'
import { compileRowBytes } from './cell-bytes.js'
import { type CellText, compileCellText, unexpected } from './cell-text.js'
import type { RestRow, RestSchema } from './rest.js'
import { resultColumns } from './result-columns.js'

export type EncodeOptions = Pick<RunOptions, 'format' | 'timestamps' | 'maxRows'> & { readonly maxBytes: number }

export interface ResultEncoder {
  /** The rows beyond `maxRows` are left out. @throws BodyTooLargeError, UnsupportedTypeError, UnexpectedCellError, ValueError. */
  readonly add: (schema: RestSchema, rows: readonly RestRow[]) => void
  /** After the last page. @throws BodyTooLargeError. */
  readonly finish: () => Omit<ResultSet, 'cost'>
}

export function resultEncoder(options: EncodeOptions): ResultEncoder {
  let result: Result | null = null
  let rowCount = 0
  let isTruncated = false
  return {
    add(schema, rows) {
      result ??= openResult(schema, options)
      const wanted = rows.slice(0, options.maxRows - rowCount)
      isTruncated ||= wanted.length < rows.length
      rowCount += wanted.length
      for (const row of wanted) result.add(row)
    },
    finish() {
      const { columns, finish } = result ?? openResult({}, options)
      return { columns: namedColumns(columns), rowCount, isTruncated, body: finish() }
    },
  }
}

interface Result {
  readonly columns: readonly StructField[]
  readonly add: (row: RestRow) => void
  readonly finish: () => Uint8Array
}

function openResult(schema: RestSchema, options: EncodeOptions): Result {
  const columns = resultColumns(schema)
  const { format, timestamps, maxBytes } = options
  const rowWriter = compileRowWriter(
    columns.map(column => column.name),
    format,
  )
  if (format !== 'csv') {
    return { columns, ...byteBodyBuilder(rowWriter, compileRowBytes(columns, format, timestamps), maxBytes) }
  }
  const writers: readonly CellText[] = columns.map(column => compileCellText(column, options))
  const body = bodyBuilder(rowWriter, maxBytes)
  const cells: (string | null)[] = new Array(writers.length)
  const add = ({ f }: RestRow): void => {
    if (f.length !== writers.length) throw unexpected('STRUCT')
    for (let i = 0; i < writers.length; i++) cells[i] = writers[i]!(f[i]?.v)
    body.add(cells)
  }
  return { columns, add, finish: body.finish }
}

/** Columns with their types as GoogleSQL writes them. */
export function namedColumns(columns: readonly StructField[]): readonly ResultColumn[] {
  return columns.map(({ name, type }) => ({ name, type: typeName(type) }))
}
