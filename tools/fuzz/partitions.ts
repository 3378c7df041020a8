/**
 * Queries over partitioned tables whose conditions leave partitions out. The reference has the same rows in a plain table, so
 * a partition that is wrongly left out shows.
 */
import { BOOL, DATE, INT64, TIMESTAMP } from '../../googlesql/types/types.js'
import { combined, comparison, constant } from './combined.js'
import { Expressions } from './expressions.js'
import type { Queries } from './queries.js'
import { PARTITIONED, type PartitionedTable } from './tables.js'
import { clause, column, expr, list, type Node, query, sql } from './tree.js'

const DATES = ['2024-01-01', '2024-01-02', '2024-01-05', '2023-12-31', '2024-02-01', '2024-01-03']
const TIMES = [
  '2024-01-01T00:00:00Z',
  '2024-01-02T00:00:00Z',
  '2024-01-02T23:59:59Z',
  '2023-12-31T23:30:00Z',
  '2024-02-01T00:00:00Z',
]

const date = (queries: Queries): Node =>
  queries.random.chance(0.2)
    ? expr(
        DATE,
      )`DATE_ADD(${constant(queries, DATE, queries.random.pick(DATES))}, INTERVAL ${String(queries.random.between(-3, 3))} DAY)`
    : constant(queries, DATE, queries.random.chance(0.03) ? null : queries.random.pick(DATES))
const time = (queries: Queries): Node =>
  queries.random.weighted<() => Node>([
    [4, () => constant(queries, TIMESTAMP, queries.random.chance(0.03) ? null : queries.random.pick(TIMES))],
    [
      1,
      () =>
        expr(
          TIMESTAMP,
        )`TIMESTAMP_SUB(${constant(queries, TIMESTAMP, queries.random.pick(TIMES))}, INTERVAL ${String(queries.random.between(0, 30))} HOUR)`,
    ],
    [1, () => expr(TIMESTAMP)`TIMESTAMP(${date(queries)})`],
  ])()

/** What a key is compared as: itself, or a day or month of it; and the values for it. */
function side(queries: Queries, key: Node): readonly [key: Node, value: () => Node] {
  const { random } = queries
  const day = (): Node => date(queries)
  const moment = (): Node => time(queries)
  if (key.type!.kind === 'DATE') {
    return random.weighted<() => readonly [Node, () => Node]>([
      [5, () => [key, day]],
      [
        1.5,
        () => [expr(DATE)`DATE_TRUNC(${key}, ${random.pick(['MONTH', 'WEEK', 'WEEK(MONDAY)', 'YEAR', 'DAY'])})`, day],
      ],
      [0.7, () => [expr(DATE)`DATE_ADD(${key}, INTERVAL 1 DAY)`, day]],
      [0.7, () => [expr(TIMESTAMP)`TIMESTAMP(${key})`, moment]],
      [0.7, () => [expr(TIMESTAMP)`CAST(${key} AS TIMESTAMP)`, moment]],
      [
        0.5,
        () => [
          expr(INT64)`EXTRACT(${random.pick(['YEAR', 'MONTH', 'DAY'])} FROM ${key})`,
          () => constant(queries, INT64, random.pick(['2024', '1', '2'])),
        ],
      ],
    ])()
  }
  return random.weighted<() => readonly [Node, () => Node]>([
    [4, () => [key, moment]],
    [2, () => [expr(DATE)`DATE(${key})`, day]],
    [1, () => [expr(DATE)`CAST(${key} AS DATE)`, day]],
    [1, () => [expr(DATE)`EXTRACT(DATE FROM ${key})`, day]],
    [
      1.5,
      () => [
        expr(TIMESTAMP)`TIMESTAMP_TRUNC(${key}, ${random.pick(['DAY', 'HOUR', 'MONTH', 'YEAR', 'WEEK'])})`,
        moment,
      ],
    ],
    [0.7, () => [expr(DATE)`DATE(${key}, ${random.pick(["'Asia/Tokyo'", "'America/New_York'"])})`, day]],
    [0.7, () => [expr(TIMESTAMP)`TIMESTAMP_ADD(${key}, INTERVAL 1 HOUR)`, moment]],
    [0.5, () => [expr(INT64)`UNIX_SECONDS(${key})`, () => constant(queries, INT64, '1704153600')]],
  ])()
}

function condition(queries: Queries, key: Node, columns: readonly Node[]): Node {
  const { random } = queries
  return combined(queries, 2, () => {
    // No subqueries: these tables are in an engine of their own.
    if (random.chance(0.12)) return new Expressions(random, null, 0.1).condition({ columns, depth: 1 })
    const [of, value] = side(queries, key)
    return random.weighted<() => Node>([
      [6, () => expr(BOOL)`${of} ${comparison(queries)} ${value()}`],
      [1, () => expr(BOOL)`${value()} ${comparison(queries)} ${of}`],
      [3, () => expr(BOOL)`${of} ${random.pick(['', 'NOT '])}BETWEEN ${value()} AND ${value()}`],
      [2, () => expr(BOOL)`${of} ${random.pick(['', 'NOT '])}IN (${list(random.several(1, 3, value))})`],
      [0.5, () => expr(BOOL)`${of} IS ${random.pick(['', 'NOT '])}NULL`],
      [0.5, () => expr(BOOL)`${of} IS ${random.pick(['', 'NOT '])}DISTINCT FROM ${value()}`],
      [0.5, () => expr(BOOL)`COALESCE(${of}, ${value()}) ${comparison(queries)} ${value()}`],
    ])()
  })
}

/** A query over a partitioned table, perhaps within a subquery, or over two that are joined. */
export function partitions(queries: Queries): Node {
  const { random } = queries
  const one = source(queries)
  const where = random.chance(0.9) ? clause` WHERE ${condition(queries, one.key, one.columns)}` : sql``
  const [id] = one.columns as [Node]
  return random.weighted<() => Node>([
    [4, () => query`SELECT ${one.key} AS c1, ${id} AS c2 FROM ${one.from}${where}`],
    [2, () => query`SELECT ${one.key} AS c1, COUNT(*) AS c2 FROM ${one.from}${where} GROUP BY c1`],
    [1.5, () => query`SELECT COUNT(*) AS c1, MAX(${id}) AS c2 FROM ${one.from}${where}`],
    [
      2,
      () => {
        const other = source(queries)
        const filtered = random.pick([one, other])
        const kind = random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN'])
        return query`SELECT ${id} AS c1, ${other.columns[0]!} AS c2 FROM ${one.from} ${kind} ${other.from} ON ${id} = ${other.columns[0]!} WHERE ${condition(queries, filtered.key, filtered.columns)}`
      },
    ],
    [
      1,
      () =>
        query`SELECT c1, c2 FROM (SELECT ${one.key} AS c1, ROW_NUMBER() OVER (ORDER BY ${id}) AS c2 FROM ${one.from}${where}) WHERE ${condition(queries, column('c1', one.key.type!), [])}`,
    ],
  ])()
}

function source(queries: Queries): { readonly from: Node; readonly key: Node; readonly columns: readonly Node[] } {
  const { random } = queries
  const table = random.pick(PARTITIONED)
  const [alias, outer] = [queries.alias('t'), queries.alias('s')]
  const keyName =
    table.field ?? random.pick(table.unit === 'DAY' ? ['_PARTITIONTIME', '_PARTITIONDATE'] : ['_PARTITIONTIME'])
  const keyType = keyName === '_PARTITIONTIME' ? TIMESTAMP : keyName === '_PARTITIONDATE' ? DATE : typeOfKey(table)
  const key = column(`${alias}.${keyName}`, keyType)
  const own = table.columns
    .filter(({ name }) => !name.startsWith('_PARTITION'))
    .map(({ name, type }, i) =>
      column(
        `${alias}.${name}`,
        type,
        table.rows.map(row => row[i]),
      ),
    )
  const from = sql`${`\`${table.name}\``} AS ${alias}`
  if (random.chance(0.6)) return { from, key, columns: own }
  const inner = random.chance(0.4) ? clause` WHERE ${condition(queries, key, own)}` : sql``
  return {
    from: sql`(SELECT ${alias}.id, ${alias}.v, ${key} AS part FROM ${from}${inner}) AS ${outer}`,
    key: column(`${outer}.part`, keyType),
    columns: [column(`${outer}.id`, INT64), column(`${outer}.v`, INT64)],
  }
}

const typeOfKey = ({ columns, field }: PartitionedTable) => columns.find(({ name }) => name === field)!.type
