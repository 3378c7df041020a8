/** Queries after DECLARE and SET, and results in which a name occurs twice. The reference gets an equal query without them. */
import { INT64, STRING, type Type, typeName } from '../../googlesql/types/types.js'
import { Expressions } from './expressions.js'
import { literal } from './literals.js'
import type { Queries } from './queries.js'
import { randomScalar, randomType, randomValue } from './random-values.js'
import { clause, column, list, type Node, sql, type Template } from './tree.js'

/** `DECLARE v1 …; SET v1 = …; SELECT … v1 …`; for the reference each variable is a column of a subquery of one row. */
export function variables(queries: Queries): Node {
  const { random } = queries
  // No subqueries: a variable may not read a table.
  const body = new Expressions(random, null, 0)
  const types = random.several(1, 3, () => (random.chance(0.7) ? randomScalar(random) : randomType(random)))
  const names = types.map((_, i) => `v${i + 1}`)
  const constants = types.map(type =>
    random.chance(0.7) ? literal(type, randomValue(random, type)) : body.value(type, { columns: [], depth: 1 }),
  )
  const table = random.chance(0.5) ? queries.table() : null
  const scope = types.map((type, i) => column(names[i]!, type))
  const items = random.several(1, 2, () =>
    body.value(randomType(random), { columns: [...scope, ...(table?.columns ?? [])], depth: 2 }),
  )
  const filter =
    table && random.chance(0.5)
      ? clause` WHERE ${body.condition({ columns: [...scope, ...table.columns], depth: 1 })}`
      : sql``
  const from = table ? table.node : sql``
  const shown = list(items.map((item, i) => sql`${item} AS c${String(i + 1)}`))
  const all: readonly Node[] = [shown, from, filter, ...constants]
  const at = (i: number): number => i + 3
  const every = names.join(', ')
  const statements = types.flatMap((type, i): Template => {
    const [name, text] = [names[i]!, typeName(type)]
    const value: Template = ['CAST(', at(i), ` AS ${text})`]
    switch (random.between(0, 2)) {
      case 0:
        return [`DECLARE ${name} DEFAULT `, ...value, '; ']
      case 1:
        return [`DECLARE ${name} ${text} DEFAULT `, ...value, '; ']
      default:
        return [`DECLARE ${name} ${text}; SET ${name} = `, ...value, '; ']
    }
  })
  // DECLARE comes before SET.
  const declared = ordered(statements)
  const hidden = types.flatMap(
    (type, i): Template => [i === 0 ? '' : ', ', 'CAST(', at(i), ` AS ${typeName(type)}) AS ${names[i]}`],
  )
  return {
    kind: 'query',
    children: all,
    text: [...declared, `SELECT ${every}, `, 0, ...(table ? [' FROM ', 1] : []), 2],
    reference: [`SELECT ${every}, `, 0, ' FROM (SELECT ', ...hidden, ')', ...(table ? [' CROSS JOIN ', 1] : []), 2],
  }
}

/** The statements with every DECLARE before the first SET. */
function ordered(statements: Template): Template {
  const first: (string | number)[] = []
  const second: (string | number)[] = []
  let into = first
  for (const piece of statements) {
    if (typeof piece === 'string' && piece.startsWith('DECLARE ')) {
      const set = piece.indexOf('SET ')
      into = first
      if (set >= 0) {
        first.push(piece.slice(0, set))
        into = second
        second.push(piece.slice(set))
        continue
      }
    }
    into.push(piece)
  }
  return [...first, ...second]
}

/** A query whose result has several columns of one name; the reference's query gives them other names. */
export function duplicateNames(queries: Queries): Node {
  const { random } = queries
  const source = random.chance(0.7) ? queries.table() : null
  const columns = source?.columns ?? []
  const types = random.several(2, 4, () => random.pick<Type>([INT64, STRING, { kind: 'FLOAT64' }, { kind: 'BOOL' }]))
  const names = types.map(() => random.pick(['a', 'A', 'b', 'a']))
  const items = types.map(type => queries.values.value(type, { columns, depth: 1 }))
  const from = source ? sql` FROM ${source.node}` : sql``
  const ours = items.flatMap((_, i): Template => [i === 0 ? 'SELECT ' : ', ', i, ` AS ${names[i]}`])
  // An expression around the item leaves the column without a name, so that no name is compared.
  const theirs = items.flatMap((_, i): Template => [i === 0 ? 'SELECT ' : ', ', 'IF(TRUE, ', i, ', NULL)'])
  return {
    kind: 'query',
    children: [...items, from],
    text: [...ours, items.length],
    reference: [...theirs, items.length],
  }
}
