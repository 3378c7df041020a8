/** The manifest as authored. Generated from schemas/endpoint.schema.json by `npm run generate`; do not edit. */

/**
 * A value of the parameter's type; dates and times are written as text.
 */
export type Scalar = string | number | boolean
/**
 * A value that the template may write into SQL text: a number, a boolean, or a word of letters, digits and _, with dots and single dashes between them.
 */
export type Word = string | number | boolean

/**
 * One endpoint: saved BigQuery SQL with declared parameters, served as GET /api/endpoints/query/<id or name>.
 */
export interface Manifest {
  /**
   * A UUID, unique among the manifests and never reused. Callers may use it instead of the name.
   */
  id: string
  /**
   * A dotted name, unique among the manifests, by which callers address the endpoint.
   */
  name: string
  /**
   * What the endpoint returns, for its callers: one or a few sentences.
   */
  description?: string
  /**
   * The parameters that a caller may give, by name. The SQL reads a parameter as @name; its argument is bound and never enters the SQL text. Undeclared arguments are ignored.
   */
  parameters?: {
    [k: string]: Parameter
  }
  /**
   * The parameter that identifies the tenant. Only tokens that pin it, or that were created with --all-tenants, may call the endpoint. The query must read rows of this tenant alone: those whose column of the parameter's name, or the one in columns, equals the parameter.
   */
  tenant?: string | Tenant
  /**
   * Tables whose rows belong to no tenant: every tenant may read all of them.
   */
  tenant_free?: string[]
  settings?: Settings
  /**
   * Constants written by the author: words, numbers and booleans, lists of them, and lists of maps of them. The template may write them into the SQL text: {{constants.table}}, {{#each constants.streams}}.
   */
  constants?: {
    [k: string]: Word | WordMap | (Word | WordMap)[]
  }
  /**
   * Each lookup table turns a caller's argument into constants written by the author, which the template reads as {{table.field}}.
   */
  lookups?: {
    [k: string]: Lookup
  }
  /**
   * The row contract: the columns in order. Their names, order and types must agree with the query. Without this key the columns are those of the query.
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
 * One parameter: its type and the constraints on its argument.
 */
export interface Parameter {
  /**
   * How the argument's text is read, and the SQL type as which it is bound: string is STRING, int64 is INT64, and so on; uuid and timezone are STRING. A numeric or bignumeric keeps all digits that are sent; a timezone is a name that both engines know, or an offset such as +02:00; json is the text of a JSON value, or in a JSON body the value itself.
   */
  type:
    | 'string'
    | 'int64'
    | 'float64'
    | 'numeric'
    | 'bignumeric'
    | 'bool'
    | 'date'
    | 'time'
    | 'datetime'
    | 'timestamp'
    | 'uuid'
    | 'timezone'
    | 'json'
    | 'array<string>'
    | 'array<int64>'
    | 'array<float64>'
    | 'array<numeric>'
    | 'array<bignumeric>'
    | 'array<bool>'
    | 'array<date>'
    | 'array<time>'
    | 'array<datetime>'
    | 'array<timestamp>'
    | 'array<uuid>'
    | 'array<timezone>'
  /**
   * A call without this argument, or with an empty one, is a 400.
   */
  required?: boolean
  /**
   * What the argument means, for callers.
   */
  description?: string
  /**
   * Arguments that callers could give; each must be valid. For an array type each example is one element.
   */
  examples?: Scalar[]
  /**
   * The allowed arguments; any other argument is a 400 that lists them. For an array type: the allowed elements.
   *
   * @minItems 1
   * @maxItems 1000
   */
  enum?: Scalar[]
  /**
   * For strings: an RE2 regular expression that the whole argument must match. Without max_length the argument has at most 1024 characters.
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
   * The most characters of a string, or elements of an array; for the characters of those elements see max_element_length. With pattern, or format: re2, a string has at most 1024 characters where this is not given.
   */
  max_length?: number
  /**
   * The most characters of each element of an array of strings. With pattern, or format: re2, an element has at most 1024 characters where this is not given.
   */
  max_element_length?: number
  /**
   * The argument of a call that does not give one. For an array type, a list.
   */
  default?: Scalar | Scalar[]
  /**
   * re2: the argument is used as a regular expression; an argument that RE2 refuses is a 400.
   */
  format?: 're2'
  /**
   * For json: the JSON Schema (2020-12) that the value must match, without pattern, patternProperties, format, uniqueItems and $ref; any other value is a 400.
   */
  schema?: {
    [k: string]: unknown
  }
  /**
   * With format: re2, the regular expression that is bound for a token's pin: the pinned value is quoted and replaces {pin}. The expression must fix where the value begins and ends. Without it a token that pins this parameter may not call the endpoint.
   */
  pinned_as?: string
  /**
   * start or end: the argument is where the period begins or ends that a tool shows, so a dashboard gives its own time range. An int64 is milliseconds since 1970. One parameter at most has each role.
   */
  role?: 'start' | 'end'
}
/**
 * The parameter that identifies the tenant, and the columns of tables that have its value under another name.
 */
export interface Tenant {
  /**
   * The parameter that identifies the tenant.
   */
  parameter: string
  /**
   * For a table, the column that names the tenant of a row, where it does not have the parameter's name. The path may lead through records, repeated ones too.
   */
  columns?: {
    [k: string]: string
  }
}
/**
 * How the query is run, and how its result is cached and returned.
 */
export interface Settings {
  /**
   * A result with more rows is cut after this number, and a header reports the cut.
   */
  max_rows?: number
  /**
   * How long results are cached, or disabled.
   */
  cache?: Cache | 'disabled'
  pages?: Pages
  /**
   * Whether callers may query the result further. Only disabled is supported.
   */
  sandbox?: 'disabled'
  /**
   * A query that takes longer is cancelled, and the call gets a 504.
   */
  timeout_seconds?: number
  /**
   * BigQuery only: a query that would be billed for more fails. A number of bytes, or with a unit: kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).
   */
  max_bytes_billed?: number | string
  /**
   * A result whose body is larger is an error. The server has its own limit, which this setting can only lower. A number of bytes, or with a unit: kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).
   */
  max_result_bytes?: number | string
  /**
   * Lets tokens made with --export have all rows, as they come, at /api/endpoints/export/. An empty map is enough.
   */
  export?: {
    /**
     * An export with more rows is broken off, so that it cannot be taken for a whole one.
     */
    max_rows?: number
    /**
     * An export that takes longer, its reading included, is broken off.
     */
    timeout_seconds?: number
  }
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
   * The form of a TIMESTAMP in results: ISO 8601 text, or an integer of microseconds since 1970.
   */
  timestamps?: 'iso8601' | 'unix_micros'
  /**
   * What happens to arguments that the endpoint does not declare: ignored ones are named in the header X-Ignored-Arguments; rejected ones are a 400. Without it the server's SLUICE_UNKNOWN_ARGUMENTS decides.
   */
  unknown_arguments?: 'ignore' | 'reject'
  /**
   * @now is truncated to the start of its second, minute, hour or day, so that calls within the same unit run the same query.
   */
  now_granularity?: 'none' | 'second' | 'minute' | 'hour' | 'day'
}
/**
 * How long a result may be served again.
 */
export interface Cache {
  /**
   * The greatest age of a result. It is optional with until, which then alone limits the age.
   */
  ttl_seconds?: number
  /**
   * The interval at which a result in use is queried again in the background. Without this key it is not.
   */
  warm_seconds?: number
  /**
   * How long beyond its time to live an old result may be served when the query fails.
   */
  stale_if_error_seconds?: number
  /**
   * How long beyond its time to live an old result is served at once while the query runs again in the background.
   */
  stale_while_revalidate_seconds?: number
  /**
   * data_changes: a result is kept until the data that its query reads changes, and never longer. Files are looked at for each call; BigQuery's tables at most every --data-poll.
   */
  until?: 'data_changes'
  /**
   * whole: the query reads all of its rows each time. Without this key, a query that groups its rows by time reads only what is new where that is proven to give the same result.
   */
  refresh?: 'whole'
  /**
   * BigQuery: how old a row is when it no longer changes. Buckets of older rows are read again only when their partition has changed.
   */
  settled_seconds?: number
}
/**
 * Allows callers to ask for a result page by page, with page_size and cursor. A call without them gets the whole result.
 */
export interface Pages {
  /**
   * The greatest page_size that a call may have.
   */
  max_size?: number
  /**
   * How long the result is kept after its last page was asked for. Later, the query runs again at the time of the first page, and a caller goes on only if it gives the same result.
   */
  keep_seconds?: number
}
/**
 * Fields by name.
 */
export interface WordMap {
  [k: string]: Word
}
/**
 * Rows of constants, one of which is selected by the argument of a parameter.
 */
export interface Lookup {
  /**
   * The parameter whose argument selects the row; it must equal the row's key exactly.
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
   * The column's name in the query.
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
  /**
   * True: the column is never NULL. A result that breaks this is a 502 CONTRACT_BROKEN. Left out, Sluice infers it from the query where it can.
   */
  required?: boolean
  /**
   * How JSON has the numbers of the column. number: always a JSON number; an INT64 beyond ±(2^53−1), or a FLOAT64 that is not finite, is a 502 CONTRACT_BROKEN. string: always a string (INT64, NUMERIC, BIGNUMERIC). Left out: an INT64 is a string only beyond ±(2^53−1), a FLOAT64 only where it is NaN or infinite, and NUMERIC and BIGNUMERIC always are strings.
   */
  json?: 'number' | 'string'
  /**
   * The unit of the values, for axes and documents: ms, s, bytes, percent, ratio, count, or any other word.
   */
  unit?: string
}
