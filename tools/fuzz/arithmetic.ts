/** The arithmetic that analysts write: percentages, ratios, buckets of time, rounded and cast, several levels deep. */
import { FLOAT64, INT64, NUMERIC, STRING, type Type } from '../../googlesql/types/types.js'
import { literal, small } from './literals.js'
import type { Queries } from './queries.js'
import { clause, expr, list, type Node, query, sql } from './tree.js'

/** A numeric expression of some type, over columns of the table and small literals. */
function number(queries: Queries, columns: readonly Node[], depth: number): Node {
  const { random } = queries
  const again = (): Node => number(queries, columns, depth - 1)
  if (depth <= 0 || random.chance(0.12)) {
    const numbers = columns.filter(one => ['INT64', 'FLOAT64', 'NUMERIC'].includes(one.type!.kind))
    if (numbers.length > 0 && random.chance(0.6)) return random.pick(numbers)
    return random.chance(0.5)
      ? literal(FLOAT64, random.pick([100, 0.5, 1, 2.5, 60, 1000, 4, 0.1]))
      : literal(INT64, String(random.between(1, 12)))
  }
  const type = FLOAT64
  return random.weighted<() => Node>([
    [5, () => expr(type)`(${again()} / ${again()})`],
    [4, () => expr(type)`(${again()} * ${again()})`],
    [4, () => expr(type)`(${again()} + ${again()})`],
    [4, () => expr(type)`(${again()} - ${again()})`],
    [2, () => expr(type)`ROUND(${again()}, ${String(random.between(0, 4))})`],
    [1, () => expr(type)`SAFE_DIVIDE(${again()}, ${again()})`],
    [1, () => expr(type)`(${again()} / NULLIF(${again()}, 0))`],
    [1, () => expr(type)`IFNULL(${again()}, 0)`],
    [1, () => expr(type)`CAST(${again()} AS INT64)`],
    [1, () => expr(type)`CAST(${again()} AS FLOAT64)`],
    [0.5, () => expr(type)`CAST(${again()} AS NUMERIC)`],
    [1, () => expr(type)`${random.pick(['FLOOR', 'CEIL', 'ABS', 'TRUNC', 'SIGN'])}(${again()})`],
    [0.7, () => expr(type)`${random.pick(['GREATEST', 'LEAST'])}(${again()}, ${again()})`],
    [0.5, () => expr(type, { isInexact: true })`POW(CAST(${again()} AS FLOAT64), ${random.pick(['2', '3', '0.5'])})`],
    [0.7, () => expr(type)`(- ${again()})`],
    [0.7, () => expr(type)`IF(${again()} > ${again()}, ${again()}, ${again()})`],
    [0.5, () => expr(type)`IEEE_DIVIDE(${again()}, ${again()})`],
    [0.5, () => expr(INT64)`MOD(CAST(${again()} AS INT64), ${random.pick(['7', '60', '-3'])})`],
    [0.5, () => expr(INT64)`DIV(CAST(${again()} AS INT64), ${random.pick(['7', '60', '-3'])})`],
  ])()
}

/** A date or time expression: values with intervals added, and truncated. */
function moment(queries: Queries, columns: readonly Node[], depth: number): Node {
  const { random } = queries
  const dates = columns.filter(one => ['DATE', 'DATETIME', 'TIMESTAMP'].includes(one.type!.kind))
  if (depth <= 0 || dates.length === 0) {
    return dates.length > 0 && random.chance(0.7)
      ? random.pick(dates)
      : literal({ kind: 'TIMESTAMP' }, '2024-03-10T10:17:36.5Z')
  }
  const of = moment(queries, columns, depth - 1)
  const { kind } = of.type!
  const type = of.type!
  const parts =
    kind === 'DATE'
      ? ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']
      : kind === 'TIMESTAMP'
        ? ['DAY', 'HOUR', 'MINUTE', 'SECOND']
        : ['DAY', 'MONTH', 'HOUR', 'MINUTE']
  const part = random.pick(parts)
  const count = random.chance(0.5) ? small(random, -40, 40) : expr(INT64)`CAST(${number(queries, columns, 1)} AS INT64)`
  return random.weighted<() => Node>([
    [3, () => expr(type)`${kind}_${random.pick(['ADD', 'SUB'])}(${of}, INTERVAL ${count} ${part})`],
    [3, () => expr(type)`${kind}_TRUNC(${of}, ${part})`],
    [
      1,
      () =>
        expr(
          type,
        )`${kind}_TRUNC(${of}, ${random.pick(kind === 'TIMESTAMP' ? ['WEEK', 'MONTH', 'QUARTER'] : ['ISOWEEK', 'WEEK(MONDAY)', 'QUARTER'])})`,
    ],
    [1, () => (kind === 'DATE' ? expr(type)`(${of} + ${small(random, -5, 5)})` : expr({ kind: 'DATE' })`DATE(${of})`)],
    [
      1,
      () =>
        kind === 'TIMESTAMP'
          ? expr(type)`TIMESTAMP_SECONDS(DIV(UNIX_SECONDS(${of}), 300) * 300)`
          : expr({ kind: 'TIMESTAMP' })`TIMESTAMP(${of})`,
    ],
    [
      1,
      () =>
        kind === 'TIMESTAMP'
          ? expr(type)`(${of} + INTERVAL ${count} ${random.pick(['HOUR', 'MINUTE', 'DAY'])})`
          : expr({ kind: 'DATETIME' })`(${of} + INTERVAL ${count} ${random.pick(['HOUR', 'MONTH', 'DAY'])})`,
    ],
  ])()
}

function told(queries: Queries, columns: readonly Node[], depth: number): Node {
  const { random } = queries
  const of = moment(queries, columns, depth)
  const { kind } = of.type!
  return random.weighted<() => Node>([
    [2, () => of],
    [
      2,
      () =>
        expr(
          INT64,
        )`EXTRACT(${random.pick(kind === 'DATE' ? ['YEAR', 'MONTH', 'DAYOFWEEK', 'WEEK', 'ISOWEEK', 'QUARTER', 'DAYOFYEAR'] : ['YEAR', 'HOUR', 'MINUTE', 'DAYOFWEEK', 'DATE', 'SECOND'])} FROM ${of})`,
    ],
    [
      1,
      () => expr(STRING)`FORMAT_${kind}(${random.pick(["'%Y-%m'", "'%F'", "'%G-W%V'", "'%A %d'", "'%Y%m%d'"])}, ${of})`,
    ],
    [
      1,
      () =>
        expr(
          INT64,
        )`${kind}_DIFF(${of}, ${same(queries, columns, of.type!)}, ${kind === 'DATE' ? random.pick(['DAY', 'WEEK', 'MONTH', 'YEAR', 'QUARTER']) : random.pick(['DAY', 'HOUR', 'MINUTE', 'SECOND'])})`,
    ],
    [1, () => expr(STRING)`CAST(${of} AS STRING)`],
  ])()
}

const same = (queries: Queries, columns: readonly Node[], type: Type): Node => {
  const alike = columns.filter(one => one.type!.kind === type.kind)
  const value =
    type.kind === 'DATE' ? '2023-12-31' : type.kind === 'DATETIME' ? '2023-12-31T10:00:00' : '2023-12-31T10:00:00Z'
  return alike.length > 0 ? queries.random.pick(alike) : literal(type, value)
}

/** An INTERVAL expression: intervals added, subtracted, multiplied, divided and justified. */
function interval(queries: Queries, columns: readonly Node[], depth: number): Node {
  const { random } = queries
  const type: Type = { kind: 'INTERVAL' }
  const again = (): Node => interval(queries, columns, depth - 1)
  const integers = columns.filter(one => one.type!.kind === 'INT64')
  if (depth <= 0 || random.chance(0.2)) {
    const count = integers.length > 0 && random.chance(0.5) ? random.pick(integers) : small(random, -30, 30)
    return random.chance(0.8)
      ? expr(
          type,
        )`INTERVAL ${count} ${random.pick(['DAY', 'HOUR', 'MINUTE', 'MONTH', 'YEAR', 'SECOND', 'WEEK', 'QUARTER'])}`
      : expr(type)`MAKE_INTERVAL(day => ${count}, hour => ${small(random, -30, 30)})`
  }
  return random.weighted<() => Node>([
    [3, () => expr(type)`(${again()} + ${again()})`],
    [2, () => expr(type)`(${again()} - ${again()})`],
    [2, () => expr(type)`(${again()} * ${small(random, -3, 3)})`],
    [1, () => expr(type)`(${again()} / ${small(random, 1, 7)})`],
    [1, () => expr(type)`(- ${again()})`],
    [1, () => expr(type)`JUSTIFY_${random.pick(['DAYS', 'HOURS', 'INTERVAL'])}(${again()})`],
  ])()
}

export function arithmetic(queries: Queries): Node {
  const { random } = queries
  const source = random.chance(0.75) ? queries.table() : null
  const columns = source?.columns ?? []
  const items = random.several(1, 2, i => {
    const value = random.weighted<() => Node>([
      [6, () => number(queries, columns, random.between(2, 6))],
      [1, () => expr(STRING)`CAST(${number(queries, columns, random.between(1, 4))} AS STRING)`],
      [1, () => expr(NUMERIC)`CAST(${number(queries, columns, random.between(1, 4))} AS NUMERIC)`],
      [4, () => told(queries, columns, random.between(1, 4))],
      [2, () => interval(queries, columns, random.between(1, 4))],
      [
        1,
        () =>
          expr({
            kind: 'BOOL',
          })`(${interval(queries, columns, 1)} ${random.pick(['<', '=', '>='])} ${interval(queries, columns, 1)})`,
      ],
    ])()
    return sql`${value} AS c${String(i + 1)}`
  })
  return query`SELECT ${list(items)}${source ? sql` FROM ${source.node}${random.chance(0.2) ? clause` WHERE ${number(queries, columns, 2)} > 0` : sql``}` : sql``}`
}
