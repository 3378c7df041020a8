/** Facts about a result that the derived formats need besides its columns and rows. */
import type { ContractColumn } from '../../model/endpoint.js'
import type { ColumnPromise } from '../../model/query.js'
import { JsonTextError } from '../json-bytes.js'

export interface ResultFacts {
  readonly endpoint: string
  readonly revision: string
  /** The engine had more rows than `max_rows`. */
  readonly isTruncated: boolean
  /** The form of TIMESTAMP in the JSON: `"2026-01-31T12:34:56Z"`, or microseconds since 1970 as a number. */
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** What the contract says of each column; absent for a result without one. */
  readonly contract?: readonly Pick<ContractColumn, 'required' | 'unit' | 'fields'>[]
  /** A larger derived form is a BodyTooLargeError. @default no bound */
  readonly maxBytes?: number
}

/** Where a column, and what is within it, is never NULL. */
export type Requirement = Pick<ColumnPromise, 'required' | 'fields'>

export const NOT_REQUIRED: Requirement = { required: false }

/** The elements of an ARRAY of this requirement. */
export const ofElements = ({ fields }: Requirement): Requirement => ({ ...NOT_REQUIRED, ...(fields && { fields }) })

export const nullInColumn = (name: string): JsonTextError =>
  new JsonTextError(`the column ${name} is required, but it holds NULL`)
