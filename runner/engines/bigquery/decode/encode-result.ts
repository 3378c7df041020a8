/** Writes REST rows as the bytes of a result, page by page, so that no page is kept in memory. */
import { type StructField, typeName } from '../../../../googlesql/index.js'
import type { RunOptions } from '../../../model/ports.js'
import type { ResultColumn, ResultSet } from '../../../model/query.js'
import { bodyRows } from '../../../result/body.js'
import type { RowWriter } from '../../../result/row-writer.js'
import type { RestSchema } from '../rest-messages.js'
import { rowCells } from './cell-texts.js'
import { resultColumns } from './result-columns.js'
import { withRow } from './unexpected-cell.js'

export interface EncodeOptions extends Pick<RunOptions, 'timestamps' | 'contract' | 'maxRows'> {
  /** The most bytes of a result's body. */
  readonly maxBytes: number
  /** Makes the writer of rows with these columns. @default a writer of a result's JSON body */
  readonly rowsOf?: ((columns: readonly ResultColumn[]) => Rows) | undefined
}

type Rows = Pick<RowWriter, 'add' | 'finish'>

/** Once one of its methods has thrown, the encoder cannot be used any more. */
export class ResultEncoder {
  readonly #options: EncodeOptions
  #encoding: Encoding | null = null
  #rowsRead = 0

  constructor(options: EncodeOptions) {
    this.#options = options
  }

  /**
   * Adds rows of a page. Rows beyond `maxRows` are checked too, since they may be malformed, and then left out.
   * @throws BodyTooLargeError, QueryFault, UnexpectedCellError, BrokenContractError.
   */
  add(schema: RestSchema, rows: readonly unknown[]): void {
    const { cellsOf, writer } = this.#open(schema)
    this.#add(rows, cellsOf, writer)
  }

  /** Adds rows whose values have been decoded. */
  addCells(schema: RestSchema, rows: readonly (readonly string[])[]): void {
    this.#add(rows, cells => cells, this.#open(schema).writer)
  }

  #add<T>(rows: readonly T[], cellsOf: (row: T) => readonly string[], writer: Rows): void {
    try {
      for (const row of rows) {
        const cells = cellsOf(row)
        if (this.#rowsRead < this.#options.maxRows) writer.add(cells)
        this.#rowsRead += 1
      }
    } catch (error) {
      throw withRow(this.#rowsRead + 1, error)
    }
  }

  /** To be called after the last page. @throws BodyTooLargeError. */
  finish(): Omit<ResultSet, 'cost'> {
    const { maxRows } = this.#options
    const { columns, writer } = this.#open({})
    const rowCount = Math.min(this.#rowsRead, maxRows)
    return { columns, rowCount, isTruncated: this.#rowsRead > maxRows, body: writer.finish() }
  }

  /** The first page's schema is the result's. */
  #open(schema: RestSchema): Encoding {
    if (this.#encoding !== null) return this.#encoding
    const { timestamps, contract = [], maxBytes, rowsOf } = this.#options
    const fields = resultColumns(schema)
    const columns = namedColumns(fields)
    const names = columns.map(({ name }) => name)
    const writer = rowsOf?.(columns) ?? bodyRows(names, maxBytes)
    this.#encoding = { columns, cellsOf: rowCells(fields, timestamps, contract), writer }
    return this.#encoding
  }
}

interface Encoding {
  readonly columns: readonly ResultColumn[]
  readonly cellsOf: ReturnType<typeof rowCells>
  readonly writer: Rows
}

/** Columns with their types as GoogleSQL writes them. */
export function namedColumns(columns: readonly StructField[]): readonly ResultColumn[] {
  return columns.map(({ name, type }) => ({ name, type: typeName(type) }))
}
