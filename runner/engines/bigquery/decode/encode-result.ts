/** REST rows → the bytes of a result, page by page, so that no page is kept. */

import { type StructField, typeName } from '../../../../googlesql/index.js'
import type { RunOptions } from '../../../model/ports.js'
import type { ResultColumn, ResultSet } from '../../../model/query.js'
import type { RestSchema } from '../rest/messages.js'
import { byteBodyBuilder } from './byte-body.js'
import { compileRowWriter } from './cell-bytes.js'
import { CellReader } from './cell-reader.js'
import { CLOSE_LIST, COMMA, OPEN_LIST } from './json-reader.js'
import { resultColumns } from './result-columns.js'
import { inRow } from './unexpected-cell.js'

export type EncodeOptions = Pick<RunOptions, 'timestamps' | 'contract' | 'maxRows'> & { readonly maxBytes: number }

export interface ResultEncoder {
  /**
   * Reads a page of rows, a JSON list, and returns how many it has. Those beyond `maxRows` are left out. After it has
   * thrown, the encoder cannot be used any more.
   * @throws BodyTooLargeError, UnsupportedTypeError, UnexpectedCellError.
   */
  readonly add: (schema: RestSchema, rows: Buffer) => number
  /** After the last page. @throws BodyTooLargeError. */
  readonly finish: () => Omit<ResultSet, 'cost'>
}

export function resultEncoder(options: EncodeOptions): ResultEncoder {
  const { maxRows } = options
  let result: Result | null = null
  let rowsRead = 0
  return {
    add(schema, rows) {
      result ??= openResult(schema, options)
      const before = rowsRead
      try {
        const page = result.page(rows)
        for (; page.hasRow(); rowsRead++) page.readRow(rowsRead < maxRows)
      } catch (error) {
        throw inRow(rowsRead + 1, error)
      }
      return rowsRead - before
    },
    finish() {
      const { columns, finish } = result ?? openResult({}, options)
      const rowCount = Math.min(rowsRead, maxRows)
      return { columns: namedColumns(columns), rowCount, isTruncated: rowsRead > maxRows, body: finish() }
    },
  }
}

interface Result {
  readonly columns: readonly StructField[]
  readonly page: (rows: Buffer) => Page
  readonly finish: () => Uint8Array
}

/** The rows of a page, one after the other. */
interface Page {
  readonly hasRow: () => boolean
  /** Reads a row; also one that is not kept, since it may be malformed. */
  readonly readRow: (isKept: boolean) => void
}

function openResult(schema: RestSchema, { timestamps, contract = [], maxBytes }: EncodeOptions): Result {
  const columns = resultColumns(schema)
  const body = byteBodyBuilder(compileRowWriter(columns, timestamps, contract), maxBytes)
  const page = (rows: Buffer): Page => {
    const reader = new CellReader(rows)
    let isFirst = true
    return {
      hasRow() {
        if (isFirst) reader.expect(OPEN_LIST)
        if (isFirst ? !reader.take(CLOSE_LIST) : reader.take(COMMA)) return true
        if (!isFirst) reader.expect(CLOSE_LIST)
        reader.expectEnd()
        return false
      },
      readRow(isKept) {
        isFirst = false
        body.add(reader, isKept)
      },
    }
  }
  return { columns, page, finish: body.finish }
}

/** Columns with their types as GoogleSQL writes them. */
export function namedColumns(columns: readonly StructField[]): readonly ResultColumn[] {
  return columns.map(({ name, type }) => ({ name, type: typeName(type) }))
}
