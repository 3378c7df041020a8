/**
 * Facts that a plan proves about the values of a column, and about the fields and elements within them: that they are never
 * NULL, and that an INT64 is within ±(2^53−1). False means only that the plan does not prove the fact: the column may still
 * have no NULL.
 */
import type { Evaluation } from '../functions/catalogue.js'
import { evaluationOf, resultOf } from '../functions/facts.js'
import type { ResultFacts } from '../functions/result-facts.js'
import type { AggregateCall, AggregateScan, CallExpr, Column, Expr, ResolvedCte, Scan } from '../plan/nodes.js'
import { conjuncts, isBareNull } from '../plan/walk.js'
import type { TableCatalogue } from '../tables.js'
import type { Type } from '../types/types.js'
import { TABLE_SUFFIX } from '../wildcard-tables.js'

export interface ValueFacts {
  readonly isNeverNull: boolean
  /** True for an INT64 that is NULL or within ±(2^53−1); meaningless for other types. */
  readonly isSmall: boolean
  /**
   * The facts of a STRUCT's fields, which hold where the STRUCT is not NULL; for an ARRAY a list with one item, the facts of
   * its elements. Empty where nothing is known.
   */
  readonly parts: readonly ValueFacts[]
}

const UNKNOWN: ValueFacts = { isNeverNull: false, isSmall: false, parts: [] }
const NEVER_NULL: ValueFacts = { ...UNKNOWN, isNeverNull: true }
const SMALL: ValueFacts = { ...NEVER_NULL, isSmall: true }

/** The facts of the columns of a scan, by the column's id; nothing is known about a column without an entry. */
type Facts = ReadonlyMap<number, ValueFacts>
const NO_FACTS: Facts = new Map()

/** The facts of these columns of the scan, as the query's result shows them. */
export function columnFacts(scan: Scan, columns: readonly Column[], tables: TableCatalogue): readonly ValueFacts[] {
  const facts = new FactReader(tables).scanFacts(scan)
  return columns.map(({ id, type }) => factsInResult(facts.get(id) ?? UNKNOWN, type))
}

/** The facts of a value as a result shows it: a NULL array as an empty array, and a JSON null as NULL. */
function factsInResult(facts: ValueFacts, type: Type): ValueFacts {
  const partTypes =
    type.kind === 'ARRAY' ? [type.element] : type.kind === 'STRUCT' ? type.fields.map(field => field.type) : []
  const parts = facts.parts.map((part, i) => factsInResult(part, partTypes[i]!))
  return { ...facts, isNeverNull: type.kind === 'ARRAY' || (facts.isNeverNull && type.kind !== 'JSON'), parts }
}

class FactReader {
  readonly #tables: TableCatalogue
  /** The facts of the columns of each common table expression, by its id and then by position. */
  readonly #ctes = new Map<number, readonly ValueFacts[]>()
  /** The facts of the columns of the queries around a subquery, the outermost first. */
  readonly #outer: Facts[] = []

  constructor(tables: TableCatalogue) {
    this.#tables = tables
  }

  scanFacts(scan: Scan): Facts {
    switch (scan.kind) {
      case 'one-row':
        return NO_FACTS
      case 'table': {
        const required = new Set(this.#tables.find(scan.table)?.required)
        if (scan.wildcard !== undefined) required.add(TABLE_SUFFIX)
        if (required.size === 0) return NO_FACTS
        return new Map(scan.columns.map(({ id, name, type }) => [id, storedFacts(name, type, required)]))
      }
      case 'cte': {
        const facts = this.#ctes.get(scan.cte) ?? []
        return new Map(scan.columns.map(({ id }, i) => [id, facts[i] ?? UNKNOWN]))
      }
      case 'unnest': {
        const facts = new Map(scan.input ? this.scanFacts(scan.input) : NO_FACTS)
        const element = this.exprFacts(scan.array, facts).parts[0] ?? UNKNOWN
        facts.set(scan.element.id, scan.isOuter ? orNull(element) : element)
        if (scan.isOuter) return facts
        if (scan.offset) facts.set(scan.offset.id, SMALL)
        return scan.condition ? factsWhereTrue(facts, scan.condition) : facts
      }
      case 'join': {
        const left = this.scanFacts(scan.left)
        const right = this.scanFacts(scan.right)
        const [keepsLeft, keepsRight] = [!/^(?:right|full)$/.test(scan.join), !/^(?:left|full)$/.test(scan.join)]
        const facts = new Map([...(keepsLeft ? left : allOrNull(left)), ...(keepsRight ? right : allOrNull(right))])
        return scan.condition && keepsLeft && keepsRight ? factsWhereTrue(facts, scan.condition) : facts
      }
      // The condition of a WHERE is ignored: a template may leave it out, and all variants must have equal result columns.
      case 'filter':
      case 'order':
      case 'limit':
        return this.scanFacts(scan.input)
      case 'project': {
        const input = this.scanFacts(scan.input)
        const computed = scan.computed.map(({ column, expr }) => [column.id, this.exprFacts(expr, input)] as const)
        return new Map([...input, ...computed])
      }
      case 'aggregate':
        return this.#aggregateFacts(scan)
      case 'window': {
        const input = this.scanFacts(scan.input)
        const computed = scan.functions.map(({ column, call }) => {
          const facts = this.#callFacts(call.call, input)
          // A window frame may have no row.
          return [column.id, { ...facts, isNeverNull: isNullFree(call.call) }] as const
        })
        return new Map([...input, ...computed])
      }
      case 'set': {
        const inputs = scan.inputs.map(input => {
          const facts = this.scanFacts(input)
          return input.columns.map(({ id }) => facts.get(id) ?? UNKNOWN)
        })
        const all = scan.operator === 'UNION' ? inputs : inputs.slice(0, 1)
        return new Map(scan.columns.map(({ id }, i) => [id, commonFacts(all.map(facts => facts[i]!))]))
      }
      case 'with':
        for (const cte of scan.ctes) this.#ctes.set(cte.id, this.#cteFacts(cte))
        return this.scanFacts(scan.body)
      default:
        return scan satisfies never
    }
  }

  #cteFacts({ scan, columns, recursion }: ResolvedCte): readonly ValueFacts[] {
    if (recursion) return []
    const facts = this.scanFacts(scan)
    return columns.map(({ id }) => facts.get(id) ?? UNKNOWN)
  }

  #aggregateFacts({ input, keys, aggregates, groupingSets, groupingCalls }: AggregateScan): Facts {
    const inputFacts = this.scanFacts(input)
    const facts = new Map<number, ValueFacts>()
    for (const { column, expr } of keys) {
      const key = this.exprFacts(expr, inputFacts)
      // Rows of a grouping set have NULL in the columns of the other keys.
      facts.set(column.id, groupingSets === null ? key : orNull(key))
    }
    // Every group of a GROUP BY with keys has at least one row.
    const hasRows = keys.length > 0 && groupingSets === null
    for (const { column, call } of aggregates) {
      const result = this.#callFacts(call, inputFacts)
      facts.set(column.id, hasRows || isNullFree(call) ? result : orNull(result))
    }
    for (const { column } of groupingCalls) facts.set(column.id, SMALL)
    return facts
  }

  /** The facts of an aggregate over at least one row. */
  #callFacts(call: AggregateCall, input: Facts): ValueFacts {
    const { name, arguments: args, having, limit, filter, isSafe, ignoresNulls } = call
    const argumentFacts = args.filter(arg => arg !== null).map(arg => this.exprFacts(arg, input))
    const first = argumentFacts[0] ?? UNKNOWN
    const result = resultOf(name)
    const parts =
      result.parts === 'arguments'
        ? [{ ...first, isNeverNull: first.isNeverNull || ignoresNulls }]
        : partsOf(result, 'all', argumentFacts)
    const isPlain = !having && !limit && !filter && !isSafe
    const isNullable = !isNullFree(call) && !(isPlain && result.nulls === 'with-argument' && first.isNeverNull)
    return { isNeverNull: !isNullable, isSmall: isSmall(result, argumentFacts.slice(0, 1)), parts }
  }

  #outerFacts({ id }: Column): ValueFacts | undefined {
    return this.#outer.findLast(facts => facts.has(id))?.get(id)
  }

  /** The facts of the only column of a subquery that is evaluated for rows with these facts. */
  #subqueryFacts(scan: Scan, input: Facts): ValueFacts {
    this.#outer.push(input)
    const facts = this.scanFacts(scan)
    this.#outer.pop()
    return facts.get(scan.columns[0]?.id ?? -1) ?? UNKNOWN
  }

  exprFacts(expr: Expr, input: Facts): ValueFacts {
    switch (expr.kind) {
      case 'literal':
        return {
          ...UNKNOWN,
          isNeverNull: expr.value !== null,
          isSmall: expr.value === null || isSmallLiteral(expr.value),
        }
      case 'column':
        return (expr.isCorrelated ? this.#outerFacts(expr.column) : input.get(expr.column.id)) ?? UNKNOWN
      case 'word':
        return NEVER_NULL
      case 'struct':
        return { ...NEVER_NULL, parts: expr.fields.map(field => this.exprFacts(field, input)) }
      case 'array':
        return { ...NEVER_NULL, parts: [commonFacts(expr.items.map(item => this.exprFacts(item, input)))] }
      case 'field': {
        const operand = this.exprFacts(expr.operand, input)
        const field = operand.parts[expr.index] ?? UNKNOWN
        return operand.isNeverNull ? field : orNull(field)
      }
      case 'cast': {
        const { isNeverNull, isSmall } = this.exprFacts(expr.operand, input)
        const isInteger = expr.operand.type.kind === 'INT64' && expr.type.kind === 'INT64'
        return {
          isNeverNull: isNeverNull && !expr.isSafe,
          isSmall: (isInteger && isSmall) || isBareNull(expr),
          parts: [],
        }
      }
      case 'case': {
        const results = expr.branches.map(({ then }) => then).concat(expr.otherwise ? [expr.otherwise] : [])
        const result = commonFacts(results.map(result => this.exprFacts(result, input)))
        return expr.otherwise === null ? orNull(result) : result
      }
      case 'let': {
        const lets = expr.bindings.map(({ column, expr: value }) => [column.id, this.exprFacts(value, input)] as const)
        return this.exprFacts(expr.result, new Map([...input, ...lets]))
      }
      case 'subquery': {
        if (expr.form === 'exists') return NEVER_NULL
        const column = this.#subqueryFacts(expr.scan, input)
        if (expr.form === 'array') return { ...NEVER_NULL, parts: [column] }
        return hasRow(expr.scan) ? column : orNull(column)
      }
      case 'call': {
        const args = expr.arguments.filter(arg => arg !== null)
        const facts = args.map(arg => this.exprFacts(arg, input))
        const { isNeverNull, isSmall, parts } = callFacts(expr, args, facts)
        return { isNeverNull: !expr.isSafe && isNeverNull, isSmall, parts }
      }
      default:
        return UNKNOWN
    }
  }
}

/** The facts of a table's column, or of the field or elements at this path. */
function storedFacts(path: string, type: Type, required: ReadonlySet<string>): ValueFacts {
  const isNeverNull = required.has(path)
  if (type.kind === 'ARRAY')
    return { ...UNKNOWN, isNeverNull, parts: [storedFacts(`${path}[]`, type.element, required)] }
  if (type.kind !== 'STRUCT') return isNeverNull ? NEVER_NULL : UNKNOWN
  return {
    ...UNKNOWN,
    isNeverNull,
    parts: type.fields.map(field => storedFacts(`${path}.${field.name}`, field.type, required)),
  }
}

function callFacts(call: CallExpr, args: readonly Expr[], facts: readonly ValueFacts[]): ValueFacts {
  const result = resultOf(call.name)
  const evaluation = evaluationOf(call)
  if (result.parts === 'element') {
    const element = facts[0]?.parts[0] ?? UNKNOWN
    return facts.every(fact => fact.isNeverNull) ? element : orNull(element)
  }
  return {
    isNeverNull: isCallNeverNull(result, evaluation, args, facts),
    isSmall: isSmall(result, evaluation === 'chosen' ? facts.slice(1) : facts),
    parts: partsOf(result, evaluation, facts),
  }
}

/** The facts of the fields or elements of the result of a call with these arguments. */
function partsOf({ parts }: ResultFacts, evaluation: Evaluation, facts: readonly ValueFacts[]): readonly ValueFacts[] {
  if (parts === 'without-null') return [NEVER_NULL]
  if (parts === 'elements') return commonFacts(facts).parts
  if (parts !== 'argument') return []
  if (evaluation === 'chosen') return commonFacts(facts.slice(1)).parts
  // The result is the first argument: NTH_VALUE's second argument is an offset, and GREATEST and LEAST take no STRUCTs or ARRAYs.
  return commonFacts(evaluation === 'until-value' ? facts : facts.slice(0, 1)).parts
}

const isSmall = (result: ResultFacts, facts: readonly ValueFacts[]): boolean =>
  result.isSmall === 'always' || (result.isSmall === 'with-arguments' && facts.every(fact => fact.isSmall))

function isCallNeverNull(
  { nulls }: ResultFacts,
  evaluation: Evaluation,
  args: readonly Expr[],
  facts: readonly ValueFacts[],
): boolean {
  if (evaluation === 'until-value') return facts.some(fact => fact.isNeverNull)
  if (evaluation === 'chosen') return facts.slice(1).every(fact => fact.isNeverNull)
  if (nulls === 'never') return true
  // A comparison of STRUCTs may be NULL where a field is NULL.
  const areScalars = args.every(
    ({ kind, type }) => kind === 'word' || (type.kind !== 'STRUCT' && type.kind !== 'ARRAY'),
  )
  return nulls === 'with-argument' && areScalars && facts.every(fact => fact.isNeverNull)
}

/** Whether the aggregate is never NULL, even over no rows; COUNT is such an aggregate. */
const isNullFree = ({ name, isSafe }: AggregateCall): boolean => !isSafe && resultOf(name).nulls === 'never'

const isSmallLiteral = (value: unknown): boolean => typeof value === 'string' && Number.isSafeInteger(Number(value))

/** The facts that hold for all of these values. */
const commonFacts = (facts: readonly ValueFacts[]): ValueFacts => ({
  isNeverNull: facts.every(fact => fact.isNeverNull),
  isSmall: facts.every(fact => fact.isSmall),
  parts: (facts[0]?.parts ?? []).map((_, i) => facts.map(fact => fact.parts[i] ?? UNKNOWN)).map(commonFacts),
})

const orNull = (facts: ValueFacts): ValueFacts => ({ ...facts, isNeverNull: false })

const allOrNull = (facts: Facts): Facts => new Map([...facts].map(([id, fact]) => [id, orNull(fact)]))

/** Whether the scan has at least one row, whatever its tables contain. */
function hasRow(scan: Scan): boolean {
  if (scan.kind === 'project' || scan.kind === 'window' || scan.kind === 'order') return hasRow(scan.input)
  if (scan.kind === 'with') return hasRow(scan.body)
  return scan.kind === 'one-row' || (scan.kind === 'aggregate' && scan.keys.length === 0 && scan.groupingSets === null)
}

/** The facts of the rows for which the condition is true: a column that the condition compares is not NULL in them. */
function factsWhereTrue(facts: Facts, condition: Expr): Facts {
  const compared = conjuncts(condition).flatMap(part => {
    if (part.kind !== 'call' || part.isSafe) return []
    const [first] = part.arguments
    if (part.name === '$not' && first?.kind === 'call' && first.name === '$is_null') return columnsIn(first.arguments)
    const { notNullIfTrue } = resultOf(part.name)
    if (notNullIfTrue === 'unknown') return []
    return columnsIn(notNullIfTrue === 'first' ? part.arguments.slice(0, 1) : part.arguments)
  })
  if (compared.length === 0) return facts
  const neverNull = compared.map(id => [id, { ...(facts.get(id) ?? UNKNOWN), isNeverNull: true }] as const)
  return new Map([...facts, ...neverNull])
}

const columnsIn = (args: readonly (Expr | null)[]): readonly number[] =>
  args.flatMap(arg => (arg?.kind === 'column' && !arg.isCorrelated ? [arg.column.id] : []))
