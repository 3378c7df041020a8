import type { ColumnPromise } from '../model/query.js'

/** A value breaks what the contract promises of its column. The message names the place, never the value. */
export class BrokenContractError extends Error {
  override readonly name = 'BrokenContractError'
  readonly #reason: string
  readonly #column: string | null

  /** `reason` completes `column x …`; `row` counts from 1. */
  constructor(reason: string, column: string | null = null, row: number | null = null) {
    super(`${row === null ? '' : `row ${row}: `}column ${column ?? '?'} ${reason}`)
    this.#reason = reason
    this.#column = column
  }

  inColumn(column: string): BrokenContractError {
    return new BrokenContractError(this.#reason, column)
  }

  inRow(row: number): BrokenContractError {
    return new BrokenContractError(this.#reason, this.#column, row)
  }
}

export const nullInRequired = (): BrokenContractError => new BrokenContractError('is required, but holds NULL')

export const NO_PROMISE: ColumnPromise = { required: false, json: null }
