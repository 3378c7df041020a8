/**
 * What a plan shows of its columns' values: never NULL, and for INT64 within ±(2^53−1). What it does not show is not so: an
 * absent fact is no promise of a NULL.
 */
import {
  isNeverNull,
  isNullOnlyWithArgument,
  isSmallInteger,
  keepsRange,
  makesNoNullElement,
} from '../functions/value-facts.js'
import type { AggregateCall, AggregateScan, Column, Expr, ResolvedCte, Scan } from '../plan/nodes.js'
import { conjuncts, isBareNull } from '../plan/walk.js'
import type { TableCatalogue } from '../tables.js'
import { TABLE_SUFFIX } from '../wildcard-tables.js'

export interface ValueFacts {
  readonly isNeverNull: boolean
  /** An INT64 that is NULL or within ±(2^53−1); of another type without meaning. */
  readonly isSmall: boolean
}

const UNKNOWN: ValueFacts = { isNeverNull: false, isSmall: false }

/** The facts of the columns that a scan gives, by id; a column that is not there is unknown. */
type Facts = ReadonlyMap<number, ValueFacts>
const NONE: Facts = new Map()

/** The facts of these columns of the scan. */
export function columnFacts(scan: Scan, columns: readonly Column[], tables: TableCatalogue): readonly ValueFacts[] {
  const facts = new FactReader(tables).ofScan(scan)
  return columns.map(({ id, type }) => {
    const found = facts.get(id) ?? UNKNOWN
    // A NULL array is an empty one in results, and a JSON null is a NULL.
    if (type.kind === 'ARRAY') return { ...found, isNeverNull: true }
    return type.kind === 'JSON' ? { ...found, isNeverNull: false } : found
  })
}

class FactReader {
  readonly #tables: TableCatalogue
  /** The facts of the columns of common table expressions, by position. */
  readonly #ctes = new Map<number, readonly ValueFacts[]>()

  constructor(tables: TableCatalogue) {
    this.#tables = tables
  }

  ofScan(scan: Scan): Facts {
    switch (scan.kind) {
      case 'one-row':
        return NONE
      case 'table': {
        const required = this.#tables.find(scan.table)?.required ?? []
        const isKnown = (name: string): boolean =>
          required.includes(name) || (scan.wildcard !== undefined && name === TABLE_SUFFIX)
        const known = scan.columns.filter(({ name }) => isKnown(name))
        return new Map(known.map(({ id }) => [id, { isNeverNull: true, isSmall: false }]))
      }
      case 'cte': {
        const facts = this.#ctes.get(scan.cte) ?? []
        return new Map(scan.columns.map(({ id }, i) => [id, facts[i] ?? UNKNOWN]))
      }
      case 'unnest': {
        const facts = new Map(scan.input ? this.ofScan(scan.input) : NONE)
        if (scan.isOuter) return facts
        facts.set(scan.element.id, { isNeverNull: hasNoNullElement(scan.array), isSmall: false })
        if (scan.offset) facts.set(scan.offset.id, { isNeverNull: true, isSmall: true })
        return scan.condition ? met(facts, scan.condition) : facts
      }
      case 'join': {
        const left = this.ofScan(scan.left)
        const right = this.ofScan(scan.right)
        const [keepsLeft, keepsRight] = [!/^(?:right|full)$/.test(scan.join), !/^(?:left|full)$/.test(scan.join)]
        const facts = new Map([...(keepsLeft ? left : orNull(left)), ...(keepsRight ? right : orNull(right))])
        return scan.condition && keepsLeft && keepsRight ? met(facts, scan.condition) : facts
      }
      // What a WHERE shows is left out: templates have optional conditions, and their variants are to have equal columns.
      case 'filter':
        return this.ofScan(scan.input)
      case 'project': {
        const input = this.ofScan(scan.input)
        const computed = scan.computed.map(({ column, expr }) => [column.id, this.ofExpr(expr, input)] as const)
        return new Map([...input, ...computed])
      }
      case 'aggregate':
        return this.#ofAggregate(scan)
      case 'window': {
        const input = this.ofScan(scan.input)
        const computed = scan.functions.map(({ column, call }) => {
          const { isSmall } = this.#ofCall(call.call, input)
          // A frame may have no row.
          return [column.id, { isNeverNull: isNullFree(call.call), isSmall }] as const
        })
        return new Map([...input, ...computed])
      }
      case 'set': {
        const inputs = scan.inputs.map(input => {
          const facts = this.ofScan(input)
          return input.columns.map(({ id }) => facts.get(id) ?? UNKNOWN)
        })
        const all = scan.operator === 'UNION' ? inputs : inputs.slice(0, 1)
        return new Map(scan.columns.map(({ id }, i) => [id, both(all.map(facts => facts[i]!))]))
      }
      case 'order':
      case 'limit':
        return this.ofScan(scan.input)
      case 'with':
        for (const cte of scan.ctes) this.#ctes.set(cte.id, this.#ofCte(cte))
        return this.ofScan(scan.body)
      default:
        return scan satisfies never
    }
  }

  #ofCte({ scan, columns, recursion }: ResolvedCte): readonly ValueFacts[] {
    if (recursion) return []
    const facts = this.ofScan(scan)
    return columns.map(({ id }) => facts.get(id) ?? UNKNOWN)
  }

  #ofAggregate({ input, keys, aggregates, groupingSets, groupingCalls }: AggregateScan): Facts {
    const before = this.ofScan(input)
    const facts = new Map<number, ValueFacts>()
    for (const { column, expr } of keys) {
      const { isNeverNull, isSmall } = this.ofExpr(expr, before)
      // Rows of a grouping set have NULL in the columns of the other keys.
      facts.set(column.id, { isNeverNull: isNeverNull && groupingSets === null, isSmall })
    }
    // A group of keys has a row.
    const hasRows = keys.length > 0 && groupingSets === null
    for (const { column, call } of aggregates) {
      const { isNeverNull, isSmall } = this.#ofCall(call, before)
      facts.set(column.id, { isNeverNull: isNeverNull && (hasRows || isNullFree(call)), isSmall })
    }
    for (const { column } of groupingCalls) facts.set(column.id, { isNeverNull: true, isSmall: true })
    return facts
  }

  /** The facts of an aggregate over at least one row. */
  #ofCall(call: AggregateCall, input: Facts): ValueFacts {
    const { name, arguments: args, having, limit, filter, isSafe } = call
    const given = args.filter(arg => arg !== null).map(arg => this.ofExpr(arg, input))
    const isSmall = isSmallInteger(name) || (keepsRange(name) && given[0]?.isSmall === true)
    if (isNullFree(call)) return { isNeverNull: true, isSmall }
    const isPlain = !having && !limit && !filter && !isSafe
    return { isNeverNull: isPlain && isNullOnlyWithArgument(name) && given[0]?.isNeverNull === true, isSmall }
  }

  ofExpr(expr: Expr, input: Facts): ValueFacts {
    switch (expr.kind) {
      case 'literal':
        return { isNeverNull: expr.value !== null, isSmall: expr.value === null || isSmallLiteral(expr.value) }
      case 'column':
        return expr.isCorrelated ? UNKNOWN : (input.get(expr.column.id) ?? UNKNOWN)
      case 'struct':
      case 'word':
      case 'array':
        return { isNeverNull: true, isSmall: false }
      case 'cast': {
        const { isNeverNull, isSmall } = this.ofExpr(expr.operand, input)
        const isInteger = expr.operand.type.kind === 'INT64' && expr.type.kind === 'INT64'
        return { isNeverNull: isNeverNull && !expr.isSafe, isSmall: (isInteger && isSmall) || isBareNull(expr) }
      }
      case 'case': {
        const results = expr.branches.map(({ then }) => then).concat(expr.otherwise ? [expr.otherwise] : [])
        const { isNeverNull, isSmall } = both(results.map(result => this.ofExpr(result, input)))
        return { isNeverNull: isNeverNull && expr.otherwise !== null, isSmall }
      }
      case 'let': {
        const bound = expr.bindings.map(({ column, expr: value }) => [column.id, this.ofExpr(value, input)] as const)
        return this.ofExpr(expr.result, new Map([...input, ...bound]))
      }
      case 'subquery':
        return { isNeverNull: expr.form !== 'scalar', isSmall: false }
      case 'call': {
        const { name, isSafe } = expr
        const args = expr.arguments.filter(arg => arg !== null)
        const facts = args.map(arg => this.ofExpr(arg, input))
        return { isNeverNull: !isSafe && isCallNeverNull(name, args, facts), isSmall: isCallSmall(name, facts) }
      }
      case 'parameter':
      case 'field':
      case 'in-query':
      case 'lambda':
        return UNKNOWN
      default:
        return expr satisfies never
    }
  }
}

function isCallNeverNull(name: string, args: readonly Expr[], facts: readonly ValueFacts[]): boolean {
  if (name === 'COALESCE' || name === 'IFNULL') return facts.some(fact => fact.isNeverNull)
  if (name === 'IF') return facts.slice(1).every(fact => fact.isNeverNull)
  if (isNeverNull(name)) return true
  // A comparison of STRUCTs is NULL where a field is.
  const areScalars = args.every(
    ({ kind, type }) => kind === 'word' || (type.kind !== 'STRUCT' && type.kind !== 'ARRAY'),
  )
  return isNullOnlyWithArgument(name) && areScalars && facts.every(fact => fact.isNeverNull)
}

function isCallSmall(name: string, facts: readonly ValueFacts[]): boolean {
  if (isSmallInteger(name)) return true
  return keepsRange(name) && facts.slice(name === 'IF' ? 1 : 0).every(fact => fact.isSmall)
}

/** COUNT and its like are never NULL, also without a row. */
const isNullFree = ({ name, isSafe }: AggregateCall): boolean => !isSafe && isNeverNull(name)

const isSmallLiteral = (value: unknown): boolean => typeof value === 'string' && Number.isSafeInteger(Number(value))

const hasNoNullElement = (array: Expr): boolean =>
  (array.kind === 'call' && !array.isSafe && makesNoNullElement(array.name)) ||
  (array.kind === 'array' && array.items.every(item => item.kind === 'literal' && item.value !== null))

/** Facts that all have. */
const both = (facts: readonly ValueFacts[]): ValueFacts => ({
  isNeverNull: facts.every(fact => fact.isNeverNull),
  isSmall: facts.every(fact => fact.isSmall),
})

const orNull = (facts: Facts): Facts =>
  new Map([...facts].map(([id, { isSmall }]) => [id, { isNeverNull: false, isSmall }]))

const COMPARISONS: ReadonlySet<string> = new Set(['$eq', '$ne', '$lt', '$le', '$gt', '$ge', '$between', '$in', '$like'])

/** Facts of the rows that meet the condition: a column that it compares is not NULL there. */
function met(facts: Facts, condition: Expr): Facts {
  const compared = conjuncts(condition).flatMap(part => {
    if (part.kind !== 'call' || part.isSafe) return []
    const [first] = part.arguments
    if (part.name === '$not' && first?.kind === 'call' && first.name === '$is_null') return columnsIn(first.arguments)
    if (!COMPARISONS.has(part.name)) return []
    return columnsIn(/^\$(?:between|in)$/.test(part.name) ? [first ?? null] : part.arguments)
  })
  if (compared.length === 0) return facts
  const known = compared.map(id => [id, { isNeverNull: true, isSmall: facts.get(id)?.isSmall ?? false }] as const)
  return new Map([...facts, ...known])
}

const columnsIn = (args: readonly (Expr | null)[]): readonly number[] =>
  args.flatMap(arg => (arg?.kind === 'column' && !arg.isCorrelated ? [arg.column.id] : []))
