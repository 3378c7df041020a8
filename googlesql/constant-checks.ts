/**
 * Finds constants, and expressions of parameters and constants, with which a call always fails: the names of time zones,
 * regular expressions, patterns of FORMAT, and calls and casts of literals. BigQuery reports them when the query runs; an
 * author wants to know them before.
 */
import { type ConstantCall, constantCalls } from './constant-calls.js'
import { proposing, type SqlMistake } from './mistakes.js'
import type { Expr, LiteralExpr, ResolvedQuery } from './plan/nodes.js'
import { visitScan } from './plan/walk.js'
import { nearest } from './suggest.js'
import { shortTypeName } from './types/types.js'
import { ZONE_OFFSET, zoneOffset } from './values/time-zone.js'
import { TIME_ZONE_NAMES } from './values/time-zone-names.js'
import { LIKE, type WrittenConstant, writeConstant } from './write-constant.js'

export type ConstantChecks = ReturnType<typeof constantChecks>

export interface WrongConstant {
  readonly at: number
  readonly reason: string
  readonly mistake: SqlMistake
}

/** The index of the argument that is the name of a time zone if its type is STRING, by function. */
const ZONE_ARGUMENT: Readonly<Record<string, number>> = {
  $extract: 2,
  DATE: 1,
  DATETIME: 1,
  DATETIME_TRUNC: 2,
  DATE_TRUNC: 2,
  FORMAT_DATE: 2,
  FORMAT_DATETIME: 2,
  FORMAT_TIMESTAMP: 2,
  PARSE_TIMESTAMP: 2,
  STRING: 1,
  TIME: 1,
  TIMESTAMP: 1,
  TIMESTAMP_TRUNC: 2,
}

/**
 * The constants of a resolved query. A failed call with the prefix `SAFE.` is NULL and not an error, so its constants are not
 * checked.
 */
export function constantChecks({ scan }: ResolvedQuery) {
  /** Constants that are wrong, with their offsets in the text. */
  const mistakes: WrongConstant[] = []
  /** Queries without tables. Each fails if the constant at its offset is wrong, or its parameters have wrong arguments. */
  const probes: ConstantCall[] = []
  const checkZone = (zone: Expr | null | undefined): void => {
    if (isText(zone)) {
      if (ZONE_OFFSET.test(zone.value) || zoneOffset(zone.value) !== null) return
      const near = proposing(nearest(zone.value, TIME_ZONE_NAMES))
      const reason = `Invalid time zone: ${zone.value}${near.hint ?? ''}`
      mistakes.push({ at: zone.at, reason, mistake: { code: 'unknown-zone', ...near } })
    } else {
      const written = writtenText(zone)
      const sql = written && `SELECT DATETIME(TIMESTAMP '2001-02-03 00:00:00+00', ${written.sql})`
      if (written) probes.push({ ...written, at: zone!.at, sql: sql!, detail: 'is not a time zone' })
    }
  }
  visitScan(scan, expr => {
    if (expr.kind === 'cast' && !expr.isSafe) checkZone(expr.timeZone)
    if (expr.kind !== 'call' || expr.isSafe) return
    const { name, arguments: args } = expr
    if (Object.hasOwn(ZONE_ARGUMENT, name)) checkZone(args[ZONE_ARGUMENT[name]!])
    probes.push(...patternProbes(name, args))
    if (Object.hasOwn(LIKE, name)) probes.push(...likeProbes(name, args))
  })
  return { mistakes, probes: [...probes, ...constantCalls(scan)] }
}

/** The names of the parameters that are given as time zones. */
export function zoneParameters({ scan }: ResolvedQuery): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (zone: Expr | null | undefined): void => void (zone?.kind === 'parameter' && names.add(zone.name))
  visitScan(scan, expr => {
    if (expr.kind === 'cast') add(expr.timeZone)
    if (expr.kind === 'call' && Object.hasOwn(ZONE_ARGUMENT, expr.name)) {
      const zone = expr.arguments[ZONE_ARGUMENT[expr.name]!]
      if (zone?.type.kind === 'STRING') add(zone)
    }
  })
  return names
}

type TextLiteral = LiteralExpr & { readonly value: string }

const isText = (expr: Expr | null | undefined): expr is TextLiteral =>
  expr?.kind === 'literal' && expr.type.kind === 'STRING' && typeof expr.value === 'string'

/** A text as SQL: a literal, or an expression of parameters and constants. Null for any other expression. */
function writtenText(expr: Expr | null | undefined): WrittenConstant | null {
  const written = expr?.type.kind === 'STRING' ? writeConstant(expr) : null
  return written && (isText(expr) || written.parameters.length > 0) ? written : null
}

/** A regular expression as SQL; those of BYTES are not read before the query runs. */
function writtenPattern(pattern: Expr | null | undefined): WrittenConstant | null {
  const written = pattern?.type.kind === 'BYTES' ? writeConstant(pattern) : writtenText(pattern)
  return written && (isText(pattern) || written.parameters.length > 0) ? written : null
}

type Arguments = readonly (Expr | null)[]

/** Tests the pattern, format or paths of a call whatever the other arguments are. */
function patternProbes(name: string, args: Arguments): readonly ConstantCall[] {
  const [kind, first, detail] = patternOf(name)
  const every = CHANGES_PATHS[name] ?? args.length
  return args.flatMap((pattern, index) => {
    const isPattern = kind !== null && index >= first && (index - first) % every === 0
    const written = isPattern ? (kind === 'regexp' ? writtenPattern(pattern) : writtenText(pattern)) : null
    const sql = written && PROBES[kind!](name, written.sql, args)
    return sql ? [{ at: pattern!.at, sql: `SELECT ${sql}`, parameters: written!.parameters, detail }] : []
  })
}

/** Tests each pattern of a LIKE whatever the text is. */
function likeProbes(name: string, [operand, ...patterns]: Arguments): readonly ConstantCall[] {
  return patterns.flatMap(pattern => {
    const written = pattern && writeConstant(pattern)
    if (!written || (written.parameters.length === 0 && !isText(pattern))) return []
    const operator = pattern!.type.kind === 'ARRAY' ? name : '$like'
    const sql = `SELECT CAST('' AS ${shortTypeName(operand!.type)}) ${LIKE[operator]!(written.sql)}`
    return [{ at: pattern!.at, sql, parameters: written.parameters, detail: 'is not a pattern for LIKE' }]
  })
}

type PatternKind = keyof typeof PROBES

/** The kind of the function's pattern, the index of the first, and what an error says about a wrong pattern. */
function patternOf(name: string): readonly [kind: PatternKind | null, index: number, detail: string] {
  if (name === 'FORMAT') return ['format', 0, 'is not a format for FORMAT']
  if (name.startsWith('REGEXP_')) return ['regexp', 1, 'is not a regular expression that the query can use']
  if (name.startsWith('JSON_')) return ['path', 1, 'is not a JSONPath']
  if (Object.hasOwn(TIME_EXAMPLES, name)) return ['time', 0, `is not a format for ${name}`]
  return [null, 0, '']
}

const TIME_EXAMPLES: Readonly<Record<string, string>> = {
  FORMAT_DATE: "DATE '2001-02-03'",
  FORMAT_DATETIME: "DATETIME '2001-02-03'",
  FORMAT_TIME: "TIME '12:34:56'",
  FORMAT_TIMESTAMP: "TIMESTAMP '2001-02-03'",
}

/** The functions that take a path as their second argument. */
const WITH_PATH = new Set(
  'JSON_EXTRACT JSON_EXTRACT_ARRAY JSON_EXTRACT_SCALAR JSON_EXTRACT_STRING_ARRAY JSON_QUERY JSON_QUERY_ARRAY JSON_VALUE JSON_VALUE_ARRAY'.split(
    ' ',
  ),
)

/** The functions that change the values at paths, from their second argument on, with the distance from one path to the next. */
const CHANGES_PATHS: Readonly<Record<string, number>> = {
  JSON_ARRAY_APPEND: 2,
  JSON_ARRAY_INSERT: 2,
  JSON_REMOVE: 1,
  JSON_SET: 2,
  JSON_STRIP_NULLS: Number.POSITIVE_INFINITY,
}

const PROBES = {
  /** FORMAT tests its pattern against the types of its arguments even where these are NULL. */
  format(_name: string, pattern: string, [, ...rest]: Arguments): string | null {
    const values = rest.map(value => (value === null ? 'NULL' : `CAST(NULL AS ${shortTypeName(value.type)})`))
    const isWritten = rest.every(value => value !== null && !shortTypeName(value.type).includes('STRUCT'))
    return isWritten ? `FORMAT(${[pattern, ...values].join(', ')})` : null
  },
  /** FORMAT_DATE and the other format functions refuse a wrong pattern for every value. */
  time(name: string, pattern: string, [, value]: Arguments): string | null {
    return value?.kind === 'literal' ? null : `${name}(${pattern}, ${TIME_EXAMPLES[name]})`
  },
  regexp(name: string, pattern: string, [text, , replacement]: Arguments): string {
    const empty = text?.type.kind === 'BYTES' ? "b''" : "''"
    if (name === 'REGEXP_REPLACE' && isText(replacement)) {
      return `REGEXP_REPLACE(${empty}, ${pattern}, ${writeConstant(replacement)!.sql})`
    }
    const test = name === 'REGEXP_EXTRACT' || name === 'REGEXP_EXTRACT_ALL' ? name : 'REGEXP_CONTAINS'
    return `${test}(${empty}, ${pattern})`
  },
  path(name: string, path: string, [document]: Arguments): string | null {
    if (name === 'JSON_REMOVE') return `JSON_REMOVE(JSON '{}', ${path})`
    if (Object.hasOwn(CHANGES_PATHS, name)) return `JSON_SET(JSON '{}', ${path}, 1)`
    // A path of JSON_QUERY may be lax in a JSON, and not in a STRING.
    return WITH_PATH.has(name) ? `${name}(${document?.type.kind === 'JSON' ? 'JSON ' : ''}'{}', ${path})` : null
  },
} as const
