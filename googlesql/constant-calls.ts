/**
 * Finds calls and casts of literals and parameters that a query evaluates for every row, so that the query fails if one of them
 * fails: a date that does not exist, a text that is not a number. The constants of a branch, a column or a table expression
 * that may not be evaluated are left out, because the query may succeed.
 */
import { findFunction } from './functions/all.js'
import { evaluationOf, volatilityOf } from './functions/facts.js'
import { signaturesOf } from './functions/shown-signature.js'
import type { CallExpr, CastExpr, Column, CteScan, Expr, ResolvedCte, Scan } from './plan/nodes.js'
import { exprsOfScan, inputsOfScan, partsOf, partsOfCall } from './plan/walk.js'
import { shortTypeName } from './types/types.js'

/** A query without tables that computes the constant at `at`. */
export interface ConstantCall extends WrittenConstant {
  readonly at: number
  /** What is wrong with an argument that makes the constant fail, in words for callers. */
  readonly detail: string
}

/** A constant as SQL, with the names of its parameters. */
export interface WrittenConstant {
  readonly sql: string
  readonly parameters: readonly string[]
}

/** The constants of a plan, innermost first, so that the first constant that fails is the mistake itself. */
export function constantCalls(scan: Scan): readonly ConstantCall[] {
  const reader = new CertainReader()
  reader.read(scan)
  return reader.found
}

/** Walks from the result down to the tables, so that it knows which columns of each scan are read. */
class CertainReader {
  readonly found: ConstantCall[] = []
  /** The ids of the columns that are evaluated for every row. */
  readonly #needed = new Set<number>()
  readonly #ctes = new Map<number, ResolvedCte>()
  readonly #entered = new Set<number>()

  /** Reads a scan whose columns are all needed. */
  read(scan: Scan): void {
    for (const { id } of scan.columns) this.#needed.add(id)
    this.#scan(scan)
  }

  #scan(scan: Scan): void {
    switch (scan.kind) {
      case 'one-row':
      case 'table':
        break
      case 'cte':
        this.#cte(scan)
        break
      case 'join':
        if (scan.condition) this.#expr(scan.condition)
        this.#scan(scan.left)
        this.#scan(scan.right)
        break
      case 'project':
        for (const { column, expr } of scan.computed) if (this.#needed.has(column.id)) this.#expr(expr)
        this.#scan(scan.input)
        break
      case 'aggregate':
        for (const { expr } of scan.keys) this.#expr(expr)
        for (const { column, call } of scan.aggregates) {
          if (!this.#needed.has(column.id)) continue
          for (const part of partsOfCall(call))
            if (part === call.limit) this.#rowCount(part)
            else this.#expr(part)
        }
        this.#scan(scan.input)
        break
      case 'window':
        // The arguments of window functions are left out, because the frame of a row may be empty.
        this.#scan(scan.input)
        break
      case 'set':
        for (const input of scan.inputs) {
          this.#alike(scan.columns, input.columns)
          this.#scan(input)
        }
        break
      case 'with':
        for (const cte of scan.ctes) this.#ctes.set(cte.id, cte)
        this.#scan(scan.body)
        break
      case 'limit':
        this.#rowCount(scan.limit)
        if (scan.offset) this.#rowCount(scan.offset)
        this.#scan(scan.input)
        break
      case 'unnest':
      case 'filter':
      case 'order':
        for (const expr of exprsOfScan(scan)) this.#expr(expr)
        for (const input of inputsOfScan(scan)) this.#scan(input)
        break
      default:
        scan satisfies never
    }
  }

  #cte({ cte: id, columns }: CteScan): void {
    const cte = this.#ctes.get(id)
    if (!cte || this.#entered.has(id)) return
    this.#entered.add(id)
    this.#alike(columns, cte.columns)
    this.#scan(cte.scan)
  }

  /** Marks as read the columns of `others` whose counterparts, by position, are read. */
  #alike(columns: readonly Column[], others: readonly Column[]): void {
    for (const [i, { id }] of columns.entries()) if (this.#needed.has(id) && others[i]) this.#needed.add(others[i].id)
  }

  #rowCount(count: Expr): void {
    this.#expr(count)
    const written = writeConstant(count)
    if (written === null || written.parameters.length === 0) return
    this.found.push({
      at: count.at,
      sql: `SELECT IF(COALESCE(${written.sql}, -1) < 0, ERROR('LIMIT'), 0)`,
      parameters: written.parameters,
      detail: 'leads to a LIMIT or OFFSET that is negative or missing',
    })
  }

  #expr(expr: Expr): void {
    switch (expr.kind) {
      case 'column':
        this.#needed.add(expr.column.id)
        break
      case 'case':
        if (expr.branches[0]) this.#expr(expr.branches[0].when)
        break
      case 'let':
        this.#expr(expr.result)
        break
      case 'lambda':
        break
      case 'subquery':
        if (expr.form === 'exists') this.#scan(expr.scan)
        else this.read(expr.scan)
        break
      case 'in-query':
        this.#expr(expr.operand)
        this.read(expr.scan)
        break
      case 'call':
        for (const part of evaluatedArguments(expr)) this.#argument(expr, part)
        this.#constant(expr)
        break
      default:
        for (const part of partsOf(expr)) this.#expr(part)
        if (expr.kind === 'cast') this.#constant(expr)
    }
  }

  /** A function of dates takes the number of an INTERVAL, which may be too large for a value of the type. */
  #argument({ name }: CallExpr, part: Expr): void {
    const isNumber = part.kind === 'call' && part.name === '$interval' && !name.startsWith('$')
    for (const inner of isNumber ? evaluatedArguments(part) : [part]) this.#expr(inner)
  }

  #constant(expr: CallExpr | CastExpr): void {
    if (expr.isSafe || (expr.kind === 'call' && expr.name === FAILS_ON_PURPOSE)) return
    const mayFail = expr.kind === 'cast' ? castMayFail(expr) : findFunction(expr.name)?.canFail !== false
    if (!mayFail) return
    const written = writeConstant(expr)
    if (written === null || (written.parameters.length === 0 && isImplied(expr))) return
    const { sql, parameters } = written
    this.found.push({ at: expr.at, sql: `SELECT ${sql}`, parameters, detail: detailOf(expr) })
  }
}

const castMayFail = ({ isImplicit, operand }: CastExpr): boolean => !isImplicit || operand.type.kind === 'STRING'

/** Whether the text does not show a call: of literals, only those are checked that an author has written as a call. */
const isImplied = (expr: CallExpr | CastExpr): boolean =>
  expr.kind === 'cast' ? expr.isImplicit : Object.hasOwn(OPERATORS, expr.name)

function detailOf(expr: CallExpr | CastExpr): string {
  if (expr.kind === 'cast') {
    const isFormat = expr.format !== null && expr.format.kind !== 'literal'
    return isFormat ? 'is refused by CAST with FORMAT' : `cannot be converted to ${shortTypeName(expr.type)}`
  }
  if (expr.name === '$divide') return 'leads to a division by zero, or to a number that is too large'
  if (expr.name.startsWith('$array_at')) return 'leads to an index that the array does not have'
  if (expr.name.startsWith('$shift')) return 'leads to a shift by a negative number'
  return Object.hasOwn(OPERATORS, expr.name) ? 'leads to a number that is too large' : `is refused by ${nameOf(expr)}`
}

/** The keyword of a call that has its own syntax; the name of any other. */
const nameOf = ({ name }: CallExpr): string =>
  Object.hasOwn(LIKE, name) ? 'LIKE' : name.replace('$', '').toUpperCase()

const FAILS_ON_PURPOSE = 'ERROR'

function evaluatedArguments(call: CallExpr): readonly Expr[] {
  const parts = partsOf(call)
  switch (evaluationOf(call)) {
    case 'all':
      return parts
    case 'chosen':
    case 'until-value':
      return parts.slice(0, 1)
    case 'may-stop':
      // An AND with a condition that always fails is a mistake; an OR may have an alternative that is never evaluated.
      return call.name === '$and' ? parts : []
  }
}

/** The operators that take patterns, with their patterns. */
export const LIKE: Readonly<Record<string, (patterns: string) => string>> = {
  $like: pattern => `LIKE ${pattern}`,
  $like_any: patterns => `LIKE ANY (${patterns})`,
  $like_all: patterns => `LIKE ALL (${patterns})`,
  $like_any_array: patterns => `LIKE ANY UNNEST(${patterns})`,
  $like_all_array: patterns => `LIKE ALL UNNEST(${patterns})`,
}

const OPERATORS: Readonly<Record<string, (first: string, second: string) => string>> = {
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

/** Null for an expression that is not made of literals and parameters, or whose operator is not written here. */
export function writeConstant(expr: Expr): WrittenConstant | null {
  const parameters = new Set<string>()
  const sql = writtenConstant(expr, parameters)
  return sql === null ? null : { sql, parameters: [...parameters] }
}

function writtenConstant(expr: Expr, parameters: Set<string>): string | null {
  switch (expr.kind) {
    case 'literal':
      return writtenLiteral(expr.value, expr.type.kind)
    case 'parameter':
      parameters.add(expr.name)
      return `@${expr.name}`
    case 'cast':
      return writtenCast(expr, parameters)
    case 'call':
      return writtenCall(expr, parameters)
    case 'array': {
      const items = writtenAll(expr.items, parameters)
      return items && `${shortTypeName(expr.type)}[${items.join(', ')}]`
    }
    case 'word':
      return expr.word.replace(/_(.*)/, '($1)')
    default:
      return null
  }
}

function writtenAll(exprs: readonly (Expr | null)[], parameters: Set<string>): readonly string[] | null {
  const written = exprs.map(expr => expr && writtenConstant(expr, parameters))
  return written.every(text => text !== null) ? written : null
}

function writtenCast(expr: CastExpr, parameters: Set<string>): string | null {
  const operand = expr.typeParameters ? null : writtenConstant(expr.operand, parameters)
  const format = expr.format && writtenConstant(expr.format, parameters)
  const zone = expr.timeZone && writtenConstant(expr.timeZone, parameters)
  if (operand === null || (expr.format && format === null) || (expr.timeZone && zone === null)) return null
  const ending = `${format === null ? '' : ` FORMAT ${format}`}${zone === null ? '' : ` AT TIME ZONE ${zone}`}`
  return `${expr.isSafe ? 'SAFE_CAST' : 'CAST'}(${operand} AS ${shortTypeName(expr.type)}${ending})`
}

function writtenCall(call: CallExpr, parameters: Set<string>): string | null {
  if (Object.hasOwn(OPERATORS, call.name)) {
    const operands = writtenAll(call.arguments, parameters)
    return operands && OPERATORS[call.name]!(operands[0]!, operands[1]!)
  }
  if (call.name === '$interval' || call.name === '$extract') return writtenWords(call, parameters)
  if (Object.hasOwn(LIKE, call.name)) return writtenLike(call, parameters)
  const hasName = /^(?:NET\.)?[A-Z][A-Z0-9_]*$/.test(call.name)
  if (!hasName || (volatilityOf(call.name) ?? 'volatile') === 'volatile') return null
  const written = writtenArguments(call, parameters)
  return written && `${call.isSafe ? 'SAFE.' : ''}${call.name}(${written.join(', ')})`
}

function writtenLike({ name, arguments: args }: CallExpr, parameters: Set<string>): string | null {
  const [operand, ...patterns] = writtenAll(args, parameters) ?? []
  return operand === undefined ? null : `(${operand} ${LIKE[name]!(patterns.join(', '))})`
}

/** An INTERVAL or EXTRACT, whose arguments stand between words. */
function writtenWords({ name, arguments: args }: CallExpr, parameters: Set<string>): string | null {
  const [first, second, third] = args.map(argument => argument && writtenConstant(argument, parameters))
  // An INTERVAL with two parts takes literals alone.
  if (!first || !second || (args[2] && (!third || name === '$interval'))) return null
  if (name === '$interval') return `INTERVAL ${first} ${second}`
  return `EXTRACT(${first} FROM ${second}${third ? ` AT TIME ZONE ${third}` : ''})`
}

/** The arguments that are given, with the names of those that need one; null where an argument cannot be written. */
function writtenArguments({ name, arguments: args }: CallExpr, parameters: Set<string>): readonly string[] | null {
  const named = signaturesOf(findFunction(name)!)[0]!.parameters.filter(({ isNamedOnly }) => isNamedOnly)
  const positional = args.slice(0, args.length - named.length)
  const names = [...positional.map(() => ''), ...named.map(parameter => `${parameter.name} => `)]
  const last = positional.findLastIndex(argument => argument !== null)
  const written: string[] = []
  for (const [i, argument] of args.entries()) {
    if (argument === null && i > last) continue
    const text = argument && writtenConstant(argument, parameters)
    if (!text) return null
    written.push(names[i] + text)
  }
  return written
}

const WITH_TYPE: ReadonlySet<string> = new Set('DATE DATETIME TIME TIMESTAMP NUMERIC BIGNUMERIC'.split(' '))

function writtenLiteral(value: unknown, type: string): string | null {
  if (type === 'BOOL') return value === null ? null : String(value)
  if (type === 'INT64' && typeof value === 'string') return `(${value})`
  if (type === 'FLOAT64' && typeof value === 'number') return `CAST('${value}' AS FLOAT64)`
  if (value instanceof Uint8Array) return `FROM_HEX('${Buffer.from(value).toString('hex')}')`
  if (typeof value !== 'string') return null
  // The JSON text of a string is also a GoogleSQL literal.
  const text = JSON.stringify(value)
  return type === 'STRING' ? text : WITH_TYPE.has(type) ? `${type} ${text}` : null
}
