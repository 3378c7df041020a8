/**
 * Writes filters on the column that a table is partitioned by as filters on its partitions, so that DuckDB opens only the
 * files of matching partitions. The table's view has two hidden columns for this (see table-store.ts), which are NULL where a
 * row's partition is not known.
 */

import type { CallExpr, Column, Expr, TableScan } from '../../../googlesql/plan/nodes.js'
import { keyColumn, readsOnly } from '../../analysis/key-conditions.js'
import type { Context } from '../context.js'
import { type Fragment, path } from '../fragment.js'
import { trySql } from '../try.js'
import { FROM_COLUMN, UNTIL_COLUMN } from './hidden-columns.js'

/** The SQL of the conditions over the hidden columns of the partitioned table with this alias. */
export function partitionTests(scan: TableScan, alias: string, context: Context): readonly string[] {
  const column = keyColumn(scan)
  if (!column || scan.wildcard) return []
  const tests = new PartitionTests(column, alias, context)
  return (context.keyConditions.get(scan) ?? []).flatMap(condition => tests.of(condition) ?? [])
}

type Operator = '<' | '<=' | '>' | '>=' | '='
const OPERATORS: Readonly<Record<string, Operator>> = { $lt: '<', $le: '<=', $gt: '>', $ge: '>=', $eq: '=' }
const MIRRORED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' } as const
/** The most values of an IN list that are tested one by one. */
const MAX_VALUES = 100

class PartitionTests {
  readonly #column: Column
  readonly #alias: string
  readonly #context: Context

  constructor(column: Column, alias: string, context: Context) {
    this.#column = column
    this.#alias = alias
    this.#context = context
  }

  /** A test that is true of every partition that may have a row for which the condition is true; null for none. */
  of(condition: Expr): string | null {
    if (condition.kind !== 'call') return null
    const parts = condition.arguments
    const [value, low, high] = parts
    switch (condition.name) {
      case '$and':
        return both(this.of(parts[0]!), this.of(parts[1]!))
      case '$or':
        return either([this.of(parts[0]!), this.of(parts[1]!)])
      case '$between':
        return both(this.#compare(value!, '>=', low!), this.#compare(value!, '<=', high!))
      case '$in':
        if (parts.length > MAX_VALUES) return null
        return either(parts.slice(1).map(item => this.#compare(value!, '=', item!)))
      default:
        return this.#comparison(condition)
    }
  }

  #comparison({ name, arguments: [left, right] }: CallExpr): string | null {
    const operator = OPERATORS[name]
    if (!operator || !left || !right) return null
    return this.#compare(left, operator, right) ?? this.#compare(right, MIRRORED[operator], left)
  }

  #compare(value: Expr, operator: Operator, bound: Expr): string | null {
    if (!readsOnly(bound, new Set())) return null
    const isPlain = value.kind === 'column' && value.column.id === this.#column.id
    if (!isPlain && !isMonotonic(value, this.#column)) return null
    const sql = this.#context.expr(bound, null).text
    const [upper, lower] = isPlain ? this.#ofColumn(sql) : this.#ofFunction(value, sql)
    if (operator === '=') return `${lower} AND ${upper}`
    return operator === '<' || operator === '<=' ? upper : lower
  }

  #ofColumn(bound: string): readonly [upper: string, lower: string] {
    const [from, until] = [`${this.#alias}.${FROM_COLUMN}`, `${this.#alias}.${UNTIL_COLUMN}`]
    return [`(${from} IS NULL OR ${from} <= ${bound})`, `(${until} IS NULL OR ${until} > ${bound})`]
  }

  /** A function of the column that never falls is at its least for the first value of a partition. */
  #ofFunction(value: Expr, bound: string): readonly [upper: string, lower: string] {
    const step = this.#column.type.kind === 'DATE' ? '1' : 'INTERVAL 1 MICROSECOND'
    const at = (time: string): Fragment => {
      const entry = { column: this.#column, sql: path(time), kind: 'path', isVolatile: false, source: -1 } as const
      return this.#context.expr(value, { entries: new Map([[this.#column.id, entry]]), outer: null })
    }
    // Where the value is beyond its range, the partition is read.
    const test = (time: string, operator: string): string =>
      `coalesce(${trySql(`${at(time).text} ${operator} ${bound}`)}, true)`
    return [test(`${this.#alias}.${FROM_COLUMN}`, '<='), test(`(${this.#alias}.${UNTIL_COLUMN} - ${step})`, '>=')]
  }
}

const both = (a: string | null, b: string | null): string | null => (a === null ? b : b === null ? a : `${a} AND ${b}`)

const either = (tests: readonly (string | null)[]): string | null =>
  tests.includes(null) ? null : `(${tests.map(test => `(${test})`).join(' OR ')})`

/** Functions of a time that are never smaller for a later time; without a time zone, where clocks are turned back. */
const MONOTONIC: ReadonlySet<string> = new Set(
  'DATE DATETIME TIMESTAMP DATE_TRUNC DATETIME_TRUNC TIMESTAMP_TRUNC'.split(' '),
)
const UTC: ReadonlySet<unknown> = new Set(['UTC', '+00', '+00:00'])

function isMonotonic(expr: Expr, column: Column): boolean {
  if (expr.kind === 'column') return expr.column.id === column.id
  if (expr.kind === 'cast') {
    const isTime = ['DATE', 'DATETIME', 'TIMESTAMP'].includes(expr.type.kind)
    return isTime && !expr.format && !expr.timeZone && isMonotonic(expr.operand, column)
  }
  if (expr.kind !== 'call' || !MONOTONIC.has(expr.name)) return false
  const [time, ...others] = expr.arguments
  const isPlain = (part: Expr | null): boolean =>
    part === null || part.kind === 'word' || (part.kind === 'literal' && UTC.has(part.value))
  return time != null && isMonotonic(time, column) && others.every(isPlain)
}
