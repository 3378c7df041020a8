/**
 * Queries that analysts typically write: sessions, funnels, the top of each group, date series, JSON payloads, text clean-up.
 */
import { INT64, STRING } from '../../googlesql/types/types.js'
import { literal, text } from './literals.js'
import type { Queries } from './queries.js'
import { clause, list, type Node, query, sql } from './tree.js'

type Write = (queries: Queries) => Node

const key = ({ random }: Queries): string => random.pick(['k', 'b', 's', 'd', 'i'])
const measure = ({ random }: Queries): string => random.pick(['x', 'y', 'i', 'j', 'n'])
const moment = ({ random }: Queries): string => random.pick(['ts', 'dt', 'd'])
const T = '`d.t`'
const U = '`d.u`'

const partOf = (column: string, { random }: Queries): string =>
  random.pick(
    column === 'ts' ? ['DAY', 'HOUR', 'MONTH'] : ['DAY', 'MONTH', 'QUARTER', 'YEAR', 'WEEK(MONDAY)', 'ISOWEEK'],
  )
const truncated = (column: string, queries: Queries): string =>
  `${{ ts: 'TIMESTAMP', dt: 'DATETIME', d: 'DATE' }[column]}_TRUNC(${column}, ${partOf(column, queries)})`
const count = ({ random }: Queries, low: number, high: number): Node =>
  literal(INT64, String(random.between(low, high)))

const SHAPES: readonly Write[] = [
  // The newest row of each group.
  q =>
    query`SELECT * EXCEPT (rn, js, l, a, r, q) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY ${key(q)} ORDER BY ${moment(q)} DESC, id) AS rn FROM ${T}) WHERE rn <= ${count(q, 1, 2)}`,
  q =>
    query`SELECT id, ${key(q)} AS g, ${measure(q)} AS v FROM ${T}${clause` WHERE id > ${count(q, 0, 3)}`} QUALIFY ${q.random.pick(['RANK()', 'DENSE_RANK()', 'ROW_NUMBER()'])} OVER (PARTITION BY ${key(q)} ORDER BY ${measure(q)} DESC, id) <= ${count(q, 1, 3)}`,
  // Shares of a total.
  q => {
    const m = q.random.pick(['i', 'j', 'n', 'x'])
    const k = key(q)
    return query`SELECT ${k} AS g, ROUND(100 * SUM(${m}) / NULLIF(SUM(SUM(${m})) OVER (), 0), ${count(q, 0, 3)}) AS share FROM ${T} GROUP BY 1`
  },
  q =>
    query`SELECT ${key(q)} AS g, COUNT(*) AS n, COUNTIF(${measure(q)} > ${count(q, 0, 5)}) / COUNT(*) AS rate, ROUND(SAFE_DIVIDE(SUM(i), COUNT(DISTINCT j)) * 100, 1) AS p FROM ${T} GROUP BY g`,
  // Sessions.
  q =>
    query`WITH e AS (SELECT id, k, ts, TIMESTAMP_DIFF(ts, LAG(ts) OVER (PARTITION BY k ORDER BY ts, id), ${q.random.pick(['MINUTE', 'HOUR', 'DAY'])}) AS gap FROM ${T}), s AS (SELECT *, SUM(IF(gap IS NULL OR gap > ${count(q, 1, 60)}, 1, 0)) OVER (PARTITION BY k ORDER BY ts, id) AS session FROM e) SELECT k, session, COUNT(*) AS n, MIN(ts) AS start, TIMESTAMP_DIFF(MAX(ts), MIN(ts), SECOND) AS length FROM s GROUP BY k, session`,
  // A date series whose gaps are filled.
  q =>
    query`SELECT day, COUNT(t.id) AS n, IFNULL(SUM(t.i), 0) AS s FROM UNNEST(GENERATE_DATE_ARRAY('2023-12-${String(q.random.between(10, 31))}', '2024-03-${String(q.random.between(1, 12))}', INTERVAL ${count(q, 1, 9)} ${q.random.pick(['DAY', 'WEEK', 'MONTH'])})) AS day LEFT JOIN ${T} AS t ON ${q.random.pick(['t.d = day', 'DATE_TRUNC(t.d, MONTH) = DATE_TRUNC(day, MONTH)', 't.d BETWEEN day AND DATE_ADD(day, INTERVAL 6 DAY)', 'DATE(t.ts) = day'])} GROUP BY day`,
  q =>
    query`SELECT ts, COUNT(e.id) AS n FROM UNNEST(GENERATE_TIMESTAMP_ARRAY('2024-01-15 10:00:00+00', '2024-01-15 12:00:00+00', INTERVAL ${count(q, 7, 60)} MINUTE)) AS ts LEFT JOIN ${U} AS e ON TIMESTAMP_TRUNC(e.ts, ${q.random.pick(['HOUR', 'DAY'])}) = TIMESTAMP_TRUNC(ts, HOUR) GROUP BY ts`,
  // Figures for each period.
  q => {
    const column = moment(q)
    return query`SELECT ${truncated(column, q)} AS period, COUNT(*) AS n, COUNT(DISTINCT k) AS users, AVG(x) AS mean, MAX(s) AS last FROM ${T} GROUP BY 1 ORDER BY 1${clause` DESC`}`
  },
  q => {
    const column = moment(q)
    return query`SELECT period, n, SUM(n) OVER (ORDER BY period ROWS BETWEEN ${count(q, 0, 2)} PRECEDING AND CURRENT ROW) AS moving, n - LAG(n) OVER (ORDER BY period) AS change FROM (SELECT ${truncated(column, q)} AS period, COUNT(*) AS n FROM ${T} WHERE ${column} IS NOT NULL GROUP BY period)`
  },
  // JSON payloads.
  q =>
    query`SELECT id, JSON_VALUE(js, ${text(q.random.pick(['$.a', '$.s', '$.a.b.c', '$[0]', '$.b[0]']))}) AS v, SAFE_CAST(JSON_VALUE(js, '$.a') AS INT64) + 1 AS w, JSON_QUERY(js, ${text(q.random.pick(['$.b', '$.a', '$']))}) AS o FROM ${q.random.pick([T, '`d.x`'])}`,
  q =>
    query`SELECT id, e, o FROM ${T}, UNNEST(${q.random.pick(["JSON_VALUE_ARRAY(js, '$.b')", "JSON_QUERY_ARRAY(js, '$.b')", 'l', 'a', 'JSON_QUERY_ARRAY(js)'])}) AS e WITH OFFSET AS o${clause` WHERE o < ${count(q, 1, 3)}`}`,
  q =>
    query`SELECT t.id, e.k, e.v FROM ${T} AS t CROSS JOIN UNNEST(t.q) AS e${clause` WHERE ${q.random.pick(["e.k = 'p'", 'e.v > 1'])}`}`,
  q =>
    query`SELECT t.id, e.k, e.v FROM ${T} AS t LEFT JOIN UNNEST(t.q) AS e ON ${q.random.pick(["e.k = 'p'", 'e.v > 1', 'TRUE'])}`,
  q =>
    query`SELECT id, (SELECT ${q.random.pick(['MAX(e.v)', 'SUM(e.v)', "STRING_AGG(e.k, ',' ORDER BY e.k)", 'COUNT(*)', 'ANY_VALUE(e.k HAVING MAX e.v)', 'ARRAY_AGG(e.v IGNORE NULLS ORDER BY e.v)'])} FROM UNNEST(q) AS e${clause` WHERE e.v ${q.random.pick(['>', '<', '!='])} ${count(q, 0, 3)}`}) AS m FROM ${T}`,
  q =>
    query`SELECT id, (SELECT e.v FROM UNNEST(q) AS e WHERE e.k = ${text(q.random.pick(['p', 'q', 'zz']))} ORDER BY e.v LIMIT 1) AS p, EXISTS(SELECT 1 FROM UNNEST(l) AS e WHERE e ${q.random.pick(["= 'x'", "LIKE '%a%'", "IN ('x', 'y')"])}) AS has FROM ${T}`,
  () =>
    query`SELECT id, ARRAY(SELECT AS STRUCT e.k, e.v * 2 AS w FROM UNNEST(q) AS e WITH OFFSET AS o${clause` WHERE e.k IS NOT NULL`} ORDER BY o) AS w, ARRAY_LENGTH(ARRAY(SELECT DISTINCT e FROM UNNEST(a) AS e)) AS n FROM ${T}`,
  q =>
    query`SELECT id, ARRAY_TO_STRING(ARRAY(SELECT ${q.random.pick(['UPPER(e)', 'CONCAT(e, k)', 'TRIM(e)'])} FROM UNNEST(l) AS e WITH OFFSET AS o ORDER BY o), ${text(q.random.pick([',', '', '-']))}) AS t FROM ${T}`,
  // Text clean-up.
  q =>
    query`SELECT id, LOWER(TRIM(REGEXP_REPLACE(s, r'${q.random.pick(['[^a-zA-Z]+', '\\\\s+', 'l+', '.'])}', ${text(q.random.pick(['', '-', '_']))}))) AS t, SPLIT(s, ${text(q.random.pick([' ', ',', '']))})[SAFE_OFFSET(${count(q, 0, 2)})] AS p, IFNULL(NULLIF(TRIM(s), ''), 'none') AS f, LENGTH(s) AS n FROM ${q.random.pick([T, '`d.x`'])}`,
  q =>
    query`SELECT ${q.random.pick(["REGEXP_EXTRACT(s, r'(\\\\w+)')", "SUBSTR(s, 1, STRPOS(s, ' ') - 1)", 'INITCAP(s)', 'LEFT(s, 1)', 'REVERSE(s)'])} AS w, COUNT(*) AS n, STRING_AGG(CAST(id AS STRING), ',' ORDER BY id) AS ids FROM ${T} GROUP BY w`,
  q =>
    query`SELECT CASE WHEN ${measure(q)} IS NULL THEN 'none' WHEN ${measure(q)} < ${count(q, 0, 3)} THEN 'low' WHEN ${measure(q)} BETWEEN 3 AND ${count(q, 4, 50)} THEN 'mid' ELSE 'high' END AS bucket, COUNT(*) AS n, ROUND(AVG(y), 2) AS mean FROM ${T} GROUP BY bucket${clause` HAVING COUNT(*) > ${count(q, 0, 2)}`}`,
  // Joins.
  q =>
    query`SELECT t.k, COUNT(*) AS n, SUM(u.v) AS v, COUNT(u.id) AS m FROM ${T} AS t LEFT JOIN ${U} AS u ON t.${q.random.pick(['id = u.t_id', 'k = u.k', 'd = u.d'])}${clause` AND u.v > ${count(q, 0, 15)}`} GROUP BY t.k`,
  q =>
    query`SELECT id, s FROM ${T} AS t WHERE ${q.random.pick(['', 'NOT '])}EXISTS(SELECT 1 FROM ${U} AS u WHERE u.${q.random.pick(['t_id = t.id', 'k = t.k', 'd > t.d'])}${clause` AND u.v ${q.random.pick(['>', '<='])} ${count(q, 0, 10)}`})`,
  q =>
    query`SELECT id, (SELECT ${q.random.pick(['COUNT(*)', 'SUM(v)', 'MAX(w)', 'STRING_AGG(k ORDER BY id)', 'AVG(v)'])} FROM ${U} AS u WHERE u.${q.random.pick(['t_id = t.id', 'k = t.k'])}) AS m FROM ${T} AS t`,
  q =>
    query`SELECT t.id FROM ${T} AS t WHERE t.${q.random.pick(['id', 'i', 'j'])} ${q.random.pick(['IN', 'NOT IN'])} (SELECT ${q.random.pick(['t_id', 'v', 'id'])} FROM ${U}${clause` WHERE t_id IS NOT NULL`})`,
  q =>
    query`WITH a AS (SELECT k, SUM(i) AS s FROM ${T} GROUP BY k), b AS (SELECT k, SUM(v) AS s FROM ${U} GROUP BY k) SELECT COALESCE(a.k, b.k) AS k, a.s AS x, b.s AS y, IFNULL(a.s, 0) - IFNULL(b.s, 0) AS diff FROM a FULL JOIN b ON ${q.random.pick(['a.k = b.k', "IFNULL(a.k, '?') = IFNULL(b.k, '?')"])}`,
  q =>
    query`SELECT k, ${q.random.pick(['a.s', 'b.s'])} AS s FROM (SELECT k, SUM(i) AS s FROM ${T} GROUP BY k) AS a ${q.random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN'])} (SELECT k, MAX(v) AS s FROM ${U} GROUP BY k) AS b USING (k)`,
  // Funnels, pivots without PIVOT, arrays of structs.
  q =>
    query`SELECT k, SUM(IF(i > ${count(q, 0, 5)}, 1, 0)) AS a, SUM(CASE WHEN b THEN j END) AS c, COUNT(DISTINCT IF(b, s, NULL)) AS u, MAX(IF(b, ts, NULL)) AS last FROM ${T} GROUP BY k`,
  q =>
    query`SELECT k, ARRAY_AGG(STRUCT(id, s) ORDER BY id${clause` DESC`}${clause` LIMIT ${count(q, 1, 2)}`}) AS list, ARRAY_AGG(s IGNORE NULLS ORDER BY id)[SAFE_OFFSET(0)] AS first FROM ${T} GROUP BY k`,
  () =>
    query`SELECT k, (SELECT STRING_AGG(x.s, '|' ORDER BY x.id) FROM UNNEST(list) AS x) AS names FROM (SELECT k, ARRAY_AGG(STRUCT(id, s) ORDER BY id) AS list FROM ${T} GROUP BY k)`,
  q =>
    query`SELECT COUNT(DISTINCT k) AS u, MAX(ts) AS last, LOGICAL_OR(b) AS some_b FROM ${T}${clause` WHERE ts >= TIMESTAMP_SUB(TIMESTAMP '2024-03-10 00:00:00+00', INTERVAL ${count(q, 1, 90)} DAY)`}`,
  q =>
    query`SELECT d, DATE_DIFF(d, LAG(d) OVER (ORDER BY d), ${q.random.pick(['DAY', 'WEEK', 'MONTH', 'ISOWEEK'])}) AS gap, FIRST_VALUE(s IGNORE NULLS) OVER (ORDER BY d ROWS BETWEEN ${count(q, 0, 2)} PRECEDING AND ${count(q, 0, 2)} FOLLOWING) AS f, PERCENT_RANK() OVER (ORDER BY x) AS p FROM ${T} WHERE d IS NOT NULL`,
  q =>
    query`SELECT DISTINCT k, COUNT(*) OVER (PARTITION BY k) AS n, PERCENTILE_CONT(x, ${q.random.pick(['0.5', '0.9', '0'])}) OVER (PARTITION BY k) AS median FROM ${T}`,
  q =>
    query`SELECT * FROM (SELECT k, b, ${measure(q)} AS v FROM ${T}) PIVOT(${q.random.pick(['SUM(v)', 'MAX(v)', 'COUNT(v)', 'AVG(v) AS m, COUNT(*) AS n'])} FOR k IN (${list(q.random.some(["'a'", "'b' AS bb", "'c'"], 1, 3).map(one => sql`${one}`))}))`,
  q =>
    query`SELECT id, ${list(
      [
        'IF(b, x, y)',
        "COALESCE(k, s, 'none')",
        'IFNULL(i, j) * 2',
        "CONCAT(IFNULL(k, ''), '-', CAST(i AS STRING))",
        'GREATEST(x, y)',
        "FORMAT('%s %d', k, i)",
        "FORMAT_DATE('%Y-%m', d)",
        'r.a + 1',
        "r.b || 'x'",
        'l[SAFE_OFFSET(0)]',
        'a[SAFE_ORDINAL(1)]',
        'TO_JSON_STRING(r)',
        'UNIX_SECONDS(ts)',
        'TO_HEX(MD5(s))',
        'ARRAY_LENGTH(a)',
        "EXTRACT(HOUR FROM ts AT TIME ZONE 'America/New_York')",
      ]
        .filter(() => q.random.chance(0.3))
        .map((one, i) => sql`${one} AS e${String(i)}`),
      ', ',
      0,
    )}, 1 AS one FROM ${T} WHERE ${q.random.pick(["k IN ('a', 'b')", 'NOT b', "s LIKE '%a%'", 'x BETWEEN 0 AND 3', "REGEXP_CONTAINS(s, r'[a-z]')", 'b IS NOT TRUE', 'i = j OR x > y', "d >= '2024-01-01'", "ts < '2024-02-01'"])}`,
  // Stars and structs.
  q =>
    query`SELECT t.* EXCEPT (js, l, a, r, q)${clause` REPLACE (${q.random.pick(['UPPER(s) AS s', 'i + 1 AS i', 'NULL AS k', 'x / y AS x'])})`} FROM ${q.random.pick([T, '`d.x`'])} AS t`,
  () => query`SELECT r.*, r.a = i AS same FROM ${T}`,
  q =>
    query`SELECT (SELECT AS STRUCT ${list([sql`id`, sql`k AS kk`, sql`${measure(q)} AS m`])}) AS st, STRUCT(i, j AS jj, STRUCT(s) AS inner_) AS nested FROM ${T}`,
  () => query`SELECT e.s, e.n FROM UNNEST(ARRAY(SELECT AS STRUCT k AS s, COUNT(*) AS n FROM ${T} GROUP BY k)) AS e`,
  q =>
    query`SELECT (i, k) IN ((5, 'a'), (3, ${text(q.random.pick(['b', 'a']))})) AS m, STRUCT(i, j) = STRUCT(5, 2) AS eq, [i] = [5] AS arr FROM ${T} WHERE i IS NOT NULL AND k IS NOT NULL`,
  q =>
    query`SELECT id, SUM(i) OVER w AS s, COUNT(*) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c, FIRST_VALUE(k) OVER (w) AS f FROM ${T} WINDOW w AS (${clause`PARTITION BY ${key(q)}`} ORDER BY ${moment(q)}, id)`,
  q =>
    query`SELECT k, s, SUM(s) OVER (ORDER BY s, k) AS running, RANK() OVER (ORDER BY n DESC) AS r FROM (SELECT k, SUM(${q.random.pick(['i', 'j', 'id'])}) AS s, COUNT(*) AS n FROM ${T} GROUP BY k)`,
  q =>
    query`SELECT ${q.random.pick(['EXTRACT(DAYOFWEEK FROM d)', "FORMAT_DATE('%a', d)", 'DATE_TRUNC(d, WEEK)', 'LAST_DAY(d)', 'EXTRACT(ISOWEEK FROM d)'])} AS g, SUM(i) AS s FROM ${T} WHERE d BETWEEN '2020-01-01' AND DATE_SUB('2024-12-31', INTERVAL ${count(q, 0, 300)} DAY) GROUP BY g`,
]

export const stranger: Write = queries => queries.random.pick(SHAPES)(queries)

/** A UNION ALL BY NAME; the reference gets the UNION ALL by position. */
export function byName(queries: Queries): Node {
  const { random, values } = queries
  const source = queries.single()
  const scope = { columns: source.columns, depth: 1 }
  const left = [values.value(INT64, scope), values.value(STRING, scope)]
  const right = [values.value(STRING, scope), values.value(INT64, scope)]
  const kind = random.pick(['', 'FULL ', 'LEFT '])
  const extra =
    kind === 'FULL ' ? values.value({ kind: 'DATE' }, scope) : kind === 'LEFT ' ? values.value(STRING, scope) : null
  const children = [...left, ...right, source.node, ...(extra ? [extra] : [])]
  const ours = [
    'SELECT ',
    0,
    ' AS a, ',
    1,
    ' AS b FROM ',
    4,
    ` ${kind}UNION ALL BY NAME SELECT `,
    2,
    ' AS b, ',
    3,
    ' AS a',
    ...(extra ? [', ', 5, ' AS c'] : []),
    ' FROM ',
    4,
  ]
  const isFull = kind === 'FULL '
  const theirs = [
    'SELECT ',
    0,
    ' AS a, ',
    1,
    ' AS b',
    ...(isFull ? [', CAST(NULL AS DATE) AS c'] : []),
    ' FROM ',
    4,
    ' UNION ALL SELECT ',
    3,
    ' AS a, ',
    2,
    ' AS b',
    ...(isFull ? [', ', 5, ' AS c'] : []),
    ' FROM ',
    4,
  ]
  return { kind: 'query', children, text: ours, reference: theirs }
}
