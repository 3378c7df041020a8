/**
 * DuckDB SQL of calls of JavaScript functions: the arguments become one JSON array, and the text that the sandbox returns
 * becomes a value of the function's type. See runtime/javascript.
 */
import type { Type } from '../../googlesql/types/types.js'
import { typeName } from '../../googlesql/types/types.js'
import { quoteName, quoteText } from '../emit/quote.js'
import { duckdbType, fieldNames } from '../emit/type.js'
import { JAVASCRIPT_FUNCTION } from '../runtime/javascript/function-name.js'
import { type FunctionSql, PLAIN, type SqlWriter, SqlWriterError, type SqlWriters } from './function-sql.js'
import { jsonTextSql } from './json-text.js'

const call: SqlWriter = ({ sql: [definition, ...values], args: [, ...args], type }) => {
  const texts = values.map((value, i) => jsonTextSql(value!, args[i]!.type, { target: 'string' }))
  const list = texts.length === 0 ? `'[]'` : `('[' || ${texts.join(` || ',' || `)} || ']')`
  return valueSql(`${JAVASCRIPT_FUNCTION}(${definition}, ${list})`, type)
}

/** The value of a text that the sandbox returned. */
function valueSql(text: string, type: Type): string {
  switch (type.kind) {
    case 'STRING':
      return text
    case 'NUMERIC':
      return `bq_text_to_numeric(${text})`
    case 'BIGNUMERIC':
      return `bq_text_to_bignumeric(${text})`
    case 'JSON':
      return jsonSql(text)
    case 'ARRAY':
    case 'STRUCT':
      return leavesSql(`from_json(${text}, ${quoteText(JSON.stringify(shapeOf(type)))})`, type, 0)
    default:
      return `CAST(${text} AS ${duckdbType(type)})`
  }
}

const jsonSql = (text: string): string => `CAST(bq_json_parse(${text}, 'exact') AS JSON)`

/** The structure of DuckDB's from_json in which every leaf is a text. */
function shapeOf(type: Type): unknown {
  switch (type.kind) {
    case 'ARRAY':
      return [shapeOf(type.element)]
    case 'STRUCT':
      return Object.fromEntries(fieldNames(type).map((name, i) => [name, shapeOf(type.fields[i]!.type)]))
    case 'BIGNUMERIC':
      throw new SqlWriterError(
        `A JavaScript function that returns ${typeName(type)} within an ARRAY or a STRUCT is not supported by the embedded engine`,
      )
    default:
      return 'VARCHAR'
  }
}

/** Converts a value whose leaves are texts to the type. One cast is enough where no leaf is JSON. */
function leavesSql(sql: string, type: Type, depth: number): string {
  if (!holdsJson(type)) return `CAST(${sql} AS ${duckdbType(type)})`
  const part = `part_${depth}$`
  if (type.kind === 'ARRAY') {
    return `list_transform(${sql}, lambda ${part}: ${leavesSql(part, type.element, depth + 1)})`
  }
  if (type.kind !== 'STRUCT') return jsonSql(sql)
  const fields = fieldNames(type).map((name, i) => {
    const value = leavesSql(`struct_extract(${part}, ${quoteText(name)})`, type.fields[i]!.type, depth + 1)
    return `${quoteName(name)} := ${value}`
  })
  // A lambda binds the struct: otherwise its SQL would be repeated for each field.
  const body = `CASE WHEN ${part} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`
  return `list_extract(list_transform([${sql}], lambda ${part}: ${body}), 1)`
}

function holdsJson(type: Type): boolean {
  if (type.kind === 'ARRAY') return holdsJson(type.element)
  if (type.kind === 'STRUCT') return type.fields.some(field => holdsJson(field.type))
  return type.kind === 'JSON'
}

const JAVASCRIPT: FunctionSql = { ...PLAIN, write: call, runsJavaScript: true }

export const JAVASCRIPT_WRITERS: SqlWriters = {
  $javascript: JAVASCRIPT,
  $javascript_immutable: JAVASCRIPT,
}
