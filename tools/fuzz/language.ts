/**
 * The language apart from its functions: operators without parentheses, spellings of literals, supertypes, names in scope.
 */
import { BOOL, FLOAT64, INT64, STRING, type Type } from '../../googlesql/types/types.js'
import { literal, quoted } from './literals.js'
import type { Queries } from './queries.js'
import type { Random } from './random.js'
import { randomScalar, randomValue } from './random-values.js'
import { clause, expr, list, type Node, query, sql } from './tree.js'

/** A sequence of operands and operators without parentheses, whose meaning depends on precedence alone. */
function unparenthesized(queries: Queries, columns: readonly Node[], type: Type, length: number): Node {
  const { random } = queries
  const operand = (of: Type): Node => {
    const alike = columns.filter(one => one.type!.kind === of.kind)
    const value: Node =
      alike.length > 0 && random.chance(0.6)
        ? random.pick(alike)
        : literal(of, randomValue(random, of, { wide: 0, null: 0.05 }))
    if (of.kind === 'INT64') return expr(of)`${random.pick(['', '', '', '- ', '~ ', '+ '])}${value}`
    return value
  }
  const row = (of: Type, operators: readonly string[], count: number): Node => {
    const parts: Node[] = [operand(of)]
    for (let i = 0; i < count; i++) parts.push(sql`${random.pick(operators)} ${operand(of)}`)
    return expr(of)`${list(parts, ' ', 1)}`
  }
  if (type.kind === 'INT64') return row(type, ['+', '-', '*', '&', '|', '^', '+', '-'], length)
  if (type.kind === 'FLOAT64') return row(type, ['+', '-', '*', '/'], length)
  if (type.kind === 'STRING') return row(type, ['||'], length)
  const comparison = (): Node => {
    const of = random.pick<Type>([INT64, INT64, STRING, FLOAT64])
    const side = (): Node =>
      of.kind === 'STRING'
        ? row(of, ['||'], random.between(0, 1))
        : row(of, of.kind === 'INT64' ? ['+', '*', '&', '|'] : ['+', '*'], random.between(0, 1))
    return random.weighted<() => Node>([
      [4, () => expr(BOOL)`${side()} ${random.pick(['=', '<', '>=', '!=', '<>', '<=', '>'])} ${side()}`],
      [1, () => expr(BOOL)`${side()} ${random.pick(['', 'NOT '])}BETWEEN ${side()} AND ${side()}`],
      [1, () => expr(BOOL)`${side()} IS ${random.pick(['', 'NOT '])}NULL`],
      [1, () => expr(BOOL)`${side()} ${random.pick(['', 'NOT '])}IN (${side()}, ${side()})`],
      [1, () => expr(BOOL)`${side()} IS ${random.pick(['', 'NOT '])}DISTINCT FROM ${side()}`],
      [
        0.7,
        () =>
          of.kind === 'STRING'
            ? expr(BOOL)`${side()} ${random.pick(['', 'NOT '])}LIKE ${literal(STRING, random.pick(['a%', '%b%', '_']))}`
            : operand(BOOL),
      ],
      [1, () => operand(BOOL)],
      [0.5, () => expr(BOOL)`${operand(BOOL)} IS ${random.pick(['', 'NOT '])}${random.pick(['TRUE', 'FALSE'])}`],
    ])()
  }
  const parts: Node[] = [sql`${random.pick(['', '', 'NOT '])}${comparison()}`]
  for (let i = 0; i < length; i++)
    parts.push(sql`${random.pick(['AND', 'OR'])} ${random.pick(['', '', 'NOT '])}${comparison()}`)
  return expr(BOOL)`${list(parts, ' ', 1)}`
}

export function precedence(queries: Queries): Node {
  const { random } = queries
  const source = random.chance(0.6) ? queries.table() : null
  const columns = source?.columns ?? []
  const items = random.several(
    1,
    2,
    i =>
      sql`${unparenthesized(queries, columns, random.pick<Type>([BOOL, BOOL, INT64, FLOAT64, STRING]), random.between(1, 5))} AS c${String(i + 1)}`,
  )
  const where =
    source && random.chance(0.3)
      ? clause` WHERE ${unparenthesized(queries, columns, BOOL, random.between(1, 3))}`
      : sql``
  return query`SELECT ${list(items)}${source ? sql` FROM ${source.node}${where}` : sql``}`
}

const SPELLINGS: readonly (readonly [Type, (random: Random) => string])[] = [
  [
    INT64,
    random =>
      random.pick([
        '0x1F',
        '0XfF',
        '007',
        '+5',
        '- 3',
        '0x7fffffffffffffff',
        '-0x8000000000000000',
        '9223372036854775807',
        '1_000',
      ]),
  ],
  [
    FLOAT64,
    random =>
      random.pick([
        '1.',
        '.5',
        '1e3',
        '1E-2',
        '.5e+1',
        '0.',
        '123456789.123456789',
        '1.7976931348623157e308',
        '5e-324',
        '-0.0',
        '1e15',
        '0.1e1',
        '4.9e-324',
        '1.0e+05',
        '1e400',
        '12e345',
        '1e-400',
      ]),
  ],
  [STRING, random => textSpelling(random)],
  [
    { kind: 'BYTES' },
    random =>
      random.pick(["b'abc'", 'B"a\\x41"', "rb'a\\n'", "bR'\\d'", "b'''a'b'''", "b'\\101\\xff'", 'b"\\u0041"', "b'é'"]),
  ],
  [
    { kind: 'NUMERIC' },
    random =>
      random.pick([
        "NUMERIC '1.50'",
        'DECIMAL "1e3"',
        "numeric '-.5'",
        "NUMERIC '1e-9'",
        "NUMERIC '0.1234567891'",
        "NUMERIC ''",
        "NUMERIC '+1.'",
      ]),
  ],
  [
    { kind: 'DATE' },
    random =>
      random.pick([
        "DATE '2024-2-9'",
        'date "2024-02-29"',
        "DATE '2024-02-30'",
        "DATE '24-01-01'",
        "DATE r'2024-01-01'",
      ]),
  ],
  [
    { kind: 'TIMESTAMP' },
    random =>
      random.pick([
        "TIMESTAMP '2024-01-01 10:00:00 America/New_York'",
        "TIMESTAMP '2024-01-01T10:00:00Z'",
        "TIMESTAMP '2024-01-01 10:00:00.123+05:30'",
        "TIMESTAMP '2024-01-01'",
        "TIMESTAMP '2024-01-01 1:2:3'",
        "TIMESTAMP '2024-01-01 10:00:00-8'",
        "TIMESTAMP '2024-03-10 02:30:00 America/New_York'",
        "TIMESTAMP '2024-01-01 10:00:00.1234567'",
      ]),
  ],
  [
    { kind: 'TIME' },
    random => random.pick(["TIME '1:2:3'", "TIME '12:34:56.7891'", "TIME '24:00:00'", "TIME '12:34'"]),
  ],
  [
    { kind: 'DATETIME' },
    random =>
      random.pick([
        "DATETIME '2024-01-01T10:00:00'",
        "DATETIME '2024-1-1 1:2:3.4'",
        "DATETIME '2024-01-01'",
        "DATETIME '2024-01-01 10:00:00Z'",
      ]),
  ],
  [
    { kind: 'JSON' },
    random =>
      random.pick([
        'JSON \'{"a": [1, 2.50, null]}\'',
        "JSON '1.0'",
        'JSON r\'"\\u00e9"\'',
        "JSON '[1e2]'",
        'JSON \'{"b":1,"a":2}\'',
        "JSON ' {} '",
      ]),
  ],
  [
    { kind: 'INTERVAL' },
    random =>
      random.pick([
        'INTERVAL 5 DAY',
        "INTERVAL '1-2' YEAR TO MONTH",
        "INTERVAL '1 2:3:4.5' DAY TO SECOND",
        "INTERVAL '-1:30' HOUR TO MINUTE",
        "INTERVAL '2:30' MINUTE TO SECOND",
        'interval -3 week',
        "INTERVAL '1.5' SECOND",
      ]),
  ],
  [BOOL, random => random.pick(['true', 'TRUE', 'False'])],
  [
    { kind: 'ARRAY', element: INT64 },
    random => random.pick(['[1, 2]', 'ARRAY<INT64>[1]', 'ARRAY[1, NULL]', '[]', 'ARRAY<INT64>[]', '[1, 2,3 ]']),
  ],
]

function textSpelling(random: Random): string {
  const body = random.pick([
    'abc',
    'a\\tb',
    '\\u00e9',
    '\\U0001F600',
    '\\x41\\101',
    "it\\'s",
    'a\\\\b',
    'é',
    '\\a\\b\\f\\v\\r',
    '',
    'a\\?b',
    '\\`',
  ])
  const [open, close] = random.pick([
    ["'", "'"],
    ['"', '"'],
    ["'''", "'''"],
    ['"""', '"""'],
    ["r'", "'"],
    ['R"', '"'],
    ["r'''", "'''"],
  ] as const)
  return `${open}${body}${close}`
}

/** A query with unusual spellings of literals, comments, white space, and letters of either case. */
export function lexical(queries: Queries): Node {
  const { random } = queries
  const gap = (): string => random.pick([' ', ' ', ' ', '\n', ' /* a\nb */ ', ' -- c\n', ' # d\n', '\t'])
  const items = random.several(1, 3, i => {
    const [type, spell] = random.pick(SPELLINGS)
    return sql`${gap()}${expr(type)`${spell(random)}`}${gap()}${random.pick(['AS', 'as', ''])}${gap()}${random.pick([`c${i}`, `\`c ${i}\``, `C${i}`, `\`select${i}\``])}`
  })
  const tail = random.pick([sql``, sql``, sql`;`, sql`${gap()}`, clause` -- end`])
  return query`${random.pick(['SELECT', 'select', 'Select'])}${list(items)}${random.chance(0.4) ? sql`${gap()}${random.pick(['FROM', 'from'])}${gap()}${'`d.u`'}${random.pick([' AS u', ' u', ''])}` : sql``}${tail}`
}

/** A query with values of several types where one type is needed: their common supertype. */
export function supertypes(queries: Queries): Node {
  const { random } = queries
  const groups: readonly (readonly Type['kind'][])[] = [
    ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'],
    ['INT64', 'FLOAT64', 'NUMERIC'],
    ['INT64', 'FLOAT64'],
    ['DATE', 'DATETIME'],
    ['DATE'],
    ['TIMESTAMP'],
    ['INT64', 'NUMERIC'],
    ['STRING'],
  ]
  const isUnion = random.chance(0.2)
  const source = !isUnion && random.chance(0.5) ? queries.table() : null
  const columns = source?.columns ?? []
  const kinds = random.pick(groups)
  const value = (): Node => {
    if (random.chance(0.07)) return sql`NULL`
    const type = { kind: random.pick(kinds) } as Type
    const alike = columns.filter(one => one.type!.kind === type.kind)
    if (alike.length > 0 && random.chance(0.5)) return random.pick(alike)
    const plain = String(randomValue(random, type, { wide: 0.1, null: 0 }))
    // A text literal is coerced to more types than a typed value.
    if (['DATE', 'DATETIME', 'TIMESTAMP'].includes(type.kind) && random.chance(0.3))
      return sql`${quoted(plain.replace('Z', '+00'))}`
    const made = literal(type, randomValue(random, type, { wide: 0.1, null: 0.05 }))
    return random.chance(0.1) ? { ...made, isBound: true } : made
  }
  const values = (): Node => list(random.several(2, 3, value), ', ', 1)
  const struct = (): Node => sql`STRUCT(${value()} AS a, ${value()} AS b)`
  const forms: readonly (() => Node)[] = [
    () => sql`COALESCE(${values()})`,
    () => sql`IF(${random.pick(['TRUE', 'FALSE', 'NULL'])}, ${value()}, ${value()})`,
    () =>
      sql`CASE WHEN ${random.pick(['TRUE', 'FALSE'])} THEN ${value()} WHEN TRUE THEN ${value()} ELSE ${value()} END`,
    () => sql`CASE ${value()} WHEN ${value()} THEN 1 ELSE 2.5 END`,
    () => sql`${random.pick(['GREATEST', 'LEAST'])}(${values()})`,
    () => sql`[${values()}]`,
    () => sql`${value()} IN (${values()})`,
    () => sql`${value()} ${random.pick(['=', '<', '>=', '!='])} ${value()}`,
    () => sql`NULLIF(${value()}, ${value()})`,
    () => sql`IFNULL(${value()}, ${value()})`,
    () => sql`${value()} BETWEEN ${value()} AND ${value()}`,
    () => sql`${value()} ${random.pick(['+', '-', '*', '/'])} ${value()}`,
    () => sql`${value()} IN UNNEST([${values()}])`,
    () => sql`ARRAY_CONCAT([${values()}], [${values()}])`,
    () => sql`[${struct()}, ${struct()}]`,
    () => sql`IF(TRUE, ${struct()}, ${struct()})`,
    () => sql`${struct()} = ${struct()}`,
    () => sql`(SELECT ${value()} UNION ALL SELECT ${value()} LIMIT 0)`,
    () => sql`ABS(${value()})`,
    () => sql`ROUND(${value()}, 1)`,
    () => sql`MOD(${value()}, ${value()})`,
    () => sql`CONCAT(${values()})`,
    () => sql`${value()} || ${value()}`,
    () => sql`RANGE_BUCKET(${value()}, [${values()}])`,
  ]
  if (isUnion) {
    const branch = (): Node => sql`SELECT ${value()} AS c1, ${value()} AS c2`
    return query`${list(random.several(2, 3, branch), random.pick([' UNION ALL ', ' UNION ALL ', ' UNION DISTINCT ', ' EXCEPT DISTINCT ', ' INTERSECT DISTINCT ']))}`
  }
  const items = random.several(1, 2, i => sql`${random.pick(forms)()} AS c${String(i + 1)}`)
  return query`SELECT ${list(items)}${source ? sql` FROM ${source.node}` : sql``}`
}

const T = '`d.t`'
const U = '`d.u`'

/** A query in which one name has several possible meanings. */
export function names(queries: Queries): Node {
  const { random } = queries
  const other = random.pick(['j', 'k', 's', 'id'])
  const shapes: readonly (() => Node)[] = [
    () =>
      query`SELECT i AS ${other}, ${other} AS i FROM ${T}${clause` WHERE i > ${String(random.between(0, 4))}`} ORDER BY ${random.pick(['i', other, 'id', '1'])}, id`,
    () =>
      query`SELECT ${random.pick(['i + 1', 'ABS(j)', '-i', 'UPPER(k)'])} AS ${random.pick(['i', 'k', 'g'])}, COUNT(*) AS n FROM ${T} GROUP BY ${random.pick(['1', 'i', 'k'])}`,
    () =>
      query`SELECT ${random.pick(['i', 'j'])} AS g, SUM(j) AS j, MAX(id) AS id FROM ${T} GROUP BY g HAVING ${random.pick(['j', 'id', 'SUM(id)', 'g'])} > ${String(random.between(0, 5))}`,
    () => query`SELECT ${random.pick(['t', 'u', 't.id', 'TO_JSON_STRING(u)'])} FROM ${U} AS ${random.pick(['t', 'u'])}`,
    () => query`SELECT TO_JSON_STRING(u) AS c1 FROM ${U} AS u${clause` WHERE u.id = ${String(random.between(1, 5))}`}`,
    () =>
      query`SELECT (SELECT ${random.pick(['id', 't.id', 'u.id', 'k', 't.k', 'v'])} FROM ${U} AS u WHERE ${random.pick(['u.id = t.id', 'id = t.id', 't_id = t.id', 'u.k = t.k'])} LIMIT 1) IS NULL AS c1, id FROM ${T} AS t`,
    () =>
      query`WITH t AS (SELECT id, k FROM ${U}), u AS (SELECT * FROM t WHERE id > ${String(random.between(0, 4))}) SELECT ${random.pick(['u.k', 't.k', 'u.id', 't.id + u.id'])} AS c1 FROM u JOIN t ON ${random.pick(['t.id = u.id', 't.k = u.k', 'TRUE'])}`,
    () =>
      query`WITH u AS (SELECT 1 AS id) SELECT (WITH u AS (SELECT 2 AS id) SELECT id FROM u) AS a, id AS b, (SELECT u.id FROM u) AS c FROM u`,
    () =>
      query`SELECT * FROM (SELECT id, k FROM ${U}) AS a ${random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN'])} (SELECT id AS i, k, d FROM ${T}) AS b USING (k)`,
    () =>
      query`SELECT ${random.pick(['*', 'a.*, b.d', 'k, a.id', 'a.k, b.k AS kk, k AS kkk', '* EXCEPT (k)', '* REPLACE (1 AS id)'])} FROM (SELECT id, k FROM ${U}) AS a ${random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN'])} (SELECT id AS i, k, d FROM ${T}) AS b USING (k)`,
    () =>
      query`SELECT ${random.pick(['e', 'e.k', 'k', 'v', 'e.v + id', 'off', 'offset'])} AS c1 FROM ${T} AS t, t.q AS e WITH OFFSET${random.pick([' AS off', ''])}`,
    () =>
      query`SELECT ${random.pick(['r.a', 't.r.b', 'r', 'r.c + x', 'IF(r.a > 1, r.b, k)'])} AS c1 FROM ${T} AS t ORDER BY ${random.pick(['id', 't.r.a, id', 'r.a DESC, t.id'])}`,
    () =>
      query`SELECT ${random.pick(['ID', 'Id', '`id`', 'T.id', 't.`ID`'])} AS c1, ${random.pick(['upper(K)', 'Upper(k)', 'SUBSTR(t.K, 1)'])} AS c2 FROM ${T} ${random.pick(['t', 'AS t', 'T', '`t`'])}`,
    () =>
      query`SELECT ${list(['id', 'k', 'v'].map(name => sql`${name}`))}, COUNT(*) OVER (PARTITION BY k) AS n FROM ${U} ORDER BY ${random.pick(['COUNT(*) OVER (PARTITION BY k), id', 'n DESC, id', 'id', 'v, id'])}`,
    () =>
      query`SELECT k, COUNT(*) AS n FROM ${T} GROUP BY k ORDER BY ${random.pick(['COUNT(*) DESC, k', 'n, k', 'MAX(id)', 'k', '2, 1', 'SUM(i) + 1, k'])}${clause` LIMIT ${String(random.between(1, 3))}`}`,
    () =>
      query`SELECT DISTINCT ${random.pick(['k', 'b, k', 'i', 'STRUCT(k, b)', 'k AS g, i > 3 AS h'])} FROM ${T}${clause` ORDER BY 1`}`,
    () =>
      query`SELECT ${random.pick(['a.x', 'x', 'b.x', 'a.y'])} AS c1 FROM (SELECT 1 AS x, 2 AS y) AS a, (SELECT ${literal(INT64, '3')} AS ${random.pick(['x', 'z'])}) AS b`,
    () =>
      query`SELECT (SELECT SUM(e) FROM UNNEST(a) AS e WHERE e ${random.pick(['>', '<', '!='])} t.${random.pick(['i', 'id', 'j'])}) AS c1, (SELECT COUNT(*) FROM UNNEST(t.l) AS l WHERE l ${random.pick(['=', '!='])} ${random.pick(['k', 't.k', "'x'"])}) AS c2 FROM ${T} AS t`,
    () => query`SELECT ${literal(randomScalar(random), null)} AS c1, x.* FROM (SELECT AS STRUCT 1 AS p, 'a' AS q) AS x`,
    () =>
      query`SELECT x FROM (SELECT AS VALUE ${random.pick(['STRUCT(i AS p, k AS q)', 'i', 'r', 'ARRAY_LENGTH(a)'])} FROM ${T}) AS x`,
  ]
  return random.pick(shapes)()
}
