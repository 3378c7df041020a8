/** Queries in pipe syntax and with temporary functions. The reference lacks both: it gets nested queries instead. */
import { isOrderable } from '../../googlesql/functions/definitions/operators.js'
import { BOOL, INT64, STRING, type Type } from '../../googlesql/types/types.js'
import { Expressions } from './expressions.js'
import { literal } from './literals.js'
import type { Output, Queries } from './queries.js'
import { randomType, randomValue } from './random-values.js'
import { clause, column, list, type Node, sql, type Template } from './tree.js'

interface Flow {
  readonly node: Node
  readonly outputs: readonly Output[]
  /** The names of outputs that together differ from row to row; null where this is not known. */
  readonly keys: readonly string[] | null
}
type Step = (queries: Queries, flow: Flow) => Flow | null

/** `before |> …`, with the reference's form of it; the templates refer to children by index, and 0 is the query before. */
const step = (children: readonly Node[], text: Template, reference: Template): Node => ({
  kind: 'query',
  children,
  text,
  reference,
})

const columnsOf = ({ outputs }: Flow): readonly Node[] => outputs.map(({ name, type }) => column(name, type))
const keysOf = (flow: Flow): readonly Node[] =>
  (flow.keys ?? []).map(name => column(name, flow.outputs.find(one => one.name === name)!.type))

const where: Step = (queries, flow) => {
  const condition = queries.values.condition({ columns: columnsOf(flow), depth: 1 })
  return { ...flow, node: step([flow.node, condition], [0, ' |> WHERE ', 1], ['SELECT * FROM (', 0, ') WHERE ', 1]) }
}

const extend: Step = (queries, flow) => {
  const { random, values, aggregates } = queries
  const name = queries.alias('x')
  const scope = { columns: columnsOf(flow), depth: 2 }
  const isWindow = flow.keys !== null && random.chance(0.3)
  const value = isWindow
    ? aggregates.window({ ...scope, depth: 1 }, keysOf(flow))
    : values.value(randomType(random), scope)
  return {
    ...flow,
    node: step(
      [flow.node, value],
      [0, ' |> EXTEND ', 1, ` AS ${name}`],
      ['SELECT *, ', 1, ` AS ${name} FROM (`, 0, ')'],
    ),
    outputs: [...flow.outputs, { name, type: value.type! }],
  }
}

const set: Step = (queries, flow) => {
  const { random, values } = queries
  const free = flow.outputs.filter(({ name }) => !flow.keys?.includes(name))
  if (free.length === 0) return null
  const { name } = random.pick(free)
  const value = values.value(randomType(random), { columns: columnsOf(flow), depth: 2 })
  return {
    ...flow,
    node: step(
      [flow.node, value],
      [0, ` |> SET ${name} = `, 1],
      ['SELECT * REPLACE (', 1, ` AS ${name}) FROM (`, 0, ')'],
    ),
    outputs: flow.outputs.map(one => (one.name === name ? { name, type: value.type! } : one)),
  }
}

const drop: Step = (queries, flow) => {
  const free = flow.outputs.filter(({ name }) => !flow.keys?.includes(name))
  if (flow.outputs.length < 2 || free.length === 0) return null
  const { name } = queries.random.pick(free)
  return {
    ...flow,
    node: step([flow.node], [0, ` |> DROP ${name}`], [`SELECT * EXCEPT (${name}) FROM (`, 0, ')']),
    outputs: flow.outputs.filter(one => one.name !== name),
  }
}

const rename: Step = (queries, flow) => {
  const { name: old } = queries.random.pick(flow.outputs)
  const name = queries.alias('n')
  const outputs = flow.outputs.map(one => (one.name === old ? { ...one, name } : one))
  const written = flow.outputs.map(one => (one.name === old ? `${old} AS ${name}` : one.name)).join(', ')
  return {
    node: step([flow.node], [0, ` |> RENAME ${old} AS ${name}`], [`SELECT ${written} FROM (`, 0, ')']),
    outputs,
    keys: flow.keys?.map(key => (key === old ? name : key)) ?? null,
  }
}

const aggregate: Step = (queries, flow) => {
  const { random, aggregates } = queries
  if (flow.keys === null) return null
  const scope = { columns: columnsOf(flow), depth: 1 }
  const groupable = columnsOf(flow).filter(({ type }) => isOrderable(type!) && type!.kind !== 'FLOAT64')
  const keys = random.some(groupable, 0, 2)
  const made = random.several(1, 2, () => aggregates.any(scope, keysOf(flow)))
  const keyNames = keys.map(() => queries.alias('g'))
  const names = made.map(() => queries.alias('a'))
  const aggregated = list(
    made.map((one, i) => sql`${one} AS ${names[i]!}`),
    ', ',
    made.length,
  )
  const grouped = list(
    keys.map((key, i) => sql`${key} AS ${keyNames[i]!}`),
    ', ',
    keys.length,
  )
  const children = [flow.node, aggregated, grouped]
  const group = keys.length > 0
  return {
    node: step(
      children,
      group ? [0, ' |> AGGREGATE ', 1, ' GROUP BY ', 2] : [0, ' |> AGGREGATE ', 1],
      group
        ? ['SELECT ', 2, ', ', 1, ' FROM (', 0, `) GROUP BY ${keys.map((_, i) => i + 1).join(', ')}`]
        : ['SELECT ', 1, ' FROM (', 0, ')'],
    ),
    outputs: [
      ...keys.map((key, i) => ({ name: keyNames[i]!, type: key.type! })),
      ...made.map((one, i) => ({ name: names[i]!, type: one.type! })),
    ],
    keys: keyNames,
  }
}

const distinct: Step = (_, flow) => {
  if (!flow.outputs.every(({ type }) => isOrderable(type))) return null
  return {
    ...flow,
    node: step([flow.node], [0, ' |> DISTINCT'], ['SELECT DISTINCT * FROM (', 0, ')']),
    keys: flow.outputs.map(({ name }) => name),
  }
}

const limit: Step = ({ random }, flow) => {
  if (!flow.keys || flow.keys.length === 0) return null
  const order = flow.keys.map(key => `${key}${random.pick(['', ' DESC', ' NULLS LAST'])}`).join(', ')
  const cut = `LIMIT ${random.between(0, 4)}${random.chance(0.3) ? ` OFFSET ${random.between(0, 2)}` : ''}`
  return {
    ...flow,
    node: step(
      [flow.node],
      [0, ` |> ORDER BY ${order} |> ${cut}`],
      ['SELECT * FROM (', 0, `) ORDER BY ${order} ${cut}`],
    ),
  }
}

const union: Step = ({ random }, flow) => {
  if (flow.outputs.some(({ type }) => type.kind === 'JSON' || type.kind === 'ARRAY' || type.kind === 'STRUCT'))
    return null
  const row = sql`SELECT ${list(
    flow.outputs.map(({ name, type }) => sql`${literal(type, randomValue(random, type))} AS ${name}`),
    ', ',
    flow.outputs.length,
  )}`
  const operator = random.pick(['UNION ALL', 'UNION DISTINCT', 'EXCEPT DISTINCT', 'INTERSECT DISTINCT'])
  return {
    ...flow,
    node: step([flow.node, row], [0, ` |> ${operator} (`, 1, ')'], ['(', 0, `) ${operator} (`, 1, ')']),
    keys: null,
  }
}

const join: Step = (queries, flow) => {
  const { random, values } = queries
  const right = queries.table()
  const kind = random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN', 'CROSS JOIN'])
  const scope = { columns: [...columnsOf(flow), ...right.columns], depth: 1 }
  const pairs = columnsOf(flow).flatMap(a =>
    right.columns.flatMap(b => (a.type!.kind === b.type!.kind && isOrderable(a.type!) ? [[a, b] as const] : [])),
  )
  const [a, b] = pairs.length > 0 ? random.pick(pairs) : [null, null]
  const on = kind === 'CROSS JOIN' ? sql`` : a && b ? sql` ON ${a} = ${b}` : sql` ON ${values.condition(scope)}`
  const name = queries.alias('x')
  const key = queries.alias('k')
  const value = values.value(randomType(random), scope)
  const kept = flow.outputs.map(one => one.name).join(', ')
  return {
    node: step(
      [flow.node, right.node, on, value, right.keys[0]!],
      [0, ` |> ${kind} `, 1, 2, ` |> SELECT ${kept}, `, 3, ` AS ${name}, `, 4, ` AS ${key}`],
      [`SELECT ${kept}, `, 3, ` AS ${name}, `, 4, ` AS ${key} FROM (`, 0, `) ${kind} `, 1, 2],
    ),
    outputs: [...flow.outputs, { name, type: value.type! }, { name: key, type: INT64 }],
    keys: flow.keys && [...flow.keys, key],
  }
}

const STEPS: readonly (readonly [number, Step])[] = [
  [3, where],
  [3, extend],
  [1.5, set],
  [1, drop],
  [1, rename],
  [2.5, aggregate],
  [0.7, distinct],
  [1.2, limit],
  [0.8, union],
  [1.2, join],
]

/** A query of the form `FROM source |> SELECT … |> …`. */
export function piped(queries: Queries): Node {
  const { random, values } = queries
  const source = queries.source()
  const scope = { columns: source.columns, depth: 2 }
  const items = [...random.several(1, 3, () => values.value(randomType(random), scope)), ...source.keys]
  const outputs = items.map((item, i) => ({ name: `c${i + 1}`, type: item.type! as Type }))
  const selected = list(
    items.map((item, i) => sql`${item} AS c${String(i + 1)}`),
    ', ',
    items.length,
  )
  let flow: Flow = {
    node: step([source.node, selected], ['FROM ', 0, ' |> SELECT ', 1], ['SELECT ', 1, ' FROM ', 0]),
    outputs,
    keys: outputs.slice(items.length - source.keys.length).map(({ name }) => name),
  }
  for (let i = random.between(1, 5); i > 0; i--) flow = random.weighted(STEPS)(queries, flow) ?? flow
  const places = flow.outputs.flatMap(({ type }, i) => (isOrderable(type) ? [i] : []))
  if (places.length === 0 || random.chance(0.6)) return flow.node
  const chosen = random.some(places, 1, 2)
  const order = {
    ...sql`${chosen.map(i => `${flow.outputs[i]!.name}${random.pick(['', ' DESC', ' DESC NULLS FIRST'])}`).join(', ')}`,
    orderedBy: chosen,
  }
  return step([flow.node, order], [0, ' |> ORDER BY ', 1], ['SELECT * FROM (', 0, ') ORDER BY ', 1])
}

/** A query with `CREATE TEMP FUNCTION`; the reference's query has a subquery over the arguments in place of each call. */
export function functional(queries: Queries): Node {
  const { random, values } = queries
  const source = random.chance(0.6) ? queries.table() : null
  const types = random.several(1, 3, () =>
    random.pick<Type>([
      INT64,
      STRING,
      BOOL,
      { kind: 'FLOAT64' },
      { kind: 'DATE' },
      { kind: 'NUMERIC' },
      { kind: 'ARRAY', element: INT64 },
      { kind: 'JSON' },
    ]),
  )
  const names = types.map((_, i) => ['p', 'q', 'r'][i]!)
  const result = random.chance(0.6) ? random.pick(types) : randomType(random)
  const body = new Expressions(random, null, 0).value(result, {
    columns: types.map((type, i) => column(names[i]!, type)),
    depth: 3,
  })
  const args = types.map(type => values.value(type, { columns: source?.columns ?? [], depth: 1 }))
  const isAnyType = random.chance(0.2)
  const declared = types.map((type, i) => `${names[i]} ${isAnyType ? 'ANY TYPE' : typeText(type)}`).join(', ')
  const from = source ? sql`${clause` FROM ${source.node}`}` : sql``
  const places = args.map((_, i) => i + 2)
  const given = (at: number, i: number): Template => (isAnyType ? [at] : ['CAST(', at, ` AS ${typeText(types[i]!)})`])
  // Named arguments come after the positional ones, in any order.
  const firstNamed = random.chance(0.35) ? random.between(0, places.length) : places.length
  const called = places.map((at, i): Template => [i < firstNamed ? '' : `${names[i]} => `, ...given(at, i)])
  const asked = random.chance(0.5) ? called : [...called.slice(0, firstNamed), ...called.slice(firstNamed).reverse()]
  return {
    kind: 'query',
    children: [from, body, ...args],
    text: [
      `CREATE TEMP FUNCTION f(${declared}) AS (`,
      1,
      '); SELECT f(',
      ...asked.flatMap((argument, i): Template => [i === 0 ? '' : ', ', ...argument]),
      ') AS c1',
      0,
    ],
    reference: [
      'SELECT (SELECT ',
      1,
      ' FROM (SELECT ',
      ...places.flatMap((at, i): Template => [...given(at, i), ` AS ${names[i]}${i < places.length - 1 ? ', ' : ''}`]),
      ')) AS c1',
      0,
    ],
  }
}

const typeText = (type: Type): string => (type.kind === 'ARRAY' ? `ARRAY<${typeText(type.element)}>` : type.kind)
