/** The families of queries: each is a way to generate random queries. */
import type { FunctionEntry } from '../../googlesql/functions/catalogue.js'
import { arithmetic } from './arithmetic.js'
import { groupByAll, groupingSets } from './grouping.js'
import { lexical, names, precedence, supertypes } from './language.js'
import { literal } from './literals.js'
import { partitions } from './partitions.js'
import { functional, piped } from './pipes.js'
import { Queries, type Source } from './queries.js'
import { type Random, randomOf } from './random.js'
import { randomType, randomValue } from './random-values.js'
import { duplicateNames, variables } from './scripts.js'
import { shards } from './shards.js'
import { SCALAR_OVERLOADS, UNBUILT } from './signatures.js'
import { byName, stranger } from './strangers.js'
import { FUZZ_TABLES } from './tables.js'
import { column, list, type Node, query, relation, sql } from './tree.js'

type Make = (queries: Queries) => Node

/** The topic of a function: `string` for `string_functions#lower`. */
const topicOf = (entry: FunctionEntry): string =>
  entry.documentation.split('#')[0]!.replace(/[_-](functions|expressions)$/, '')

const TOPICS = [
  ...new Set(SCALAR_OVERLOADS.filter(({ entry }) => entry.name !== 'ERROR').map(({ entry }) => topicOf(entry))),
]

/** The source of the arguments of functions: null for constants only, a table, or values generated for the query. */
function scenery(queries: Queries): Source | null {
  const { random } = queries
  return random.weighted<() => Source | null>([
    [4, () => null],
    [3, () => queries.table(FUZZ_TABLES[0])],
    [1, () => queries.table(FUZZ_TABLES[1])],
    [1, () => queries.unnest()],
    [2, () => made(queries)],
  ])()
}

/** A source of generated values: `(SELECT value AS v1, … UNION ALL SELECT …)`. */
function made(queries: Queries): Source {
  const { random } = queries
  const types = random.several(1, 3, () => randomType(random))
  const alias = queries.alias('s')
  const row = (): Node =>
    sql`SELECT ${list(
      types.map((type, i) => sql`${literal(type, randomValue(random, type))} AS v${String(i)}`),
      ', ',
      types.length,
    )}`
  const columns = types.map((type, i) => column(`${alias}.v${i}`, type))
  return { node: relation`(${list(random.several(1, 3, row), ' UNION ALL ')}) AS ${alias}`, columns, keys: [] }
}

/**
 * The names of functions to call. Those that the reference lacks are in queries of their own, about one in thirty
 * (`isSeldom`).
 */
function namesWhere(choose: (entry: FunctionEntry) => boolean, isSeldom: boolean): readonly string[] {
  const names = SCALAR_OVERLOADS.filter(({ entry }) => choose(entry)).map(({ entry }) => entry.name)
  const usual = names.filter(name => UNBUILT.has(name) === isSeldom)
  return [...new Set(usual.length > 0 ? usual : names)]
}

/** A query with one or two calls of functions that `choose` accepts. */
const calls =
  (choose: (entry: FunctionEntry) => boolean): Make =>
  queries => {
    const { random, values } = queries
    const isSeldom = random.chance(0.03)
    const names = namesWhere(choose, isSeldom)
    const source = scenery(queries)
    const scope = { columns: source?.columns ?? [], depth: random.pick([1, 2, 2, 3]) }
    const items = random.several(1, 2, i => {
      const name = random.pick(names)
      const overload = random.pick(SCALAR_OVERLOADS.filter(({ entry }) => entry.name === name))
      return sql`${values.call(overload, null, scope)} AS c${String(i + 1)}`
    })
    const from = source ? sql` FROM ${source.node}` : sql``
    return query`SELECT ${list(items)}${from}`
  }

const nested: Make = queries => {
  const { random, values } = queries
  const source = scenery(queries)
  const scope = { columns: source?.columns ?? [], depth: random.between(3, 5) }
  const item = sql`${values.value(randomType(random), scope)} AS c1`
  return query`SELECT ${list([item])}${source ? sql` FROM ${source.node}` : sql``}`
}

const casts: Make = queries => {
  const { random, values } = queries
  const source = scenery(queries)
  const scope = { columns: source?.columns ?? [], depth: random.pick([0, 1, 1, 2]) }
  const items = random.several(1, 2, i => {
    const type = randomType(random, 0.05)
    return sql`${values.cast(type, scope) ?? values.value(type, scope)} AS c${String(i + 1)}`
  })
  return query`SELECT ${list(items)}${source ? sql` FROM ${source.node}` : sql``}`
}

const everyScalar = (entry: FunctionEntry): boolean => entry.name !== 'ERROR'

const WHOLE: Readonly<Record<string, readonly [number, Make]>> = {
  functions: [20, calls(everyScalar)],
  nested: [8, nested],
  casts: [6, casts],
  selections: [8, queries => queries.plain().node],
  aggregates: [12, queries => queries.grouped().node],
  windows: [10, queries => queries.windowed().node],
  joins: [8, queries => queries.plain(undefined, false, queries.join(2)).node],
  sets: [5, queries => queries.set().node],
  ctes: [5, queries => queries.common().node],
  recursive: [1.5, queries => queries.recursive().node],
  arithmetic: [8, arithmetic],
  strangers: [10, stranger],
  precedence: [4, precedence],
  lexical: [2, lexical],
  supertypes: [5, supertypes],
  names: [3, names],
  pipes: [6, piped],
  'temporary-functions': [3, functional],
  'grouping-sets': [3, groupingSets],
  'group-by-all': [1, groupByAll],
  'by-name': [0.7, byName],
  pivots: [1.5, queries => queries.pivot().node],
  unpivots: [0.7, queries => queries.unpivot().node],
  shards: [3, shards],
  partitions: [3, partitions],
  variables: [2, variables],
  'duplicate-names': [0.5, duplicateNames],
}

const FAMILIES: ReadonlyMap<string, readonly [number, Make]> = new Map([
  ...Object.entries(WHOLE),
  ...TOPICS.map(
    topic => [topic, [0.8, calls(entry => everyScalar(entry) && topicOf(entry) === topic)] as const] as const,
  ),
])

export const familyNames = (): readonly string[] => [...FAMILIES.keys()]

/** The query with this seed and number, the same on every machine; `only` as in Options.families. */
export function generate(seed: string, index: number, only: readonly string[] = []): { family: string; node: Node } {
  const random: Random = randomOf(seed, index)
  const wanted = only.filter(name => !name.startsWith('-'))
  const among = [...FAMILIES].filter(
    ([name]) => (wanted.length === 0 || wanted.includes(name)) && !only.includes(`-${name}`),
  )
  const family = random.weighted(among.map(([name, [weight]]) => [weight, name] as const))
  const queries = new Queries(random, random.chance(0.15) ? 0.4 : 0.02)
  return { family, node: FAMILIES.get(family)![1](queries) }
}
