/** Random queries: sources, joins, selections, groups, windows, sets, CTEs and subqueries, all typed. */

import { isGroupable, isOrderable } from '../../googlesql/functions/definitions/operators.js'
import {
  BOOL,
  FLOAT64,
  INT64,
  JSON_TYPE,
  STRING,
  sameType,
  scalarType,
  structOf,
  type Type,
} from '../../googlesql/types/types.js'
import { Aggregates } from './aggregates.js'
import { Expressions, type Scope, type Subqueries } from './expressions.js'
import { literal, literalText } from './literals.js'
import type { Random } from './random.js'
import { randomScalar, randomType, randomValue } from './random-values.js'
import { FUZZ_TABLES, type FuzzTable } from './tables.js'
import { clause, column, expr, list, type Node, query, relation, sql } from './tree.js'

/** An item of a FROM clause, with its columns. */
export interface Source {
  readonly node: Node
  readonly columns: readonly Node[]
  /** Columns that together differ from row to row. */
  readonly keys: readonly Node[]
}

export interface Output {
  readonly name: string
  readonly type: Type
}

export interface Made {
  readonly node: Node
  readonly outputs: readonly Output[]
  /** The names of outputs that together differ from row to row; null where this is not known. */
  readonly keys: readonly string[] | null
}

const DEPTH = 3
const NO_COLUMNS: Scope = { columns: [], depth: DEPTH }

export class Queries {
  readonly random: Random
  readonly values: Expressions
  readonly aggregates: Aggregates
  #aliases = 0
  #nesting = 0

  constructor(random: Random, binding?: number) {
    this.random = random
    const subqueries: Subqueries = {
      scalar: (type, scope) => this.#scalar(type, scope),
      exists: scope => this.#exists(scope),
      membership: scope => this.#membership(scope),
      array: (element, scope) => this.#array(element, scope),
    }
    this.values = new Expressions(random, subqueries, binding)
    this.aggregates = new Aggregates(this.values)
  }

  alias(letter: string): string {
    this.#aliases++
    return `${letter}${this.#aliases}`
  }

  // Sources of rows.

  table(
    table: FuzzTable = this.random.weighted(FUZZ_TABLES.map((one, i) => [[8, 2, 4, 1][i] ?? 1, one] as const)),
  ): Source {
    const alias = this.alias('t')
    const columns = table.columns.map(({ name, type }, i) =>
      column(
        `${alias}.${name}`,
        type,
        table.rows.map(row => row[i]),
      ),
    )
    return { node: relation`${`\`${table.name}\``} AS ${alias}`, columns, keys: [columns[0]!] }
  }

  /** UNNEST of a literal or of an array in scope. */
  unnest(scope: Scope = NO_COLUMNS): Source {
    const { random } = this
    const alias = this.alias('e')
    const offset = this.alias('o')
    const arrays = scope.columns.filter(one => one.type?.kind === 'ARRAY')
    const isCorrelated = arrays.length > 0 && random.chance(0.8)
    const element = random.chance(0.3)
      ? structOf(random.several(1, 3, i => ({ name: ['a', 'b', 'c'][i]!, type: randomScalar(random) })))
      : randomScalar(random)
    const array: Node = isCorrelated
      ? random.pick(arrays)
      : random.chance(0.8)
        ? literal(
            { kind: 'ARRAY', element },
            random.several(0, 4, () => randomValue(random, element)),
          )
        : this.values.value({ kind: 'ARRAY', element }, { ...scope, depth: 2 })
    const type = array.type!.kind === 'ARRAY' ? array.type!.element : element
    const key = column(offset, INT64, ['0', '1'])
    return {
      node: relation`UNNEST(${array}) AS ${alias} WITH OFFSET AS ${offset}`,
      columns: [column(alias, type), ...fieldsOf(alias, type), key],
      keys: [key],
    }
  }

  subquery(scope: Scope = NO_COLUMNS): Source {
    const made = this.#nested(() => this.selection({ ...scope, depth: scope.depth - 1 }, true))
    return this.#derived(made)
  }

  #derived(made: Made): Source {
    const alias = this.alias('s')
    const columns = made.outputs.map(({ name, type }) => column(`${alias}.${name}`, type))
    const keys = (made.keys ?? []).map(key => columns[made.outputs.findIndex(({ name }) => name === key)]!)
    return { node: relation`(${made.node}) AS ${alias}`, columns, keys }
  }

  single(scope: Scope = NO_COLUMNS): Source {
    const canNest = this.#nesting < 2
    return this.random.weighted<() => Source>([
      [6, () => this.table()],
      [2, () => this.unnest(scope)],
      [canNest ? 2 : 0, () => this.subquery()],
      [canNest ? 0.5 : 0, () => this.#derived(this.#nested(() => this.set(true)))],
      [canNest ? 0.5 : 0, () => this.#derived(this.#nested(() => this.#withinCommon()))],
    ])()
  }

  /** A query of the form `WITH w AS (…) SELECT * FROM w`. */
  #withinCommon(): Made {
    const made = this.selection(NO_COLUMNS, true)
    const name = this.alias('w')
    return { ...made, node: query`WITH ${name} AS (${made.node}) SELECT * FROM ${name}` }
  }

  /** A join. A join that is the left side of another join must not be a comma join, which has a lower precedence. */
  join(depth = 1, comma = ','): Source {
    const { random } = this
    const left = depth > 1 && random.chance(0.3) ? this.join(depth - 1, 'CROSS JOIN') : this.single()
    const kind = random.pick([
      'JOIN',
      'INNER JOIN',
      'LEFT JOIN',
      'RIGHT JOIN',
      'FULL JOIN',
      'CROSS JOIN',
      ',',
      'USING',
      'UNNEST',
      'LEFT UNNEST',
    ])
    if (kind === 'UNNEST' || kind === 'LEFT UNNEST') {
      const right = this.unnest({ columns: left.columns, depth: 2 })
      const join = kind === 'UNNEST' ? random.pick([comma, 'CROSS JOIN', 'INNER JOIN']) : 'LEFT JOIN'
      const on =
        join === 'LEFT JOIN' || join === 'INNER JOIN'
          ? random.chance(0.6) && join === 'LEFT JOIN'
            ? sql` ON TRUE`
            : sql` ON ${this.#joinCondition(left, right)}`
          : sql``
      return this.#joined(left, join === ',' ? sql`, ` : sql` ${join} `, right, on)
    }
    const right = depth > 1 && random.chance(0.12) ? this.#parenthesized() : this.single()
    if (kind === 'USING') return this.#using()
    if (kind === 'CROSS JOIN' || kind === ',')
      return this.#joined(left, kind === ',' && comma === ',' ? sql`, ` : sql` CROSS JOIN `, right, sql``)
    return this.#joined(left, sql` ${kind} `, right, sql` ON ${this.#joinCondition(left, right)}`)
  }

  #parenthesized(): Source {
    const join = this.join(1, 'CROSS JOIN')
    return { ...join, node: relation`(${join.node})` }
  }

  #joined(left: Source, between: Node, right: Source, on: Node): Source {
    return {
      node: relation`${left.node}${between}${right.node}${on}`,
      columns: [...left.columns, ...right.columns],
      keys: [...left.keys, ...right.keys],
    }
  }

  #using(): Source {
    const { random } = this
    const left = this.table()
    const right = this.table()
    const names = [...left.columns].map(one => String(one.text[0]).split('.')[1]!)
    const shared = ['id', 'k', 'd', 'ts', 'n'].filter(
      name => names.includes(name) && right.columns.some(one => String(one.text[0]).endsWith(`.${name}`)),
    )
    const name = random.pick(shared.length > 0 ? shared : ['id'])
    const kind = random.pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'])
    const merged = left.columns.find(one => String(one.text[0]).endsWith(`.${name}`))!
    return {
      node: relation`${left.node} ${kind} ${right.node} USING (${name})`,
      columns: [column(name, merged.type!), ...left.columns, ...right.columns],
      keys: [...left.keys, ...right.keys],
    }
  }

  #joinCondition(left: Source, right: Source): Node {
    const { random } = this
    const pairs = left.columns.flatMap(a =>
      right.columns.flatMap(b => (sameType(a.type!, b.type!) && isOrderable(a.type!) ? [[a, b] as const] : [])),
    )
    const scope: Scope = { columns: [...left.columns, ...right.columns], depth: 1 }
    if (pairs.length === 0 || random.chance(0.15)) return this.values.condition(scope)
    const equal = random.several(1, 2, () => {
      const [a, b] = random.pick(pairs)
      return expr(BOOL)`${a} ${random.pick(['=', '=', '=', '<', '>=', '!='])} ${b}`
    })
    if (random.chance(0.2)) equal.push(this.values.condition(scope))
    return expr(BOOL)`${list(equal, random.pick([' AND ', ' AND ', ' OR ']))}`
  }

  source(): Source {
    return this.random.chance(0.3) ? this.join(2) : this.single()
  }

  // SELECT queries.

  /** A SELECT query; with `needsKeys` its outputs include columns that together differ from row to row. */
  selection(outer: Scope = NO_COLUMNS, needsKeys = false): Made {
    return this.random.weighted<() => Made>([
      [5, () => this.plain(outer, needsKeys)],
      [3, () => this.grouped(outer)],
      [2, () => this.windowed(outer, needsKeys)],
    ])()
  }

  #nested<T>(make: () => T): T {
    this.#nesting++
    const made = make()
    this.#nesting--
    return made
  }

  where(scope: Scope, probability = 0.4): Node {
    return this.random.chance(probability)
      ? clause` WHERE ${this.values.condition({ ...scope, depth: Math.min(scope.depth, 2) })}`
      : sql``
  }

  plain(outer: Scope = NO_COLUMNS, needsKeys = false, source = this.source()): Made {
    const { random } = this
    const scope: Scope = { columns: [...source.columns, ...outer.columns], depth: outer.depth }
    const items = random.several(1, 3, () => this.#item(scope))
    const isDistinct = !needsKeys && items.every(({ type }) => isGroupable(type!)) && random.chance(0.15)
    const keys = needsKeys || random.chance(0.5) ? source.keys : []
    if (!isDistinct) items.push(...keys)
    const isLimited = !isDistinct && random.chance(0.2)
    return this.#finished(
      items,
      isDistinct ? 'SELECT DISTINCT ' : 'SELECT ',
      sql`${clause` FROM ${source.node}`}${this.where(scope)}`,
      {
        keys: isDistinct ? null : keys,
        orderKeys: source.keys,
        isLimited,
      },
    )
  }

  #item(scope: Scope): Node {
    const { random } = this
    if (random.chance(0.05)) return this.values.constructed(scope)
    return this.values.value(randomType(random), scope)
  }

  #finished(
    items: readonly Node[],
    select: string,
    rest: Node,
    { keys, orderKeys, isLimited }: { keys: readonly Node[] | null; orderKeys: readonly Node[]; isLimited: boolean },
  ): Made {
    const { random } = this
    const outputs = items.map((item, i) => ({ name: `c${i + 1}`, type: item.type! }))
    const written = items.map((item, i) => sql`${item} AS ${outputs[i]!.name}`)
    const order = isLimited ? this.#totalOrder(orderKeys) : random.chance(0.25) ? this.#outputOrder(outputs) : sql``
    const limit = isLimited
      ? clause` LIMIT ${String(random.between(0, 4))}${random.chance(0.3) ? ` OFFSET ${random.between(0, 3)}` : ''}`
      : sql``
    return {
      node: query`${select}${list(written)}${rest}${isLimited ? sql`${order}${limit}` : order}`,
      outputs,
      keys: keys ? keys.map(key => outputs[items.indexOf(key)]!.name) : null,
    }
  }

  #totalOrder(keys: readonly Node[]): Node {
    const directed = keys.map(key => sql`${key}${this.random.pick(['', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST'])}`)
    return directed.length > 0 ? clause` ORDER BY ${list(directed)}` : sql``
  }

  /** An ORDER BY of outputs, so that the order of the rows can be checked from their values. */
  #outputOrder(outputs: readonly Output[]): Node {
    const { random } = this
    const places = outputs.flatMap(({ type }, i) => (isOrderable(type) ? [i] : []))
    if (places.length === 0) return sql``
    const chosen = random.some(places, 1, 2)
    const directed = chosen.map(
      i =>
        sql`${random.chance(0.5) ? outputs[i]!.name : String(i + 1)}${random.pick(['', ' DESC', ' ASC NULLS LAST', ' DESC NULLS FIRST'])}`,
    )
    return { ...clause` ORDER BY ${list(directed, ', ', directed.length)}`, orderedBy: chosen }
  }

  grouped(outer: Scope = NO_COLUMNS, source = this.source()): Made {
    const { random } = this
    const scope: Scope = { columns: [...source.columns, ...outer.columns], depth: 2 }
    const groupable = source.columns.filter(one => isGroupKey(one.type!))
    const keys = random.several(0, 2, () =>
      groupable.length > 0 && random.chance(0.7)
        ? random.pick(groupable)
        : this.values.value(random.pick([INT64, STRING, BOOL, scalarType('DATE')!]), { ...scope, depth: 1 }),
    )
    const distinctKeys = keys.filter((key, i) => keys.indexOf(key) === i && key.kind !== 'literal')
    const aggregated = random.several(1, 3, () => this.aggregates.any(scope, source.keys))
    const items = [...distinctKeys, ...aggregated]
    const outputs = items.map((item, i) => ({ name: `c${i + 1}`, type: item.type! }))
    const written = items.map((item, i) => sql`${item} AS ${outputs[i]!.name}`)
    const group =
      distinctKeys.length > 0 ? sql` GROUP BY ${distinctKeys.map((_, i) => String(i + 1)).join(', ')}` : sql``
    const having = random.chance(0.2) ? clause` HAVING ${this.aggregates.condition(scope, source.keys)}` : sql``
    const order = random.chance(0.3) ? this.#outputOrder(outputs) : sql``
    return {
      node: query`SELECT ${list(written, ', ', distinctKeys.length)} FROM ${source.node}${this.where(scope)}${group}${having}${order}`,
      outputs,
      keys: outputs.slice(0, distinctKeys.length).map(({ name }) => name),
    }
  }

  windowed(outer: Scope = NO_COLUMNS, needsKeys = false, source = this.source()): Made {
    const { random } = this
    const scope: Scope = { columns: [...source.columns, ...outer.columns], depth: 2 }
    const windows = random.several(1, 2, () => this.aggregates.window(scope, source.keys))
    const items = [...windows, ...(needsKeys || random.chance(0.8) ? source.keys : [])]
    const qualify = random.chance(0.15)
      ? clause` QUALIFY ${expr(BOOL)`${this.aggregates.rowNumber(scope, source.keys)} <= ${String(random.between(1, 3))}`}`
      : sql``
    return this.#finished(items, 'SELECT ', sql` FROM ${source.node}${this.where(scope, 0.2)}${qualify}`, {
      keys: items.length > windows.length ? source.keys : null,
      orderKeys: source.keys,
      isLimited: false,
    })
  }

  /** A set operation over two or three queries with the same types; with `isDistinct` all columns together are a key. */
  set(isDistinct = false): Made {
    const { random } = this
    const types = random
      .several(1, 3, () => (isDistinct || random.chance(0.9) ? randomScalar(random) : randomType(random, 1)))
      .map(type => (type.kind === 'JSON' || type.kind === 'ARRAY' ? STRING : type))
    const branch = (): Node => {
      const source = this.single()
      const scope: Scope = { columns: source.columns, depth: 2 }
      const items = types.map((type, i) => sql`${this.values.value(type, scope)} AS c${String(i + 1)}`)
      return random.chance(0.8)
        ? query`SELECT ${list(items, ', ', items.length)} FROM ${source.node}${this.where(scope)}`
        : query`SELECT ${list(
            types.map((type, i) => sql`${literal(type, randomValue(random, type))} AS c${String(i + 1)}`),
            ', ',
            items.length,
          )}`
    }
    const distinct = (): string => random.pick(['UNION DISTINCT', 'INTERSECT DISTINCT', 'EXCEPT DISTINCT'])
    const operator = (): string => (random.chance(0.4) ? 'UNION ALL' : distinct())
    const last = isDistinct ? distinct : operator
    const outputs = types.map((type, i) => ({ name: `c${i + 1}`, type }))
    const order = random.chance(0.3) ? this.#outputOrder(outputs) : sql``
    const all = random.chance(0.3)
      ? sql`((${branch()}) ${operator()} (${branch()})) ${last()} (${branch()})`
      : sql`(${branch()}) ${last()} (${branch()})`
    return { node: query`${all}${order}`, outputs, keys: isDistinct ? outputs.map(({ name }) => name) : null }
  }

  /** A query over common table expressions, which may read one of them twice. */
  common(): Made {
    const { random } = this
    const made = random.several(1, 2, () => ({
      name: this.alias('w'),
      made: random.chance(0.2) ? this.set() : this.selection(NO_COLUMNS, true),
    }))
    const read = (): Source => {
      const { name, made: of } = random.pick(made)
      const alias = this.alias('s')
      const columns = of.outputs.map(output => column(`${alias}.${output.name}`, output.type))
      const keys = (of.keys ?? []).map(key => columns[of.outputs.findIndex(output => output.name === key)]!)
      return { node: relation`${name} AS ${alias}`, columns, keys: of.keys ? keys : [] }
    }
    const first = read()
    const source = random.chance(0.4)
      ? this.#joined(first, sql` ${random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN'])} `, read(), sql` ON TRUE`)
      : first
    const hasKeys = made.every(one => one.made.keys !== null)
    const body = hasKeys
      ? random.pick([
          () => this.plain(NO_COLUMNS, false, source),
          () => this.grouped(NO_COLUMNS, source),
          () => this.windowed(NO_COLUMNS, false, source),
        ])()
      : this.plainOf(source)
    const names = made.map(({ name, made: of }) => sql`${name} AS (${of.node})`)
    return { ...body, node: query`WITH ${list(names)} ${body.node}` }
  }

  /** A query without ORDER BY and LIMIT, which would need keys. */
  plainOf(source: Source): Made {
    const scope: Scope = { columns: source.columns, depth: 2 }
    const items = this.random.several(1, 3, () => this.#item(scope))
    const outputs = items.map((item, i) => ({ name: `c${i + 1}`, type: item.type! }))
    const written = items.map((item, i) => sql`${item} AS ${outputs[i]!.name}`)
    return { node: query`SELECT ${list(written)} FROM ${source.node}${this.where(scope)}`, outputs, keys: null }
  }

  recursive(): Made {
    const { random } = this
    const name = this.alias('r')
    const limit = random.between(2, 6)
    const scope: Scope = { columns: [column('n', INT64), column('v', STRING)], depth: 1 }
    const step = random.chance(0.6) ? expr(STRING)`CONCAT(v, CAST(n AS STRING))` : this.values.value(STRING, scope)
    const start = this.values.leaf(STRING, NO_COLUMNS)
    const union = random.pick(['UNION ALL', 'UNION ALL', 'UNION DISTINCT'])
    const source: Source = { node: relation`${name}`, columns: scope.columns, keys: [scope.columns[0]!] }
    const body = random.chance(0.5) ? this.plainOf(source) : this.grouped(NO_COLUMNS, source)
    return {
      ...body,
      node: query`WITH RECURSIVE ${name} AS (SELECT 1 AS n, ${start} AS v ${union} SELECT n + 1, ${step} FROM ${name} WHERE n < ${String(limit)}) ${body.node}`,
    }
  }

  pivot(): Made {
    const { random } = this
    const type = random.pick<Type>([STRING, INT64, BOOL])
    const values =
      type.kind === 'BOOL'
        ? [true, false]
        : random.some(type.kind === 'STRING' ? ['a', 'b', 'c'] : ['5', '3', '0'], 1, 3)
    const pivotBy = type.kind === 'STRING' ? 'k' : type.kind === 'INT64' ? 'i' : 'b'
    const aggregate = random.pick([
      'SUM(j)',
      'COUNT(*)',
      'MAX(s)',
      'AVG(x)',
      'COUNT(DISTINCT j)',
      'MIN(d)',
      'COUNTIF(j > 0)',
      'SUM(n)',
      'STRING_AGG(s ORDER BY s)',
      'ANY_VALUE(j HAVING MAX id)',
    ])
    const other = random.pick(['MAX(j)', 'COUNT(s)'])
    const aliased = random.chance(0.7)
    const names = values.map(
      (value, i) => sql`${literalText(value, type)}${aliased || type.kind === 'BOOL' ? ` AS v${i}` : ''}`,
    )
    const rest = random.some(
      ['b', 'k', 'i'].filter(name => name !== pivotBy),
      0,
      2,
    )
    const inner = ['id', 'j', 's', 'x', 'd', 'n', pivotBy, ...rest].filter(
      name => name !== 'id' || aggregate.includes('id'),
    )
    const used = inner.filter(
      name => name === pivotBy || rest.includes(name) || new RegExp(`\\b${name}\\b`).test(`${aggregate} ${other}`),
    )
    const two = random.chance(0.3) ? sql`, ${clause`${other} AS z`}` : sql``
    return {
      node: query`SELECT * FROM (SELECT ${used.join(', ')} FROM ${'`d.t`'}${clause` WHERE id ${random.pick(['<', '>'])} ${String(random.between(1, 6))}`}) PIVOT(${aggregate} AS y${two} FOR ${pivotBy} IN (${list(names)}))`,
      outputs: [],
      keys: null,
    }
  }

  unpivot(): Made {
    const { random } = this
    const nulls = random.pick(['', ' INCLUDE NULLS', ' EXCLUDE NULLS'])
    const [columns, type] = random.pick([
      [['i', 'j'], INT64],
      [['x', 'y'], FLOAT64],
      [['s', 'k'], STRING],
    ] as const)
    const labels = random.chance(0.4)
      ? columns.map((name, i) => `${name} AS ${random.chance(0.5) ? `'l${i}'` : `'${name}'`}`)
      : columns
    return {
      node: query`SELECT * FROM (SELECT id, ${columns.join(', ')} FROM ${'`d.t`'}) UNPIVOT${nulls}(v FOR name IN (${labels.join(', ')}))${clause` WHERE v IS ${random.pick(['NOT NULL', 'NULL'])}`}`,
      outputs: [
        { name: 'id', type: INT64 },
        { name: 'v', type },
        { name: 'name', type: STRING },
      ],
      keys: null,
    }
  }

  // Subqueries in expressions.

  #inner(scope: Scope): { source: Source; inner: Scope } {
    const source = this.#nesting >= 2 ? this.table() : this.#nested(() => this.single(scope))
    return {
      source,
      inner: { columns: [...source.columns, ...source.columns, ...scope.columns], depth: Math.min(scope.depth, 1) },
    }
  }

  #scalar(type: Type, scope: Scope): Node {
    const { random } = this
    const { source, inner } = this.#inner(scope)
    if (isOrderable(type) && random.chance(0.4)) {
      return expr(
        type,
      )`(SELECT ${random.pick(['MAX', 'MIN'])}(${this.values.value(type, inner)}) FROM ${source.node}${this.where(inner, 0.6)})`
    }
    if (random.chance(0.3)) return expr(type)`(SELECT ${this.values.value(type, { ...scope, depth: 1 })})`
    return expr(
      type,
    )`(SELECT ${this.values.value(type, inner)} FROM ${source.node}${this.where(inner, 0.6)}${this.#totalOrder(source.keys)} LIMIT 1)`
  }

  #exists(scope: Scope): Node {
    const { random } = this
    const { source, inner } = this.#inner(scope)
    const selected = sql`SELECT ${random.pick(['1', '*', 'NULL'])} FROM ${source.node}${this.where(inner, 0.8)}`
    const body = random.chance(0.12)
      ? sql`(${selected})${clause` UNION ALL (SELECT * FROM ${source.node} LIMIT 0)`}`
      : selected
    return expr(BOOL)`${random.chance(0.3) ? 'NOT ' : ''}EXISTS(${body})`
  }

  #membership(scope: Scope): Node {
    const { random } = this
    const { source, inner } = this.#inner(scope)
    const type = random.pick([INT64, STRING, INT64, STRING, randomScalar(random)])
    const of = type.kind === JSON_TYPE.kind ? INT64 : type
    const not = random.chance(0.3) ? ' NOT' : ''
    const union = random.chance(0.12) ? clause` UNION ALL SELECT ${this.values.value(of, inner)}` : sql``
    return expr(
      BOOL,
    )`${this.values.value(of, { ...scope, depth: 1 })}${not} IN (SELECT ${this.values.value(of, inner)} FROM ${source.node}${this.where(inner, 0.5)}${union})`
  }

  #array(element: Type, scope: Scope): Node {
    const { random } = this
    const { source, inner } = this.#inner(scope)
    const type: Type = { kind: 'ARRAY', element }
    const from = sql` FROM ${source.node}${this.where(inner, 0.5)}`
    if (isOrderable(element) && random.chance(0.2)) {
      return expr(type)`ARRAY(SELECT DISTINCT ${this.values.value(element, inner)}${from} ORDER BY 1)`
    }
    if (element.kind === 'STRUCT' && random.chance(0.6)) {
      const fields = element.fields.map(({ name, type }) => sql`${this.values.value(type, inner)} AS ${name}`)
      return expr(
        type,
      )`ARRAY(SELECT AS STRUCT ${list(fields, ', ', fields.length)}${from}${this.#totalOrder(source.keys)})`
    }
    return expr(type)`ARRAY(SELECT ${this.values.value(element, inner)}${from}${this.#totalOrder(source.keys)})`
  }
}

const isGroupKey = (type: Type): boolean => isOrderable(type) && type.kind !== 'FLOAT64'

function fieldsOf(alias: string, type: Type): readonly Node[] {
  return type.kind === 'STRUCT'
    ? type.fields.flatMap(field => (field.name ? [column(`${alias}.${field.name}`, field.type)] : []))
    : []
}
