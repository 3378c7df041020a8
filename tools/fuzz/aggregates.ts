/**
 * Calls of aggregate and window functions whose value does not depend on the order of rows, or whose order the query fixes.
 */
import { isOrderable } from '../../googlesql/functions/definitions/operators.js'
import { BOOL, FLOAT64, INT64, type Type } from '../../googlesql/types/types.js'
import { ARGUMENTS, type Maker } from './arguments.js'
import type { Expressions, Scope } from './expressions.js'
import { literal } from './literals.js'
import { randomValue } from './random-values.js'
import {
  AGGREGATE_OVERLOADS,
  boundTypes,
  type Overload,
  resultOf,
  typeOfPattern,
  UNBUILT,
  WINDOW_OVERLOADS,
} from './signatures.js'
import { asReference, clause, expr, list, type Node, sql } from './tree.js'

/** Functions whose value depends on the order of rows. */
const LISTS = /^(ARRAY_AGG|STRING_AGG|ARRAY_CONCAT_AGG)$/
const INEXACT = /^(AVG|SUM|STDDEV.*|VAR.*|CORR|COVAR.*|PERCENTILE_CONT)$/
const UNANSWERED = AGGREGATE_OVERLOADS.filter(({ entry }) => UNBUILT.has(entry.name))
const ANSWERED = AGGREGATE_OVERLOADS.filter(({ entry }) => !UNBUILT.has(entry.name))

export class Aggregates {
  readonly #values: Expressions

  constructor(values: Expressions) {
    this.#values = values
  }

  any(scope: Scope, keys: readonly Node[]): Node {
    const { random } = this.#values
    const overload = random.pick(random.chance(0.02) ? UNANSWERED : ANSWERED)
    return this.call(overload, scope, keys)
  }

  condition(scope: Scope, keys: readonly Node[]): Node {
    const { random } = this.#values
    const aggregate = this.any(scope, keys)
    if (aggregate.type!.kind === 'BOOL' || !isOrderable(aggregate.type!)) return expr(BOOL)`${aggregate} IS NOT NULL`
    const value = literal(aggregate.type!, randomValue(random, aggregate.type!, { wide: 0.05, null: 0.02 }))
    return expr(BOOL)`${aggregate} ${random.pick(['>', '<=', '=', '!='])} ${value}`
  }

  call(overload: Overload, scope: Scope, keys: readonly Node[]): Node {
    return { ...this.#call(overload, scope, keys), calls: overload.entry.name }
  }

  #call(overload: Overload, scope: Scope, keys: readonly Node[]): Node {
    const { random } = this.#values
    const { entry } = overload
    const traits = entry.aggregate ?? {}
    const { args, type } = this.#arguments(overload, scope)
    if (entry.name === '$count_star') return expr(INT64)`COUNT(*)`
    const first = args[0]!
    const isList = LISTS.test(entry.name)
    if (entry.name === 'ANY_VALUE' && keys.length !== 1) {
      return expr(type)`ANY_VALUE(${literal(type, randomValue(random, type))})`
    }
    if (entry.name === 'MAX_BY' || entry.name === 'MIN_BY') return this.#by(entry.name, type, first, keys)
    const isDistinct =
      traits.allowsDistinct === true && isOrderable(first.type!) && first.kind !== 'literal' && random.chance(0.2)
    const nulls =
      traits.allowsNullsClause && random.chance(entry.name === 'ARRAY_AGG' ? 0.75 : 0.3)
        ? clause` ${random.chance(0.85) ? 'IGNORE' : 'RESPECT'} NULLS`
        : sql``
    const mayHave = traits.allowsHaving && !isDistinct
    const having =
      entry.name === 'ANY_VALUE'
        ? sql` HAVING ${random.pick(['MAX', 'MIN'])} ${keys[0]!}`
        : mayHave && random.chance(0.08)
          ? clause` HAVING ${random.pick(['MAX', 'MIN'])} ${this.#values.value(random.pick([INT64, FLOAT64]), { ...scope, depth: 1 })}`
          : sql``
    const order = isList
      ? this.#order(
          isDistinct
            ? [first]
            : [...(random.chance(0.5) && isOrderable(first.type!) && first.kind !== 'literal' ? [first] : []), ...keys],
        )
      : sql``
    const limit = isList && random.chance(0.15) ? clause` LIMIT ${String(random.between(0, 3))}` : sql``
    const distinct = isDistinct ? sql`DISTINCT ` : sql``
    const call = expr(
      type,
      INEXACT.test(entry.name) ? { isInexact: true } : {},
    )`${this.#name(overload)}(${distinct}${list(args, ', ', args.length)}${nulls}${having}${order}${limit})`
    if (entry.name === 'APPROX_COUNT_DISTINCT') {
      return asReference(call, ['COUNT(DISTINCT ', 1, ')'])
    }
    return call
  }

  /** MAX_BY or MIN_BY. The reference does not have them, so its query calls ANY_VALUE with HAVING MAX or HAVING MIN. */
  #by(name: 'MAX_BY' | 'MIN_BY', type: Type, value: Node, keys: readonly Node[]): Node {
    if (keys.length !== 1) return expr(type)`ANY_VALUE(${literal(type, randomValue(this.#values.random, type))})`
    return asReference(expr(type)`${name}(${value}, ${keys[0]!})`, [
      'ANY_VALUE(',
      0,
      name === 'MAX_BY' ? ' HAVING MAX ' : ' HAVING MIN ',
      1,
      ')',
    ])
  }

  rowNumber(scope: Scope, keys: readonly Node[]): Node {
    return expr(INT64)`ROW_NUMBER() OVER (${this.#partition(scope)}${this.#order(keys)})`
  }

  /** A call of a window function, or of an aggregate with OVER. */
  window(scope: Scope, keys: readonly Node[]): Node {
    const { random } = this.#values
    const overload = random.chance(0.5) ? random.pick(WINDOW_OVERLOADS) : random.pick(ANSWERED)
    const { entry } = overload
    const traits = entry.aggregate ?? {}
    if (!traits.allowsOver || entry.name === 'ANY_VALUE' || /_BY$/.test(entry.name)) return this.rowNumber(scope, keys)
    return { ...this.#over(overload, scope, keys), calls: entry.name }
  }

  #over(overload: Overload, scope: Scope, keys: readonly Node[]): Node {
    const { random } = this.#values
    const { entry } = overload
    const traits = entry.aggregate ?? {}
    const { args, type } = this.#arguments(overload, scope)
    const isList = LISTS.test(entry.name)
    const ranksTies = /^(RANK|DENSE_RANK|PERCENT_RANK|CUME_DIST)$/.test(entry.name)
    const mayBeUnordered = !traits.requiresOrder && !isList && entry.name !== 'ROW_NUMBER'
    const isDistinct =
      entry.kind === 'aggregate' &&
      traits.allowsDistinct === true &&
      !isList &&
      isOrderable(args[0]?.type ?? INT64) &&
      args.length > 0 &&
      args[0]!.type!.kind !== 'FLOAT64' &&
      random.chance(0.1)
    const nulls =
      traits.allowsNullsClause && random.chance(isList ? 0.8 : 0.3)
        ? clause` ${random.chance(0.6) ? 'IGNORE' : 'RESPECT'} NULLS`
        : sql``
    const orderable = scope.columns.filter(one => one.kind === 'column' && one.type && isOrderable(one.type))
    let order: Node = sql``
    let frame: Node = sql``
    if (!traits.refusesOrder && !isDistinct && !(mayBeUnordered && random.chance(0.3))) {
      const numbers = orderable.filter(one => ['INT64', 'FLOAT64', 'NUMERIC'].includes(one.type!.kind))
      if (ranksTies && orderable.length > 0) order = this.#order([random.pick(orderable)])
      else if (mayBeUnordered && traits.allowsFrame && numbers.length > 0 && random.chance(0.3)) {
        const by = random.pick(numbers)
        order = this.#order([by])
        frame = random.chance(0.7) ? clause` ${this.#range(by.type!)}` : sql``
      } else {
        order = this.#order([...(random.chance(0.6) && orderable.length > 0 ? [random.pick(orderable)] : []), ...keys])
        if (traits.allowsFrame && random.chance(0.6)) frame = clause` ${this.#rows()}`
        else if (isList && traits.allowsFrame) frame = sql` ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`
      }
    } else if (isList) order = this.#order(keys)
    const called =
      entry.name === '$count_star'
        ? sql`COUNT(*)`
        : sql`${this.#name(overload)}(${isDistinct ? 'DISTINCT ' : ''}${list(args, ', ', args.length)}${nulls})`
    const call = expr(
      type,
      INEXACT.test(entry.name) ? { isInexact: true } : {},
    )`${called} OVER (${this.#partition(scope)}${order}${frame})`
    if (entry.name === 'APPROX_COUNT_DISTINCT') return expr(INT64)`COUNT(*) OVER (${this.#partition(scope)})`
    return call
  }

  #rows(): Node {
    const { random } = this.#values
    if (random.chance(0.2)) return sql`ROWS ${random.pick(['UNBOUNDED PRECEDING', '1 PRECEDING', 'CURRENT ROW'])}`
    const number = (): string => String(random.between(0, 3))
    const [start, end] = random.pick([
      ['UNBOUNDED PRECEDING', 'CURRENT ROW'],
      ['UNBOUNDED PRECEDING', `${number()} PRECEDING`],
      ['UNBOUNDED PRECEDING', `${number()} FOLLOWING`],
      ['UNBOUNDED PRECEDING', 'UNBOUNDED FOLLOWING'],
      [`${number()} PRECEDING`, `${number()} PRECEDING`],
      [`${number()} PRECEDING`, 'CURRENT ROW'],
      [`${number()} PRECEDING`, `${number()} FOLLOWING`],
      [`${number()} PRECEDING`, 'UNBOUNDED FOLLOWING'],
      ['CURRENT ROW', 'CURRENT ROW'],
      ['CURRENT ROW', `${number()} FOLLOWING`],
      ['CURRENT ROW', 'UNBOUNDED FOLLOWING'],
      [`${number()} FOLLOWING`, `${number()} FOLLOWING`],
      [`${number()} FOLLOWING`, 'UNBOUNDED FOLLOWING'],
      [random.pick(['CURRENT ROW', '1 FOLLOWING']), random.pick(['1 PRECEDING', 'CURRENT ROW'])],
    ])
    return sql`ROWS BETWEEN ${start!} AND ${end!}`
  }

  #range(type: Type): Node {
    const { random } = this.#values
    const distance = (): Node => {
      const by = type.kind === 'FLOAT64' ? random.pick([0, 1.5, 10]) : random.pick(['0', '1', '5', '100'])
      return literal(type, by)
    }
    const start = random.pick([sql`UNBOUNDED PRECEDING`, sql`${distance()} PRECEDING`, sql`CURRENT ROW`])
    const end = random.pick([sql`UNBOUNDED FOLLOWING`, sql`${distance()} FOLLOWING`, sql`CURRENT ROW`])
    return sql`RANGE BETWEEN ${start} AND ${end}`
  }

  #partition(scope: Scope): Node {
    const { random } = this.#values
    const groupable = scope.columns.filter(
      one => one.kind === 'column' && one.type && isOrderable(one.type) && one.type.kind !== 'FLOAT64',
    )
    return groupable.length > 0 && random.chance(0.5) ? clause`PARTITION BY ${random.pick(groupable)}` : sql``
  }

  #order(by: readonly Node[]): Node {
    const { random } = this.#values
    const directed = by.map(one => sql`${one}${random.pick(['', '', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST'])}`)
    return directed.length > 0 ? sql` ORDER BY ${list(directed)}` : sql``
  }

  #name({ entry }: Overload): string {
    const { random } = this.#values
    return entry.aliases?.length && random.chance(0.2) ? random.pick(entry.aliases) : entry.name
  }

  #arguments(overload: Overload, scope: Scope): { args: Node[]; type: Type } {
    const { random } = this.#values
    const { entry, signature } = overload
    const bindings = boundTypes(overload, null, random)
    const types = signature.parameters.map(({ pattern }) => typeOfPattern(pattern, bindings, random))
    const maker: Maker = { random, value: type => this.#values.value(type, scope) }
    const made = ARGUMENTS[entry.name]?.(maker, types) ?? []
    const args: Node[] = []
    for (const [i, { isOptional }] of signature.parameters.entries()) {
      if (isOptional && random.chance(0.4)) break
      args.push(made[i] ?? this.#values.value(types[i]!, { ...scope, depth: random.between(0, 2) }))
    }
    return { args, type: resultOf(overload, bindings, random) }
  }
}
