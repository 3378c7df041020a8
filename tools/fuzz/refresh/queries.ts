/** Random queries that group the rows of a table by time: most may be kept, others break one rule. */
import type { Random } from '../random.js'
import {
  type Bucket,
  brokenCondition,
  type End,
  type Piece,
  randomBound,
  randomBucket,
  randomCondition,
  type Scope,
} from './expressions.js'
import { DATASET, PROJECT, type TableShape } from './tables.js'
import type { Era } from './times.js'
import { MORE_AGGREGATES, UPPER_AGGREGATES, upperOver, windowsOver } from './uppers.js'

export interface FuzzQuery {
  readonly sql: string
  /** The rule that it breaks, so that it must not be kept; null where it may be. */
  readonly breaks: string | null
  /** Whether the rule is one of the query as a whole, of which a part may be kept all the same. */
  readonly isAbove?: boolean
  /** Whether the order of the rows is determined as far as the bucket. */
  readonly isOrdered: boolean
}

/** How the table stands in a text. */
interface Source {
  readonly from: string
  readonly alias: string
  /** What qualifies its columns: '' or the alias and a point. */
  readonly prefix: string
  /** Aggregations of what is joined. */
  readonly joined: readonly string[]
  readonly breaks: string | null
}

const ITEM_AGGREGATES = ['SUM(item.v)', 'COUNT(item.k)', 'MIN(item.k)']
const AGAIN_AGGREGATES = ['SUM(again.n)', 'COUNT(again.s)', 'MAX(again.tenant)']
const NAME_AGGREGATES = ['MIN(known.name)', 'COUNT(known.name)', 'MAX(known.name)']

const KINDS_OF_BREAK = ['source', 'bucket', 'condition', 'aggregate', 'grouping', 'order', 'whole'] as const
type KindOfBreak = (typeof KINDS_OF_BREAK)[number]

/** What queries are about. */
export interface Subject {
  readonly shape: TableShape
  readonly era: Era
  /** A table with names of tenants. */
  readonly names: string
}

/** A query that breaks no rule. */
export const randomQuery = (random: Random, subject: Subject): FuzzQuery =>
  new QueryMaker(random, subject, null).query()

/** A query above a table expression, which may be kept where the query is not. */
export const upperQuery = (random: Random, subject: Subject): FuzzQuery => new QueryMaker(random, subject, null).above()

/** A query that breaks a rule, in most cases. */
export const brokenQuery = (random: Random, subject: Subject): FuzzQuery =>
  new QueryMaker(random, subject, random.pick(KINDS_OF_BREAK)).query()

class QueryMaker {
  readonly #random: Random
  readonly #shape: TableShape
  readonly #era: Era
  readonly #names: string
  readonly #kind: KindOfBreak | null
  #broken: string | null = null
  /** What stands before the query: functions and variables. */
  #before = ''

  constructor(random: Random, { shape, era, names }: Subject, kind: KindOfBreak | null) {
    this.#random = random
    this.#shape = shape
    this.#era = era
    this.#names = names
    this.#kind = kind
  }

  query(): FuzzQuery {
    const random = this.#random
    const { body, isOrdered } = random.weighted<() => { body: string; isOrdered: boolean }>([
      [5, () => this.#flat()],
      [4, () => this.#withRows()],
      [3, () => this.#within()],
      [3, () => this.#twice()],
      [3, () => this.#projected()],
      [2, () => this.#piped()],
      [1, () => this.#distinct()],
      [1, () => this.#united()],
    ])()
    const whole = this.#kind === 'whole' ? this.#brokenWhole(body) : body
    // Names of parameters and columns may be written in capitals.
    const sql = random.chance(0.03) ? whole.replace(/@\w+/, name => name.toUpperCase()) : whole
    // What is wrong above a part of the query does not prevent that the part is kept.
    const isAbove = this.#kind === 'order' || this.#kind === 'whole' || this.#kind === 'grouping'
    return { sql: `${this.#before}${sql}`, breaks: this.#broken, isAbove, isOrdered }
  }

  above(): FuzzQuery {
    const random = this.#random
    const source = this.#source()
    const scope = { ...this.#scope(source), time: 'it.moment', prefix: 'it.' }
    const time = `${source.alias}.\`${this.#shape.column}\``
    const columns = ['n', 'x', 's', 'tenant', 'other', 'items'].map(name => `${source.alias}.${name}`)
    const bucket = this.#bucket(scope)
    const keys = this.#keys('it.').map(([sql, name]) => `${sql} AS ${name}`)
    const aggregates = [...UPPER_AGGREGATES, ...random.some(MORE_AGGREGATES, 0, 4)].map(
      ([sql, name]) => `${sql} AS ${name}`,
    )
    const rows = `SELECT ${time} AS moment, ${columns.join(', ')} FROM ${source.from}`
    const body = `SELECT ${bucket.sql} AS bucket, ${[...keys, ...aggregates].join(', ')} FROM (${rows}) AS it${this.#where(scope)} GROUP BY ALL`
    const names = ['bucket', ...keys.map(key => key.split(' AS ')[1]!)]
    const values = [bucket.sql, ...keys.map(key => key.split(' AS ')[0]!)]
    const { sql, isOrdered } = random.chance(0.2)
      ? windowsOver(random, body, names, values)
      : upperOver(random, body, names, bucket.type)
    return { sql: `${this.#before}${sql.replace(') , z AS', '), z AS')}`, breaks: null, isOrdered }
  }

  #use({ sql, breaks }: Piece): string {
    this.#broken ??= breaks
    return sql
  }

  /** True once where the query is to break a rule of this kind. */
  #breaks(kind: KindOfBreak): boolean {
    return this.#kind === kind && this.#broken === null
  }

  #source(): Source {
    const random = this.#random
    const { name } = this.#shape
    const [dataset, table] = name.split('.') as [string, string]
    const path = random.weighted([
      [4, `\`${name}\``],
      [2, name],
      [1, `\`${dataset}\`.${table}`],
      [1, `${dataset}.\`${table}\``],
      [0.5, `${dataset} . ${table}`],
      [0.5, `\`${dataset}\`./* of ${dataset}.${table} */${table}`],
      [0.5, `${name}-- ${name}\n`],
      [0.5, `\`${PROJECT}.${name}\``],
      [0.5, `${PROJECT}.${name}`],
      [0.3, `\`${PROJECT}\`.${name}`],
      [dataset === DATASET ? 0.5 : 0, table],
    ])
    const alias = random.weighted([
      [4, table],
      [3, 'e'],
      [2, 'rows_of_it'],
      [1, 'n'],
    ])
    const isImplied = alias === table
    const as = isImplied
      ? random.pick(['', '', ` AS ${table}`])
      : random.pick([` AS ${alias}`, ` ${alias}`, `/**/AS ${alias}`])
    const from = `${path}${as}`
    const prefix = alias === 'n' || random.chance(0.5) ? `${alias}.` : ''
    const source = { alias, prefix, joined: [], breaks: null }
    if (this.#breaks('source')) return this.#brokenSource(from, source)
    const items = random.pick([`UNNEST(${alias}.items)`, `${alias}.items`])
    return random.weighted<Source>([
      [7, { ...source, from }],
      [1, { ...source, from: `${from} CROSS JOIN ${items} AS item`, joined: ITEM_AGGREGATES }],
      [1, { ...source, from: `${from}, ${items} AS item`, joined: ITEM_AGGREGATES }],
      [1, { ...source, from: `${from} LEFT JOIN ${items} AS item`, joined: ITEM_AGGREGATES }],
      [0.7, { ...source, from: `${from} JOIN UNNEST(['a', 'b', 'b']) AS known ON known = ${alias}.tenant` }],
      [0.7, { ...source, from: `${from} LEFT JOIN UNNEST(['a', 'b', 'b']) AS known ON known = ${alias}.tenant` }],
      [0.5, { ...source, from: `UNNEST([1, 2]) AS times CROSS JOIN ${from}` }],
      [
        0.7,
        {
          ...source,
          from: `${from} JOIN \`${this.#names}\` AS known USING (tenant)`,
          prefix: `${alias}.`,
          joined: NAME_AGGREGATES,
        },
      ],
      [
        0.7,
        {
          ...source,
          from: `${from} LEFT JOIN ${this.#names} AS known ON known.tenant = ${alias}.tenant`,
          joined: NAME_AGGREGATES,
          prefix: `${alias}.`,
        },
      ],
      [
        0.3,
        {
          ...source,
          from: `(SELECT tenant, MAX(name) AS name FROM \`${this.#names}\` GROUP BY tenant) AS known JOIN ${from} ON known.tenant = ${alias}.tenant`,
          joined: NAME_AGGREGATES,
          prefix: `${alias}.`,
        },
      ],
      [0.3, { ...source, from: `UNNEST(['a', 'c']) AS known RIGHT JOIN ${from} ON known = ${alias}.tenant` }],
      [0.5, { ...source, from: `${from} ${this.#again(alias)}`, prefix: `${alias}.`, joined: AGAIN_AGGREGATES }],
      [
        0.5,
        {
          ...source,
          from: `(SELECT * FROM \`${name}\`${random.pick(['', ' WHERE n > 2'])} UNION ALL SELECT * FROM \`${name}\`) AS ${alias}`,
        },
      ],
    ])
  }

  /** A join with rows of the same time, or of the same hour or day. */
  #again(alias: string): string {
    const { name, column, type } = this.#shape
    const part = type === 'DATE' ? 'DAY' : this.#random.pick(['HOUR', 'MINUTE'])
    const of = this.#random.pick([(time: string) => time, (time: string) => `${type}_TRUNC(${time}, ${part})`])
    const equal = `${of(`again.\`${column}\``)} = ${of(`${alias}.\`${column}\``)}`
    return `${this.#random.pick(['JOIN', 'LEFT JOIN'])} \`${name}\` AS again ON ${equal} AND again.n < ${alias}.n`
  }

  #brokenSource(from: string, source: Omit<Source, 'from'>): Source {
    const { name } = this.#shape
    const { alias } = source
    return this.#random.pick<Source>(
      [
        { ...source, from: `${from} JOIN \`${name}\` AS again ON again.n = ${alias}.n`, breaks: 'the table twice' },
        {
          ...source,
          from: `UNNEST(['a', 'x']) AS known LEFT JOIN ${from} ON known = ${alias}.tenant`,
          breaks: 'an outer join without its rows',
        },
        {
          ...source,
          from: `${from} FULL JOIN UNNEST(['a', 'x']) AS known ON known = ${alias}.tenant`,
          breaks: 'an outer join without its rows',
        },
        {
          ...source,
          from: `${from} RIGHT JOIN UNNEST(['a', 'x']) AS known ON known = ${alias}.tenant`,
          breaks: 'an outer join without its rows',
        },
        {
          ...source,
          from: `(SELECT * FROM \`${name}\` UNION ALL SELECT * FROM \`${name}\` WHERE \`${this.#shape.column}\` < '2020-01-01') AS ${alias}`,
          breaks: 'a set operation of rows that are bounded differently',
        },
        {
          ...source,
          from: `(SELECT n, s, x, tenant, other, items, \`${this.#shape.column}\` FROM \`${name}\` UNION ALL SELECT n, s, x, tenant, other, items, NULL FROM \`${name}\`) AS ${alias}`,
          breaks: 'a set operation with another time',
        },
        {
          ...source,
          from: `\`${name}\` AS again LEFT JOIN ${from} ON again.\`${this.#shape.column}\` = ${alias}.\`${this.#shape.column}\` AND again.n < ${alias}.n`,
          breaks: 'the time of the other side of an outer join',
        },
        { ...source, from: `(SELECT * FROM \`${name}\` ORDER BY n, s LIMIT 5) AS ${alias}`, breaks: 'LIMIT within' },
        {
          ...source,
          from: `(SELECT *, ROW_NUMBER() OVER (ORDER BY n) AS place FROM \`${name}\`) AS ${alias}`,
          breaks: 'a window',
        },
        { ...source, from: `\`${name}\` AS ${alias} TABLESAMPLE SYSTEM (100 PERCENT)`, breaks: 'TABLESAMPLE' },
        {
          ...source,
          from: `${from} JOIN \`${this.#names}\` AS known ON known.tenant = ${alias}.tenant AND known.since < @now`,
          breaks: 'the clock bounds another table',
        },
        {
          ...source,
          from: `${from} FULL JOIN \`${this.#names}\` AS known ON known.tenant = ${alias}.tenant`,
          breaks: 'an outer join without its rows',
        },
        {
          ...source,
          from: `\`${this.#names}\` AS known LEFT JOIN ${from} ON known.tenant = ${alias}.tenant`,
          breaks: 'an outer join without its rows',
        },
        {
          ...source,
          from: `(SELECT * FROM \`${this.#names}\` ORDER BY name, tenant LIMIT 1) AS known JOIN ${from} ON known.tenant = ${alias}.tenant`,
          breaks: 'LIMIT within',
        },
        { ...source, from: `\`${name}\` FOR SYSTEM_TIME AS OF @now AS ${alias}`, breaks: 'SYSTEM_TIME' },
      ].map(one => ({ ...one, prefix: `${alias}.` })),
    )
  }

  #scope({ alias, prefix }: Source): Scope {
    const { type, column } = this.#shape
    const name = this.#random.chance(0.1) ? column.toUpperCase() : column
    return {
      type,
      time: `${prefix || (this.#random.chance(0.3) ? `${alias}.` : '')}\`${name}\``,
      prefix: prefix || `${alias}.`,
      era: this.#era,
    }
  }

  #bucket(scope: Scope): Bucket {
    const bucket = randomBucket(this.#random, scope, this.#breaks('bucket') ? 1 : 0)
    this.#use(bucket)
    if (bucket.breaks !== null || this.#before !== '' || !this.#random.chance(0.05)) return bucket
    this.#before = `CREATE TEMP FUNCTION bucket_of(t ${scope.type}) AS (${bucket.sql.replaceAll(scope.time, 't')}); `
    return { ...bucket, sql: `bucket_of(${scope.time})` }
  }

  /** ` WHERE …`, or nothing. */
  #where(scope: Scope, word = ' WHERE'): string {
    const random = this.#random
    const ends = random.weighted<readonly End[]>([
      [2, []],
      [5, ['lower']],
      [1, ['upper']],
      [3, ['lower', 'upper']],
      [0.5, ['lower', 'lower']],
      [0.5, ['any', 'any', 'any']],
    ])
    const conditions = random.weighted([
      [5, 0],
      [4, 1],
      [1, 2],
    ])
    const parts = [
      ...ends.map(end => this.#use(randomBound(random, scope, 0.75, end))),
      ...Array.from({ length: conditions }, () => this.#use(randomCondition(random, scope))),
    ]
    if (this.#breaks('condition')) parts.push(this.#use(brokenCondition(random, scope, `\`${this.#shape.name}\``)))
    if (parts.length > 0 && this.#before === '' && random.chance(0.04)) {
      const value = `TIMESTAMP_SUB(@now, INTERVAL ${random.between(1, 50)} HOUR)`
      if (scope.type === 'TIMESTAMP') {
        this.#before = `DECLARE since TIMESTAMP DEFAULT ${value}; `
        parts.push(`${scope.time} >= since`)
      }
    }
    return parts.length === 0 ? '' : `${word} ${shuffled(random, parts).join(' AND ')}`
  }

  /** The aggregations, `… AS a1, … AS a2`, of columns that the prefix qualifies. */
  #aggregates(prefix: string, joined: readonly string[], time: string | null): readonly string[] {
    const random = this.#random
    const [n, x, s] = ['n', 'x', 's'].map(name => `${prefix}${name}`)
    const choices = [
      'COUNT(*)',
      'COUNT(*)',
      `COUNT(${n})`,
      `SUM(${n})`,
      `SUM(${x})`,
      `AVG(${x})`,
      `MIN(${s})`,
      `MAX(${n})`,
      `COUNTIF(${n} > 2)`,
      `COUNT(DISTINCT ${s})`,
      `APPROX_QUANTILES(${n}, 4)`,
      `APPROX_COUNT_DISTINCT(${s})`,
      `LOGICAL_OR(${n} > 5)`,
      `BIT_XOR(${n})`,
      `STRING_AGG(DISTINCT ${s} ORDER BY ${s})`,
      `ARRAY_AGG(DISTINCT ${n} IGNORE NULLS ORDER BY ${n}${random.pick(['', ' LIMIT 2'])})`,
      `SUM(IF(${s} LIKE '%a%', 1, 0))`,
      `COALESCE(SUM(${n}), 0)`,
      `STRUCT(COUNT(*) AS c, MAX(${s}) AS m)`,
      `SAFE_DIVIDE(SUM(${n}), COUNT(*))`,
      ...(time?.includes('`') ? [`MAX((SELECT SUM(one.v) FROM UNNEST(${prefix}items) AS one))`] : []),
      ...joined,
      ...(time ? [`MIN(${time})`, `MAX(${time})`, `COUNT(${time})`] : []),
    ]
    const all = random.several(1, 4, () => random.pick(choices))
    if (this.#breaks('aggregate') && this.#before === '' && random.chance(0.1)) {
      this.#before = "CREATE TEMP FUNCTION same(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS 'return x'; "
      all.push(this.#use({ sql: `SUM(same(${x}))`, breaks: 'a JavaScript function' }))
    }
    if (this.#breaks('aggregate')) {
      all.push(
        this.#use(
          random.pick<Piece>([
            { sql: `ARRAY_AGG(${n} IGNORE NULLS)`, breaks: 'ARRAY_AGG without an order' },
            { sql: `ARRAY_AGG(${n} IGNORE NULLS ORDER BY ${s})`, breaks: 'ARRAY_AGG without a total order' },
            { sql: `STRING_AGG(${s})`, breaks: 'STRING_AGG without an order' },
            { sql: `ANY_VALUE(${n})`, breaks: 'ANY_VALUE' },
            { sql: `MAX_BY(${s}, ${n})`, breaks: 'MAX_BY' },
            { sql: `MIN_BY(${n}, ${s})`, breaks: 'MIN_BY' },
            { sql: `APPROX_TOP_COUNT(${s}, 2)`, breaks: 'APPROX_TOP_COUNT' },
            { sql: `MAX(${s} HAVING MAX ${n})`, breaks: 'HAVING MAX' },
            { sql: `ARRAY_AGG(${n} IGNORE NULLS ORDER BY ${s} LIMIT 2)`, breaks: 'LIMIT within a call' },
            { sql: 'MAX(@now)', breaks: 'the clock in a result' },
            {
              sql: `COUNTIF(${time ?? `${prefix}other`} >= ${this.#shape.type === 'TIMESTAMP' ? '@now' : `${this.#shape.type}(@now)`})`,
              breaks: 'the clock in an aggregation',
            },
            { sql: `(SELECT COUNT(*) FROM \`${this.#shape.name}\`) + COUNT(*)`, breaks: 'a subquery reads the table' },
          ]),
        ),
      )
    }
    return all.map((sql, i) => `${sql} AS a${i + 1}`)
  }

  /** The other columns of the key, each with its name. */
  #keys(prefix: string, scope: Scope | null = null): readonly (readonly [sql: string, name: string])[] {
    const random = this.#random
    const keys = [
      [`${prefix}s`, 'k1'],
      [`${prefix}tenant`, 'k2'],
      [`${prefix}n > 2`, 'k3'],
    ] as const
    const others = random.chance(0.5) ? [] : random.some(keys, 1, 2)
    // Another bucket of the time may be the one that the result is put together by.
    if (scope === null || this.#kind !== null || !random.chance(0.15)) return others
    const of = random.chance(0.7) ? scope : { ...scope, time: `${prefix}other` }
    return [...others, [randomBucket(random, of, 0).sql, 'k4']]
  }

  #having(bucket: Bucket | null): string {
    const random = this.#random
    if (this.#breaks('grouping') && random.chance(0.1))
      return this.#use({ sql: ' QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*)) < 3', breaks: 'QUALIFY' })
    if (this.#breaks('grouping') && random.chance(0.2))
      return this.#use({ sql: ' HAVING COUNT(*) > EXTRACT(SECOND FROM @now) - 70', breaks: 'the clock in HAVING' })
    if (random.chance(0.85)) return ''
    const scope = bucket && { type: bucket.type, time: 'bucket', prefix: '', era: this.#era }
    return ` HAVING ${scope && random.chance(0.4) ? randomBound(random, scope, 0.4, 'any').sql : 'COUNT(*) > 1'}`
  }

  /** ` ORDER BY … LIMIT …`, or a part of it. `others` are columns that may follow the bucket. */
  #order(others: readonly string[]): { readonly sql: string; readonly isOrdered: boolean } {
    const random = this.#random
    if (this.#breaks('order')) return { sql: ` ${this.#brokenOrder(others)}`, isOrdered: true }
    if (random.chance(0.12)) return { sql: '', isOrdered: false }
    const direction = (): string =>
      `${random.pick(['', '', ' ASC', ' DESC', ' DESC'])}${random.pick(['', '', '', ' NULLS FIRST', ' NULLS LAST'])}`
    const more = random.some(others, 0, random.pick([0, 0, 1, 2])).map(name => `, ${name}${direction()}`)
    const first = others.includes('k4') && random.chance(0.4) ? `k4${direction()}, ` : ''
    const limit = random.chance(0.25) ? ` LIMIT ${random.pick([0, 1, 2, 3, 5, 8, 13, 100])}` : ''
    return { sql: ` ORDER BY ${first}bucket${direction()}${more.join('')}${limit}`, isOrdered: true }
  }

  #brokenOrder(others: readonly string[]): string {
    const other = others[0] ?? 'a1'
    return this.#use(
      this.#random.pick<Piece>([
        { sql: `ORDER BY ${other}, bucket LIMIT 5`, breaks: 'another first key' },
        { sql: `ORDER BY ${other} IS NULL, bucket`, breaks: 'another first key' },
        { sql: 'ORDER BY bucket LIMIT 3 OFFSET 1', breaks: 'OFFSET' },
        { sql: 'LIMIT 3', breaks: 'LIMIT without an order' },
        { sql: 'ORDER BY EXTRACT(YEAR FROM bucket), bucket DESC', breaks: 'another first key' },
        { sql: 'ORDER BY bucket LIMIT @least', breaks: 'LIMIT of a parameter' },
      ]),
    )
  }

  /** The columns of the list, with the bucket at any place. */
  #list(bucket: string, keys: readonly (readonly [string, string])[], aggregates: readonly string[]): string {
    const others = [...keys.map(([sql, name]) => `${sql} AS ${name}`), ...aggregates]
    const at = this.#random.chance(0.5) ? 0 : this.#random.between(0, others.length)
    return [...others.slice(0, at), bucket, ...others.slice(at)].join(', ')
  }

  #groupBy(keys: readonly (readonly [string, string])[]): string {
    const random = this.#random
    const names = shuffled(random, ['bucket', ...keys.map(([, name]) => name)])
    if (this.#breaks('grouping')) {
      return this.#use(
        random.pick<Piece>([
          { sql: `GROUP BY ROLLUP (${names.join(', ')})`, breaks: 'ROLLUP' },
          { sql: `GROUP BY GROUPING SETS ((${names.join(', ')}), ())`, breaks: 'GROUPING SETS' },
          { sql: `GROUP BY CUBE (${names.join(', ')})`, breaks: 'CUBE' },
        ]),
      )
    }
    return random.chance(0.1) ? 'GROUP BY ALL' : `GROUP BY ${names.join(', ')}`
  }

  #flat(): { body: string; isOrdered: boolean } {
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const bucket = this.#bucket(scope)
    const keys = this.#keys(scope.prefix, scope)
    const aggregates = this.#aggregates(scope.prefix, source.joined, scope.time)
    const list = this.#list(`${bucket.sql} AS bucket`, keys, aggregates)
    const where = this.#where(scope)
    const order = this.#order([...keys.map(([, name]) => name), ...(aggregates[0]!.startsWith('COUNT') ? ['a1'] : [])])
    const group = `${this.#groupBy(keys)}${this.#having(bucket)}`
    const body = `SELECT ${list} FROM ${source.from}${where} ${group}${order.sql}`
    return { body: this.#renamed(body, list), isOrdered: order.isOrdered }
  }

  /** Now and then the bucket is named as the column is, or by its place in the list. */
  #renamed(body: string, list: string): string {
    const random = this.#random
    const { column } = this.#shape
    const isPlain = this.#kind === null && !list.includes('(SELECT')
    if (isPlain && random.chance(0.05)) return body.replace(/\bbucket\b/g, `\`${column}\``)
    if (!isPlain || !random.chance(0.1)) return body
    const [before] = list.split(' AS bucket')
    // The first column of the list has no comma outside of parentheses before it.
    if (/,(?![^(]*\))/.test(before!)) return body
    return body.replace(/\b(GROUP|ORDER) BY bucket\b/g, '$1 BY 1')
  }

  /** The rows in a CTE, with their bucket. */
  #withRows(): { body: string; isOrdered: boolean } {
    const random = this.#random
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const bucket = this.#bucket(scope)
    const { prefix } = scope
    const columns = ['n', 'x', 's', 'tenant', 'other', 'items'].map(name => `${prefix}${name}`)
    const rows = `SELECT ${bucket.sql} AS bucket, ${scope.time} AS moment, ${columns.join(', ')} FROM ${source.from}${this.#where(scope)}`
    const sorted = random.chance(0.1) ? `${rows} ORDER BY n` : rows
    const keys = this.#keys('')
    const aggregates = this.#aggregates('', [], 'moment')
    const list = this.#list('bucket', keys, aggregates)
    const inner: Scope = { type: this.#shape.type, time: 'moment', prefix: 'it.', era: this.#era }
    const where = random.chance(0.3) ? this.#where(inner) : ''
    const order = this.#order(keys.map(([, name]) => name))
    const unused = random.chance(0.1) ? ', unused AS (SELECT @now AS stamp)' : ''
    const group = `${this.#groupBy(keys)}${this.#having(bucket)}`
    const body = `WITH it AS (${sorted})${unused} SELECT ${list} FROM it${where} ${group}${order.sql}`
    return { body, isOrdered: order.isOrdered }
  }

  /** The rows in a subquery that passes the time on. */
  #within(): { body: string; isOrdered: boolean } {
    const random = this.#random
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const moved = random.chance(0.2)
      ? `${scope.type}_TRUNC(${scope.time}, ${scope.type === 'DATE' ? 'DAY' : 'SECOND'})`
      : scope.time
    const columns = ['n', 'x', 's', 'tenant', 'other', 'items'].map(name => `${scope.prefix}${name}`)
    const all =
      source.alias === source.prefix.slice(0, -1) &&
      source.joined.length === 0 &&
      random.chance(0.2) &&
      moved === scope.time
    const time = all ? `\`${this.#shape.column}\`` : 'moment'
    const rows = `SELECT ${all ? `${source.alias}.*` : `${moved} AS moment, ${columns.join(', ')}`} FROM ${source.from}${this.#where(scope)}`
    const inner: Scope = { type: this.#shape.type, time: `it.${time}`, prefix: 'it.', era: this.#era }
    const bucket = this.#bucket(inner)
    const keys = this.#keys('it.', inner)
    const aggregates = this.#aggregates('it.', [], inner.time)
    const order = this.#order(keys.map(([, name]) => name))
    const list = this.#list(`${bucket.sql} AS bucket`, keys, aggregates)
    const where = random.chance(0.4) ? this.#where(inner) : ''
    const group = `${this.#groupBy(keys)}${this.#having(bucket)}`
    return { body: `SELECT ${list} FROM (${rows}) AS it${where} ${group}${order.sql}`, isOrdered: order.isOrdered }
  }

  /** Aggregates by fine buckets, then these by coarse ones. */
  #twice(): { body: string; isOrdered: boolean } {
    const random = this.#random
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const fine = this.#bucket(scope)
    const where = this.#where(scope)
    const rows = `SELECT ${fine.sql} AS fine, ${scope.prefix}s AS s, ${scope.prefix}tenant AS tenant, COUNT(*) AS n, SUM(${scope.prefix}x) AS x, MAX(${scope.prefix}other) AS other FROM ${source.from}${where} GROUP BY fine, s, tenant`
    const coarse = randomBucket(random, { type: fine.type, time: 'fine', prefix: '', era: this.#era }, 0)
    const keys = this.#keys('it.')
    const aggregates = this.#aggregates('it.', [], random.chance(0.3) ? 'fine' : null)
    if (this.#breaks('grouping')) {
      const sql = random.pick([
        `SELECT s, SUM(n) AS a1 FROM (${rows}) AS it GROUP BY s ORDER BY s`,
        `SELECT MAX(fine) AS bucket, s, SUM(n) AS a1 FROM (${rows}) AS it GROUP BY s ORDER BY bucket`,
        `SELECT other AS bucket, SUM(n) AS a1 FROM (${rows}) AS it GROUP BY bucket ORDER BY bucket`,
        `SELECT fine AS bucket, n, SUM(n) OVER (ORDER BY fine, s, tenant) AS a1 FROM (${rows}) AS it ORDER BY bucket, s, tenant`,
        `SELECT fine AS bucket, n FROM (${rows}) AS it WHERE n >= (SELECT AVG(n) FROM (${rows})) ORDER BY bucket`,
      ])
      return { body: this.#use({ sql, breaks: 'above the cut, buckets meet' }), isOrdered: true }
    }
    const order = this.#order(keys.map(([, name]) => name))
    const list = this.#list(`${coarse.sql} AS bucket`, keys, aggregates)
    const group = `${this.#groupBy(keys)}${this.#having(coarse)}`
    return { body: `SELECT ${list} FROM (${rows}) AS it ${group}${order.sql}`, isOrdered: order.isOrdered }
  }

  /** What is computed of the buckets' rows, in a query above. */
  #projected(): { body: string; isOrdered: boolean } {
    const random = this.#random
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const bucket = this.#bucket(scope)
    const keys = this.#keys(scope.prefix, scope)
    const aggregates = this.#aggregates(scope.prefix, source.joined, scope.time)
    const inner = `SELECT ${this.#list(`${bucket.sql} AS moment`, keys, ['COUNT(*) AS c', ...aggregates])} FROM ${source.from}${this.#where(scope)} ${this.#groupBy(keys).replace(/\bbucket\b/, 'moment')}${this.#having(null)}`
    const above: Scope = { type: bucket.type, time: 'moment', prefix: '', era: this.#era }
    const time = random.weighted([
      [5, 'moment'],
      [1, randomBucket(random, above, 0).sql],
    ])
    const list = this.#list(
      `${time} AS bucket`,
      keys.map(([, name]) => [name, name] as const),
      ['c * 2 AS doubled', 'a1'],
    )
    const where = random.chance(0.3)
      ? ` WHERE ${random.pick([randomBound(random, above, 0.5, 'any').sql, 'c > 1', 'MOD(c, 2) = 1'])}`
      : ''
    const order = this.#order(keys.map(([, name]) => name))
    return { body: `WITH it AS (${inner}) SELECT ${list} FROM it${where}${order.sql}`, isOrdered: order.isOrdered }
  }

  #piped(): { body: string; isOrdered: boolean } {
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const bucket = this.#bucket(scope)
    const keys = this.#keys(scope.prefix, scope)
    const aggregates = this.#aggregates(scope.prefix, source.joined, scope.time)
    const where = this.#where(scope, '\n|> WHERE')
    const order = this.#order(keys.map(([, name]) => name))
    const [sorted, limit] = order.sql.split(' LIMIT ')
    const steps = [...(sorted?.trim() ? [`\n|>${sorted}`] : []), ...(limit ? [`\n|> LIMIT ${limit}`] : [])]
    const named = [`${bucket.sql} AS bucket`, ...keys.map(([sql, name]) => `${sql} AS ${name}`)]
    const body = `FROM ${source.from}${where}\n|> AGGREGATE ${aggregates.join(', ')} GROUP BY ${named.join(', ')}${steps.join('')}`
    return { body, isOrdered: order.isOrdered }
  }

  #distinct(): { body: string; isOrdered: boolean } {
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const bucket = this.#bucket(scope)
    const keys = this.#keys(scope.prefix)
    const order = this.#order(keys.map(([, name]) => name))
    const list = this.#list(`${bucket.sql} AS bucket`, keys, [])
    return {
      body: `SELECT DISTINCT ${list} FROM ${source.from}${this.#where(scope)}${order.sql}`,
      isOrdered: order.isOrdered,
    }
  }

  /** Groups of two kinds, and groups that are joined with those of the same bucket. */
  #united(): { body: string; isOrdered: boolean } {
    const random = this.#random
    const source = this.#source()
    this.#broken ??= source.breaks
    const scope = this.#scope(source)
    const bucket = this.#bucket(scope)
    const { prefix } = scope
    const rows = `${source.from}${this.#where(scope)}`
    const b = `SELECT ${bucket.sql} AS bucket, COUNT(*) AS c, MIN(${prefix}s) AS t FROM ${rows} GROUP BY bucket`
    const d = `SELECT ${bucket.sql} AS bucket, ${prefix}tenant AS tenant, SUM(${prefix}n) AS c FROM ${rows} GROUP BY bucket, tenant`
    const end = random.pick(['', ' ORDER BY bucket', ' ORDER BY bucket DESC'])
    const above = random.pick([
      `SELECT bucket, c, t FROM b UNION ALL SELECT bucket, c, tenant FROM d`,
      `SELECT bucket, c, t FROM b UNION DISTINCT SELECT bucket, c, tenant FROM d`,
      `SELECT bucket, SUM(c) AS c FROM (SELECT bucket, c FROM b UNION ALL SELECT bucket, c FROM d) GROUP BY bucket`,
      `SELECT d.bucket, tenant, d.c / b.c AS share FROM d JOIN b ON d.bucket = b.bucket`,
      `SELECT b.bucket, tenant, b.c, d.c AS other FROM b LEFT JOIN d ON d.bucket = b.bucket AND d.c > 3`,
      `SELECT one.bucket, one.tenant, two.c FROM d AS one JOIN d AS two ON one.bucket = two.bucket AND one.tenant > two.tenant`,
    ])
    return { body: `WITH b AS (${b}), d AS (${d}) ${above}${end.replace('bucket', '1')}`, isOrdered: end !== '' }
  }

  /** A query around one that may be kept, or instead of it, that may not be. */
  #brokenWhole(body: string): string {
    const { name, column, type } = this.#shape
    return this.#use(
      this.#random.pick<Piece>([
        {
          sql: `SELECT *, ROW_NUMBER() OVER (ORDER BY bucket) AS place FROM (${body}) ORDER BY bucket`,
          breaks: 'a window',
        },
        {
          sql: `SELECT bucket, LAG(bucket) OVER (ORDER BY bucket) AS before FROM (${body}) ORDER BY bucket`,
          breaks: 'a window',
        },
        { sql: `SELECT bucket, SUM(1) OVER () AS all_of_them FROM (${body}) ORDER BY bucket`, breaks: 'a window' },
        { sql: `SELECT COUNT(*) AS c FROM (${body})`, breaks: 'all buckets in one row' },
        { sql: `SELECT MAX(bucket) AS bucket FROM (${body})`, breaks: 'all buckets in one row' },
        {
          sql: `SELECT bucket FROM (${body}) UNION ALL SELECT bucket FROM (${body}${/ LIMIT \d+$/.test(body) ? '' : ' LIMIT 4'}) ORDER BY bucket`,
          breaks: 'a set operation with LIMIT',
        },
        {
          sql: `SELECT bucket FROM (${body}) INTERSECT DISTINCT SELECT bucket FROM (${body}) ORDER BY bucket`,
          breaks: 'a set operation',
        },
        {
          sql: `WITH b AS (${body}) SELECT one.bucket, COUNT(*) AS c FROM b AS one JOIN b AS two ON one.bucket > two.bucket GROUP BY bucket ORDER BY bucket`,
          breaks: 'a CTE twice',
        },
        {
          sql: `SELECT bucket FROM (${body}${/ LIMIT \d+$/.test(body) ? '' : ' LIMIT 4'}) ORDER BY bucket`,
          breaks: 'LIMIT within',
        },
        {
          sql: `SELECT CAST(bucket AS STRING) AS bucket FROM (${body}) ORDER BY bucket`,
          breaks: 'the bucket as a text',
        },
        { sql: `SELECT * EXCEPT (bucket) FROM (${body})`, breaks: 'a result without the bucket' },
        {
          sql: `SELECT \`${column}\` AS bucket, n, s FROM \`${name}\` WHERE n > 3 ORDER BY bucket, n, s`,
          breaks: 'no aggregation',
        },
        { sql: `SELECT bucket, @now AS stamp FROM (${body}) ORDER BY bucket`, breaks: 'the clock in a result' },
        {
          sql: `SELECT s, COUNT(*) AS c FROM \`${name}\` WHERE \`${column}\` >= ${type === 'TIMESTAMP' ? '@now' : `${type}(@now)`} GROUP BY s ORDER BY s`,
          breaks: 'no bucket',
        },
        {
          sql: `SELECT bucket, GENERATE_UUID() IS NULL AS never FROM (${body}) ORDER BY bucket`,
          breaks: 'a function that is not stable',
        },
      ]),
    )
  }
}

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(random.next() * left.length), 1)[0]!)
}
