/**
 * DuckDB SQL of calls of JavaScript functions: their arguments become one JSON array, and the text that comes back becomes a
 * value of the function's type. See runtime/javascript.
 */
import type { Type } from '../../googlesql/types/types.js'
import { typeName } from '../../googlesql/types/types.js'
import { quoteText } from '../emit/quote.js'
import { duckdbType, fieldNames } from '../emit/type.js'
import { type Form, FormError, type Forms } from './function-sql.js'
import { jsonTextSql } from './json-text.js'

const call: Form = ({ sql: [definition, ...values], args: [, ...args], type }) => {
  const texts = values.map((value, i) => jsonTextSql(value!, args[i]!.type, { target: 'string' }))
  const list = texts.length === 0 ? `'[]'` : `('[' || ${texts.join(` || ',' || `)} || ']')`
  return valueSql(`bq_javascript(${definition}, ${list})`, type)
}

/** The value that a text of the sandbox stands for. */
function valueSql(text: string, type: Type): string {
  switch (type.kind) {
    case 'STRING':
      return text
    case 'NUMERIC':
      return `bq_text_to_numeric(${text})`
    case 'BIGNUMERIC':
      return `bq_text_to_bignumeric(${text})`
    case 'JSON':
      return `CAST(bq_json_parse(${text}, 'exact') AS JSON)`
    case 'ARRAY':
    case 'STRUCT':
      return `CAST(from_json(${text}, ${quoteText(JSON.stringify(shapeOf(type)))}) AS ${duckdbType(type)})`
    default:
      return `CAST(${text} AS ${duckdbType(type)})`
  }
}

/** The structure of DuckDB's from_json in which every leaf is a text. */
function shapeOf(type: Type): unknown {
  switch (type.kind) {
    case 'ARRAY':
      return [shapeOf(type.element)]
    case 'STRUCT':
      return Object.fromEntries(fieldNames(type).map((name, i) => [name, shapeOf(type.fields[i]!.type)]))
    case 'JSON':
    case 'BIGNUMERIC':
      throw new FormError(
        `A JavaScript function that returns ${typeName(type)} within an ARRAY or a STRUCT is not supported by the embedded engine`,
      )
    default:
      return 'VARCHAR'
  }
}

export const JAVASCRIPT_FORMS: Forms = {
  $javascript: call,
  $javascript_immutable: call,
}
