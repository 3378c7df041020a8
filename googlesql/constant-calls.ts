/**
 * Finds calls and casts of literals and parameters that a query evaluates for every row, so that the query fails if one of them
 * fails: a date that does not exist, a text that is not a number. The constants of a branch, a column or a table expression
 * that may not be evaluated are left out, because the query may succeed.
 */
import { findFunction } from './functions/all.js'
import { evaluationOf } from './functions/facts.js'
import { FRAME, NUMBER_RANGES, type NumberRange, outOfRange, ROW_COUNT } from './number-ranges.js'
import type { AggregateCall, CallExpr, CastExpr, Column, CteScan, Expr, ResolvedCte, Scan } from './plan/nodes.js'
import { exprsOfScan, inputsOfScan, partsOf, partsOfCall } from './plan/walk.js'
import { shortTypeName } from './types/types.js'
import { withExamples } from './with-examples.js'
import { LIKE, OPERATORS, type WrittenConstant, writeConstant } from './write-constant.js'

/** A query without tables that computes the constant at `at`. */
export interface ConstantCall extends WrittenConstant {
  readonly at: number
  /** What is wrong with an argument that makes the constant fail, in words for callers. */
  readonly detail: string
}

/** The constants of a plan, innermost first, so that the first constant that fails is the mistake itself. */
export function constantCalls(scan: Scan): readonly ConstantCall[] {
  const reader = new CertainReader()
  reader.read(scan)
  return [...reader.bySql.values()]
}

/** Walks from the result down to the tables, so that it knows which columns of each scan are read. */
class CertainReader {
  readonly bySql = new Map<string, ConstantCall>()
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
          for (const part of partsOfCall(call)) this.#expr(part)
          this.#numberInRange(call.limit, ROW_COUNT)
          this.#rangedArgument(call)
        }
        this.#scan(scan.input)
        break
      case 'window':
        // Only numbers of functions and frames are read: an empty frame may leave the other arguments unevaluated.
        for (const { column, call: window } of scan.functions) {
          if (!this.#needed.has(column.id)) continue
          this.#rangedArgument(window.call)
          for (const bound of [window.frame?.start, window.frame?.end]) this.#numberInRange(bound?.offset, FRAME)
        }
        this.#scan(scan.input)
        break
      case 'set':
        for (const input of scan.inputs) {
          this.#needCounterparts(scan.columns, input.columns)
          this.#scan(input)
        }
        break
      case 'with':
        for (const cte of scan.ctes) this.#ctes.set(cte.id, cte)
        this.#scan(scan.body)
        break
      case 'limit':
        this.#numberInRange(scan.limit, ROW_COUNT)
        this.#numberInRange(scan.offset, ROW_COUNT)
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
    this.#needCounterparts(columns, cte.columns)
    this.#scan(cte.scan)
  }

  /** Marks as read the columns of `others` whose counterparts, by position, are read. */
  #needCounterparts(columns: readonly Column[], others: readonly Column[]): void {
    for (const [i, { id }] of columns.entries()) if (this.#needed.has(id) && others[i]) this.#needed.add(others[i].id)
  }

  /** Adds a check of the call's argument that must be in a range, if the function has such an argument. */
  #rangedArgument({ name, arguments: args, isSafe }: AggregateCall | CallExpr): void {
    const range = isSafe ? undefined : NUMBER_RANGES.get(name)
    if (range) this.#numberInRange(args[range.argument], range)
  }

  #numberInRange(number: Expr | null | undefined, range: NumberRange): void {
    if (!number) return
    this.#expr(number)
    const written = writeConstant(number)
    if (written === null || written.parameters.length === 0) return
    const { parameters } = written
    this.#add({ at: number.at, sql: outOfRange(written.sql, range), parameters, detail: range.detail })
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

  /** Reads an argument. A date function takes only the number of an INTERVAL, which may be too large for an INTERVAL value. */
  #argument({ name }: CallExpr, part: Expr): void {
    const isNumber = part.kind === 'call' && part.name === '$interval' && !name.startsWith('$')
    for (const inner of isNumber ? evaluatedArguments(part) : [part]) this.#expr(inner)
  }

  #constant(expr: CallExpr | CastExpr): void {
    // Calls with SAFE are checked too: SAFE turns a failure into NULL, but not a refusal, such as a search query nested too deep.
    if (expr.kind === 'call' && expr.name === FAILS_ON_PURPOSE) return
    const mayFail = expr.kind === 'cast' ? castMayFail(expr) : findFunction(expr.name)?.canFail !== false
    if (!mayFail) return
    const written = writeConstant(expr)
    if (written?.parameters.length === 0 && isImplied(expr)) return
    if (written === null && expr.kind === 'call') this.#rangedArgument(expr)
    for (const { sql, parameters } of written ? [written] : withExamples(expr))
      this.#add({ at: expr.at, sql: `SELECT ${sql}`, parameters, detail: detailOf(expr) })
  }

  #add(constant: ConstantCall): void {
    if (!this.bySql.has(constant.sql)) this.bySql.set(constant.sql, constant)
  }
}

const castMayFail = ({ isImplicit, operand }: CastExpr): boolean => !isImplicit || operand.type.kind === 'STRING'

/** Whether the text shows no call: if all operands are literals, only casts and calls that an author wrote are checked. */
const isImplied = (expr: CallExpr | CastExpr): boolean =>
  expr.kind === 'cast' ? expr.isImplicit : Object.hasOwn(OPERATORS, expr.name)

function detailOf(expr: CallExpr | CastExpr): string {
  if (expr.kind === 'cast') {
    const isFormat = expr.format !== null && expr.format.kind !== 'literal'
    return isFormat ? 'is refused by CAST with FORMAT' : `cannot be converted to ${shortTypeName(expr.type)}`
  }
  if (expr.name === '$divide') return 'leads to a division by zero, or to a number that is too large'
  if (expr.name.startsWith('$array_at')) return NUMBER_RANGES.get(expr.name)!.detail
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
