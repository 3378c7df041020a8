/** GROUP BY with grouping sets and ALL. The reference lacks grouping sets: its query is the UNION ALL of the sets. */
import { isOrderable } from '../../googlesql/functions/definitions/operators.js'
import { INT64, typeName } from '../../googlesql/types/types.js'
import type { Queries } from './queries.js'
import { descendants, type Node, query, sql, type Template } from './tree.js'

type Sets = {
  readonly text: (keys: readonly number[]) => Template
  readonly sets: (count: number) => readonly (readonly number[])[]
}

/** The positions of keys, separated by commas. */
const joined = (keys: readonly number[]): Template => keys.flatMap((key, i) => (i === 0 ? [key] : [', ', key]))
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

const rollup = (count: number): readonly (readonly number[])[] => upTo(count + 1).map(length => upTo(count - length))
const cube = (count: number): readonly (readonly number[])[] =>
  upTo(2 ** count).map(bits => upTo(count).filter(i => (bits & (1 << i)) !== 0))
const each = (count: number): readonly (readonly number[])[] => [...upTo(count).map(i => [i]), []]

const FORMS: readonly Sets[] = [
  { text: keys => ['ROLLUP(', ...joined(keys), ')'], sets: rollup },
  { text: keys => ['CUBE(', ...joined(keys), ')'], sets: cube },
  { text: keys => ['GROUPING SETS (', ...joined(keys), ', ())'], sets: each },
  { text: keys => ['GROUPING SETS ((', ...joined(keys), '), ())'], sets: count => [upTo(count), []] },
  {
    text: keys => ['GROUPING SETS (ROLLUP(', ...joined(keys), '), (', keys[0]!, '))'],
    sets: count => [...rollup(count), [0]],
  },
  {
    text: keys => [keys[0]!, ', ROLLUP(', ...joined(keys.slice(1)), ')'],
    sets: count => rollup(count - 1).map(set => [0, ...set.map(i => i + 1)]),
  },
  {
    text: keys => [...joined(keys.slice(0, -1)), ', CUBE(', keys.at(-1)!, ')'],
    sets: count => [upTo(count), upTo(count - 1)],
  },
]

const nameOf = (column: Node): string => column.text.join('').split('.').at(-1)!.toLowerCase()

/** A query with grouping sets over two or three keys. */
export function groupingSets(queries: Queries): Node {
  const { random, aggregates } = queries
  const source = queries.source()
  const scope = { columns: source.columns, depth: 1 }
  const groupable = source.columns.filter(({ type }) => isOrderable(type!) && type!.kind !== 'FLOAT64')
  // A column that is written twice, once with its table, is one key; the UNION ALL would treat it as two keys.
  const keys = random
    .some(groupable, 2, 3)
    .filter((key, i, all) => all.findIndex(one => nameOf(one) === nameOf(key)) === i)
  if (keys.length < 2) return queries.grouped().node
  const form = random.pick(FORMS)
  const aggregated = random.several(1, 2, () => aggregates.any(scope, source.keys))
  const where = queries.where(scope)
  const children = [source.node, where, ...keys, ...aggregated]
  const keyAt = keys.map((_, i) => 2 + i)
  const aggregateAt = aggregated.map((_, i) => 2 + keys.length + i)
  const tellsGrouping = random.chance(0.5)
  const names = {
    key: (i: number) => ` AS k${i}`,
    grouping: (i: number) => ` AS g${i}`,
    aggregate: (i: number) => ` AS a${i}`,
  }
  const text: Template = [
    'SELECT ',
    ...keyAt.flatMap((at, i): Template => [at, `${names.key(i)}, `]),
    ...(tellsGrouping ? keyAt.flatMap((at, i): Template => ['GROUPING(', at, `)${names.grouping(i)}, `]) : []),
    ...aggregateAt.flatMap((at, i): Template => [at, `${names.aggregate(i)}${i < aggregateAt.length - 1 ? ', ' : ''}`]),
    ' FROM ',
    0,
    1,
    ' GROUP BY ',
    ...form.text(keyAt),
  ]
  const reference = form
    .sets(keys.length)
    .flatMap(
      (set, s): Template => [
        s === 0 ? 'SELECT ' : ' UNION ALL SELECT ',
        ...keyAt.flatMap(
          (at, i): Template => [
            set.includes(i) ? at : `CAST(NULL AS ${typeName(keys[i]!.type!)})`,
            `${names.key(i)}, `,
          ],
        ),
        ...(tellsGrouping
          ? keys.flatMap((_, i): Template => [`${set.includes(i) ? 0 : 1}${names.grouping(i)}, `])
          : []),
        ...aggregateAt.flatMap(
          (at, i): Template => [at, `${names.aggregate(i)}${i < aggregateAt.length - 1 ? ', ' : ''}`],
        ),
        ' FROM ',
        0,
        1,
        ...(set.length > 0 ? [' GROUP BY ', ...joined(set.map(i => keyAt[i]!))] : [' HAVING COUNT(*) >= 0']),
      ],
    )
  return { kind: 'query', children, text, reference }
}

/** A query with GROUP BY ALL, or by an ordinal or an alias. */
export function groupByAll(queries: Queries): Node {
  const { random, aggregates, values } = queries
  const source = queries.source()
  const scope = { columns: source.columns, depth: 2 }
  const key = random.chance(0.6)
    ? random.pick(source.columns.filter(({ type }) => isOrderable(type!) && type!.kind !== 'FLOAT64'))
    : values.value(INT64, { ...scope, depth: 1 })
  // GROUP BY ALL does not take constants as keys.
  if (!key || ![key, ...descendants(key)].some(one => one.kind === 'column')) return queries.grouped().node
  const aggregate = aggregates.any(scope, source.keys)
  const made = query`SELECT ${key} AS c1, ${aggregate} AS c2 FROM ${source.node}${queries.where(scope)} GROUP BY ${sql`${random.pick(['ALL', 'ALL', '1', 'c1'])}`}`
  const { text } = made
  return { ...made, reference: [...text.slice(0, -1), '1'] }
}
