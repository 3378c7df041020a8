/** What is computed of the rows of all buckets: random queries above a table expression `b`. */
import type { Random } from '../random.js'
import type { TimeType } from './times.js'

export interface Upper {
  readonly sql: string
  readonly isOrdered: boolean
}

/** The columns of `b` besides its keys: `c` and `i` are INT64, `f` FLOAT64, `t` STRING, and not all of the others need be there. */
export const UPPER_AGGREGATES: readonly (readonly [sql: string, name: string])[] = [
  ['COUNT(*)', 'c'],
  ['SUM(it.n)', 'i'],
  ['MAX(it.x) * -1', 'f'],
  ['MIN(it.s)', 't'],
]
export const MORE_AGGREGATES: readonly (readonly [sql: string, name: string])[] = [
  ['MAX(it.n) * 1900719925474099', 'big'],
  ['CAST(SUM(it.n) AS NUMERIC) / 4', 'num'],
  ["MIN(IF(it.n > 6, CAST('NaN' AS FLOAT64), it.x))", 'nan'],
  ["MAX(IF(it.n > 6, CAST('inf' AS FLOAT64), it.x)) * 0.1", 'inf'],
  ['MAX(CAST(it.s AS BYTES))', 'bytes'],
  ['MAX(it.other)', 'last'],
  ['LOGICAL_AND(it.n > 2)', 'all_of_them'],
  ['CAST(COUNT(*) AS BIGNUMERIC) / 8', 'bignum'],
  ['TIME(10, MAX(it.n) + 3, 0)', 'moment'],
  ['SUM(it.x)', 'sum'],
  ['AVG(it.x)', 'mean'],
  ['NULL', 'nothing'],
]

/**
 * @param keys all columns of the key of `b`, the bucket first
 * @param body the text of `b`
 */
export function upperOver(random: Random, body: string, keys: readonly string[], type: TimeType): Upper {
  const key = keys.join(', ')
  const other = keys[1]
  const instant = type === 'TIMESTAMP' ? 'bucket' : 'TIMESTAMP(bucket)'
  const limit = random.pick(['', '', ' LIMIT 3', ' LIMIT 5 OFFSET 1', ' LIMIT @least OFFSET 1'])
  const falling = random.pick(['', ' DESC', ' DESC NULLS LAST', ' NULLS LAST'])
  const end = `ORDER BY ${key}${falling}${limit}`
  const orders = [`c${falling}, ${key}`, `c${falling}`, `MOD(c, 2), i${falling}`, `t${falling}, f, ${key} DESC`]
  const ordered = [
    `SELECT *, ROW_NUMBER() OVER (ORDER BY ${key}) AS place FROM b ${end}`,
    `SELECT ${key}, c - LAG(c) OVER (ORDER BY ${key}) AS step, LEAD(t, 2) OVER (ORDER BY ${key}) AS later FROM b ${end}`,
    `SELECT ${key}, SUM(c) OVER (ORDER BY ${key}) AS running FROM b ${end}`,
    `SELECT ${key}, SUM(i) OVER (PARTITION BY c > 1 ORDER BY ${key} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS few FROM b ${end}`,
    `SELECT ${key}, SAFE_DIVIDE(c, SUM(c) OVER ()) AS share, FIRST_VALUE(f) OVER (ORDER BY ${key}) AS first FROM b ${end}`,
    `SELECT *, RANK() OVER (ORDER BY c DESC) AS place FROM b QUALIFY place <= 3 ORDER BY place, ${key}`,
    `SELECT ${key}, PERCENTILE_DISC(c, 0.5) OVER () AS middle, NTILE(3) OVER (ORDER BY ${key}) AS third FROM b ${end}`,
    'SELECT COUNT(*) AS c, SUM(i) AS i, MIN(bucket) AS least, MAX(t) AS t, MIN(f) AS f, AVG(c) AS mean FROM b',
    `SELECT ${other ?? 'c > 1'} AS k, SUM(c) AS c, MAX(bucket) AS last FROM b GROUP BY k ORDER BY c DESC, k${limit}`,
    `SELECT c, COUNT(*) AS times, COUNT(DISTINCT t) AS texts FROM b GROUP BY c ORDER BY times DESC${limit}`,
    `SELECT one.bucket, COUNT(*) AS c FROM b AS one JOIN b AS two ON one.bucket > two.bucket GROUP BY bucket ORDER BY bucket${limit}`,
    `SELECT ${key}, c FROM b WHERE c >= (SELECT AVG(c) FROM b) ${end}`,
    `SELECT ${key}, (SELECT MAX(two.i) FROM b AS two WHERE two.bucket < b.bucket) AS before FROM b ${end}`,
    'SELECT bucket, c FROM b UNION ALL SELECT NULL, SUM(c) FROM b ORDER BY 1, 2',
    `SELECT ${key}, TIMESTAMP_DIFF(@now, ${instant}, HOUR) AS age, @now AS stamp FROM b ${end}`,
    `SELECT ${key}, c FROM b WHERE ${instant} > TIMESTAMP_SUB(@now, INTERVAL 1 DAY) OR c > @least ${end}`,
    `SELECT day, ${key}, c FROM UNNEST(GENERATE_DATE_ARRAY(DATE_SUB(DATE(@now), INTERVAL 5 DAY), DATE(@now))) AS day LEFT JOIN b ON DATE(bucket) = day ORDER BY day, ${key}`,
    `SELECT TO_JSON_STRING(b) AS j FROM b ORDER BY j${limit}`,
    `SELECT ARRAY(SELECT AS STRUCT ${key}, c FROM b ORDER BY ${key}) AS list`,
    `SELECT STRING_AGG(t ORDER BY ${key}) AS texts, ARRAY_AGG(c ORDER BY ${key} LIMIT 3) AS counts FROM b`,
    `, z AS (SELECT bucket, c, f FROM b WHERE c > 1) SELECT b.bucket, b.c, z.f FROM b LEFT JOIN z ON b.c = z.c AND b.bucket = z.bucket ORDER BY b.bucket, b.c, f${limit}`,
    `SELECT ${random.pick(['*', `c, ${key}`, 't, i'])} FROM b ORDER BY ${random.pick(['c', 'i', 't', 'f'])}${falling}${limit}`,
  ]
  const unordered = [
    'SELECT * FROM b WHERE c > 1',
    `SELECT DISTINCT c, ${other ?? 't'} AS k FROM b`,
    'SELECT * EXCEPT (bucket) FROM b',
  ]
  const over =
    (isOrdered: boolean) =>
    (sql: string): Upper => ({ sql: `WITH b AS (${body}) ${sql}`, isOrdered })
  return random.pick([
    ...orders.map(order => ({ sql: `${body} ORDER BY ${order}${limit}`, isOrdered: true })),
    ...ordered.map(over(true)),
    ...unordered.map(over(false)),
  ])
}

/**
 * Queries above a table expression that depend on more than its rows, each with the rule that it breaks.
 *
 * @param names a table
 */
export function brokenUppers(body: string, keys: readonly string[], names: string): [sql: string, breaks: string][] {
  const key = keys.join(', ')
  const sums = 'a sum of FLOAT64 over kept rows'
  const ties = 'rows that are tied are told apart'
  const tables = 'a table is read above kept rows'
  const queries = [
    ['SELECT SUM(f) AS f FROM b', sums],
    ['SELECT AVG(f) AS f FROM b', sums],
    [`SELECT ${key}, ROW_NUMBER() OVER (ORDER BY c) AS place FROM b ORDER BY ${key}`, ties],
    [`SELECT ${key}, LAG(bucket) OVER (ORDER BY c) AS before FROM b ORDER BY ${key}`, ties],
    ['SELECT ARRAY(SELECT c FROM b) AS list', 'a list without an order'],
    ['SELECT ARRAY_LENGTH(ARRAY(SELECT c FROM b)) AS n', 'a list without an order'],
    [`SELECT known.name, b.* FROM \`${names}\` AS known LEFT JOIN b ON b.t = known.name ORDER BY name, ${key}`, tables],
    [`SELECT ${key}, c > (SELECT COUNT(*) FROM ${names}) AS many FROM b ORDER BY ${key}`, tables],
  ] as const
  const above = queries.map(([sql, breaks]): [string, string] => [`WITH b AS (${body}) ${sql}`, breaks])
  const hidden = body
    .replace(/^SELECT /, 'SELECT it.tenant AS s, it.s AS z, ')
    .replace(/GROUP BY ALL$/, `GROUP BY ${key}, it.tenant, it.s`)
  const shared = body.replace(
    ' FROM (',
    ", SUM(COUNT(*)) OVER () + (SELECT it.n FROM UNNEST([STRUCT(1 AS n, 'z' AS s)]) AS it) AS w FROM (",
  )
  return [
    ...above,
    [`${hidden} QUALIFY RANK() OVER (PARTITION BY ${key} ORDER BY s) = 1`, 'an alias that hides a column'],
    [shared.replace(/GROUP BY ALL$/, `GROUP BY ${key}`), 'a subquery beside windows'],
  ]
}

/** Windows over the groups of the same SELECT. @param values the expressions of the keys */
export function windowsOver(random: Random, body: string, keys: readonly string[], values: readonly string[]): Upper {
  const order = values.join(', ')
  const windows = random.some(
    [
      `SUM(COUNT(*)) OVER (ORDER BY ${order})`,
      `COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY ${order})`,
      `RANK() OVER (ORDER BY SUM(it.n) DESC)`,
      `COUNT(*) / MAX(COUNT(*)) OVER ()`,
      `ROW_NUMBER() OVER (PARTITION BY ${values[0]} ORDER BY COUNT(*), ${order})`,
      `ROW_NUMBER() OVER (ORDER BY COUNT(*))`,
      `FIRST_VALUE(MIN(it.s)) OVER w`,
      `SUM(MAX(it.n)) OVER (ORDER BY ${order})`,
      `RANK() OVER (ORDER BY COUNT(it.s), MIN(it.n))`,
      `SUM(SUM(it.x)) OVER (ORDER BY ${order})`,
    ],
    1,
    3,
  )
  const items = windows.map((sql, i) => `${sql}${random.pick([' AS ', ' '])}w${i}`)
  const isNamed = windows.some(sql => sql.endsWith('OVER w'))
  const qualify = random.pick([
    '',
    '',
    ` QUALIFY ROW_NUMBER() OVER (PARTITION BY ${keys[0]} ORDER BY COUNT(*) DESC, ${order}) <= 2`,
  ])
  const end = random.pick([
    '',
    ` ORDER BY ${keys.join(', ')}`,
    ` ORDER BY w0 DESC, ${keys.join(', ')} LIMIT 5`,
    ' ORDER BY w0 LIMIT 4',
    ' ORDER BY c DESC, w0',
  ])
  const last = `${qualify}${isNamed ? ` WINDOW w AS (ORDER BY ${order})` : ''}`
  const sql = `${body.replace(' FROM (SELECT', `, ${items.join(', ')} FROM (SELECT`).replace(/GROUP BY ALL$/, `GROUP BY ${keys.join(', ')}`)}${last}`
  return random.chance(0.3)
    ? { sql: `WITH b AS (${sql}) SELECT * FROM b WHERE c > 1${end}`, isOrdered: end !== '' }
    : { sql: `${sql}${end}`, isOrdered: end !== '' }
}
