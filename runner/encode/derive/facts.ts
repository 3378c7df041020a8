/** Facts about a result that the derived formats need besides its columns and rows. */

/** The formats that are derived from a stored JSON result. */
export const DERIVED_FORMATS = ['ndjson', 'csv', 'excel', 'table', 'arrow'] as const
export type DerivedFormat = (typeof DERIVED_FORMATS)[number]

export interface ResultFacts {
  readonly endpoint: string
  readonly revision: string
  /** The engine had more rows than `max_rows`. */
  readonly isTruncated: boolean
  /** The form of TIMESTAMP in the JSON: `"2026-01-31T12:34:56Z"`, or microseconds since 1970 as a number. */
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** Units by column name. */
  readonly units?: Readonly<Record<string, string>>
  /** Names of columns that are never NULL. */
  readonly required?: readonly string[]
  /** A larger derived form is a BodyTooLargeError. @default no bound */
  readonly maxBytes?: number
}
