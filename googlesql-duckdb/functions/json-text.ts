/** DuckDB SQL of a value's JSON text, by its type. Source: the language reference, "JSON encodings". */
import type { StructType, Type } from '../../googlesql/types/types.js'
import { quoteText } from '../emit/quote.js'
import { duckdbType, fieldNames } from '../emit/type.js'
import { FormError } from './function-sql.js'

export interface JsonTextOptions {
  /**
   * `string`: the text of TO_JSON_STRING, with members in their order and numbers that FLOAT64 cannot hold as strings.
   * `value`: the text of a JSON value, with members sorted by name and only the first one of equal names.
   */
  readonly target: 'string' | 'value'
  /** The SQL of a BOOL, for TO_JSON: true writes numbers that FLOAT64 cannot hold as strings. */
  readonly stringifiesWide?: string
}

/** The JSON text as a VARCHAR. It is never NULL: the text of NULL is `null`. */
export function jsonTextSql(sql: string, type: Type, options: JsonTextOptions, depth = 0): string {
  const text = valueSql(sql, type, options, depth)
  return `coalesce(${text}, 'null')`
}

function valueSql(sql: string, type: Type, options: JsonTextOptions, depth: number): string {
  const quoted = (text: string): string => `'"' || ${text} || '"'`
  const wide = options.target === 'string' ? 'true' : (options.stringifiesWide ?? 'false')
  switch (type.kind) {
    case 'BOOL':
      return `CAST(${sql} AS VARCHAR)`
    case 'INT64':
      return `bq_json_of_int64(${sql}, ${wide})`
    case 'NUMERIC':
      return options.target === 'string' ? `bq_json_string_of_numeric(${sql})` : `bq_json_of_numeric(${sql}, ${wide})`
    case 'BIGNUMERIC':
      return options.target === 'string' ? `bq_bignumeric_json_string(${sql})` : `bq_bignumeric_json(${sql}, ${wide})`
    case 'FLOAT64':
      return options.target === 'string' ? `bq_json_string_of_float64(${sql})` : `bq_json_of_float64(${sql})`
    case 'STRING':
      return options.target === 'string' ? `bq_json_string_of_string(${sql})` : `bq_json_of_string(${sql})`
    case 'BYTES':
      return quoted(`to_base64(${sql})`)
    case 'DATE':
      return quoted(`CAST(${sql} AS VARCHAR)`)
    case 'TIME':
      return quoted(`bq_json_clock(CAST(${sql} AS VARCHAR))`)
    case 'DATETIME':
      return quoted(`bq_json_clock(replace(CAST(${sql} AS VARCHAR), ' ', 'T'))`)
    case 'TIMESTAMP':
      return quoted(`bq_json_clock(replace(CAST(CAST(${sql} AS TIMESTAMP) AS VARCHAR), ' ', 'T')) || 'Z'`)
    case 'JSON':
      return `bq_json_of_json(CAST(${sql} AS VARCHAR))`
    case 'INTERVAL':
      return quoted(`bq_interval_to_duration(${sql})`)
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      throw new FormError(`${type.kind} as JSON is not supported by the embedded engine`)
    case 'ARRAY': {
      const item = `item_${depth}$`
      const items = `list_transform(${sql}, lambda ${item}: ${jsonTextSql(item, type.element, options, depth + 1)})`
      return `(CASE WHEN ${sql} IS NOT NULL THEN '[' || coalesce(list_aggregate(${items}, 'string_agg', ','), '') || ']' END)`
    }
    case 'STRUCT':
      return structSql(sql, type, options, depth)
  }
}

/** The text of a struct. A lambda binds the struct first: otherwise its SQL would be repeated for each field. */
function structSql(sql: string, type: StructType, options: JsonTextOptions, depth: number): string {
  const row = `row_${depth}$`
  const names = fieldNames(type)
  const members = type.fields.map((field, i) => ({
    name: field.name,
    text: jsonTextSql(`struct_extract(${row}, ${quoteText(names[i]!)})`, field.type, options, depth + 1),
  }))
  const kept = options.target === 'string' ? members : firstByName(members)
  const parts = kept.map(
    ({ name, text }, i) => `${quoteText(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`)} || ${text}`,
  )
  const body = ["'{'", ...parts, "'}'"].join(' || ')
  const typed = `CAST(${sql} AS ${duckdbType(type)})`
  return `list_extract(list_transform([${typed}], lambda ${row}: CASE WHEN ${row} IS NOT NULL THEN ${body} END), 1)`
}

function firstByName<M extends { readonly name: string }>(members: readonly M[]): M[] {
  const seen = new Set<string>()
  const first = members.filter(({ name }) => !seen.has(name) && seen.add(name))
  return first.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}
