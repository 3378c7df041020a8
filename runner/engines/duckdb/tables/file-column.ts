/**
 * Converts values of text files to values of columns: for each type, the DuckDB type that DuckDB's reader uses, and the SQL
 * that converts its value to the column's type or raises an error.
 */
import { elementOfRange, type RangeKind, type Type } from '../../../../googlesql/data.js'
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

/** `json`: DuckDB's JSON reader gives each scalar its type. `text`: every value is a VARCHAR, as in CSV. */
export type WireForm = 'json' | 'text'

/**
 * How the file spells the keys of an object: `names` maps the schema's name to the key in the file, and `below` holds the
 * spelling of the objects inside it.
 */
export interface KeySpelling {
  readonly names: ReadonlyMap<string, string>
  readonly below: ReadonlyMap<string, KeySpelling>
}
export const AS_DECLARED: KeySpelling = { names: new Map(), below: new Map() }

/** The type for DuckDB's reader, with the keys as the file spells them. */
export function wireType(type: Type, form: WireForm, spelling: KeySpelling = AS_DECLARED): string {
  if (form === 'text') return 'VARCHAR'
  switch (type.kind) {
    case 'ARRAY':
      return `${wireType(type.element, form, spelling)}[]`
    case 'STRUCT': {
      const fields = fieldNames(type).map((name, i) => {
        const inFile = quoteName(spelling.names.get(name) ?? name)
        return `${inFile} ${wireType(type.fields[i]!.type, form, spelling.below.get(name))}`
      })
      return `STRUCT(${fields.join(', ')})`
    }
    case 'FLOAT64':
      return 'DOUBLE'
    case 'BOOL':
      return 'BOOLEAN'
    case 'JSON':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return 'JSON'
    default:
      return 'VARCHAR'
  }
}

export interface WireContext {
  /** The path in errors: `logs.edge.metadata.request`. */
  readonly path: string
  readonly form: WireForm
  /** SQL of the row number; null if it is not known. */
  readonly rowNumber: string | null
  readonly spelling: KeySpelling
}

/**
 * SQL that converts the wire value `sql` to the column's value. A missing or null ARRAY becomes empty, as BigQuery stores it.
 * docs/data.md has the other rules. A TIMESTAMP is ISO 8601 text (without an offset it is in UTC; digits beyond microseconds
 * are cut) or a number that counts time since 1970: up to 11 digits count seconds, 12 to 14 digits milliseconds, and more
 * digits microseconds. A number with a fraction counts seconds.
 */
export function fromWire(type: Type, sql: string, context: WireContext): string {
  switch (type.kind) {
    case 'ARRAY': {
      const item = `x${depthOf(context)}`
      const inner = fromWire(type.element, item, { ...context, path: `${context.path}[]` })
      return inner === item ? `coalesce(${sql}, [])` : `coalesce(list_transform(${sql}, lambda ${item}: ${inner}), [])`
    }
    case 'STRUCT': {
      const fields = fieldNames(type).map((name, i) => {
        const inFile = context.spelling.names.get(name) ?? name
        const value = fromWire(type.fields[i]!.type, `struct_extract(${sql}, ${quoteText(inFile)})`, {
          ...context,
          path: `${context.path}.${name}`,
          spelling: context.spelling.below.get(name) ?? AS_DECLARED,
        })
        return `${quoteName(name)} := ${value}`
      })
      return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`
    }
    default:
      return scalarFromWire(type.kind, sql, context)
  }
}

const depthOf = (context: WireContext): number => context.path.split('[]').length

function scalarFromWire(kind: Exclude<Type['kind'], 'ARRAY' | 'STRUCT'>, sql: string, context: WireContext): string {
  const matches = (pattern: string): string => `regexp_full_match(${sql}, '${pattern}')`
  const refused = `error(${refusal(kind, sql, context)})`
  const checked = (...branches: readonly (readonly [when: string, then: string])[]): string =>
    `CASE WHEN ${sql} IS NULL THEN NULL ${branches.map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} ELSE ${refused} END`
  const cast = (type: Type): string => `TRY_CAST(${sql} AS ${duckdbType(type)})`
  switch (kind) {
    case 'STRING':
      return sql
    case 'BOOL':
      return context.form === 'json' ? sql : checked([matches('(?i)true|false'), `CAST(${sql} AS BOOLEAN)`])
    case 'FLOAT64':
      return context.form === 'json' ? sql : checked([`${cast({ kind })} IS NOT NULL`, cast({ kind })])
    case 'JSON': {
      // BigQuery stores JSON in a canonical form, in which equal values have equal texts.
      const canonical = `CAST(bq_json_canonical(CAST(${sql} AS VARCHAR)) AS JSON)`
      return context.form === 'json' ? canonical : checked([`json_valid(${sql})`, canonical])
    }
    case 'INT64':
      // Without the pattern, the cast would convert '1.5' to 2.
      return checked([`${matches('[+-]?[0-9]+(\\.0*)?')} AND ${cast({ kind })} IS NOT NULL`, cast({ kind })])
    case 'NUMERIC':
    case 'BIGNUMERIC': {
      const scale = kind === 'NUMERIC' ? 9 : BIGNUMERIC_SCALE
      const number = `[+-]?([0-9]+(\\.[0-9]{0,${scale}}0*)?|\\.[0-9]{1,${scale}}0*)`
      const text = context.form === 'json' ? `(${sql} ->> '$')` : sql
      const value = kind === 'NUMERIC' ? `TRY_CAST(${text} AS ${duckdbType({ kind })})` : bignumericOf(text)
      const exact = `regexp_full_match(${text}, '${number}') AND ${value} IS NOT NULL`
      if (context.form === 'text') return checked([exact, value])
      // DuckDB's JSON reader stores a number with a fraction as a DOUBLE, in which 15 digits are exact; so below 10^6, nine
      // decimals are exact.
      const isSure = `CAST(${sql} AS VARCHAR) LIKE '"%' OR length(${text}) <= 16 OR NOT contains(${text}, '.')`
      const isSmall = `abs(TRY_CAST(${text} AS DOUBLE)) < 1e6`
      if (kind === 'BIGNUMERIC') return checked([`${exact} AND (${isSure})`, value])
      return checked(
        [`${exact} AND (${isSure})`, value],
        [`${isSmall} AND ${value} IS NOT NULL AND regexp_full_match(${text}, '[-+0-9.eE]+')`, value],
      )
    }
    case 'BYTES':
      return checked([`length(${sql}) % 4 = 0 AND ${matches('[A-Za-z0-9+/]*={0,2}')}`, `from_base64(${sql})`])
    case 'DATE':
      return checked([`${matches(DATE)} AND ${inYears(sql)} AND ${cast({ kind })} IS NOT NULL`, cast({ kind })])
    case 'TIME':
      return checked([`${matches(CLOCK)} AND ${cast({ kind })} IS NOT NULL`, cast({ kind })])
    case 'DATETIME':
      return checked([
        `${matches(`${DATE}([Tt ]${CLOCK})?`)} AND ${inYears(sql)} AND ${cast({ kind })} IS NOT NULL`,
        cast({ kind }),
      ])
    case 'TIMESTAMP':
      return timestampFromWire(sql, checked, matches)
    case 'INTERVAL':
      return checked([`TRY_CAST(${sql} AS INTERVAL) IS NOT NULL`, `TRY_CAST(${sql} AS INTERVAL)`])
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return rangeOfText(sql, kind)
    default:
      return kind satisfies never
  }
}

/** SQL of the range in a text. bq_read_range raises BigQuery's error for any text that is not a range. */
function rangeOfText(sql: string, kind: RangeKind): string {
  const element = elementOfRange(kind)
  const type = duckdbType({ kind: element })
  const bounds = `bq_read_range(${sql}, '${element.toLowerCase()}')`
  return `list_transform([${bounds}], lambda b$: CASE WHEN b$ IS NOT NULL THEN struct_pack(s := CAST(b$[1] AS ${type}), e := CAST(b$[2] AS ${type})) END)[1]`
}

/** SQL of the BIGNUMERIC of a plain decimal text; NULL beyond the range of BIGNUMERIC. */
function bignumericOf(text: string): string {
  const fraction = `rpad(left(split_part(${text}, '.', 2), ${BIGNUMERIC_SCALE}), ${BIGNUMERIC_SCALE}, '0')`
  const units = `TRY_CAST(split_part(${text}, '.', 1) || ${fraction} AS BIGNUM)`
  return `CASE WHEN ${units} BETWEEN '${MIN_BIGNUMERIC}'::BIGNUM AND '${MAX_BIGNUMERIC}'::BIGNUM THEN ${units} END`
}

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?'
const ZONE = ' ?([Zz]|UTC|[+-][0-9]{2}(:?[0-9]{2})?)'
const inYears = (sql: string): string => `${sql} NOT LIKE '0000%'`

function timestampFromWire(
  sql: string,
  checked: (...branches: readonly (readonly [string, string])[]) => string,
  matches: (pattern: string) => string,
): string {
  // DuckDB accepts an offset only directly after the time, and `Z` only in upper case.
  const spelled = `upper(replace(${sql}, ' +', '+'))`
  const fromText = (text: string): string => `TRY_CAST(${text} AS TIMESTAMPTZ)`
  const micros = (expression: string): string => `make_timestamptz(${expression})`
  return checked(
    [`${matches(`${DATE}[T ]${CLOCK}(Z| UTC)?`)} AND ${inYears(sql)} AND ${fromText(sql)} IS NOT NULL`, fromText(sql)],
    [matches('-?[0-9]{15,17}|-?[12][0-9]{17}'), micros(`CAST(${sql} AS BIGINT)`)],
    [matches('-?[0-9]{12,14}'), micros(`CAST(${sql} AS BIGINT) * 1000`)],
    [matches('-?[0-9]{1,11}'), micros(`CAST(${sql} AS BIGINT) * 1000000`)],
    [
      matches('-?[0-9]{1,11}\\.[0-9]+|-?[0-9]\\.[0-9]+[eE]\\+?(0?[0-9]|10)'),
      micros(`CAST(round(CAST(${sql} AS DECIMAL(38,9)) * 1000000) AS BIGINT)`),
    ],
    [
      `${matches(`${DATE}([Tt ]${CLOCK}(${ZONE})?)?`)} AND ${inYears(sql)} AND ${fromText(spelled)} IS NOT NULL`,
      fromText(spelled),
    ],
  )
}

function refusal(kind: string, sql: string, { path, rowNumber }: WireContext): string {
  const row = rowNumber === null ? '' : ` || ' in row ' || ${rowNumber}`
  return `${quoteText(`${NATIVE_ERROR_MARK}${path} has a value that is not ${kind}`)}${row} || ': ' || left(CAST(${sql} AS VARCHAR), 80)`
}
