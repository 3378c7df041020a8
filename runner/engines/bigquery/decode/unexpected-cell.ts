/** The error for an answer of BigQuery that does not have the form in its reference. */
import { BrokenContractError } from '../../../result/broken-contract.js'

/** Its message names the place and what was expected there; never the value itself, which is data. */
export class UnexpectedCellError extends Error {
  override readonly name = 'UnexpectedCellError'
  readonly #expected: string
  readonly #path: readonly string[]

  /** @param path the column and the fields below it @param row counted from 1, over all pages; null where it is not known */
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

/** The error that was thrown while this field was read, with the field's name added to its place. */
export const withField = (field: string, error: unknown): unknown => (hasPlace(error) ? error.inColumn(field) : error)

/** The error that was thrown while this row was read, with the row's number added to its place. */
export const withRow = (row: number, error: unknown): unknown => (hasPlace(error) ? error.inRow(row) : error)
