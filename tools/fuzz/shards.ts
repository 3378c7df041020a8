/**
 * Queries over wildcard tables whose conditions on the suffix leave shards out. The reference reads every shard, so a shard
 * that is wrongly left out shows. tools/oracle/shards.ts writes its queries.
 */
import { BOOL, DATE, INT64, STRING } from '../../googlesql/types/types.js'
import { combined, comparison, constant } from './combined.js'
import type { Queries } from './queries.js'
import { SHARDS } from './tables.js'
import { clause, column, expr, list, type Node, query, sql } from './tree.js'

/** The columns of a source whose rows have a key, and the key as a text, a date or a time. */
interface Keyed {
  readonly key: Node
  readonly columns: readonly Node[]
}

const DAYS = ['20240101', '20240102', '20240105', '20231231', '2024', '20240103', 'x', '']
const DATES = ['2024-01-01', '2024-01-02', '2024-01-05', '2023-12-31', '2024-01-03']

const day = (queries: Queries): Node =>
  constant(queries, STRING, queries.random.chance(0.03) ? null : queries.random.pick(DAYS))
const date = (queries: Queries): Node =>
  constant(queries, DATE, queries.random.chance(0.03) ? null : queries.random.pick(DATES))
/** A text that a suffix is compared with: a constant, or an expression of constants. */
function bound(queries: Queries): Node {
  const { random } = queries
  return random.weighted<() => Node>([
    [6, () => day(queries)],
    [2, () => expr(STRING)`FORMAT_DATE('%Y%m%d', ${date(queries)})`],
    [
      1,
      () =>
        expr(STRING)`FORMAT_DATE('%Y%m%d', DATE_SUB(${date(queries)}, INTERVAL ${String(random.between(0, 4))} DAY))`,
    ],
    [1, () => expr(STRING)`CONCAT('2024', ${constant(queries, STRING, random.pick(['0101', '0102', '01', '']))})`],
    [0.5, () => expr(STRING)`REPLACE('2024-01-02', '-', '')`],
  ])()
}

/** A condition over the suffix, or over other columns. */
function condition(queries: Queries, { key, columns }: Keyed, depth: number): Node {
  const { random } = queries
  return combined(queries, depth, () =>
    random.weighted<() => Node>([
      [5, () => expr(BOOL)`${key} ${comparison(queries)} ${bound(queries)}`],
      [1, () => expr(BOOL)`${bound(queries)} ${comparison(queries)} ${key}`],
      [3, () => expr(BOOL)`${key} ${random.pick(['', 'NOT '])}BETWEEN ${bound(queries)} AND ${bound(queries)}`],
      [
        2,
        () => expr(BOOL)`${key} ${random.pick(['', 'NOT '])}IN (${list(random.several(1, 3, () => bound(queries)))})`,
      ],
      [
        1,
        () =>
          expr(
            BOOL,
          )`${key} ${random.pick(['', 'NOT '])}IN UNNEST(${constant(queries, { kind: 'ARRAY', element: STRING }, random.some(DAYS, 0, 3))})`,
      ],
      [
        1.5,
        () =>
          expr(
            BOOL,
          )`${key} ${random.pick(['', 'NOT '])}LIKE ${constant(queries, STRING, random.pick(['2024%', '%02', '202401__', '%', '2023%', '_']))}`,
      ],
      [1, () => expr(BOOL)`STARTS_WITH(${key}, ${bound(queries)})`],
      [1, () => expr(BOOL)`SAFE.PARSE_DATE('%Y%m%d', ${key}) ${comparison(queries)} ${date(queries)}`],
      [
        1,
        () =>
          expr(
            BOOL,
          )`SAFE_CAST(${key} AS INT64) ${comparison(queries)} ${constant(queries, INT64, random.pick(['20240102', '5', '20240000']))}`,
      ],
      [0.7, () => expr(BOOL)`${random.pick(['SUBSTR', 'RIGHT'])}(${key}, 2) ${comparison(queries)} ${day(queries)}`],
      [0.5, () => expr(BOOL)`LENGTH(${key}) > ${constant(queries, INT64, random.pick(['0', '1', '8']))}`],
      [0.5, () => expr(BOOL)`${key} IS ${random.pick(['', 'NOT '])}NULL`],
      [0.5, () => expr(BOOL)`${key} IS ${random.pick(['', 'NOT '])}DISTINCT FROM ${bound(queries)}`],
      [0.5, () => expr(BOOL)`COALESCE(${key}, 'x') = ${bound(queries)}`],
      [1, () => queries.values.condition({ columns, depth: 1 })],
    ])(),
  )
}

const WILDCARDS = ['d.day_*', 'd.day_*', 'd.day_*', 'd.day_2024*', 'd.day_2024010*', 'd.da*']

/** A source over the shards: the wildcard table itself, or a subquery over it, with or without a condition of its own. */
function source(queries: Queries): { readonly from: Node; readonly keyed: Keyed } {
  const { random } = queries
  const wildcard = random.pick(WILDCARDS)
  const alias = queries.alias('t')
  const own = SHARDS[0]!.columns.map(({ name, type }, i) =>
    column(
      `${alias}.${name}`,
      type,
      SHARDS.flatMap(({ rows }) => rows.map(row => row[i])),
    ),
  )
  const suffix = column(`${alias}._TABLE_SUFFIX`, STRING)
  const table = sql`${`\`${wildcard}\``} AS ${alias}`
  if (random.chance(0.6)) return { from: table, keyed: { key: suffix, columns: own } }
  const outer = queries.alias('s')
  const inner = random.chance(0.4) ? clause` WHERE ${condition(queries, { key: suffix, columns: own }, 1)}` : sql``
  const keyed = {
    key: column(`${outer}.suffix`, STRING),
    columns: SHARDS[0]!.columns.map(({ name, type }) => column(`${outer}.${name}`, type)),
  }
  // Not `*`: for the reference, `*` includes the suffix.
  const columns = list(own)
  const named = random.weighted<() => Node>([
    [4, () => sql`SELECT ${columns}, ${suffix} AS suffix FROM ${table}${inner}`],
    [0.5, () => sql`SELECT DISTINCT ${columns}, ${suffix} AS suffix FROM ${table}${inner}`],
    [
      0.7,
      () =>
        sql`SELECT ${columns}, ${suffix} AS suffix FROM ${table}${inner} UNION ALL SELECT *, 'x' FROM ${'`d.day_20240102`'}`,
    ],
  ])()
  return { from: sql`(${named}) AS ${outer}`, keyed }
}

/** A query over a wildcard table, or over two that are joined. */
export function shards(queries: Queries): Node {
  const { random } = queries
  const { from, keyed } = source(queries)
  const where = random.chance(0.85) ? clause` WHERE ${condition(queries, keyed, 2)}` : sql``
  const id = keyed.columns[0]!
  const v = keyed.columns[2]!
  return random.weighted<() => Node>([
    [4, () => query`SELECT ${keyed.key} AS c1, ${id} AS c2, ${random.pick(keyed.columns)} AS c3 FROM ${from}${where}`],
    [3, () => query`SELECT ${keyed.key} AS c1, COUNT(*) AS c2, SUM(${v}) AS c3 FROM ${from}${where} GROUP BY c1`],
    [1, () => query`SELECT COUNT(*) AS c1, MIN(${keyed.key}) AS c2, MAX(${keyed.key}) AS c3 FROM ${from}${where}`],
    [
      1.5,
      () => {
        const other = source(queries)
        const kind = random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN'])
        const on = sql`${id} = ${other.keyed.columns[0]!}${random.chance(0.5) ? sql` AND ${condition(queries, random.pick([keyed, other.keyed]), 0)}` : sql``}`
        const filter = random.chance(0.7)
          ? clause` WHERE ${condition(queries, random.pick([keyed, other.keyed]), 1)}`
          : sql``
        return query`SELECT ${keyed.key} AS c1, ${other.keyed.key} AS c2, ${id} AS c3 FROM ${from} ${kind} ${other.from} ON ${on}${filter}`
      },
    ],
    [
      1,
      () =>
        query`SELECT c1, c2 FROM (SELECT ${keyed.key} AS c1, ROW_NUMBER() OVER (ORDER BY ${keyed.key}, ${id}) AS c2 FROM ${from}${where}) WHERE c1 ${comparison(queries)} ${bound(queries)}`,
    ],
    [
      1,
      () =>
        query`SELECT c1, COUNT(*) AS c2 FROM (SELECT ${keyed.key} AS c1 FROM ${from}${where}) GROUP BY c1 HAVING c1 ${comparison(queries)} ${bound(queries)}`,
    ],
    [0.7, () => query`SELECT ${id} AS c1, (SELECT COUNT(*) FROM ${source(queries).from}) AS c2 FROM ${from}${where}`],
  ])()
}
