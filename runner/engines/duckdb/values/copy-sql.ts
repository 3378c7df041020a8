/**
 * Writes the statement by which DuckDB itself writes the rows of an export, with all its threads. The texts are the same as those that
 * JavaScript writes. A value that no result may have fails the statement; its error does not name the value.
 */
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS, type Type } from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { schemaMetadata } from '../../../formats/typed-values.js'
import type { ColumnPromise } from '../../../model/query.js'
import { objectKeys } from '../../../result/body.js'
import { NO_PROMISE } from '../../../result/broken-contract.js'
import type { RunRequest } from '../process/messages.js'

/** How a format writes SQL of a text: `word` for a number or word that JSON has in quotes, `text` for any text, `document` for JSON. */
type Form = Readonly<Record<'word' | 'text' | 'document', (text: string) => string>>
type Options = Pick<ColumnPromise, 'json'> & Pick<RunRequest, 'timestamps'>

const csvText = (text: string): string => {
  const mustQuote = ["'\"'", "','", 'chr(13)', 'chr(10)'].map(special => ` OR contains(${text}, ${special})`).join('')
  return `CASE WHEN ${text} = ''${mustQuote} THEN '"' || replace(${text}, '"', '""') || '"' ELSE ${text} END`
}
/** Texts of this many bytes or more are quoted without DuckDB's own TO_JSON, which takes twelve times the memory of the texts. */
const LONG_TEXT = 1_000
const JSON_FORM: Form = {
  word: text => `'"' || ${text} || '"'`,
  text: text =>
    `CASE WHEN strlen(${text}) < ${LONG_TEXT} THEN bq_json_of_string(${text}) ELSE bq_json_quote(${text}) END`,
  document: text => text,
}
const CSV_FORM: Form = { word: text => text, text: csvText, document: csvText }

/** A fraction of a second has 3 or 6 digits. */
function timeText(value: string, zone: string): string {
  const micros = `epoch_us(${value})`
  const text = (fraction: string): string =>
    `strftime(make_timestamp(${micros}), '%Y-%m-%dT%H:%M:%S${fraction}${zone}')`
  return `CASE WHEN ${micros} % 1000000 = 0 THEN ${text('')} WHEN ${micros} % 1000 = 0 THEN ${text('.%g')} ELSE ${text('.%f')} END`
}

const castText = (value: string): string => `CAST(${value} AS VARCHAR)`
const isUnsafe = (value: string): string =>
  `${value} NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`

/** SQL of a value's text; NULL for NULL. Where a column has a type that is not here, JavaScript writes the rows. */
const TEXTS: Partial<Record<Type['kind'], (value: string, form: Form, options: Options) => string>> = {
  INT64: (value, { word }, { json }) =>
    `CASE WHEN ${json === 'string' ? true : isUnsafe(value)} THEN ${word(castText(value))} ELSE ${castText(value)} END`,
  // DuckDB writes the same digits as JavaScript, the fewest that identify the number. In very large and very small numbers it puts the
  // point elsewhere.
  FLOAT64: (value, { word }) => `CASE
    WHEN abs(${value}) < 1e15 AND ${value} = trunc(${value}) AND (${value} <> 0 OR NOT signbit(${value})) THEN CAST(TRY_CAST(${value} AS BIGINT) AS VARCHAR)
    WHEN abs(${value}) >= 1e-4 AND abs(${value}) < 1e15 THEN ${castText(value)}
    WHEN isfinite(${value}) THEN bq_number_text(${value}) ELSE ${word(`bq_number_text(${value})`)} END`,
  NUMERIC: (value, { word }, { json }) => (json === 'number' ? String : word)(`bq_numeric_text(${value})`),
  BOOL: castText,
  STRING: (value, { text }) => text(value),
  BYTES: (value, { text }) => text(`to_base64(${value})`),
  DATE: (value, { word }) => word(castText(value)),
  DATETIME: (value, { word }) => word(timeText(value, '')),
  TIMESTAMP: (value, { word }, { timestamps }) =>
    timestamps === 'iso8601' ? word(timeText(value, 'Z')) : castText(`epoch_us(${value})`),
  // Line breaks can only be between tokens.
  JSON: (value, { document }) => document(`regexp_replace(${value}, '[\\r\\n]+', ' ', 'g')`),
}

const isOutOfYears = (value: string): string =>
  `NOT isfinite(${value}) OR epoch_us(${value}) NOT BETWEEN ${MIN_TIMESTAMP_MICROS} AND ${MAX_TIMESTAMP_MICROS}`

/** SQL that is true for a value that no result may have. */
const IS_FORBIDDEN: Partial<Record<Type['kind'], (value: string, json: ColumnPromise['json']) => string>> = {
  INT64: (value, json) => (json === 'number' ? isUnsafe(value) : 'false'),
  FLOAT64: (value, json) => (json === 'number' ? `NOT isfinite(${value})` : 'false'),
  DATE: isOutOfYears,
  DATETIME: isOutOfYears,
  TIMESTAMP: isOutOfYears,
}

/** Options of COPY that write one column of texts, each followed by a line feed. */
const LINES = `FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\n'`
/** Row groups have the fewest rows that DuckDB allows, since it holds a group in memory, however long its texts are. */
const GROUPS = 'FORMAT parquet, ROW_GROUP_SIZE 2048'

/** The errors for a value that no result may have, and for a row beyond `maxRows`; the `reason` of the failure is the same text. */
export const [FORBIDDEN_VALUE, TOO_MANY_ROWS] = ['A value that no result may have', 'More rows than an export may have']

/** Must run before each statement: it counts rows. With a LIMIT instead, one thread would compute all rows, and the others would spin. */
export const COUNT_ROWS = 'CREATE OR REPLACE TEMP SEQUENCE exported_rows'

/** The statement that writes the rows of the query to the path, without the header of CSV; null where DuckDB cannot. */
export function copyStatement(request: RunRequest, path: string): string | null {
  const { sql, columns, contract, exported, timestamps, maxRows } = request
  const cells = columns.map(({ name, type }, i) => {
    const { required, json } = contract[i] ?? NO_PROMISE
    // A JSON null counts as a NULL, also with white space around it.
    const value = type.kind === 'JSON' ? `nullif(trim(CAST(c${i} AS VARCHAR), E' \\t\\n\\r'), 'null')` : `c${i}`
    const isForbidden = `${required ? `${value} IS NULL` : 'false'} OR ${IS_FORBIDDEN[type.kind]?.(value, json) ?? 'false'}`
    const textSql = (form: Form): string => TEXTS[type.kind]!(value, form, { json, timestamps })
    return { name, type, value, required, isForbidden, textSql }
  })
  if (exported === undefined || cells.some(({ type }) => !TEXTS[type.kind])) return null
  const copy = (selected: string, options: string): string =>
    `COPY (SELECT ${selected} FROM (${sql}\n) AS r(${cells.map((_, i) => `c${i}`).join()})) TO ${quoteText(path)} (${options})`
  const isBeyond = Number.isSafeInteger(maxRows) ? `nextval('exported_rows') > ${maxRows}` : 'false'
  /** SQL of the row's first text, which fails for a row beyond `maxRows`, and where the row has a value that no result may have. */
  const withChecks = (first: string): string =>
    `CASE WHEN ${isBeyond} THEN bq_raise(${quoteText(TOO_MANY_ROWS)}) WHEN ${cells.map(({ isForbidden }) => isForbidden).join(' OR ')} THEN bq_raise(${quoteText(FORBIDDEN_VALUE)}) ELSE ${first} END`
  if (exported.format === 'ndjson') {
    const keys = objectKeys(columns.map(({ name }) => name)).map(quoteText)
    const members = cells.map(({ textSql }, i) => `${keys[i]}, coalesce(${textSql(JSON_FORM)}, 'null')`)
    return copy(`concat(${withChecks("''")}, ${members.join()}, '}')`, LINES)
  }
  if (exported.format === 'csv') {
    const texts = cells.map(({ textSql }) => textSql(CSV_FORM))
    return copy(`concat(${withChecks("''")}, ${texts.join(", ',', ")}, chr(13))`, LINES)
  }
  // DuckDB writes each column of Parquet as one that may have NULLs.
  if (exported.format !== 'parquet' || cells.some(({ required }) => required)) return null
  const values = cells.map(({ name, type, value, textSql }, i) => {
    const cast = type.kind === 'JSON' ? textSql(JSON_FORM) : `CAST(${value} AS ${duckdbType(type)})`
    return `${i === 0 ? withChecks(cast) : cast} AS ${quoteName(name)}`
  })
  const metadata = [...schemaMetadata({ ...exported, isTruncated: false })].map(entry =>
    entry.map(quoteText).join(': '),
  )
  return copy(values.join(), `${GROUPS}, KV_METADATA {${metadata.join()}}`)
}
