/** BigQuery's answer is not of the form that its reference describes. */
import { BrokenContractError } from '../../../result/broken-contract.js'
import { JsonTextError } from './json-bytes.js'

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

  within(field: string): UnexpectedCellError {
    return new UnexpectedCellError(this.#expected, [field, ...this.#path])
  }

  inRow(row: number): UnexpectedCellError {
    return new UnexpectedCellError(this.#expected, this.#path, row)
  }
}

export function unexpected(expected: string): UnexpectedCellError {
  return new UnexpectedCellError(expected)
}

/** What was thrown while this field was read, with the field's name. */
export function within(field: string, thrown: unknown): unknown {
  if (thrown instanceof BrokenContractError) return thrown.inColumn(field)
  return asUnexpected(thrown)?.within(field) ?? thrown
}

/** What was thrown while this row was read, with its number. */
export function inRow(row: number, thrown: unknown): unknown {
  if (thrown instanceof BrokenContractError) return thrown.inRow(row)
  return asUnexpected(thrown)?.inRow(row) ?? thrown
}

function asUnexpected(thrown: unknown): UnexpectedCellError | null {
  if (thrown instanceof UnexpectedCellError) return thrown
  return thrown instanceof JsonTextError ? new UnexpectedCellError(`JSON (${thrown.message})`) : null
}
