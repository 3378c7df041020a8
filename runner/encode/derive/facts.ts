/** Facts about a result that the derived formats need besides its columns and rows. */

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
