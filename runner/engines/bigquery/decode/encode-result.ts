/** REST rows → the bytes of a result, page by page, so that no page is kept. */
import { type StructField, typeName } from '../../../../googlesql/index.js'
import type { RunOptions } from '../../../model/ports.js'
import type { ResultColumn, ResultSet } from '../../../model/query.js'
import { BodyBuilder } from '../../../result/body.js'
import type { RestSchema } from '../messages.js'
import { recordText, type ValueText } from './cell-texts.js'
import { type ResultField, resultColumns } from './result-columns.js'
import { inRow } from './unexpected-cell.js'

export type EncodeOptions = Pick<RunOptions, 'timestamps' | 'contract' | 'maxRows'> & { readonly maxBytes: number }

/** After one of its methods has thrown, it cannot be used any more. */
export class ResultEncoder {
  readonly #options: EncodeOptions
  readonly #body: BodyBuilder
  #columns: readonly ResultField[] | null = null
  #rowText: ValueText = recordText([], 'iso8601', [])
  #rowsRead = 0

  constructor(options: EncodeOptions) {
    this.#options = options
    this.#body = new BodyBuilder(options.maxBytes)
  }

  /**
   * Adds rows of a page. Those beyond `maxRows` are read too, since they may be malformed, and left out.
   * @throws BodyTooLargeError, QueryFault, UnexpectedCellError, BrokenContractError.
   */
  add(schema: RestSchema, rows: readonly unknown[]): void {
    this.#open(schema)
    try {
      for (const row of rows) {
        const text = this.#rowText(row)
        if (this.#rowsRead < this.#options.maxRows) this.#body.add(text)
        this.#rowsRead += 1
      }
    } catch (error) {
      throw inRow(this.#rowsRead + 1, error)
    }
  }

  /** After the last page. @throws BodyTooLargeError. */
  finish(): Omit<ResultSet, 'cost'> {
    const { maxRows } = this.#options
    const columns = namedColumns(this.#open({}))
    const rowCount = Math.min(this.#rowsRead, maxRows)
    return { columns, rowCount, isTruncated: this.#rowsRead > maxRows, body: this.#body.finish() }
  }

  /** The first page's schema is the result's. */
  #open(schema: RestSchema): readonly ResultField[] {
    if (this.#columns !== null) return this.#columns
    const { timestamps, contract = [] } = this.#options
    this.#columns = resultColumns(schema)
    this.#rowText = recordText(this.#columns, timestamps, contract)
    return this.#columns
  }
}

/** Columns with their types as GoogleSQL writes them. */
export function namedColumns(columns: readonly StructField[]): readonly ResultColumn[] {
  return columns.map(({ name, type }) => ({ name, type: typeName(type) }))
}
