/** The manifest as authored. Generated from schemas/endpoint.schema.json by `npm run generate`; do not edit. */

/**
 * A value of the parameter's type; dates and times are written as text.
 */
export type Scalar = string | number | boolean
/**
 * What the template may write into SQL text: a number, a boolean, or a word of letters, digits and _, with dots and single dashes between.
 */
export type Word = string | number | boolean

/**
 * One endpoint: saved BigQuery SQL with declared parameters, served as GET /api/endpoints/query/<id or name>.
 */
export interface Manifest {
  /**
   * A UUID, unique among manifests and never reused. Callers may use it instead of the name.
   */
  id: string
  /**
   * A dotted name, unique among manifests, by which callers address the endpoint.
   */
  name: string
  /**
   * What the endpoint answers, for its callers: one or a few sentences.
   */
  description?: string
  /**
   * What a caller may pass, by name. The SQL reads a parameter as @name; its argument is bound and never enters the text. Undeclared ones are ignored.
   */
  parameters?: {
    [k: string]: Parameter
  }
  /**
   * The parameter that tells tenants apart. Only tokens that pin it, or that were made with --all-tenants, may call the endpoint.
   */
  tenant?: string
  settings?: Settings
  /**
   * Author-written words, numbers and booleans, lists of them, and lists of maps of them, which the template may write into the SQL text: {{constants.table}}, {{#each constants.streams}}.
   */
  constants?: {
    [k: string]: Word | WordMap | (Word | WordMap)[]
  }
  /**
   * Each turns a caller's argument into author-written constants, which the template reads as {{table.field}}.
   */
  lookups?: {
    [k: string]: Lookup
  }
  /**
   * The row contract, in order. It is held against the query: names, order and types. Left out, the columns are those that the query has.
   *
   * @minItems 1
   * @maxItems 10000
   */
  columns?: Column[]
  /**
   * BigQuery SQL as a Handlebars template, written as a literal block (sql: |). Arguments are read as @name, and @now is the time of the query. Only lookup values and constants can be written into the text.
   */
  sql: string
}
/**
 * One parameter: its type and what its argument must be like.
 */
export interface Parameter {
  /**
   * How the argument's text is read, and as what it is bound: string is STRING, int64 is INT64, and so on.
   */
  type:
    | 'string'
    | 'int64'
    | 'float64'
    | 'bool'
    | 'date'
    | 'datetime'
    | 'timestamp'
    | 'array<string>'
    | 'array<int64>'
    | 'array<float64>'
    | 'array<bool>'
    | 'array<date>'
    | 'array<datetime>'
    | 'array<timestamp>'
  /**
   * A call without this argument, or with an empty one, is a 400.
   */
  required?: boolean
  /**
   * What the argument means, for callers.
   */
  description?: string
  /**
   * Arguments that callers could give; each must be valid. For an array type each is one element.
   */
  examples?: Scalar[]
  /**
   * Any other argument is a 400 that lists these. For an array type they are what its elements may be.
   *
   * @minItems 1
   * @maxItems 1000
   */
  enum?: Scalar[]
  /**
   * For strings: a regular expression that the whole argument must match. Look-around, back references and nested repetition are refused.
   */
  pattern?: string
  /**
   * A value of the parameter's type; dates and times are written as text.
   */
  minimum?: string | number | boolean
  /**
   * A value of the parameter's type; dates and times are written as text.
   */
  maximum?: string | number | boolean
  /**
   * At most so many characters of a string, or elements of an array.
   */
  max_length?: number
  /**
   * The argument of a call that gives none. For an array type, a list.
   */
  default?: Scalar | Scalar[]
  /**
   * re2: the argument is used as a regular expression, and one that RE2 refuses is a 400.
   */
  format?: 're2'
  /**
   * With format: re2, the regular expression that a token's pin becomes: the pinned value is quoted and put in place of {pin}. It must say where the value begins and ends. Without it a token that pins this parameter may not call the endpoint.
   */
  pinned_as?: string
}
/**
 * How the query is run and its result kept.
 */
export interface Settings {
  /**
   * The result is cut after so many rows, and a header tells of it.
   */
  max_rows?: number
  /**
   * How long results are kept, or disabled.
   */
  cache?: Cache | 'disabled'
  /**
   * Whether callers may query the result further. Only disabled is supported.
   */
  sandbox?: 'disabled'
  /**
   * A query that takes longer is cancelled, and the call is a 504.
   */
  timeout_seconds?: number
  /**
   * BigQuery only: a query that would be billed for more fails. A number of bytes, or with a unit: kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).
   */
  max_bytes_billed?: number | string
  /**
   * A result that is larger, as it is sent, is an error. The server has a limit of its own, which this can only lower. A number of bytes, or with a unit: kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).
   */
  max_result_bytes?: number | string
  /**
   * BigQuery job labels.
   */
  labels?: {
    /**
     * At most 63 lower-case letters, digits, _ and -.
     */
    [k: string]: string
  }
  /**
   * How a TIMESTAMP is written in results: as ISO 8601 text, or as an integer of microseconds since 1970.
   */
  timestamps?: 'iso8601' | 'unix_micros'
  /**
   * @now is cut down to the start of its second, minute, hour or day, so that queries of the same moment are the same query.
   */
  now_granularity?: 'none' | 'second' | 'minute' | 'hour' | 'day'
}
/**
 * For how long a result may be served again.
 */
export interface Cache {
  /**
   * How old a result may be. With until it may be left out: then a result has no other end.
   */
  ttl_seconds?: number
  /**
   * While a result is in use it is queried again this often in the background. Left out, it is not.
   */
  warm_seconds?: number
  /**
   * How long beyond its time to live an old result may be served when the query fails.
   */
  stale_if_error_seconds?: number
  /**
   * How long beyond its time to live an old result is served at once while a new one is made in the background.
   */
  stale_while_revalidate_seconds?: number
  /**
   * data_changes: a result is kept until the files change that its query reads, and never longer. Embedded engine only.
   */
  until?: 'data_changes'
}
/**
 * Fields by name.
 */
export interface WordMap {
  [k: string]: Word
}
/**
 * Rows of constants, one of which is picked by the argument of a parameter.
 */
export interface Lookup {
  /**
   * The parameter whose argument picks the row, exactly as written.
   */
  by: string
  /**
   * Argument → fields. Every row has the same fields.
   */
  rows: {
    /**
     * The fields that the template reads as {{table.field}}.
     */
    [k: string]: {
      [k: string]: Word
    }
  }
  /**
   * The row for any other argument, or reject: any other argument is a 400 that lists the rows.
   */
  default: string
}
/**
 * One column of the result.
 */
export interface Column {
  /**
   * As the query names it.
   */
  name: string
  /**
   * A GoogleSQL type. STRUCT and ARRAY<STRUCT> leave the fields open.
   */
  type: string
  /**
   * What the column holds, for callers.
   */
  description?: string
}
