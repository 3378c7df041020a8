/** Writes expressions of literals and parameters as SQL, so that they can be computed without the query that contains them. */
import { findFunction } from './functions/all.js'
import { volatilityOf } from './functions/facts.js'
import { signaturesOf } from './functions/shown-signature.js'
import type { CallExpr, CastExpr, Expr } from './plan/nodes.js'
import { shortTypeName } from './types/types.js'

/** A constant as SQL, with the names of its parameters. */
export interface WrittenConstant {
  readonly sql: string
  readonly parameters: readonly string[]
}

/** The SQL of each operator that takes patterns, after its operand. */
export const LIKE: Readonly<Record<string, (patterns: string) => string>> = {
  $like: pattern => `LIKE ${pattern}`,
  $like_any: patterns => `LIKE ANY (${patterns})`,
  $like_all: patterns => `LIKE ALL (${patterns})`,
  $like_any_array: patterns => `LIKE ANY UNNEST(${patterns})`,
  $like_all_array: patterns => `LIKE ALL UNNEST(${patterns})`,
}

/** The operators that are written between their operands. */
export const OPERATORS: Readonly<Record<string, (first: string, second: string) => string>> = {
  $add: (a, b) => `(${a} + ${b})`,
  $subtract: (a, b) => `(${a} - ${b})`,
  $multiply: (a, b) => `(${a} * ${b})`,
  $divide: (a, b) => `(${a} / ${b})`,
  $negate: a => `(- ${a})`,
  $shift_left: (a, b) => `(${a} << ${b})`,
  $shift_right: (a, b) => `(${a} >> ${b})`,
  $array_at_offset: (array, offset) => `${array}[OFFSET(${offset})]`,
  $array_at_ordinal: (array, ordinal) => `${array}[ORDINAL(${ordinal})]`,
}

/** Null for an expression that is not made of literals and parameters, or has an operator that is not listed here. */
export function writeConstant(expr: Expr): WrittenConstant | null {
  const parameters = new Set<string>()
  const sql = writeExpr(expr, parameters)
  return sql === null ? null : { sql, parameters: [...parameters] }
}

function writeExpr(expr: Expr, parameters: Set<string>): string | null {
  switch (expr.kind) {
    case 'literal':
      return writeLiteral(expr.value, expr.type.kind)
    case 'parameter':
      parameters.add(expr.name)
      return `@${expr.name}`
    case 'cast':
      return writeCast(expr, parameters)
    case 'call':
      return writeCall(expr, parameters)
    case 'array': {
      const items = writeAll(expr.items, parameters)
      return items && `${shortTypeName(expr.type)}[${items.join(', ')}]`
    }
    case 'word':
      return expr.word.replace(/_(.*)/, '($1)')
    default:
      return null
  }
}

function writeAll(exprs: readonly (Expr | null)[], parameters: Set<string>): readonly string[] | null {
  const texts = exprs.map(expr => expr && writeExpr(expr, parameters))
  return texts.every(text => text !== null) ? texts : null
}

function writeCast(expr: CastExpr, parameters: Set<string>): string | null {
  const operand = expr.typeParameters ? null : writeExpr(expr.operand, parameters)
  const format = expr.format && writeExpr(expr.format, parameters)
  const zone = expr.timeZone && writeExpr(expr.timeZone, parameters)
  if (operand === null || (expr.format && format === null) || (expr.timeZone && zone === null)) return null
  const ending = `${format === null ? '' : ` FORMAT ${format}`}${zone === null ? '' : ` AT TIME ZONE ${zone}`}`
  return `${expr.isSafe ? 'SAFE_CAST' : 'CAST'}(${operand} AS ${shortTypeName(expr.type)}${ending})`
}

function writeCall(call: CallExpr, parameters: Set<string>): string | null {
  if (Object.hasOwn(OPERATORS, call.name)) {
    const operands = writeAll(call.arguments, parameters)
    return operands && OPERATORS[call.name]!(operands[0]!, operands[1]!)
  }
  if (call.name === '$interval' || call.name === '$extract') return writeWithWords(call, parameters)
  if (Object.hasOwn(LIKE, call.name)) return writeLike(call, parameters)
  const hasName = /^(?:NET\.)?[A-Z][A-Z0-9_]*$/.test(call.name)
  if (!hasName || (volatilityOf(call.name) ?? 'volatile') === 'volatile') return null
  const texts = writeArguments(call, parameters)
  return texts && `${call.isSafe ? 'SAFE.' : ''}${call.name}(${texts.join(', ')})`
}

function writeLike({ name, arguments: args }: CallExpr, parameters: Set<string>): string | null {
  const [operand, ...patterns] = writeAll(args, parameters) ?? []
  return operand === undefined ? null : `(${operand} ${LIKE[name]!(patterns.join(', '))})`
}

/** An INTERVAL or EXTRACT, whose arguments stand between words. */
function writeWithWords({ name, arguments: args }: CallExpr, parameters: Set<string>): string | null {
  const [first, second, third] = args.map(argument => argument && writeExpr(argument, parameters))
  // An INTERVAL with two parts takes only literals.
  if (!first || !second || (args[2] && (!third || name === '$interval'))) return null
  if (name === '$interval') return `INTERVAL ${first} ${second}`
  return `EXTRACT(${first} FROM ${second}${third ? ` AT TIME ZONE ${third}` : ''})`
}

/** The given arguments, each with its name if it must be named; null where an argument cannot be written. */
function writeArguments({ name, arguments: args }: CallExpr, parameters: Set<string>): readonly string[] | null {
  const named = signaturesOf(findFunction(name)!)[0]!.parameters.filter(({ isNamedOnly }) => isNamedOnly)
  const positional = args.slice(0, args.length - named.length)
  const names = [...positional.map(() => ''), ...named.map(parameter => `${parameter.name} => `)]
  const last = positional.findLastIndex(argument => argument !== null)
  const texts: string[] = []
  for (const [i, argument] of args.entries()) {
    if (argument === null && i > last) continue
    const text = argument && writeExpr(argument, parameters)
    if (!text) return null
    texts.push(names[i] + text)
  }
  return texts
}

const WITH_TYPE: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'NUMERIC', 'BIGNUMERIC'])

function writeLiteral(value: unknown, type: string): string | null {
  if (type === 'BOOL') return value === null ? null : String(value)
  if (type === 'INT64' && typeof value === 'string') return `(${value})`
  if (type === 'FLOAT64' && typeof value === 'number') return `CAST('${value}' AS FLOAT64)`
  if (value instanceof Uint8Array) return `FROM_HEX('${Buffer.from(value).toString('hex')}')`
  if (typeof value !== 'string') return null
  // The JSON text of a string is also a GoogleSQL literal.
  const text = JSON.stringify(value)
  return type === 'STRING' ? text : WITH_TYPE.has(type) ? `${type} ${text}` : null
}
