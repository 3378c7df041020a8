/** DuckDB SQL of a value's JSON text, by its type. Source: the language reference, "JSON encodings". */
import {
  elementOfRange,
  isRangeKind,
  type RangeKind,
  type ScalarKind,
  type StructType,
  type Type,
} from '../../googlesql/types/types.js'
import { quoteText } from '../emit/quote.js'
import { duckdbType, fieldNames } from '../emit/type.js'

export interface JsonTextOptions {
  /**
   * `string`: the text of TO_JSON_STRING; members keep their order, and numbers that FLOAT64 cannot hold become strings.
   * `value`: the text of a JSON value, with members sorted by name and only the first one of equal names.
   */
  readonly target: 'string' | 'value'
  /** The SQL of a BOOL, for TO_JSON. Where it is true, numbers that FLOAT64 cannot hold become strings. */
  readonly stringifiesWide?: string
}

/** The JSON text as a VARCHAR. It is never NULL: the text of NULL is `null`. */
export function jsonTextSql(sql: string, type: Type, options: JsonTextOptions, depth = 0): string {
  const text = valueSql(sql, type, options, depth)
  return `coalesce(${text}, 'null')`
}

const inQuotes = (text: string): string => `'"' || ${text} || '"'`
const clock = (text: string): string => `bq_json_clock(${text})`

/** The text of a scalar; `wide` is the SQL of a BOOL: where it is true, numbers that FLOAT64 cannot hold become strings. */
const SCALARS: Readonly<Partial<Record<ScalarKind, (sql: string, wide: string, isString: boolean) => string>>> = {
  BOOL: sql => `CAST(${sql} AS VARCHAR)`,
  INT64: (sql, wide) => `bq_json_of_int64(${sql}, ${wide})`,
  NUMERIC: (sql, wide, isString) =>
    isString ? `bq_json_string_of_numeric(${sql})` : `bq_json_of_numeric(${sql}, ${wide})`,
  BIGNUMERIC: (sql, wide, isString) =>
    isString ? `bq_bignumeric_json_string(${sql})` : `bq_bignumeric_json(${sql}, ${wide})`,
  FLOAT64: (sql, _, isString) => `bq_json_${isString ? 'string_' : ''}of_float64(${sql})`,
  STRING: (sql, _, isString) => `bq_json_${isString ? 'string_' : ''}of_string(${sql})`,
  BYTES: sql => inQuotes(`to_base64(${sql})`),
  DATE: sql => inQuotes(`CAST(${sql} AS VARCHAR)`),
  TIME: sql => inQuotes(clock(`CAST(${sql} AS VARCHAR)`)),
  DATETIME: sql => inQuotes(clock(`replace(CAST(${sql} AS VARCHAR), ' ', 'T')`)),
  TIMESTAMP: sql => inQuotes(`${clock(`replace(CAST(CAST(${sql} AS TIMESTAMP) AS VARCHAR), ' ', 'T')`)} || 'Z'`),
  JSON: sql => `bq_json_of_json(CAST(${sql} AS VARCHAR))`,
  INTERVAL: sql => inQuotes(`bq_interval_to_duration(${sql})`),
}

function valueSql(sql: string, type: Type, options: JsonTextOptions, depth: number): string {
  if (type.kind === 'STRUCT') return structSql(sql, type, options, depth)
  if (type.kind === 'ARRAY') {
    const item = `item_${depth}$`
    const items = `list_transform(${sql}, lambda ${item}: ${jsonTextSql(item, type.element, options, depth + 1)})`
    return `(CASE WHEN ${sql} IS NOT NULL THEN '[' || coalesce(list_aggregate(${items}, 'string_agg', ','), '') || ']' END)`
  }
  if (isRangeKind(type.kind)) return rangeSql(sql, type.kind, options, depth)
  const isString = options.target === 'string'
  return SCALARS[type.kind]!(sql, isString ? 'true' : (options.stringifiesWide ?? 'false'), isString)
}

/** The text of a range: an object with its bounds, which are `null` where the range is unbounded. */
function rangeSql(sql: string, kind: RangeKind, options: JsonTextOptions, depth: number): string {
  const row = `range_${depth}$`
  const bound = (field: 's' | 'e'): string =>
    `bq_json_of_${elementOfRange(kind).toLowerCase()}_bound(struct_extract(${row}, '${field}'))`
  const members = [
    { name: 'start', text: bound('s') },
    { name: 'end', text: bound('e') },
  ]
  return objectSql(`CAST(${sql} AS ${duckdbType({ kind })})`, row, members, options)
}

function structSql(sql: string, type: StructType, options: JsonTextOptions, depth: number): string {
  const row = `row_${depth}$`
  const names = fieldNames(type)
  const members = type.fields.map((field, i) => ({
    name: field.name,
    text: jsonTextSql(`struct_extract(${row}, ${quoteText(names[i]!)})`, field.type, options, depth + 1),
  }))
  return objectSql(`CAST(${sql} AS ${duckdbType(type)})`, row, members, options)
}

interface Member {
  readonly name: string
  /** The JSON text of the value; the SQL reads the value through the name of the row. */
  readonly text: string
}

/** The text of an object. A lambda binds the row first: otherwise its SQL would be repeated for each member. */
function objectSql(sql: string, row: string, members: readonly Member[], { target }: JsonTextOptions): string {
  const kept = target === 'string' ? members : firstByName(members)
  const parts = kept.map(
    ({ name, text }, i) => `${quoteText(`${i > 0 ? ',' : ''}${nameText(name, target)}:`)} || ${text}`,
  )
  const body = ["'{'", ...parts, "'}'"].join(' || ')
  return `list_extract(list_transform([${sql}], lambda ${row}: CASE WHEN ${row} IS NOT NULL THEN ${body} END), 1)`
}

/** In the text of TO_JSON_STRING, line and paragraph separators are escaped, in names as in strings. */
function nameText(name: string, target: JsonTextOptions['target']): string {
  const text = JSON.stringify(name)
  return target === 'string' ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : text
}

function firstByName(members: readonly Member[]): readonly Member[] {
  const seen = new Set<string>()
  const first = members.filter(({ name }) => !seen.has(name) && seen.add(name))
  return first.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}
