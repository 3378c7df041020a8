/**
 * Calls of the catalogue's functions over columns, and the SQL generated for each, so that tests can verify facts of the
 * catalogue.
 */
import type { FunctionEntry } from '../../googlesql/functions/catalogue.js'
import { signaturesOf } from '../../googlesql/functions/shown-signature.js'
import type { Pattern } from '../../googlesql/functions/signature.js'
import type { AggregateCall, CallExpr, Expr } from '../../googlesql/plan/nodes.js'
import { arrayOf, INT64, STRING, structOf, type Type } from '../../googlesql/types/types.js'
import { floatArithmeticSql, isFloatArithmetic } from '../../googlesql-duckdb/emit/expressions/float-arithmetic.js'
import { AGGREGATE_WRITERS, WRITERS } from '../../googlesql-duckdb/functions/all.js'
import { writerArguments } from '../../googlesql-duckdb/functions/function-sql.js'
import { MACROS } from '../../googlesql-duckdb/runtime/macros/all.js'

export interface CatalogueCall {
  readonly entry: FunctionEntry
  readonly args: readonly (Expr | null)[]
  readonly type: Type
}

/** Calls of the function over columns: for each signature, one with the optional arguments and one without. */
export function callsOf(entry: FunctionEntry): readonly CatalogueCall[] {
  return signaturesOf(entry).flatMap(({ parameters, result }) => {
    const given = parameters.map(({ pattern }) => asWritten(entry, argument(pattern)))
    const required = parameters.flatMap(({ isOptional, isRepeated }, i) => {
      if (!isOptional) return [given[i]!]
      return isRepeated ? [] : [null]
    })
    return [given, required].map(args => ({ entry, args, type: typeOf(result) }))
  })
}

function argument(pattern: Pattern): Expr {
  const type = typeOf(pattern)
  if (pattern.kind === 'part') return { kind: 'word', type, word: 'DAY', at: 0 }
  if (pattern.kind === 'word') return { kind: 'word', type, word: pattern.words[0]!, at: 0 }
  if (pattern.kind !== 'lambda')
    return { kind: 'column', type, column: { id: 0, name: 'x', type }, isCorrelated: false, at: 0 }
  const parameters = pattern.parameters.map((parameter, id) => ({ id, name: 'x', type: typeOf(parameter) }))
  return { kind: 'lambda', type, parameters, body: { kind: 'literal', type, value: null, at: 0 }, at: 0 }
}

function typeOf(pattern: Pattern): Type {
  switch (pattern.kind) {
    case 'type':
      return pattern.type
    case 'array':
      return arrayOf(typeOf(pattern.element))
    case 'struct':
      return structOf(pattern.fields.map(field => ({ name: field.name, type: typeOf(field.pattern) })))
    case 'lambda':
      return typeOf(pattern.result)
    default:
      return pattern.kind === 'variable' ? INT64 : STRING
  }
}

/** The argument; an interval that is added is written as `INTERVAL n DAY`, since these functions need its parts. */
function asWritten({ name }: FunctionEntry, expr: Expr): Expr {
  if (!/_(?:ADD|SUB)$|^GENERATE_.*_ARRAY$/.test(name) || expr.type.kind !== 'INTERVAL') return expr
  const count: Expr = { kind: 'parameter', type: INT64, name: 'count', at: 0 }
  const parts: Expr[] = [count, { kind: 'word', type: STRING, word: 'DAY', at: 0 }]
  return { kind: 'call', type: expr.type, name: '$interval', arguments: parts, isSafe: false, at: 0 }
}

/** The SQL of the function itself over `a0`, `a1`, …. */
export function sqlOf({ name }: FunctionEntry, args: readonly (Expr | null)[], type: Type): string {
  const expr: CallExpr = { kind: 'call', type, name, arguments: args, isSafe: false, at: 0 }
  const form = WRITERS.get(name)
  const taken = form ? writerArguments(form, args) : args
  const sql = taken.map((arg, i) => arg && argumentSql(arg, i))
  if (isFloatArithmetic(expr)) return floatArithmeticSql(expr, sql as string[])
  if (form) return form.write({ sql, args: taken, type })
  const call: AggregateCall = {
    type,
    name,
    arguments: args,
    isDistinct: false,
    ignoresNulls: true,
    having: null,
    orderBy: [],
    limit: null,
    filter: null,
    isSafe: false,
    at: 0,
  }
  const around = { distinct: '', orderBy: '', filter: '', filterSql: null, havingSql: null, limitSql: null }
  return AGGREGATE_WRITERS.get(name)!.write({
    sql,
    args,
    type,
    call,
    ...around,
    over: ' OVER ()',
    addsByParts: false,
    mayBeBackward: false,
  })
}

function argumentSql(arg: Expr, index: number): string {
  if (arg.kind === 'word') return arg.word
  return arg.kind === 'lambda' ? 'NULL' : `a${index}`
}

/** The SQL of each macro by its name. */
export const MACRO_BODIES = new Map(MACROS.map(({ name, body }) => [name, body]))
