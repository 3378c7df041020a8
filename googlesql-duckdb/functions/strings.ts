/** DuckDB SQL of functions on STRING and BYTES. */
import { literalText } from '../../googlesql/functions/definitions/json.js'
import { isNullLiteral } from '../../googlesql/plan/walk.js'
import { STRING, type StructType, type Type } from '../../googlesql/types/types.js'
import { castSql } from '../emit/expressions/cast.js'
import { quoteText } from '../emit/quote.js'
import { fieldNames } from '../emit/type.js'
import { concatSql } from './concat.js'
import { callTo, PLAIN, type SqlWriter, SqlWriterError, type SqlWriters, type WriterCall } from './function-sql.js'
import { literalInteger } from './regexp.js'

const isBytes = (call: WriterCall): boolean => call.args[0]!.type.kind === 'BYTES'

/** A function with one name for STRING and another for BYTES, called with the arguments that are present. */
const textOrBytes =
  (text: string, bytes: string): SqlWriter =>
  call =>
    callTo(isBytes(call) ? bytes : text)(call)

/**
 * Makes a writer for STRING work for BYTES, too: BYTES become a text whose characters are the bytes, and a text in the result becomes BYTES
 * again.
 */
const onBytes =
  (write: SqlWriter): SqlWriter =>
  call => {
    if (!isBytes(call)) return write(call)
    const texts = call.sql.map((sql, i) => {
      if (sql === null || literalInteger(call.args[i]) !== null) return sql
      return `${call.args[i]!.type.kind === 'BYTES' ? 'bq_latin1' : 'bq_place'}(${sql})`
    })
    const result = write({ ...call, sql: texts })
    if (call.type.kind === 'ARRAY' && call.type.element.kind === 'BYTES')
      return `list_transform(${result}, lambda v$: bq_from_latin1(v$))`
    return call.type.kind === 'BYTES' ? `bq_from_latin1(${result})` : result
  }
const callOnBytes = (name: string): SqlWriter => onBytes(callTo(name))

/** The characters with Unicode's property White_Space. */
const WHITE_SPACE = quoteText(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
)
const trim = (name: string): SqlWriter => onBytes(({ sql }) => `${name}(${sql[0]}, ${sql[1] ?? WHITE_SPACE})`)

/** The greatest text length and position that DuckDB accepts. */
const MAX_LENGTH = 4294967295n
const clamp = (value: bigint): bigint => (value > MAX_LENGTH ? MAX_LENGTH : value < -MAX_LENGTH ? -MAX_LENGTH : value)

function substr(call: WriterCall): string {
  const [value, start, length] = call.sql
  const literalStart = literalInteger(call.args[1])
  const literalLength = literalInteger(call.args[2])
  const from = literalStart === null ? `substr(${value}, ${start})` : `substr(${value}, ${clamp(literalStart)})`
  if (length === null || length === undefined) return from
  if (literalLength === null || literalLength < 0n) return `bq_substr(${value}, ${start}, ${length})`
  if (literalStart !== null && literalStart > 0n && literalStart < 2147483648n) {
    return `substr(${value}, ${literalStart}, ${literalLength < 2147483648n ? literalLength : 2147483647n})`
  }
  return `substr(${from}, 1, ${clamp(literalLength)})`
}

const side = (name: 'left' | 'right'): SqlWriter =>
  onBytes(({ sql: [value, count], args }) => {
    const literalCount = literalInteger(args[1])
    return literalCount === null || literalCount < 0n
      ? `bq_${name}(${value}, ${count})`
      : `"${name}"(${value}, ${clamp(literalCount)})`
  })

const pad = (name: 'lpad' | 'rpad'): SqlWriter =>
  onBytes(({ sql: [value, size, pattern], args }) => {
    const literalSize = literalInteger(args[1])
    const literalPattern = pattern === null || pattern === undefined ? ' ' : literalText(args[2])
    // A result of this length cannot exceed the language's limit of 1 MB.
    const isPlain =
      literalSize !== null &&
      literalSize >= 0n &&
      literalSize <= 250_000n &&
      literalPattern !== null &&
      literalPattern !== ''
    return isPlain
      ? `${name}(${value}, ${literalSize}, ${quoteText(literalPattern)})`
      : `bq_${name}(${value}, ${size}, ${pattern ?? "' '"})`
  })

function replace(call: WriterCall): string {
  const [part, by] = [literalText(call.args[1]), literalText(call.args[2])]
  // A replacement that makes the text much longer must be compared with the limit of 1 MB before it is computed.
  const isPlain = part !== null && part !== '' && by !== null && Buffer.byteLength(by) <= 8 * Buffer.byteLength(part)
  return callTo(isPlain ? 'replace' : 'bq_replace')(call)
}

function split(call: WriterCall): string {
  const [text, delimiter = null] = call.sql
  const parts = `string_split(${text}, ${delimiter ?? "','"})`
  // For a NULL delimiter DuckDB returns the whole text.
  const isNeverNull = delimiter === null || literalText(call.args[1]) !== null
  return isNeverNull ? parts : `(CASE WHEN ${delimiter} IS NOT NULL THEN ${parts} END)`
}

const instr = onBytes(({ sql: [value, part, at, n] }) =>
  at === null && n === null ? `strpos(${value}, ${part})` : `bq_instr(${value}, ${part}, ${at ?? '1'}, ${n ?? '1'})`,
)

/** CONCAT. DuckDB's own concat() is not used, since it ignores NULLs. */
function concat(call: WriterCall): string {
  const [only] = call.sql
  if (call.sql.length > 1) return concatSql(call.sql, call.args, call.type)
  return call.type.kind === 'STRING' ? castSql(only!, call.args[0]!.type, STRING) : only!
}

/** The SQL of a part as a VARCHAR; null for an ARRAY or a STRUCT whose own parts are encoded. */
type PartSql = (sql: string, type: Type) => string | null

/** The value in the encoding that FORMAT, CONTAINS_SUBSTR and SEARCH read. */
export function encodedSql(sql: string, type: Type, part: PartSql, depth = 0): string {
  const partSql = part(sql, type)
  if (partSql !== null) return partSql
  if (type.kind !== 'ARRAY') return encodedStructSql(sql, type as StructType, part, depth)
  const name = `f${depth}$`
  return `CAST(to_json(list_transform(${sql}, lambda ${name}: ${encodedSql(name, type.element, part, depth + 1)})) AS VARCHAR)`
}

function encodedStructSql(sql: string, type: StructType, part: PartSql, depth: number): string {
  const names = fieldNames(type)
  const fields = type.fields.map((field, index) =>
    encodedSql(`struct_extract(${sql}, ${quoteText(names[index]!)})`, field.type, part, depth),
  )
  return `CASE WHEN ${sql} IS NOT NULL THEN CAST(to_json([${fields.join(', ')}]::VARCHAR[]) AS VARCHAR) END`
}

const partTextSql: PartSql = (sql, type) => {
  switch (type.kind) {
    case 'ARRAY':
    case 'STRUCT':
      return null
    case 'STRING':
      return sql
    case 'FLOAT64':
    case 'JSON':
      return `CAST(${sql} AS VARCHAR)`
    case 'BYTES':
      return `to_hex(${sql})`
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      throw new SqlWriterError(`FORMAT of ${type.kind} is not supported by the embedded engine`)
    default:
      return castSql(sql, type, STRING)
  }
}

function format(call: WriterCall): string {
  const types = call.args.slice(1).map(arg => arg!.type)
  const values = call.sql
    .slice(1)
    .map((sql, index) =>
      isNullLiteral(call.args[index + 1]) ? 'NULL::VARCHAR' : encodedSql(sql!, types[index]!, partTextSql),
    )
  return `bq_format(${call.sql[0]}, ${quoteText(JSON.stringify(types))}, [${values.join(', ')}]::VARCHAR[])`
}

function containsSubstr({ sql: [value, part], args }: WriterCall): string {
  const { type } = args[0]!
  if (type.kind === 'STRING') return `CAST(bq_raise_refusal(bq_contains_substr(${value}, ${part})) AS BOOLEAN)`
  return `CAST(bq_raise_refusal(bq_value_contains_substr(${encodedSql(value!, type, partTextSql)},
    ${quoteText(JSON.stringify(type))}, ${part})) AS BOOLEAN)`
}

export const STRING_WRITERS: SqlWriters = {
  ASCII: onBytes(call => callTo(isBytes(call) ? 'bq_unicode' : 'bq_ascii')(call)),
  BYTE_LENGTH: textOrBytes('strlen', 'octet_length'),
  CHAR_LENGTH: callTo('length'),
  CHR: callTo('bq_chr'),
  CODE_POINTS_TO_BYTES: callTo('bq_code_points_to_bytes'),
  CODE_POINTS_TO_STRING: callTo('bq_code_points_to_string'),
  CONCAT: concat,
  CONTAINS_SUBSTR: { ...PLAIN, write: containsSubstr, isNullFor: 'first' },
  EDIT_DISTANCE: onBytes(({ sql: [a, b, max] }) => `bq_edit_distance(${a}, ${b}, ${max ?? '9223372036854775807'})`),
  ENDS_WITH: callOnBytes('suffix'),
  FORMAT: format,
  FROM_BASE32: callTo('bq_from_base32'),
  FROM_BASE64: callTo('bq_from_base64'),
  FROM_HEX: callTo('bq_from_hex'),
  INITCAP: call => callTo(call.sql[1] === null ? 'bq_initcap_default' : 'bq_initcap')(call),
  INSTR: instr,
  LEFT: side('left'),
  LENGTH: textOrBytes('length', 'octet_length'),
  LOWER: textOrBytes('bq_lower', 'bq_bytes_lower'),
  LPAD: pad('lpad'),
  LTRIM: trim('ltrim'),
  NORMALIZE: call => `bq_raise_refusal(bq_normalize(${call.sql[0]}, '${call.sql[1] ?? 'NFC'}'))`,
  NORMALIZE_AND_CASEFOLD: call => `bq_raise_refusal(bq_normalize_fold(${call.sql[0]}, '${call.sql[1] ?? 'NFC'}'))`,
  REPEAT: callOnBytes('bq_repeat'),
  REPLACE: onBytes(replace),
  REVERSE: callOnBytes('bq_reverse'),
  RIGHT: side('right'),
  RPAD: pad('rpad'),
  RTRIM: trim('rtrim'),
  SAFE_CONVERT_BYTES_TO_STRING: callTo('bq_safe_bytes_to_string'),
  SOUNDEX: callTo('bq_soundex'),
  SPLIT: onBytes(split),
  STARTS_WITH: callOnBytes('starts_with'),
  STRPOS: instr,
  SUBSTR: onBytes(substr),
  TO_BASE32: callTo('bq_to_base32'),
  TO_BASE64: callTo('to_base64'),
  TO_CODE_POINTS: callOnBytes('bq_to_code_points'),
  TO_HEX: call => `lower(to_hex(${call.sql[0]}))`,
  TRANSLATE: callOnBytes('bq_translate'),
  TRIM: trim('trim'),
  UNICODE: callTo('bq_unicode'),
  UPPER: textOrBytes('bq_upper', 'bq_bytes_upper'),
}
