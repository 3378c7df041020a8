/**
 * Calls and casts with examples in place of the arguments that are not constant. They fail where the constant arguments are refused
 * whatever the others are: a step of zero, a negative length, a format that no text matches.
 */
import type { CallExpr, CastExpr, Expr } from './plan/nodes.js'
import { shortTypeName } from './types/types.js'
import { type WrittenConstant, writeConstant } from './write-constant.js'

/** The numbers of a day and of a time have two digits: what a format writes of them, it can read again without spaces. */
const EXAMPLES: Readonly<Record<string, string>> = {
  BIGNUMERIC: "BIGNUMERIC '1'",
  BYTES: "b'a'",
  DATE: "DATE '2001-12-23'",
  DATETIME: "DATETIME '2001-12-23 11:35:46'",
  FLOAT64: '1e0',
  INT64: '1',
  NUMERIC: "NUMERIC '1'",
  'RANGE<DATE>': "RANGE<DATE> '[2001-12-23, 2001-12-24)'",
  'RANGE<DATETIME>': "RANGE<DATETIME> '[2001-12-23, 2001-12-24)'",
  'RANGE<TIMESTAMP>': "RANGE<TIMESTAMP> '[2001-12-23, 2001-12-24)'",
  STRING: "'a'",
  TIME: "TIME '11:35:46'",
  TIMESTAMP: "TIMESTAMP '2001-12-23 11:35:46+00'",
}

/** Adds to the first value of the type, or to the last if that fails: what fails for both fails for each between them. */
function shift(name: string, by = '$2'): string {
  const first = "CAST(TIMESTAMP '0001-01-01 00:00:00+00' AS $type)"
  const last = "CAST(TIMESTAMP '9999-12-31 23:59:59.999999+00' AS $type)"
  return `${name}(IF(SAFE.${name}(${first}, ${by}) IS NULL, ${last}, ${first}), ${by})`
}

/**
 * Parses what the format writes: where it cannot read that, it reads no text. The other time has numbers of one digit, since `%G%e` needs
 * the space before them, and as many seconds as `%s` can read. It is written without the modifiers E and O, as in `%Ed`: to write, some
 * elements do not take them.
 */
function parse(type: string, other: string): string {
  const text = `FORMAT_${type}($1, ${EXAMPLES[type]})`
  const otherText = `FORMAT_${type}(REGEXP_REPLACE($1, '%[EO]([A-Za-z])', r'%\\1'), ${type} '${other}')`
  return `PARSE_${type}($1, IF(SAFE.PARSE_${type}($1, ${text}) IS NULL, ${otherText}, ${text}))`
}

/**
 * By function, or by operator or function with the types of its first two arguments: SQL in which $1, $2 and so on stand for the
 * arguments, $type for the type of the first, and $0 for an example of that type.
 */
const PROBES: Readonly<Record<string, readonly string[]>> = {
  $divide: ['1 / $2'],
  $shift_left: ['1 << $2'],
  $shift_right: ['1 >> $2'],
  '$add DATE INT64': [shift('DATE_ADD', 'INTERVAL $2 DAY')],
  '$subtract DATE INT64': [shift('DATE_SUB', 'INTERVAL $2 DAY')],
  ADD_MONTHS: [shift('ADD_MONTHS')],
  CONTAINS_SUBSTR: ["CONTAINS_SUBSTR('a', $2)"],
  'DATE INT64 INT64': ['DATE($1, 1, 1)', 'DATE(2000, $2, 1)', 'DATE(2000, 1, $3)'],
  COSINE_DISTANCE: ['COSINE_DISTANCE($1, $1)', 'COSINE_DISTANCE($2, $2)'],
  DATE_ADD: [shift('DATE_ADD')],
  DATE_BUCKET: ['DATE_BUCKET($0, $2)'],
  DATE_SUB: [shift('DATE_SUB')],
  'DATETIME INT64 INT64': [
    '$1, 1, 1, 0, 0, 0',
    '2000, $2, 1, 0, 0, 0',
    '2000, 1, $3, 0, 0, 0',
    '2000, 1, 1, $4, 0, 0',
    '2000, 1, 1, 0, $5, 0',
    '2000, 1, 1, 0, 0, $6',
  ].map(list => `DATETIME(${list})`),
  DATETIME_ADD: [shift('DATETIME_ADD')],
  DATETIME_BUCKET: ['DATETIME_BUCKET($0, $2)'],
  DATETIME_SUB: [shift('DATETIME_SUB')],
  DIV: ['DIV(1, $2)'],
  EDIT_DISTANCE: ['EDIT_DISTANCE($0, $0, max_distance => $3)'],
  FLOAT64: ["FLOAT64(JSON '1', wide_number_mode => $2)"],
  FLOAT64_ARRAY: ["FLOAT64_ARRAY(JSON '[1]', wide_number_mode => $2)"],
  GENERATE_ARRAY: ['GENERATE_ARRAY(1, 1, $3)'],
  GENERATE_DATE_ARRAY: ['GENERATE_DATE_ARRAY($0, $0, $3)'],
  GENERATE_RANGE_ARRAY: ['GENERATE_RANGE_ARRAY($0, $2)'],
  GENERATE_TIMESTAMP_ARRAY: ['GENERATE_TIMESTAMP_ARRAY($0, $0, $3)'],
  INSTR: ['INSTR($0, $0, $3)', 'INSTR($0, $0, 1, $4)'],
  JSON_KEYS: ["JSON_KEYS(JSON '{}', $2)", "JSON_KEYS(JSON '{}', mode => $3)"],
  LEFT: ['LEFT($0, $2)'],
  LOG: ['LOG($1, 10)', 'LOG(2, $2)'],
  LPAD: ['LPAD($0, $2)', 'LPAD($0, 1, $3)'],
  MAKE_INTERVAL: ['year', 'month', 'day', 'hour', 'minute', 'second'].map(
    (part, i) => `MAKE_INTERVAL(${part} => $${i + 1})`,
  ),
  MOD: ['MOD(1, $2)'],
  'NET.IP_IN_NET': ["NET.IP_IN_NET($1, '::/0')", "NET.IP_IN_NET('::', $2)"],
  'NET.IP_NET_MASK': ['NET.IP_NET_MASK($1, 0)', 'NET.IP_NET_MASK(16, $2)'],
  'NET.IP_TRUNC': ["NET.IP_TRUNC(NET.IP_FROM_STRING('::'), $2)"],
  'NET.MAKE_NET': ['NET.MAKE_NET($1, 0)', "NET.MAKE_NET('::', $2)"],
  NEXT_DAY: ['NEXT_DAY($0, $2)'],
  PARSE_DATE: [parse('DATE', '9001-02-03')],
  PARSE_DATETIME: [parse('DATETIME', '9001-02-03 04:05:06')],
  PARSE_JSON: ["PARSE_JSON('1', wide_number_mode => $2)"],
  PARSE_TIME: [parse('TIME', '04:05:06')],
  PARSE_TIMESTAMP: [parse('TIMESTAMP', '9001-02-03 04:05:06+00')],
  RANGE_BUCKET: ['RANGE_BUCKET($0, $2)'],
  REGEXP_EXTRACT: ['REGEXP_EXTRACT($0, $0, $3)', 'REGEXP_EXTRACT($0, $0, 1, $4)'],
  REGEXP_INSTR: ['REGEXP_INSTR($0, $0, $3)', 'REGEXP_INSTR($0, $0, 1, $4)', 'REGEXP_INSTR($0, $0, 1, 1, $5)'],
  // With ten groups, a replacement that is valid for any pattern is valid.
  REGEXP_REPLACE: ['REGEXP_REPLACE($0, $2, $3)', "REGEXP_REPLACE('', '()()()()()()()()()()', SAFE_CAST($3 AS STRING))"],
  REPEAT: ['REPEAT($0, $2)'],
  RIGHT: ['RIGHT($0, $2)'],
  ROUND: ['ROUND($0, 0, $3)'],
  RPAD: ['RPAD($0, $2)', 'RPAD($0, 1, $3)'],
  SUBSTR: ['SUBSTR($0, 1, $3)'],
  'TIME INT64 INT64': ['TIME($1, 0, 0)', 'TIME(0, $2, 0)', 'TIME(0, 0, $3)'],
  TIMESTAMP_ADD: [shift('TIMESTAMP_ADD')],
  TIMESTAMP_BUCKET: ['TIMESTAMP_BUCKET($0, $2)'],
  TIMESTAMP_SUB: [shift('TIMESTAMP_SUB')],
  TRANSLATE: ['TRANSLATE($0, $2, $2)'],
}

/** The probes of a call or cast that is not constant, each with at least one parameter. */
export function withExamples(expr: CallExpr | CastExpr): readonly WrittenConstant[] {
  const probes = expr.kind === 'call' ? callProbes(expr) : [castProbe(expr)]
  return probes.filter(probe => probe !== null && probe.parameters.length > 0) as WrittenConstant[]
}

function callProbes(call: CallExpr): readonly (WrittenConstant | null)[] {
  const [first, second, ...options] = call.arguments
  // A search query is its own example. Its options decide with it whether it is refused.
  if (call.name === 'SEARCH') return [writeConstant({ ...call, arguments: [second!, second!, ...options] })]
  const probe = call.isSafe ? `SAFE.${call.name}` : call.name
  if (call.name === 'FORMAT') return [formatProbe(call)]
  if (call.name === 'JSON_OBJECT' && first?.type.kind === 'STRING')
    return call.arguments.map((key, i) => (i % 2 === 0 ? written(key, text => `${probe}(${text}, 1)`) : null))
  if (call.name.startsWith('CODE_POINTS_TO_') && first?.kind === 'array')
    return first.items.map(code => written(code, text => `${probe}([${text}])`))
  const typed = `${call.name} ${first?.type.kind} ${second?.type.kind}`
  const probes = PROBES[call.name] ?? PROBES[typed] ?? []
  return probes.map(probe => filledIn(call.isSafe ? `SAFE.${probe}` : probe, call))
}

function written(expr: Expr | null, write: (text: string) => string): WrittenConstant | null {
  const constant = expr && writeConstant(expr)
  return constant && { ...constant, sql: write(constant.sql) }
}

/** FORMAT with its constant arguments, among which may be a width, and with examples of the others. */
function formatProbe({ arguments: args, isSafe }: CallExpr): WrittenConstant | null {
  const constants = args.map(argument => argument && writeConstant(argument))
  if (!constants[0]) return null
  const texts = args.map(
    (argument, i) =>
      constants[i]?.sql ?? EXAMPLES[argument!.type.kind] ?? `CAST(NULL AS ${shortTypeName(argument!.type)})`,
  )
  if (texts.some(text => text.includes('STRUCT'))) return null
  const parameters = new Set(constants.flatMap(constant => constant?.parameters ?? []))
  return { sql: `${isSafe ? 'SAFE.' : ''}FORMAT(${texts.join(', ')})`, parameters: [...parameters] }
}

/** The probe with the arguments of the call in it; null if the call does not have them, or if one is not constant. */
function filledIn(probe: string, call: CallExpr): WrittenConstant | null {
  const parameters = new Set<string>()
  const [first] = call.arguments
  const texts = [...probe.matchAll(PLACE)].map(([, place]) => {
    if (place === 'type') return first!.type.kind
    if (place === '0') return EXAMPLES[first!.type.kind]
    const written = call.arguments[Number(place) - 1] && writeConstant(call.arguments[Number(place) - 1]!)
    for (const name of written?.parameters ?? []) parameters.add(name)
    return written?.sql
  })
  if (texts.some(text => !text)) return null
  return { sql: probe.replace(PLACE, () => texts.shift()!), parameters: [...parameters] }
}

const PLACE = /\$(\d|type)/g

/** A cast from or to an example, whose format decides whether it fails. */
function castProbe({ operand, type, format, isSafe }: CastExpr): WrittenConstant | null {
  const written = format && writeConstant(format)
  if (!written || isSafe) return null
  const { sql, parameters } = written
  // A year with a comma can be read, but not written.
  const readable = `REGEXP_REPLACE(${sql}, '(?i)y,yyy', '"2,001"')`
  const example =
    operand.type.kind !== 'STRING'
      ? EXAMPLES[operand.type.kind]
      : type.kind === 'BYTES'
        ? "''"
        : `CAST(${EXAMPLES[type.kind]} AS STRING FORMAT ${readable})`
  return { sql: `CAST(${example} AS ${type.kind} FORMAT ${sql})`, parameters }
}
