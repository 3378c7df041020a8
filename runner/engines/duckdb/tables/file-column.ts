/**
 * SQL that converts values of text files to values of columns. It accepts the usual spellings, and raises an error for any other value.
 * Then the rows of the file are read one by one (rows/row-stream.ts), which accepts every spelling. Both give the same value.
 */
import type { DuckDBDecimalType } from '@duckdb/node-api'
import {
  elementOfRange,
  type RangeKind,
  type StructField,
  type Type,
  type TypeLimits,
} from '../../../../googlesql/data.js'
import {
  BIGNUMERIC_SCALE,
  duckdbType,
  fieldNames,
  MAX_BIGNUMERIC,
  MIN_BIGNUMERIC,
  NATIVE_ERROR_MARK,
  quoteName,
  quoteText,
} from '../../../../googlesql-duckdb/names-and-types.js'
import { UNLIMITED } from './rows/row-schema.js'

/**
 * `json`: DuckDB's JSON reader gives the types of `sampleOf`. `csv`: every value is a VARCHAR. `parquet`: also a VARCHAR; but such a file
 * is not read row by row after an error, so that authors see the error.
 */
export type FileValueForm = 'json' | 'csv' | 'parquet'

/** The key of a column or field in the file. */
export type KeyOf = (field: StructField) => string

const nameOf: KeyOf = ({ name }) => name

/** A value from which DuckDB's JSON reader infers a column's type: VARCHAR from 'x', JSON from null. JSON keeps numbers and texts apart. */
export function sampleOf(type: Type, keyOf: KeyOf): unknown {
  switch (type.kind) {
    case 'ARRAY':
      return [sampleOf(type.element, keyOf)]
    case 'STRUCT':
      return Object.fromEntries(type.fields.map(field => [keyOf(field), sampleOf(field.type, keyOf)]))
    case 'FLOAT64':
    case 'BYTES':
    case 'JSON':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return null
    default:
      return 'x'
  }
}

export interface FileValueContext {
  /** The path, as in `TableDefinition.required`; for `parquet`, with the name of the table before it: `logs.edge.metadata[].request`. */
  readonly path: string
  readonly form: FileValueForm
  /** SQL of the path of the file, for messages; null where the source is not a file. */
  readonly file?: string | null
  /** @default the names of the fields */
  readonly keyOf?: KeyOf
  /** By path. @default no limits */
  readonly limits?: Readonly<Record<string, TypeLimits>>
  /** The paths where no NULL is allowed. @default none */
  readonly required?: ReadonlySet<string>
  /** The paths of which all values are known to be JSON strings. @default none */
  readonly texts?: ReadonlyMap<string, unknown>
  /** Whether DuckDB takes longer to plan the SELECT than to run it. @default false */
  readonly hasFewRows?: boolean
}

/** SQL of the column's value, from `sql`, the value in the file. A missing or null ARRAY becomes empty, as BigQuery stores it. */
export function fromFileValue(type: Type, sql: string, context: FileValueContext): string {
  const { path } = context
  switch (type.kind) {
    case 'ARRAY': {
      const item = `x${path.split('[]').length}`
      const inner = fromFileValue(type.element, item, { ...context, path: `${path}[]` })
      return `CASE WHEN ${sql} IS NULL THEN [] ELSE list_transform(${sql}, lambda ${item}: ${inner}) END`
    }
    case 'STRUCT': {
      const { keyOf = nameOf } = context
      const fields = fieldNames(type).map((name, i) => {
        const field = `struct_extract(${sql}, ${quoteText(keyOf(type.fields[i]!))})`
        return `${quoteName(name)} := ${fromFileValue(type.fields[i]!.type, field, { ...context, path: `${path}.${name}` })}`
      })
      return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${fields.join(', ')}) ELSE ${whenNull(sql, context)} END`
    }
    default:
      return scalarFromFile(type.kind, sql, context)
  }
}

/** SQL of the value for a NULL: NULL, or an error where NULL is not allowed, as in a list. */
const whenNull = (sql: string, context: FileValueContext): string =>
  context.required?.has(context.path) || context.path.endsWith('[]') ? refusal('a value', sql, context) : 'NULL'

type Branch = readonly [when: string, then: string]

function scalarFromFile(
  kind: Exclude<Type['kind'], 'ARRAY' | 'STRUCT'>,
  sql: string,
  context: FileValueContext,
): string {
  const { form } = context
  // The elements of a list have the limits of the column.
  const { maxLength, precision, scale } = context.limits?.[context.path.replace(/\[\]$/, '')] ?? UNLIMITED
  const matches = (pattern: string): string => `regexp_full_match(${sql}, '${pattern}')`
  const caseSql = (...branches: readonly Branch[]): string =>
    `CASE ${branches.map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} WHEN ${sql} IS NULL THEN ${whenNull(sql, context)} ELSE ${refusal(kind, sql, context)} END`
  const orWhenNull = (value: string): string => {
    const absent = whenNull(sql, context)
    return absent === 'NULL' ? value : `CASE WHEN ${sql} IS NULL THEN ${absent} ELSE ${value} END`
  }
  // A cast that fails ends the SELECT, and the file is then read row by row. A Parquet file is not: there the cast must not fail.
  const cast = (type: Type): string => `${form === 'parquet' ? 'TRY_CAST' : 'CAST'}(${sql} AS ${duckdbType(type)})`
  const fits = (value: string): string => (form === 'parquet' ? ` AND ${value} IS NOT NULL` : '')
  const within = (length: string): string => (maxLength === null ? '' : ` AND ${length} <= ${maxLength}`)
  switch (kind) {
    case 'STRING': {
      const isSure = form !== 'json' || context.texts?.has(context.path)
      const doubts = [
        ...(isSure ? [] : [mayBeOtherJson(sql, context.hasFewRows === true)]),
        ...(maxLength === null ? [] : [`length(${sql}) > ${maxLength}`]),
      ]
      if (doubts.length === 0) return orWhenNull(sql)
      return orWhenNull(`CASE WHEN ${doubts.join(' OR ')} THEN ${refusal(kind, sql, context)} ELSE ${sql} END`)
    }
    case 'BOOL':
      if (form === 'json') return caseSql([`${sql} IN ('true', 'false')`, `${sql} = 'true'`])
      return caseSql([matches('(?i)true|false'), `CAST(${sql} AS BOOLEAN)`])
    case 'FLOAT64': {
      if (form === 'parquet') {
        const word = matches('(?i)[-+]?(nan|inf|infinity)')
        return caseSql([`isfinite(${cast({ kind })}) OR (${word} AND ${cast({ kind })} IS NOT NULL)`, cast({ kind })])
      }
      // Texts in quotes and truth values of JSON fail the cast. CSV needs the pattern.
      const value = `TRY_CAST(CAST(${sql} AS VARCHAR) AS DOUBLE)`
      const isNumber = form === 'json' ? '' : `${matches('[-+0-9.eE]+')} AND `
      return caseSql([`${isNumber}isfinite(${value})`, value])
    }
    case 'JSON': {
      // BigQuery stores JSON in a canonical form, in which equal values have equal texts.
      const canonical = `CAST(bq_json_canonical(CAST(${sql} AS VARCHAR)) AS JSON)`
      return form === 'json' ? orWhenNull(canonical) : caseSql([`json_valid(${sql})`, canonical])
    }
    case 'INT64':
      // Without the pattern, the cast would convert '1.5' to 2. A JSON number with a fraction is exact up to 15 digits. Nearly all numbers
      // are written as DuckDB writes them: the first branch finds that in half the time. The branches are not joined by OR, since DuckDB
      // would then sort the rows' numbers.
      return caseSql(
        [`CAST(TRY_CAST(${sql} AS BIGINT) AS VARCHAR) = ${sql}`, cast({ kind })],
        [`${matches('[+-]?([0-9]+|[0-9]{1,15}\\.0*)')}${fits(cast({ kind }))}`, cast({ kind })],
      )
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return caseSql(...decimalBranches(kind, sql, form, { precision, scale }))
    case 'BYTES': {
      const text = form === 'json' ? `(${sql} ->> '$')` : sql
      const isText = form === 'json' ? `CAST(${sql} AS VARCHAR) LIKE '"%' AND ` : ''
      const isBase64 = `length(${text}) % 4 = 0 AND regexp_full_match(${text}, '[A-Za-z0-9+/]*={0,2}')`
      return caseSql([`${isText}${isBase64}${within(`octet_length(from_base64(${text}))`)}`, `from_base64(${text})`])
    }
    case 'DATE':
      return caseSql([
        `${sql} GLOB '?[0-9][0-9][0-9]-??-?[0-9]' AND ${inYears(sql)}${fits(cast({ kind }))}`,
        cast({ kind }),
      ])
    case 'TIME':
      return caseSql([`${matches(CLOCK)}${fits(cast({ kind }))}`, cast({ kind })])
    case 'DATETIME':
      return caseSql([
        `${matches(`${DATE}([Tt ]${CLOCK})?`)} AND ${inYears(sql)}${fits(cast({ kind }))}`,
        cast({ kind }),
      ])
    case 'TIMESTAMP':
      return timestampFromFile(sql, form, caseSql, matches, refusal(kind, sql, context))
    case 'INTERVAL':
      // Imports write intervals as such texts (rows/leaf.ts). DuckDB would also read other texts, and 5 as 5 seconds.
      return form === 'parquet'
        ? caseSql([
            `${matches('-?\\d+ months -?\\d+ days -?\\d+ microseconds')}${fits(cast({ kind }))}`,
            cast({ kind }),
          ])
        : caseSql(['false', 'NULL::INTERVAL'])
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return orWhenNull(rangeOfText(sql, kind))
    default:
      return kind satisfies never
  }
}

/** The branches for texts of decimal numbers. They round no number. */
function decimalBranches(
  kind: 'NUMERIC' | 'BIGNUMERIC',
  sql: string,
  form: FileValueForm,
  { precision, scale }: Pick<TypeLimits, 'precision' | 'scale'>,
): readonly Branch[] {
  const places = scale ?? (kind === 'NUMERIC' ? 9 : BIGNUMERIC_SCALE)
  const mostDigits = precision === null ? null : precision - (scale ?? 0)
  const whole = mostDigits === null ? '[0-9]+' : mostDigits === 0 ? '0+' : `0*[0-9]{1,${mostDigits}}`
  const fraction = places === 0 ? '' : `|\\.[0-9]{1,${places}}0*`
  const number = `[+-]?(${whole}(\\.[0-9]{0,${places}}0*)?${fraction})`
  const text = form === 'json' ? `(${sql} ->> '$')` : sql
  const value = kind === 'NUMERIC' ? numericOf(text) : bignumericOf(text)
  const exact = `regexp_full_match(${text}, '${number}') AND ${value} IS NOT NULL`
  if (form !== 'json') return [[exact, value]]
  // DuckDB's JSON reader stores a number with a fraction as a DOUBLE. Below 10^6, its error is less than half of the ninth decimal
  // place, so that rounding gives the number in the file.
  const written = `CAST(${sql} AS VARCHAR)`
  const small = `TRY_CAST(${written} AS DECIMAL(15, 9))`
  const isExact = `NOT contains(${text}, '.') OR ${written} LIKE '"%'`
  const anyNumber: Branch = [`${exact} AND (${isExact})`, value]
  if (kind === 'BIGNUMERIC') return [anyNumber]
  // Most amounts are this short, and are recognized without the pattern, which takes more time than everything else.
  const isShort = `${written} BETWEEN '-' AND ':' AND strlen(${written}) <= 8 AND NOT contains(${written}, 'e')`
  const shortNumber: Branch = [isShort, `CAST(CAST(${written} AS DECIMAL(18, 9)) AS ${duckdbType({ kind })})`]
  return [
    ...(precision === null && scale === null ? [shortNumber] : []),
    [
      `regexp_full_match(${written}, '${number}') AND ${small} IS NOT NULL`,
      `CAST(${small} AS ${duckdbType({ kind })})`,
    ],
    anyNumber,
  ]
}

/** A text that may have been a JSON number with a fraction: DuckDB's JSON reader may then have changed its digits. */
const OTHER_NUMBER = '-?[0-9]+(\\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)'
/** DuckDB writes a FLOAT64 in at most 25 characters, so a longer text, such as a hash, was a string in the file. */
const MAX_NUMBER = 30
const NOT_FINITE = ['nan', 'inf', '-inf']

/**
 * SQL that is true for a text that DuckDB may have made from a JSON number with a fraction, an object or a list. Comparisons run faster
 * than one pattern, but DuckDB takes five times as long to plan them. @param isShort whether the file has few rows, so that planning counts
 */
const mayBeOtherJson = (sql: string, isShort: boolean): string =>
  isShort
    ? `regexp_full_match(${sql}, '(?s)[\\[{].*|${[...NOT_FINITE, OTHER_NUMBER].join('|')}')`
    : `(${sql} < ':' AND (${sql} >= '0' OR (${sql} >= '-' AND ${sql} < '.')) AND strlen(${sql}) <= ${MAX_NUMBER} AND (regexp_full_match(${sql}, '${OTHER_NUMBER}') OR ${sql} = '-inf')) ` +
      `OR (${sql} >= '[' AND (${sql} < '\\' OR (${sql} >= '{' AND ${sql} < '|') OR ${sql} = 'nan' OR ${sql} = 'inf'))`

/** Like `mayBeOtherJson`, for a text in JavaScript. */
export const mayBeOtherValue = (text: string): boolean =>
  /^[{[]/.test(text) ||
  (text.length <= MAX_NUMBER && new RegExp(`^(?:${OTHER_NUMBER})$`).test(text)) ||
  NOT_FINITE.includes(text)

/** The type of a column in the file of `stageRows`: VARCHAR where DuckDB's JSON reader would change the value. */
export const stagedType = (type: Type): string => duckdbType(withText(type, ['JSON', 'BYTES', ...TEXT_IN_FILES]))

/** The types that imports write to Parquet as texts, since Parquet has no such type: its INTERVAL has only milliseconds, and no sign. */
export const TEXT_IN_FILES: readonly Type['kind'][] = [
  'BIGNUMERIC',
  'INTERVAL',
  'RANGE<DATE>',
  'RANGE<DATETIME>',
  'RANGE<TIMESTAMP>',
]

/** The type with STRING in place of these types. */
export function withText(type: Type, kinds: readonly Type['kind'][]): Type {
  if (type.kind === 'ARRAY') return { kind: 'ARRAY', element: withText(type.element, kinds) }
  if (type.kind === 'STRUCT') {
    return { kind: 'STRUCT', fields: type.fields.map(({ name, type: own }) => ({ name, type: withText(own, kinds) })) }
  }
  return kinds.includes(type.kind) ? { kind: 'STRING' } : type
}

/** SQL of the column's value for a value of `stagedType`. */
export function fromStaged(type: Type, sql: string, depth = 0): string {
  const inFiles = duckdbType(withText(type, TEXT_IN_FILES))
  if (inFiles === duckdbType(type)) return stagedType(type) === inFiles ? sql : `CAST(${sql} AS ${inFiles})`
  if (type.kind === 'ARRAY') {
    const item = `x${depth}`
    return `list_transform(${sql}, lambda ${item}: ${fromStaged(type.element, item, depth + 1)})`
  }
  if (type.kind === 'STRUCT') {
    const fields = fieldNames(type).map(
      (name, i) =>
        `${quoteName(name)} := ${fromStaged(type.fields[i]!.type, `struct_extract(${sql}, ${quoteText(name)})`, depth)}`,
    )
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`
  }
  if (type.kind === 'INTERVAL') return `CAST(${sql} AS INTERVAL)`
  return type.kind === 'BIGNUMERIC' ? bignumericOf(sql) : rangeOfText(sql, type.kind as RangeKind)
}

/** SQL of the range in a text. bq_read_range raises BigQuery's error for any text that is not a range. */
function rangeOfText(sql: string, kind: RangeKind): string {
  const element = elementOfRange(kind)
  const type = duckdbType({ kind: element })
  const bounds = `bq_read_range(${sql}, '${element.toLowerCase()}')`
  return `list_transform([${bounds}], lambda b$: CASE WHEN b$ IS NOT NULL THEN struct_pack(s := CAST(b$[1] AS ${type}), e := CAST(b$[2] AS ${type})) END)[1]`
}

/** SQL of the NUMERIC of a plain decimal text. DuckDB casts to a DECIMAL of at most 18 digits some fifty times faster. */
const numericOf = (text: string): string =>
  `coalesce(CAST(TRY_CAST(${text} AS DECIMAL(18, 9)) AS ${duckdbType({ kind: 'NUMERIC' })}), TRY_CAST(${text} AS ${duckdbType({ kind: 'NUMERIC' })}))`

/** SQL of the BIGNUMERIC of a plain decimal text; NULL beyond the range of BIGNUMERIC. */
function bignumericOf(text: string): string {
  const fraction = `rpad(left(split_part(${text}, '.', 2), ${BIGNUMERIC_SCALE}), ${BIGNUMERIC_SCALE}, '0')`
  const units = `TRY_CAST(split_part(${text}, '.', 1) || ${fraction} AS BIGNUM)`
  return `CASE WHEN ${units} BETWEEN '${MIN_BIGNUMERIC}'::BIGNUM AND '${MAX_BIGNUMERIC}'::BIGNUM THEN ${units} END`
}

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?'
/** An offset is at most 14 hours. */
const ZONE = ' ?([Zz]|UTC|[+-]((0[0-9]|1[0-3])(:?[0-5][0-9])?|14(:?00)?))'
/** Excludes the year 0000. */
const inYears = (sql: string): string => `${sql} >= '0001'`

function timestampFromFile(
  sql: string,
  form: FileValueForm,
  caseSql: (...branches: readonly Branch[]) => string,
  matches: (pattern: string) => string,
  otherwise: string,
): string {
  // DuckDB accepts an offset only directly after the time, and `Z` only in upper case.
  const spelling = `upper(replace(${sql}, ' +', '+'))`
  const fromText = (text: string): string => `${form === 'parquet' ? 'TRY_CAST' : 'CAST'}(${text} AS TIMESTAMPTZ)`
  const fits = (value: string): string => (form === 'parquet' ? ` AND ${value} IS NOT NULL` : '')
  // A number or an offset can lead out of the years 1 to 9999.
  const inYearsOrElse = (value: string): string =>
    `CASE WHEN ${value} BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00' THEN ${value} ELSE ${otherwise} END`
  const micros = (expression: string): string => inYearsOrElse(`make_timestamptz(${expression})`)
  return caseSql(
    // The cast refuses any other text that is not a time, but accepts spaces before the hour or after a time without `Z`, and 24:00.
    [
      `${sql} GLOB '????-??-?[0-9][T ][0-9][0-9]:*' AND ${sql} NOT LIKE '___________24%' AND suffix(${sql}, 'Z') AND NOT suffix(${sql}, '.Z') AND ${inYears(sql)}${fits(fromText(sql))}`,
      fromText(sql),
    ],
    [`${matches(`${DATE}[T ]${CLOCK}( UTC)?`)} AND ${inYears(sql)}${fits(fromText(sql))}`, fromText(sql)],
    [matches('-?[0-9]{15,17}|-?[12][0-9]{17}'), micros(`CAST(${sql} AS BIGINT)`)],
    [matches('-?[0-9]{12,14}'), micros(`CAST(${sql} AS BIGINT) * 1000`)],
    [matches('-?[0-9]{1,11}'), micros(`CAST(${sql} AS BIGINT) * 1000000`)],
    [
      // DuckDB's JSON reader stores a number with a fraction as a DOUBLE: beyond ten digits before the point, it loses microseconds.
      matches(form === 'json' ? '-?[0-9]{1,10}\\.[0-9]{1,6}' : '-?[0-9]{1,11}\\.[0-9]{1,9}'),
      micros(`CAST(round(CAST(${sql} AS DECIMAL(38,9)) * 1000000) AS BIGINT)`),
    ],
    [
      `${matches(`${DATE}([Tt ]${CLOCK}(${ZONE})?)?`)} AND ${inYears(sql)}${fits(fromText(spelling))}`,
      inYearsOrElse(fromText(spelling)),
    ],
  )
}

/** SQL of an error. Only the error of a Parquet file has a text, since authors see it: a text file is then read row by row. */
const refusal = (kind: string, sql: string, { form, path, file = null }: FileValueContext): string =>
  form === 'parquet' ? valueFault(`${path} has a value that is not ${kind}`, sql, file) : "error('')"

/** SQL of the error for a value of a Parquet file. @param what the text before the value @param sql SQL of the value */
export function valueFault(what: string, sql: string, file: string | null): string {
  const value = `coalesce(left(CAST(${sql} AS VARCHAR), 80), 'NULL')`
  return `error(${quoteText(`${NATIVE_ERROR_MARK}${what}: `)} || ${value}${placeInFile(file)})`
}

/** SQL that appends the place of a row to the text of a message; '' where the source is not a file. */
export const placeInFile = (file: string | null, row = '(file_row_number + 1)'): string =>
  file === null ? '' : ` || ', in row ' || ${row} || ' of file "' || ${file} || '"'`

/** SQL of the text in bytes: some writers, such as Impala, do not declare their texts as texts. */
export function textOfBytes(sql: string, path: string, file: string | null): string {
  const message = quoteText(`${NATIVE_ERROR_MARK}${path} has a value that is not UTF-8: declare it as BYTES`)
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE coalesce(TRY(decode(${sql})), error(${message}${placeInFile(file)})) END`
}

/** SQL of the text of a decimal, without the zeros that end it: the text of a NUMERIC. */
export function textOfDecimal(sql: string, { scale }: DuckDBDecimalType): string {
  const text = `CAST(${sql} AS VARCHAR)`
  return scale === 0 ? text : `rtrim(rtrim(${text}, '0'), '.')`
}
