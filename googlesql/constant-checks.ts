/**
 * Finds constants with which a call always fails: the names of time zones, regular expressions, patterns of FORMAT, and calls
 * and casts of literals. BigQuery reports them when the query runs; an author wants to know them before.
 */
import { constantCalls } from './constant-calls.js'
import type { Expr, LiteralExpr, ResolvedQuery } from './plan/nodes.js'
import { visitScan } from './plan/walk.js'
import { nearest } from './suggest.js'
import { shortTypeName } from './types/types.js'
import { ZONE_OFFSET, zoneOffset } from './values/time-zone.js'
import { TIME_ZONE_NAMES } from './values/time-zone-names.js'

export interface ConstantChecks {
  /** Constants that are wrong, with their offsets in the text. */
  readonly mistakes: readonly { readonly at: number; readonly message: string }[]
  /** Queries without tables. Each fails if the constant at its offset is wrong. */
  readonly probes: readonly { readonly at: number; readonly sql: string }[]
}

/** The index of the argument that is the name of a time zone if its type is STRING, by function. */
const ZONE_ARGUMENT: Readonly<Record<string, number>> = {
  $extract: 2,
  DATE: 1,
  DATETIME: 1,
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
export function constantChecks({ scan }: ResolvedQuery): ConstantChecks {
  const mistakes: { at: number; message: string }[] = []
  const probes: { at: number; sql: string }[] = []
  const checkZone = (zone: Expr | null | undefined): void => {
    if (!isText(zone) || ZONE_OFFSET.test(zone.value) || zoneOffset(zone.value) !== null) return
    mistakes.push({ at: zone.at, message: `Invalid time zone: ${zone.value}${meantZone(zone.value)}` })
  }
  visitScan(scan, expr => {
    if (expr.kind === 'cast' && !expr.isSafe) checkZone(expr.timeZone)
    if (expr.kind !== 'call' || expr.isSafe) return
    const { name, arguments: args } = expr
    if (Object.hasOwn(ZONE_ARGUMENT, name)) checkZone(args[ZONE_ARGUMENT[name]!])
    const probe =
      name === 'FORMAT'
        ? formatProbe(args)
        : name.startsWith('REGEXP_')
          ? regexpProbe(name, args)
          : timeProbe(name, args)
    if (probe !== null) probes.push(probe)
  })
  return { mistakes, probes: [...probes, ...constantCalls(scan)] }
}

function meantZone(name: string): string {
  const meant = nearest(name, TIME_ZONE_NAMES)
  return meant === undefined ? '' : `; Did you mean ${meant}?`
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

/** The JSON text of a string is also a GoogleSQL literal. */
const quoted = (text: string): string => JSON.stringify(text)

/** FORMAT tests its pattern against the types of its arguments even where these are NULL. */
function formatProbe([pattern, ...rest]: readonly (Expr | null)[]) {
  if (!isText(pattern)) return null
  const values = rest.map(value => (value === null ? 'NULL' : `CAST(NULL AS ${shortTypeName(value.type)})`))
  const isWritten = rest.every(value => value !== null && !['ARRAY', 'STRUCT'].includes(value.type.kind))
  return isWritten ? { at: pattern.at, sql: `SELECT FORMAT(${[quoted(pattern.value), ...values].join(', ')})` } : null
}

/** FORMAT_DATE and the other format functions refuse a wrong pattern for every value. */
function timeProbe(name: string, [pattern, value]: readonly (Expr | null)[]) {
  const type = /^FORMAT_(DATE|DATETIME|TIME|TIMESTAMP)$/.exec(name)?.[1]
  if (type === undefined || !isText(pattern) || value?.kind === 'literal') return null
  const example = type === 'TIME' ? "'12:34:56'" : "'2001-02-03'"
  return { at: pattern.at, sql: `SELECT ${name}(${quoted(pattern.value)}, ${type} ${example})` }
}

function regexpProbe(name: string, [, pattern, replacement]: readonly (Expr | null)[]) {
  if (!isText(pattern)) return null
  if (name === 'REGEXP_REPLACE' && isText(replacement)) {
    const texts = [pattern, replacement].map(({ value }) => quoted(value)).join(', ')
    return { at: pattern.at, sql: `SELECT REGEXP_REPLACE('', ${texts})` }
  }
  const test = name === 'REGEXP_EXTRACT' || name === 'REGEXP_EXTRACT_ALL' ? name : 'REGEXP_CONTAINS'
  return { at: pattern.at, sql: `SELECT ${test}('', ${quoted(pattern.value)})` }
}
