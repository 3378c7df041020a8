/** Facts about a result that the derived formats need besides its columns and rows. */
import type { ContractColumn } from '../../model/endpoint.js'

export interface ResultFacts {
  readonly endpoint: string
  readonly revision: string
  /** The engine had more rows than `max_rows`. */
  readonly isTruncated: boolean
  /** The form of TIMESTAMP in the JSON: `"2026-01-31T12:34:56Z"`, or microseconds since 1970 as a number. */
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** What the contract says of each column; absent for a result without one. */
  readonly contract?: readonly Pick<ContractColumn, 'required' | 'unit'>[]
  /** A larger derived form is a BodyTooLargeError. @default no bound */
  readonly maxBytes?: number
}
