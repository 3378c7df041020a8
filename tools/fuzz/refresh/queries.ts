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
import { brokenUppers, MORE_AGGREGATES, UPPER_AGGREGATES, type Upper, upperOver, windowsOver } from './uppers.js'

export interface FuzzQuery {
  readonly sql: string
  /** The rule that it breaks, so that it must not be kept; null where it may be. */
  readonly breaks: string | null
  /** Whether the rule is one of the query as a whole, of which a part may be kept all the same. */
  readonly isAbove?: boolean
  /** Whether the order of the rows is determined as far as the bucket. */
  readonly isOrdered: boolean
}

/** The text of a query. */
interface Body {
  readonly sql: string
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
}

/** Texts, each with the rule that a query with it breaks. */
type Breaking = readonly (readonly [sql: string, breaks: string])[]

const ITEM_AGGREGATES = ['SUM(item.v)', 'COUNT(item.k)', 'MIN(item.k)']
const AGAIN_AGGREGATES = ['SUM(again.n)', 'COUNT(again.s)', 'MAX(again.tenant)']
const NAME_AGGREGATES = ['MIN(known.name)', 'COUNT(known.name)', 'MAX(known.name)']

const KINDS_OF_BREAK = [
  'source',
  'bucket',
  'condition',
  'aggregate',
  'grouping',
  'order',
  'whole',
  'above',
  'first key',
] as const
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
export function brokenQuery(random: Random, subject: Subject): FuzzQuery {
  const kind = random.pick(KINDS_OF_BREAK)
  const maker = new QueryMaker(random, subject, kind)
  if (kind === 'above') return maker.above()
  return kind === 'first key' ? maker.orderedByAnother() : maker.query()
}

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
    const { sql: body, isOrdered } = random.weighted<() => Body>([
      [5, () => this.#flat()],
      [4, () => this.#withRows()],
      [3, () => this.#within()],
      [3, () => this.#twice()],
      [3, () => this.#projected()],
      [2, () => this.#piped()],
      [1, () => this.#distinct()],
      [this.#kind === 'grouping' ? 6 : 1, () => this.#united()],
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
    const { time, ...own } = this.#scope(source)
    const scope = { ...own, time: 'it.moment', prefix: 'it.' }
    const bucket = this.#bucket(scope)
    const keys = this.#keys('it.')
    const columns = [...keys, ...UPPER_AGGREGATES, ...random.some(MORE_AGGREGATES, 0, 4)].map(asNamed)
    const rows = `SELECT ${time} AS moment, ${columnsOf(`${source.alias}.`)} FROM ${source.from}`
    const body = `SELECT ${[`${bucket.sql} AS bucket`, ...columns].join(', ')} FROM (${rows}) AS it${this.#where(scope)} GROUP BY ALL`
    const names = ['bucket', ...namesOf(keys)]
    const sql = this.#breaks('above') ? this.#breaking(brokenUppers(body, names, this.#names)) : null
    const above = (): Upper => {
      const values = [bucket.sql, ...keys.map(([value]) => value)]
      return random.chance(0.35)
        ? windowsOver(random, body, names, values)
        : upperOver(random, body, names, bucket.type)
    }
    const upper = sql === null ? above() : { sql, isOrdered: true }
    return { sql: `${this.#before}${upper.sql}`, breaks: this.#broken, isOrdered: upper.isOrdered }
  }

  /** A query that is kept once it is ordered by something that puts the buckets in another order. */
  orderedByAnother(): FuzzQuery {
    const { name, column, type } = this.#shape
    const time = `\`${column}\``
    const queryBy = (key: string) =>
      [
        `SELECT DATE(${time}) AS bucket, COUNT(*) AS c FROM \`${name}\` GROUP BY bucket, ${key} ORDER BY ${key}, bucket DESC`,
        'another first key',
      ] as const
    const buckets = `TIMESTAMP_SECONDS(3600 * DIV(UNIX_SECONDS(${time}), 3600))`
    const sql = this.#breaking([
      queryBy('DATE(other)'),
      queryBy(`DATE_TRUNC(DATE(${time}), MONTH)`),
      ...(type === 'TIMESTAMP' ? [queryBy(`DATE(${time}, 'Asia/Tokyo')`), queryBy(buckets)] : []),
    ])
    return { sql, breaks: this.#broken, isAbove: true, isOrdered: true }
  }

  #use({ sql, breaks }: Piece): string {
    this.#broken ??= breaks
    return sql
  }

  #breaking(texts: Breaking): string {
    const [sql, breaks] = this.#random.pick(texts)
    return this.#use({ sql, breaks })
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
    if (this.#breaks('source')) {
      return { from: this.#brokenSource(from, alias), alias, prefix: `${alias}.`, joined: [] }
    }
    const items = random.pick([`UNNEST(${alias}.items)`, `${alias}.items`])
    const names = `\`${this.#names}\``
    const [sql, joined = []] = random.weighted<readonly [sql: string, joined?: readonly string[]]>([
      [7, [from]],
      [1, [`${from} CROSS JOIN ${items} AS item`, ITEM_AGGREGATES]],
      [1, [`${from}, ${items} AS item`, ITEM_AGGREGATES]],
      [1, [`${from} LEFT JOIN ${items} AS item`, ITEM_AGGREGATES]],
      [0.7, [`${from} JOIN UNNEST(['a', 'b', 'b']) AS known ON known = ${alias}.tenant`]],
      [0.7, [`${from} LEFT JOIN UNNEST(['a', 'b', 'b']) AS known ON known = ${alias}.tenant`]],
      [0.5, [`UNNEST([1, 2]) AS times CROSS JOIN ${from}`]],
      [1.2, [`${from} JOIN ${names} AS known USING (tenant)`, NAME_AGGREGATES]],
      [1.2, [`${from} LEFT JOIN ${this.#names} AS known ON known.tenant = ${alias}.tenant`, NAME_AGGREGATES]],
      [
        0.3,
        [
          `(SELECT tenant, MAX(name) AS name FROM ${names} GROUP BY tenant) AS known JOIN ${from} ON known.tenant = ${alias}.tenant`,
          NAME_AGGREGATES,
        ],
      ],
      [0.3, [`UNNEST(['a', 'c']) AS known RIGHT JOIN ${from} ON known = ${alias}.tenant`]],
      [0.5, [`${from} ${this.#again(alias)}`, AGAIN_AGGREGATES]],
      [
        0.5,
        [
          `(SELECT * FROM \`${name}\`${random.pick(['', ' WHERE n > 2'])} UNION ALL SELECT * FROM \`${name}\`) AS ${alias}`,
        ],
      ],
    ])
    const isClear = joined !== NAME_AGGREGATES && joined !== AGAIN_AGGREGATES
    return { from: sql, alias, prefix: isClear ? prefix : `${alias}.`, joined }
  }

  /** A join with rows of the same time, or of the same hour or day. */
  #again(alias: string): string {
    const { name, column, type } = this.#shape
    const part = type === 'DATE' ? 'DAY' : this.#random.pick(['HOUR', 'MINUTE'])
    const of = this.#random.pick([(time: string) => time, (time: string) => `${type}_TRUNC(${time}, ${part})`])
    const equal = `${of(`again.\`${column}\``)} = ${of(`${alias}.\`${column}\``)}`
    return `${this.#random.pick(['JOIN', 'LEFT JOIN'])} \`${name}\` AS again ON ${equal} AND again.n < ${alias}.n`
  }

  #brokenSource(from: string, alias: string): string {
    const table = `\`${this.#shape.name}\``
    const time = `\`${this.#shape.column}\``
    const rows = 'n, s, x, tenant, other, items'
    const names = `\`${this.#names}\``
    const isOf = `ON known.tenant = ${alias}.tenant`
    const outer = 'an outer join without its rows'
    return this.#breaking([
      [`${from} JOIN ${table} AS again ON again.n = ${alias}.n`, 'the table twice'],
      [`${from} JOIN ${table} AS again ON again.${time} = again.${time} AND again.n = ${alias}.n`, 'the table twice'],
      [`${from} FULL JOIN ${table} AS again ON again.${time} = ${alias}.${time}`, outer],
      [`UNNEST(['a', 'x']) AS known LEFT JOIN ${from} ON known = ${alias}.tenant`, outer],
      [`${from} FULL JOIN UNNEST(['a', 'x']) AS known ON known = ${alias}.tenant`, outer],
      [`${from} RIGHT JOIN UNNEST(['a', 'x']) AS known ON known = ${alias}.tenant`, outer],
      [`${from} FULL JOIN ${names} AS known ${isOf}`, outer],
      [`${names} AS known LEFT JOIN ${from} ${isOf}`, outer],
      [
        `(SELECT * FROM ${table} UNION ALL SELECT * FROM ${table} WHERE ${time} < '2020-01-01') AS ${alias}`,
        'a union of rows that are bounded differently',
      ],
      [
        `(SELECT ${rows}, ${time} FROM ${table} UNION ALL SELECT ${rows}, NULL FROM ${table}) AS ${alias}`,
        'a union with another time',
      ],
      [
        `(SELECT ${rows}, ${time} FROM ${table} UNION ALL SELECT 1, 'a', 1.5, 'a', NULL, NULL, NULL) AS ${alias}`,
        'a union with a constant row',
      ],
      [
        `${table} AS again LEFT JOIN ${from} ON again.${time} = ${alias}.${time} AND again.n < ${alias}.n`,
        'the time of the other side of an outer join',
      ],
      [`(SELECT * FROM ${table} ORDER BY n, s LIMIT 5) AS ${alias}`, 'LIMIT within'],
      [`(SELECT * FROM ${names} ORDER BY name, tenant LIMIT 1) AS known JOIN ${from} ${isOf}`, 'LIMIT within'],
      [`(SELECT *, ROW_NUMBER() OVER (ORDER BY n) AS place FROM ${table}) AS ${alias}`, 'a window'],
      [`${table} AS ${alias} TABLESAMPLE SYSTEM (100 PERCENT)`, 'TABLESAMPLE'],
      [`${from} JOIN ${names} AS known ${isOf} AND known.since < @now`, 'the clock bounds another table'],
      [`${table} AS ${alias} FOR SYSTEM_TIME AS OF @now`, 'SYSTEM_TIME'],
    ])
  }

  #scope({ alias, prefix }: Source): Scope {
    const { type, column } = this.#shape
    const name = this.#random.chance(0.1) ? column.toUpperCase() : column
    const qualifier = prefix || (this.#random.chance(0.3) ? `${alias}.` : '')
    const isText = type === 'DATE' && this.#random.chance(0.4)
    return {
      type,
      time: isText ? `PARSE_DATE('%Y%m%d', ${qualifier}day_text)` : `${qualifier}\`${name}\``,
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
      [3, []],
      [5, ['lower']],
      [3, ['upper']],
      [5, ['lower', 'upper']],
      [0.5, ['lower', 'lower']],
      [1.5, ['upper', 'upper']],
      [1.5, ['any']],
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
      `COUNTIF(${n} > @least)`,
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
      const { name, type } = this.#shape
      const now = type === 'TIMESTAMP' ? '@now' : `${type}(@now)`
      all.push(
        this.#breaking([
          [`ARRAY_AGG(${n} IGNORE NULLS)`, 'ARRAY_AGG without an order'],
          [`ARRAY_AGG(${n} IGNORE NULLS ORDER BY ${s})`, 'ARRAY_AGG without a total order'],
          [`STRING_AGG(${s})`, 'STRING_AGG without an order'],
          [`ARRAY_AGG(DISTINCT ${x} IGNORE NULLS ORDER BY ${x})`, 'different FLOAT64'],
          // Without the addition, keys may tell it: it may be a count of a group below.
          [`ANY_VALUE(${n} + 1)`, 'ANY_VALUE'],
          [`MAX_BY(${s}, ${n})`, 'MAX_BY'],
          [`MIN_BY(${n}, ${s})`, 'MIN_BY'],
          [`APPROX_TOP_COUNT(${s}, 2)`, 'APPROX_TOP_COUNT'],
          [`MAX(${s} HAVING MAX ${n})`, 'HAVING MAX'],
          [`ARRAY_AGG(${n} IGNORE NULLS ORDER BY ${s} LIMIT 2)`, 'LIMIT within a call'],
          ['MAX(@now)', 'the clock in a result'],
          [`COUNTIF(${time ?? `${prefix}other`} >= ${now})`, 'the clock in an aggregation'],
          [`(SELECT COUNT(*) FROM \`${name}\`) + COUNT(*)`, 'a subquery reads the table'],
        ]),
      )
    }
    return all.map((sql, i) => `${sql} AS a${i + 1}`)
  }

  /** The other columns of the key, each with its name. */
  #keys(prefix: string, scope: Scope | null = null): Keys {
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
    if (this.#breaks('grouping') && random.chance(0.3)) {
      return this.#breaking([
        [' QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*)) < 3', 'QUALIFY'],
        [' HAVING COUNT(*) > EXTRACT(SECOND FROM @now) - 70', 'the clock in HAVING'],
      ])
    }
    if (random.chance(0.85)) return ''
    const scope = bucket && { type: bucket.type, time: 'bucket', prefix: '', era: this.#era }
    return ` HAVING ${scope && random.chance(0.4) ? randomBound(random, scope, 0.4, 'any').sql : 'COUNT(*) > 1'}`
  }

  /** ` ORDER BY … LIMIT …`, or a part of it. `others` are columns that may follow the bucket. */
  #order(others: readonly string[]): Body {
    const random = this.#random
    if (this.#breaks('order')) return { sql: ` ${this.#brokenOrder(others)}`, isOrdered: true }
    if (random.chance(0.12)) return { sql: '', isOrdered: false }
    const direction = (): string =>
      `${random.pick(['', '', ' ASC', ' DESC', ' DESC'])}${random.pick(['', '', '', ' NULLS FIRST', ' NULLS LAST'])}`
    const more = random.some(others, 0, random.pick([0, 0, 1, 2])).map(name => `, ${name}${direction()}`)
    const first = others.includes('k4') && random.chance(0.4) ? `k4${direction()}, ` : ''
    const limit = random.chance(0.35) ? ` LIMIT ${random.pick([0, 1, 2, 3, 5, 8, 13, 100, 100, 100])}` : ''
    return { sql: ` ORDER BY ${first}bucket${direction()}${more.join('')}${limit}`, isOrdered: true }
  }

  #brokenOrder(others: readonly string[]): string {
    const other = others[0] ?? 'a1'
    return this.#breaking([
      [`ORDER BY ${other}, bucket LIMIT 5`, 'another first key'],
      [`ORDER BY ${other} IS NULL, bucket`, 'another first key'],
      ['ORDER BY bucket LIMIT 3 OFFSET 1', 'OFFSET'],
      ['LIMIT 3', 'LIMIT without an order'],
      ['ORDER BY EXTRACT(YEAR FROM bucket), bucket DESC', 'another first key'],
      ['ORDER BY bucket LIMIT @least', 'LIMIT of a parameter'],
    ])
  }

  /** The columns of the list, with the bucket at any place. */
  #list(bucket: string, keys: Keys, aggregates: readonly string[]): string {
    const others = [...keys.map(asNamed), ...aggregates]
    const at = this.#random.chance(0.5) ? 0 : this.#random.between(0, others.length)
    return [...others.slice(0, at), bucket, ...others.slice(at)].join(', ')
  }

  #groupBy(keys: Keys): string {
    const random = this.#random
    const names = shuffled(random, ['bucket', ...namesOf(keys)])
    if (this.#breaks('grouping')) {
      return this.#breaking([
        [`GROUP BY ROLLUP (${names.join(', ')})`, 'ROLLUP'],
        [`GROUP BY GROUPING SETS ((${names.join(', ')}), ())`, 'GROUPING SETS'],
        [`GROUP BY CUBE (${names.join(', ')})`, 'CUBE'],
      ])
    }
    return random.chance(0.1) ? 'GROUP BY ALL' : `GROUP BY ${names.join(', ')}`
  }

  /** Where the rows of a query come from, and the bucket of their time. */
  #rows(): { readonly source: Source; readonly scope: Scope; readonly bucket: Bucket } {
    const source = this.#source()
    const scope = this.#scope(source)
    return { source, scope, bucket: this.#bucket(scope) }
  }

  /** The query `SELECT … FROM …`, grouped by the bucket and the keys, and put in order. */
  #grouped(select: string, keys: Keys, bucket: Bucket, more: readonly string[] = []): Body {
    const having = this.#having(bucket)
    const { sql, isOrdered } = this.#order([...namesOf(keys), ...more])
    return { sql: `${select} ${this.#groupBy(keys)}${having}${sql}`, isOrdered }
  }

  #flat(): Body {
    const { source, scope, bucket } = this.#rows()
    const keys = this.#keys(scope.prefix, scope)
    const aggregates = this.#aggregates(scope.prefix, source.joined, scope.time)
    const list = this.#list(`${bucket.sql} AS bucket`, keys, aggregates)
    const more = aggregates[0]!.startsWith('COUNT') ? ['a1'] : []
    const { sql, isOrdered } = this.#grouped(
      `SELECT ${list} FROM ${source.from}${this.#where(scope)}`,
      keys,
      bucket,
      more,
    )
    return { sql: this.#renamed(sql, list), isOrdered }
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
  #withRows(): Body {
    const random = this.#random
    const { source, scope, bucket } = this.#rows()
    const rows = `SELECT ${bucket.sql} AS bucket, ${scope.time} AS moment, ${columnsOf(scope.prefix)} FROM ${source.from}${this.#where(scope)}`
    const sorted = random.chance(0.1) ? `${rows} ORDER BY n` : rows
    const keys = this.#keys('')
    const list = this.#list('bucket', keys, this.#aggregates('', [], 'moment'))
    const where = random.chance(0.3) ? this.#where({ ...scope, time: 'moment', prefix: 'it.' }) : ''
    const unused = random.chance(0.1) ? ', unused AS (SELECT @now AS stamp)' : ''
    return this.#grouped(`WITH it AS (${sorted})${unused} SELECT ${list} FROM it${where}`, keys, bucket)
  }

  /** The rows in a subquery that passes the time on. */
  #within(): Body {
    const random = this.#random
    const source = this.#source()
    const scope = this.#scope(source)
    const moved = random.chance(0.2)
      ? `${scope.type}_TRUNC(${scope.time}, ${scope.type === 'DATE' ? 'DAY' : 'SECOND'})`
      : scope.time
    const isPlain = source.alias === source.prefix.slice(0, -1) && source.joined.length === 0 && moved === scope.time
    const all = isPlain && random.chance(0.2)
    const columns = all ? `${source.alias}.*` : `${moved} AS moment, ${columnsOf(scope.prefix)}`
    const rows = `SELECT ${columns} FROM ${source.from}${this.#where(scope)}`
    const inner: Scope = { ...scope, time: all ? `it.\`${this.#shape.column}\`` : 'it.moment', prefix: 'it.' }
    const bucket = this.#bucket(inner)
    const keys = this.#keys('it.', inner)
    const list = this.#list(`${bucket.sql} AS bucket`, keys, this.#aggregates('it.', [], inner.time))
    const where = random.chance(0.4) ? this.#where(inner) : ''
    return this.#grouped(`SELECT ${list} FROM (${rows}) AS it${where}`, keys, bucket)
  }

  /** Aggregates by fine buckets, then these by coarse ones. */
  #twice(): Body {
    const random = this.#random
    const { source, scope, bucket: fine } = this.#rows()
    const rows = `SELECT ${fine.sql} AS fine, ${scope.prefix}s AS s, ${scope.prefix}tenant AS tenant, COUNT(*) AS n, SUM(${scope.prefix}x) AS x, MAX(${scope.prefix}other) AS other FROM ${source.from}${this.#where(scope)} GROUP BY fine, s, tenant`
    if (this.#breaks('grouping')) {
      const breaks = 'above the cut, buckets meet'
      const sql = this.#breaking([
        [`SELECT s, SUM(n) AS a1 FROM (${rows}) AS it GROUP BY s ORDER BY s`, breaks],
        [`SELECT MAX(fine) AS bucket, s, SUM(n) AS a1 FROM (${rows}) AS it GROUP BY s ORDER BY bucket`, breaks],
        [`SELECT other AS bucket, SUM(n) AS a1 FROM (${rows}) AS it GROUP BY bucket ORDER BY bucket`, breaks],
        [
          `SELECT fine AS bucket, n, SUM(n) OVER (ORDER BY fine, s, tenant) AS a1 FROM (${rows}) AS it ORDER BY bucket, s, tenant`,
          breaks,
        ],
        [
          `SELECT fine AS bucket, n FROM (${rows}) AS it WHERE n >= (SELECT AVG(n) FROM (${rows})) ORDER BY bucket`,
          breaks,
        ],
      ])
      return { sql, isOrdered: true }
    }
    const coarse = randomBucket(random, { ...scope, type: fine.type, time: 'fine', prefix: '' }, 0)
    const keys = this.#keys('it.')
    const aggregates = this.#aggregates('it.', [], random.chance(0.3) ? 'fine' : null)
    const list = this.#list(`${coarse.sql} AS bucket`, keys, aggregates)
    return this.#grouped(`SELECT ${list} FROM (${rows}) AS it`, keys, coarse)
  }

  /** What is computed of the buckets' rows, in a query above. */
  #projected(): Body {
    const random = this.#random
    const { source, scope, bucket } = this.#rows()
    const keys = this.#keys(scope.prefix, scope)
    const aggregates = this.#aggregates(scope.prefix, source.joined, scope.time)
    const inner = `SELECT ${this.#list(`${bucket.sql} AS moment`, keys, ['COUNT(*) AS c', ...aggregates])} FROM ${source.from}${this.#where(scope)} ${this.#groupBy(keys).replace(/\bbucket\b/, 'moment')}${this.#having(null)}`
    const above: Scope = { ...scope, type: bucket.type, time: 'moment', prefix: '' }
    const time = random.chance(0.17) ? randomBucket(random, above, 0).sql : 'moment'
    const list = this.#list(
      `${time} AS bucket`,
      keys.map(([, name]) => [name, name]),
      ['c * 2 AS doubled', 'a1'],
    )
    const where = random.chance(0.3)
      ? ` WHERE ${random.pick([randomBound(random, above, 0.5, 'any').sql, 'c > 1', 'MOD(c, 2) = 1'])}`
      : ''
    const order = this.#order(namesOf(keys))
    return { sql: `WITH it AS (${inner}) SELECT ${list} FROM it${where}${order.sql}`, isOrdered: order.isOrdered }
  }

  #piped(): Body {
    const { source, scope, bucket } = this.#rows()
    const keys = this.#keys(scope.prefix, scope)
    const aggregates = this.#aggregates(scope.prefix, source.joined, scope.time)
    const where = this.#where(scope, '\n|> WHERE')
    const order = this.#order(namesOf(keys))
    const [sorted, limit] = order.sql.split(' LIMIT ')
    const steps = [...(sorted?.trim() ? [`\n|>${sorted}`] : []), ...(limit ? [`\n|> LIMIT ${limit}`] : [])]
    const named = [`${bucket.sql} AS bucket`, ...keys.map(asNamed)]
    const sql = `FROM ${source.from}${where}\n|> AGGREGATE ${aggregates.join(', ')} GROUP BY ${named.join(', ')}${steps.join('')}`
    return { sql, isOrdered: order.isOrdered }
  }

  #distinct(): Body {
    const { source, scope, bucket } = this.#rows()
    const keys = this.#keys(scope.prefix)
    const order = this.#order(namesOf(keys))
    const list = this.#list(`${bucket.sql} AS bucket`, keys, [])
    return {
      sql: `SELECT DISTINCT ${list} FROM ${source.from}${this.#where(scope)}${order.sql}`,
      isOrdered: order.isOrdered,
    }
  }

  /** Groups of two kinds, and groups that are joined with those of the same bucket. */
  #united(): Body {
    const { source, scope, bucket } = this.#rows()
    const { prefix } = scope
    const rows = `${source.from}${this.#where(scope)}`
    const b = `SELECT ${bucket.sql} AS bucket, COUNT(*) AS c, MIN(${prefix}s) AS t FROM ${rows} GROUP BY bucket`
    const d = `SELECT ${bucket.sql} AS bucket, ${prefix}tenant AS tenant, SUM(${prefix}n) AS c FROM ${rows} GROUP BY bucket, tenant`
    const order = this.#random.pick(['', ' ORDER BY 1', ' ORDER BY 1 DESC'])
    const anyOfSeveral = [
      'SELECT b.bucket, ANY_VALUE(d.c) AS c FROM d JOIN b ON d.bucket = b.bucket GROUP BY b.bucket',
      'SELECT d.bucket, ANY_VALUE(b.c) AS c FROM d LEFT JOIN b ON d.bucket = b.bucket AND d.c > 3 GROUP BY d.bucket',
    ].map(sql => [sql, 'ANY_VALUE of what its group does not tell'] as const)
    const above = this.#breaks('grouping')
      ? this.#breaking(anyOfSeveral)
      : this.#random.pick([
          'SELECT bucket, c, t FROM b UNION ALL SELECT bucket, c, tenant FROM d',
          'SELECT bucket, c, t FROM b UNION DISTINCT SELECT bucket, c, tenant FROM d',
          'SELECT bucket, SUM(c) AS c FROM (SELECT bucket, c FROM b UNION ALL SELECT bucket, c FROM d) GROUP BY bucket',
          'SELECT d.bucket, tenant, d.c / b.c AS share FROM d JOIN b ON d.bucket = b.bucket',
          'SELECT b.bucket, tenant, b.c, d.c AS other FROM b LEFT JOIN d ON d.bucket = b.bucket AND d.c > 3',
          'SELECT d.bucket, MIN(tenant) AS tenant, ANY_VALUE(b.c) AS c FROM d JOIN b ON d.bucket = b.bucket GROUP BY d.bucket',
          'SELECT one.bucket, one.tenant, two.c FROM d AS one JOIN d AS two ON one.bucket = two.bucket AND one.tenant > two.tenant',
        ])
    return { sql: `WITH b AS (${b}), d AS (${d}) ${above}${order}`, isOrdered: order !== '' }
  }

  /** A query around one that may be kept, or instead of it, that may not be. */
  #brokenWhole(body: string): string {
    const { name, column, type } = this.#shape
    const time = `\`${column}\``
    const few = `${body}${/ LIMIT \d+$/.test(body) ? '' : ' LIMIT 4'}`
    const now = type === 'TIMESTAMP' ? '@now' : `${type}(@now)`
    return this.#breaking([
      [`SELECT *, ROW_NUMBER() OVER (ORDER BY bucket) AS place FROM (${body}) ORDER BY bucket`, 'a window'],
      [`SELECT bucket, LAG(bucket) OVER (ORDER BY bucket) AS before FROM (${body}) ORDER BY bucket`, 'a window'],
      [`SELECT bucket, SUM(1) OVER () AS all_of_them FROM (${body}) ORDER BY bucket`, 'a window'],
      [`SELECT COUNT(*) AS c FROM (${body})`, 'all buckets in one row'],
      [`SELECT MAX(bucket) AS bucket FROM (${body})`, 'all buckets in one row'],
      [`SELECT bucket FROM (${body}) UNION ALL SELECT bucket FROM (${few}) ORDER BY bucket`, 'a union with LIMIT'],
      [
        `SELECT bucket FROM (${body}) INTERSECT DISTINCT SELECT bucket FROM (${body}) ORDER BY bucket`,
        'a set operation',
      ],
      [
        `WITH b AS (${body}) SELECT one.bucket, COUNT(*) AS c FROM b AS one JOIN b AS two ON one.bucket > two.bucket GROUP BY bucket ORDER BY bucket`,
        'a CTE twice',
      ],
      [`SELECT bucket FROM (${few}) ORDER BY bucket`, 'LIMIT within'],
      [`SELECT CAST(bucket AS STRING) AS bucket FROM (${body}) ORDER BY bucket`, 'the bucket as a text'],
      [`SELECT * EXCEPT (bucket) FROM (${body})`, 'a result without the bucket'],
      [`SELECT ${time} AS bucket, n, s FROM \`${name}\` WHERE n > 3 ORDER BY bucket, n, s`, 'no aggregation'],
      [`SELECT bucket, @now AS stamp FROM (${body}) ORDER BY bucket`, 'the clock in a result'],
      [`SELECT s, COUNT(*) AS c FROM \`${name}\` WHERE ${time} >= ${now} GROUP BY s ORDER BY s`, 'no bucket'],
      [
        `SELECT bucket, GENERATE_UUID() IS NULL AS never FROM (${body}) ORDER BY bucket`,
        'a function that is not stable',
      ],
    ])
  }
}

/** The columns of rows, but for their time. */
const columnsOf = (prefix: string): string =>
  ['n', 'x', 's', 'tenant', 'other', 'items'].map(name => `${prefix}${name}`).join(', ')

/** Columns of a key, each with its name. */
type Keys = readonly (readonly [sql: string, name: string])[]

const asNamed = ([sql, name]: Keys[number]): string => `${sql} AS ${name}`
const namesOf = (keys: Keys): readonly string[] => keys.map(([, name]) => name)

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(random.next() * left.length), 1)[0]!)
}
