/** Functions and types of other SQL dialects, each with its GoogleSQL replacement; and GoogleSQL's own types and date parts. */
import { nearest } from '../suggest.js'

/** Functions of other dialects, each with what to write instead. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  ADD_MONTHS: 'DATE_ADD(date, INTERVAL n MONTH)',
  ARRAY_CONTAINS: 'value IN UNNEST(array)',
  ARRAY_JOIN: "ARRAY_TO_STRING(array, ',')",
  CHARINDEX: 'STRPOS(text, part)',
  CONVERT: 'CAST(value AS type)',
  CONVERT_TZ: "DATETIME(timestamp, 'Europe/Berlin')",
  CURDATE: 'DATE(@now)',
  CURRENT_USER: 'a pinned parameter, which tells callers apart',
  DATEADD: 'DATE_ADD(date, INTERVAL n DAY), or TIMESTAMP_ADD for a TIMESTAMP',
  DATEDIFF: 'DATE_DIFF(later, earlier, DAY), or TIMESTAMP_DIFF for a TIMESTAMP',
  DATENAME: "FORMAT_DATE('%A', date)",
  DATEPART: 'EXTRACT(part FROM date)',
  DATE_FORMAT: "FORMAT_DATE('%Y-%m-%d', date), or FORMAT_TIMESTAMP for a TIMESTAMP",
  DATE_PART: 'EXTRACT(part FROM date)',
  DAY: 'EXTRACT(DAY FROM date)',
  DECODE: 'CASE value WHEN … THEN … END',
  FROM_UNIXTIME: 'TIMESTAMP_SECONDS(seconds)',
  GETDATE: '@now',
  GETUTCDATE: '@now',
  GROUP_CONCAT: "STRING_AGG(text, ',')",
  HOUR: 'EXTRACT(HOUR FROM timestamp)',
  IIF: 'IF(condition, then, else)',
  ISNULL: 'IFNULL(value, other), or value IS NULL',
  JSON_ARRAY_LENGTH: "ARRAY_LENGTH(JSON_QUERY_ARRAY(json, '$'))",
  JSON_EXTRACT_PATH_TEXT: "JSON_VALUE(json, '$.name')",
  JSON_UNQUOTE: "JSON_VALUE(json, '$.name')",
  LEN: 'LENGTH(text)',
  LISTAGG: "STRING_AGG(text, ',')",
  LOCATE: 'STRPOS(text, part)',
  MINUTE: 'EXTRACT(MINUTE FROM timestamp)',
  MONTH: 'EXTRACT(MONTH FROM date)',
  NEWID: 'GENERATE_UUID()',
  NOW: '@now',
  NVL: 'IFNULL(value, other)',
  NVL2: 'IF(value IS NOT NULL, a, b)',
  RANDOM: 'RAND()',
  REGEXP_COUNT: 'ARRAY_LENGTH(REGEXP_EXTRACT_ALL(text, pattern))',
  REGEXP_LIKE: "REGEXP_CONTAINS(text, r'pattern')",
  REGEXP_MATCH: 'REGEXP_CONTAINS(text, pattern)',
  REGEXP_MATCHES: "REGEXP_CONTAINS(text, r'pattern')",
  SPLIT_PART: "SPLIT(text, ',')[SAFE_OFFSET(0)]",
  STRFTIME: "FORMAT_TIMESTAMP('%Y-%m-%d', timestamp), or FORMAT_DATE for a DATE",
  STRING_TO_ARRAY: "SPLIT(text, ',')",
  STRPTIME: "PARSE_TIMESTAMP('%Y-%m-%d', text)",
  STR_TO_DATE: "PARSE_DATE('%Y-%m-%d', text)",
  SUBSTRING_INDEX: "SPLIT(text, ',')[SAFE_OFFSET(0)]",
  SYSDATE: '@now',
  TO_CHAR: "FORMAT_TIMESTAMP('%Y-%m-%d', timestamp), or CAST(value AS STRING)",
  TO_DATE: "PARSE_DATE('%Y-%m-%d', text)",
  TO_NUMBER: 'CAST(text AS NUMERIC)',
  TO_TIMESTAMP: "PARSE_TIMESTAMP('%Y-%m-%d', text), or TIMESTAMP_SECONDS for a number",
  TO_UNIXTIME: 'UNIX_SECONDS(timestamp)',
  UNIX_TIMESTAMP: 'UNIX_SECONDS(@now)',
  UUID: 'GENERATE_UUID()',
  YEAR: 'EXTRACT(YEAR FROM date)',
}

/** Types of other dialects, by the GoogleSQL type to write instead. */
const FOREIGN_TYPES: Readonly<Record<string, string>> = {
  BYTES: 'BINARY BLOB BYTEA VARBINARY',
  FLOAT64: 'DOUBLE FLOAT FLOAT4 FLOAT8 REAL',
  INT64: 'INT4 INT8 LONG SIGNED UNSIGNED',
  JSON: 'JSONB',
  NUMERIC: 'NUMBER',
  STRING: 'CHAR CHARACTER NVARCHAR TEXT UUID VARCHAR',
  STRUCT: 'OBJECT RECORD',
  TIMESTAMP: 'TIMESTAMPTZ',
}
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(FOREIGN_TYPES)
    .flatMap(([type, names]) => names.split(' ').map(name => [name, type] as const))
    .sort(),
)
export const TYPE_NAMES =
  'ARRAY BIGNUMERIC BOOL BYTES DATE DATETIME FLOAT64 INT64 INTERVAL JSON NUMERIC RANGE STRING STRUCT TIME TIMESTAMP'.split(
    ' ',
  )

const ALIASES = 'INTEGER BIGINT SMALLINT TINYINT BOOLEAN DECIMAL BIGDECIMAL'.split(' ')

/** The GoogleSQL type that the author probably meant by an unknown name, which is of another dialect, or misspelt. */
export function meantType(written: string): string | undefined {
  const name = written
    .trim()
    .toUpperCase()
    .replace(/\s*\(.*$/s, '')
  const meant = TYPES.has(name) ? name : nearest(name, [...TYPE_NAMES, ...ALIASES, ...TYPES.keys()])
  return TYPES.get(meant ?? '') ?? meant
}

export const DATE_PARTS =
  'MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY DAYOFWEEK DAYOFYEAR WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR'.split(
    ' ',
  )
