/** BigQuery's answer is not of the form that its reference describes. */
import { BrokenContractError } from '../../../result/broken-contract.js'

/** Names the place, and what should be there; never the value itself, which is data. */
export class UnexpectedCellError extends Error {
  override readonly name = 'UnexpectedCellError'
  readonly #expected: string
  readonly #path: readonly string[]

  /** `path`: the column and the fields below it; `row` counts from 1, over all pages. */
  constructor(expected: string, path: readonly string[] = [], row: number | null = null) {
    const place = [row !== null && `row ${row}`, path.length > 0 && `column ${path.join('.')}`].filter(Boolean)
    super(`${[...place, `${expected} expected`].join(', ')}, BigQuery gave another form`)
    this.#expected = expected
    this.#path = path
  }

  inColumn(field: string): UnexpectedCellError {
    return new UnexpectedCellError(this.#expected, [field, ...this.#path])
  }

  inRow(row: number): UnexpectedCellError {
    return new UnexpectedCellError(this.#expected, this.#path, row)
  }
}

export const unexpected = (expected: string): UnexpectedCellError => new UnexpectedCellError(expected)

const hasPlace = (thrown: unknown): thrown is UnexpectedCellError | BrokenContractError =>
  thrown instanceof UnexpectedCellError || thrown instanceof BrokenContractError

/** What was thrown while this field was read, with the field's name. */
export const within = (field: string, thrown: unknown): unknown => (hasPlace(thrown) ? thrown.inColumn(field) : thrown)

/** What was thrown while this row was read, with its number. */
export const inRow = (row: number, thrown: unknown): unknown => (hasPlace(thrown) ? thrown.inRow(row) : thrown)
