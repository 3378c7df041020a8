/**
 * DuckDB SQL of regular expressions. DuckDB has RE2, as BigQuery does. A literal pattern is read here, so that the plain
 * DuckDB function can be used wherever its result is the same.
 */
import { literalText } from '../../googlesql/functions/definitions/json.js'
import type { Expr } from '../../googlesql/plan/nodes.js'
import { quoteText } from '../emit/quote.js'
import type { SqlWriters, WriterCall } from './function-sql.js'
import {
  MORE_THAN_ONE_GROUP,
  mayMatchEmpty,
  type ReadPattern,
  readPattern,
  rewriteError,
} from './regexp/re2-pattern.js'

/** The value of an integer literal; null for any other expression. */
export function literalInteger(expr: Expr | null | undefined): bigint | null {
  return expr?.kind === 'literal' && expr.type.kind === 'INT64' && expr.value !== null
    ? BigInt(String(expr.value))
    : null
}

const raise = (message: string, type: string): string => `CAST(bq_raise(${quoteText(message)}) AS ${type})`
const parseError = (error: string): string => `Cannot parse regular expression: ${error}`

/** Whether the call is on BYTES, which are matched as text with code points 0 to 255. */
const isBytes = (call: WriterCall): boolean => call.args[0]!.type.kind === 'BYTES'
const text = (call: WriterCall): string => (isBytes(call) ? `bq_latin1(${call.sql[0]})` : call.sql[0]!)
const pattern = (call: WriterCall): string => (isBytes(call) ? `bq_latin1_pattern(${call.sql[1]})` : call.sql[1]!)

/** The text, with a test that the pattern is not too large for it. A literal needs no test: the author wrote it. */
const subject = (call: WriterCall): string =>
  literalText(call.args[1]) === null ? `bq_re_subject(${text(call)}, ${pattern(call)})` : text(call)

const literalPattern = (call: WriterCall): ReadPattern | null => {
  const text = literalText(call.args[1])
  return text === null ? null : readPattern(text)
}

function contains(call: WriterCall): string {
  const literal = literalPattern(call)
  if (literal && literal.error !== null) return raise(parseError(literal.error), 'BOOLEAN')
  return `bq_re_contains(${subject(call)}, ${pattern(call)})`
}

function extract(call: WriterCall): string {
  const result = extractText(call)
  return isBytes(call) ? `bq_from_latin1(${result})` : result
}
function extractText(call: WriterCall): string {
  const [, , position, occurrence] = call.sql
  const literal = literalPattern(call)
  if (literal && literal.error !== null) return raise(parseError(literal.error), 'VARCHAR')
  if (literal && literal.groups > 1) return raise(MORE_THAN_ONE_GROUP, 'VARCHAR')
  const isFirst = isOne(call.args[2], position) && isOne(call.args[3], occurrence)
  // regexp_extract would return an empty text where nothing matches, and where the group took no part in the match. The first element of
  // all matches is NULL in both cases. With \B, DuckDB may find an empty match between the bytes of a character: an internal error.
  if (isFirst && literal && !literalText(call.args[1])!.includes('\\B'))
    return `list_extract(regexp_extract_all(${subject(call)}, ${pattern(call)}, ${literal.groups}), 1)`
  return `bq_regexp_nth(${subject(call)}, ${isBytes(call)}, ${pattern(call)}, ${position ?? '1'}, ${occurrence ?? '1'})`
}

const isOne = (arg: Expr | null | undefined, sql: string | null | undefined): boolean =>
  sql === null || sql === undefined || literalInteger(arg) === 1n

function extractAll(call: WriterCall): string {
  const text = extractAllText(call)
  return isBytes(call) ? `list_transform(${text}, lambda v$: bq_bytes_of_latin1(v$))` : text
}
function extractAllText(call: WriterCall): string {
  const literal = literalPattern(call)
  if (literal && literal.error !== null) return raise(parseError(literal.error), 'VARCHAR[]')
  if (literal && literal.groups > 1) return raise(MORE_THAN_ONE_GROUP, 'VARCHAR[]')
  const isPlain = literal !== null && !mayMatchEmpty(literalText(call.args[1])!)
  if (isPlain && literal.groups === 0) return `regexp_extract_all(${subject(call)}, ${pattern(call)}, 0)`
  const matches = isPlain
    ? `regexp_extract_all(${subject(call)}, ${pattern(call)}, 1)`
    : `bq_re_all(${subject(call)}, ${pattern(call)})`
  return `list_transform(${matches}, lambda v$: coalesce(v$, ''))`
}

function instr(call: WriterCall): string {
  const [, , position, occurrence, returnsEnd] = call.sql
  return `bq_regexp_instr(${subject(call)}, ${isBytes(call)}, ${pattern(call)}, ${position ?? '1'}, ${occurrence ?? '1'}, ${returnsEnd ?? '0'})`
}

function replace(call: WriterCall): string {
  const literal = literalPattern(call)
  if (literal && literal.error !== null) return raise(parseError(literal.error), 'VARCHAR')
  const replacement = literalText(call.args[2])
  if (literal && replacement !== null) {
    const problem = rewriteError(replacement, literal.groups)
    if (problem !== null) return raise(`Invalid REGEXP_REPLACE pattern: ${problem}`, 'VARCHAR')
    return `regexp_replace(${subject(call)}, ${pattern(call)}, ${call.sql[2]}, 'g')`
  }
  const replacementSql = isBytes(call) ? `bq_latin1(${call.sql[2]})` : call.sql[2]!
  const replaced = `bq_regexp_replace(${text(call)}, ${subject(call)}, ${pattern(call)}, ${replacementSql})`
  return isBytes(call) ? `bq_from_latin1(${replaced})` : replaced
}

export const REGEXP_WRITERS: SqlWriters = {
  REGEXP_CONTAINS: contains,
  REGEXP_EXTRACT: extract,
  REGEXP_EXTRACT_ALL: extractAll,
  REGEXP_INSTR: instr,
  REGEXP_REPLACE: replace,
}
