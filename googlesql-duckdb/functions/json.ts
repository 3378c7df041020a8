/**
 * DuckDB SQL of JSON functions. With a literal path, DuckDB reads the value by a JSON Pointer, whose steps mean the same as
 * GoogleSQL's. Only values whose text DuckDB would change, such as numbers with a decimal point, go through JavaScript.
 */
import { literalText } from '../../googlesql/functions/definitions/json.js'
import type { Type } from '../../googlesql/types/types.js'
import { type JsonPath, type JsonPathForm, parseJsonPath } from '../../googlesql/values/json-path.js'
import { quoteText } from '../emit/quote.js'
import type { SqlWriter, SqlWriters, WriterCall } from './function-sql.js'
import { jsonTextSql } from './json-text.js'

const isJson = (call: WriterCall): boolean => call.args[0]!.type.kind === 'JSON'

/** A document argument as a VARCHAR, the type that the scalar functions accept. */
const textOf = (sql: string): string => `CAST(${sql} AS VARCHAR)`

/** The SQL of the path argument; `$` without one. */
const pathSql = (call: WriterCall): string => call.sql[1] ?? "'$'"

function literalPath(call: WriterCall, form: JsonPathForm): JsonPath | null {
  const text = call.args[1] ? literalText(call.args[1]) : '$'
  const path = text === null ? null : parseJsonPath(text, form, isJson(call))
  return path && 'steps' in path && path.mode === 'strict' ? path : null
}

/**
 * The JSON Pointer of a path. The root is `$`, since some functions read the empty pointer as a member with an empty name.
 */
function pointerOf(path: JsonPath): string {
  const steps = path.steps.map(step => `/${step.text.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return quoteText(steps.length === 0 ? '$' : steps.join(''))
}

/**
 * Reads a value with the macro `bq_json_query[_text][_at]` or `bq_json_value[_text][_at]`: `_text` for a STRING document, `_at` with a
 * JSON Pointer.
 */
const extract =
  (name: string, form: JsonPathForm): SqlWriter =>
  call => {
    const suffix = isJson(call) ? '' : '_text'
    const path = literalPath(call, form)
    const withoutPointer = `${name}${suffix}(${textOf(call.sql[0]!)}, ${pathSql(call)}, '${form}')`
    // Also where DuckDB may read a step of a pointer otherwise: an empty name, and an index such as 01.
    if (!path || path.steps.some(({ text }) => /^$|^0\d/.test(text))) return castTo(withoutPointer, call.type)
    return castTo(`${name}${suffix}_at(${call.sql[0]}, ${pointerOf(path)}, ${pathSql(call)}, '${form}')`, call.type)
  }

const extractArray =
  (name: string, form: JsonPathForm): SqlWriter =>
  call => {
    const suffix = isJson(call) ? '' : '_text'
    return castTo(`${name}${suffix}(${textOf(call.sql[0]!)}, ${pathSql(call)}, '${form}')`, call.type)
  }

/** Casts the result of a scalar function to the type, since the scalar functions return JSON as VARCHAR. */
function castTo(sql: string, type: Type): string {
  if (type.kind === 'JSON') return `CAST(${sql} AS JSON)`
  return type.kind === 'ARRAY' && type.element.kind === 'JSON' ? `CAST(${sql} AS JSON[])` : sql
}

/** A member by its name. Only objects have members: a name of digits is not an index into an array. */
const member = (call: WriterCall): string => {
  const [document, name] = call.sql
  return `bq_json_member(${document}, ${name})`
}

const subscript: SqlWriter = call =>
  call.args[1]!.type.kind === 'INT64' ? `bq_json_item(${call.sql[0]}, ${call.sql[1]})` : member(call)

const toJson: SqlWriter = ({ sql: [value, stringify], args }) => {
  const type = args[0]!.type
  const text = jsonTextSql(value!, type, { target: 'value', ...(stringify ? { stringifiesWide: stringify } : {}) })
  const json = type.kind === 'JSON' ? value! : `CAST(${text} AS JSON)`
  const isStringifyNeverNull = !stringify || (args[1]?.kind === 'literal' && args[1].value !== null)
  return isStringifyNeverNull ? json : `(CASE WHEN ${stringify} IS NOT NULL THEN ${json} END)`
}

const toJsonString: SqlWriter = ({ sql: [value, pretty], args }) => {
  const text = jsonTextSql(value!, args[0]!.type, { target: 'string' })
  if (!pretty) return text
  return `(CASE WHEN ${pretty} IS NULL THEN NULL WHEN ${pretty} THEN bq_json_pretty(${text}) ELSE ${text} END)`
}

/** The arguments that are present, with their SQL. */
function presentArguments({ sql, args }: WriterCall): { readonly sql: string; readonly type: Type }[] {
  return args.flatMap((arg, i) => (arg ? [{ sql: sql[i]!, type: arg.type }] : []))
}

const valueText = ({ sql, type }: { readonly sql: string; readonly type: Type }): string =>
  jsonTextSql(sql, type, { target: 'value' })

const jsonArray: SqlWriter = call => {
  const items = presentArguments(call).map(valueText)
  return items.length === 0 ? `'[]'::JSON` : `CAST('[' || ${items.join(` || ',' || `)} || ']' AS JSON)`
}

const jsonObject: SqlWriter = call => {
  const parts = presentArguments(call)
  const [keys, values] = parts
  if (keys && values && parts.length === 2 && keys.type.kind === 'ARRAY') {
    const element = values.type.kind === 'ARRAY' ? values.type.element : values.type
    const texts = `list_transform(${values.sql}, lambda value$: ${jsonTextSql('value$', element, { target: 'value' }, 1)})`
    return `CAST(bq_json_object(CAST(${keys.sql} AS VARCHAR[]), ${texts}, ${values.sql} IS NULL) AS JSON)`
  }
  if (parts.length === 0) return `'{}'::JSON`
  const names = parts.filter((_, i) => i % 2 === 0).map(({ sql }) => `CAST(${sql} AS VARCHAR)`)
  const texts = parts.filter((_, i) => i % 2 === 1).map(valueText)
  return `CAST(bq_json_object([${names.join(', ')}], [${texts.join(', ')}], false) AS JSON)`
}

/**
 * Writes one call for each pair of a path and a value, where each call edits the result of the previous one. The last argument
 * is a flag.
 */
const editPairs =
  (name: string): SqlWriter =>
  ({ sql, args }) => {
    const flag = sql.at(-1) ?? 'true'
    let document = textOf(sql[0]!)
    const last = args.length - 1
    for (let i = 1; i + 1 < last && args[i]; i += 2) {
      const value = args[i + 1]!
      // A path that is an untyped NULL has the type INT64.
      const path = args[i]!.type.kind === 'STRING' ? sql[i]! : 'NULL::VARCHAR'
      // JSON_ARRAY_APPEND and JSON_ARRAY_INSERT read the flag only for arrays, but a NULL flag leaves the document as it is for any value.
      const ownFlag = name === 'bq_json_set' || value.type.kind === 'ARRAY' ? flag : `if(${flag} IS NULL, NULL, false)`
      document = `${name}(${document}, ${path}, ${valueText({ sql: sql[i + 1]!, type: value.type })}, ${ownFlag})`
    }
    return `CAST(${document} AS JSON)`
  }

const remove: SqlWriter = call => {
  const paths = presentArguments(call).slice(1)
  return `CAST(${paths.reduce((document, path) => `bq_json_remove(${document}, ${path.sql})`, textOf(call.sql[0]!))} AS JSON)`
}

const stripNulls: SqlWriter = ({ sql: [document, path, arrays, empty] }) =>
  `CAST(bq_json_strip_nulls(${textOf(document!)}, ${path ?? "'$'"}, ${arrays ?? 'true'}, ${empty ?? 'false'}) AS JSON)`

/** Converts each item of a JSON array. */
const convertItems =
  (name: string, isLax: boolean): SqlWriter =>
  ({ sql: [document, mode] }) => {
    const items = isLax ? `bq_json_items(${textOf(document!)})` : `bq_json_items_strict(${textOf(document!)})`
    return `list_transform(${items}, lambda item$: ${name}(item$${name === 'bq_json_float64' ? `, ${mode ?? "'round'"}` : ''}))`
  }

const laxWriters = (kind: string): SqlWriters => ({
  [`LAX_${kind}`]: ({ sql: [document] }) => `bq_json_lax_${kind.toLowerCase()}(${textOf(document!)})`,
  [`LAX_${kind}_ARRAY`]: convertItems(`bq_json_lax_${kind.toLowerCase()}`, true),
})

/** STRING(json), one of the signatures of STRING. */
export const jsonString: SqlWriter = ({ sql: [document] }) => `bq_string_of_json(${document})`

export const JSON_WRITERS: SqlWriters = {
  JSON_VALUE: extract('bq_json_value', 'standard'),
  JSON_QUERY: extract('bq_json_query', 'standard'),
  JSON_VALUE_ARRAY: extractArray('bq_json_value_array', 'standard'),
  JSON_QUERY_ARRAY: extractArray('bq_json_query_array', 'standard'),
  JSON_EXTRACT: extract('bq_json_query', 'legacy'),
  JSON_EXTRACT_SCALAR: extract('bq_json_value', 'legacy'),
  JSON_EXTRACT_ARRAY: extractArray('bq_json_query_array', 'legacy'),
  JSON_EXTRACT_STRING_ARRAY: extractArray('bq_json_value_array', 'legacy'),
  $json_field: member,
  $subscript_json: subscript,
  TO_JSON: toJson,
  TO_JSON_STRING: toJsonString,
  PARSE_JSON: ({ sql: [text, mode] }) => `CAST(bq_json_parse(${text}, ${mode ?? "'exact'"}) AS JSON)`,
  JSON_TYPE: ({ sql: [document] }) => `bq_json_type(${document})`,
  JSON_KEYS: ({ sql: [document, depth, mode], args }) =>
    `bq_json_keys(${textOf(document!)}, ${args[1] ? depth : 'NULL::BIGINT'}, ${mode ?? "'strict'"})`,
  JSON_ARRAY: jsonArray,
  JSON_OBJECT: jsonObject,
  JSON_SET: editPairs('bq_json_set'),
  JSON_ARRAY_APPEND: editPairs('bq_json_append'),
  JSON_ARRAY_INSERT: editPairs('bq_json_insert'),
  JSON_REMOVE: remove,
  JSON_STRIP_NULLS: stripNulls,
  JSON_CONTAINS: ({ sql: [whole, part] }) => `bq_json_contains(${textOf(whole!)}, ${textOf(part!)})`,
  JSON_FLATTEN: ({ sql: [document] }) => `CAST(bq_json_flatten(${textOf(document!)}) AS JSON[])`,
  BOOL: ({ sql: [document] }) => `bq_json_bool(${textOf(document!)})`,
  BOOL_ARRAY: convertItems('bq_json_bool', false),
  INT64: ({ sql: [document] }) => `bq_int64_of_json(${document})`,
  INT64_ARRAY: convertItems('bq_json_int64', false),
  FLOAT64: ({ sql: [document, mode] }) => `bq_json_float64(${textOf(document!)}, ${mode ?? "'round'"})`,
  FLOAT64_ARRAY: convertItems('bq_json_float64', false),
  STRING_ARRAY: convertItems('bq_json_string', false),
  ...laxWriters('BOOL'),
  ...laxWriters('INT64'),
  ...laxWriters('FLOAT64'),
  ...laxWriters('STRING'),
}
