/** Each call and each cast of the GoogleSQL cases, in places where its arguments are columns of two queries. */

import { isVolatileCall } from '../../googlesql/functions/facts.js'
import type { CallExpr, CastExpr, Expr, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapScan } from '../../googlesql/plan/rewrite.js'
import { columnsRead, hasSubquery } from '../../googlesql/plan/walk.js'
import { resolveQuery } from '../../googlesql/resolve/resolve.js'
import { SqlError } from '../../googlesql/sql-error.js'
import { type TableDefinition, tableCatalogue } from '../../googlesql/tables.js'
import { INT64, type Type, typeName } from '../../googlesql/types/types.js'
import { visitCalls } from './grown-queries.js'

export interface PlacedCall {
  /** The call, its kind of arguments and its place: `ABS(INT64) of both in a lambda`. */
  readonly name: string
  readonly query: ResolvedQuery
}

/** The places: `@place` stands for the call, whose arguments are columns of `o` and `u`. */
const PLACES: Readonly<Record<string, string>> = {
  'a scalar subquery': 'SELECT (SELECT @place FROM u WHERE u.id = o.id) FROM o',
  'a condition of a subquery': 'SELECT (SELECT MAX(u.id) FROM u WHERE u.id = o.id AND @place IS NULL) FROM o',
  EXISTS: 'SELECT EXISTS(SELECT 1 FROM u WHERE @place IS NOT NULL) FROM o',
  'a STRUCT of a subquery': 'SELECT ARRAY(SELECT AS STRUCT @place AS x, 1 AS y FROM u ORDER BY u.id) FROM o',
  'a DISTINCT aggregate':
    'SELECT (SELECT ARRAY_AGG(DISTINCT @place IGNORE NULLS ORDER BY @place) FROM u) IS NULL FROM o',
  'a grouped DISTINCT aggregate':
    'SELECT o.id, ARRAY_AGG(DISTINCT @place IGNORE NULLS ORDER BY @place) FROM o JOIN u USING (id) GROUP BY o.id',
  'a sum': 'SELECT (SELECT COUNTIF(@place IS NULL) FROM u) FROM o',
  'a side of HAVING MAX': 'SELECT (SELECT ANY_VALUE(u.id HAVING MAX @place) FROM u) FROM o',
  'a window': 'SELECT COUNT(@place) OVER (PARTITION BY o.id) FROM o JOIN u USING (id)',
  'a window of a subquery': 'SELECT (SELECT MAX(@place) OVER (ORDER BY u.id) FROM u LIMIT 1) FROM o',
  'a lambda': 'SELECT ARRAY_TRANSFORM(o.ints, (y, z) -> @place IS NULL) FROM o, u',
  'a lambda of a subquery': 'SELECT (SELECT ARRAY_FILTER(u.ints, y -> @place IS NULL) FROM u) FROM o',
  'ON of JOIN': 'SELECT 1 FROM o JOIN u ON o.id = u.id AND @place IS NULL',
  'ON of LEFT JOIN': 'SELECT 1 FROM o LEFT JOIN u ON o.id = u.id AND @place IS NULL',
  'ON of LEFT JOIN in a subquery':
    'SELECT (SELECT COUNT(*) FROM u LEFT JOIN j ON u.id = j.id AND @place IS NULL) FROM o',
  'ON of FULL JOIN in a subquery':
    'SELECT (SELECT COUNT(*) FROM u FULL JOIN j ON u.id = j.id AND @place IS NULL) FROM o',
  'ON of LEFT JOIN UNNEST': 'SELECT (SELECT COUNT(*) FROM u LEFT JOIN UNNEST(u.ints) y ON @place IS NULL) FROM o',
  'a key of GROUP BY': 'SELECT @place, COUNT(*) FROM o JOIN u USING (id) GROUP BY 1',
  'a key of ROLLUP': 'SELECT @place, COUNT(*) FROM o JOIN u USING (id) GROUP BY ROLLUP(1)',
  QUALIFY:
    'SELECT o.id FROM o JOIN u USING (id) QUALIFY ROW_NUMBER() OVER (PARTITION BY @place IS NULL ORDER BY @place) = 1',
  'ORDER BY': 'SELECT o.id FROM o JOIN u USING (id) ORDER BY @place',
  'a subquery over an array': 'SELECT (SELECT COUNT(*) FROM UNNEST(o.ints) y WHERE @place IS NULL) FROM o, u',
  'an array of an array': 'SELECT (SELECT ARRAY(SELECT @place IS NULL FROM UNNEST(o.ints) y) FROM u) FROM o',
  'an unnested array': 'SELECT ARRAY(SELECT y FROM u, UNNEST([@place IS NULL]) y) FROM o',
  'a subquery of a subquery': 'SELECT (SELECT (SELECT @place FROM j LIMIT 1) FROM u LIMIT 1) FROM o',
  'a branch of CASE': 'SELECT CASE WHEN o.id > 1 THEN (SELECT @place FROM u LIMIT 1) END FROM o',
  NULLIF: 'SELECT (SELECT NULLIF(@place, @place) FROM u) FROM o',
  IN: 'SELECT (SELECT @place IN (@place, @place) FROM u) FROM o',
  'a STRUCT that is compared': 'SELECT (SELECT (@place, 1) = (@place, u.id) FROM u) FROM o',
  TO_JSON: 'SELECT (SELECT TO_JSON(STRUCT(@place AS a, u.id AS b)) FROM u) FROM o',
  APPROX_TOP_SUM: 'SELECT ARRAY_LENGTH((SELECT APPROX_TOP_SUM(@place, u.id, 2) FROM u)) FROM o',
  'a set operation': 'SELECT (SELECT COUNT(*) FROM (SELECT @place AS z FROM u UNION ALL SELECT @place)) FROM o, u',
}

/** The ways to write an argument: from the name of its column and its index. */
const ARGUMENTS: Readonly<Record<string, (column: string, index: number) => string>> = {
  'one each': (column, i) => `${i % 2 === 0 ? 'o' : 'u'}.${column}`,
  'one each, the other way': (column, i) => `${i % 2 === 0 ? 'u' : 'o'}.${column}`,
  both: column => `IFNULL(o.${column}, u.${column})`,
  'a subquery': (column, i) => (i === 0 ? `(SELECT j.${column} FROM j WHERE j.id = o.id)` : `u.${column}`),
}

/** Names of columns that are also names of parameters in lambdas and macros. */
const SHORT = [...'abdefgiklmnpqrstuvwxyz']

type Call = CallExpr | CastExpr

export interface PlacedCalls {
  readonly tables: readonly TableDefinition[]
  /** Each call in `turns` of the places; the next call continues with the next place. */
  readonly queries: (turns: number) => Iterable<PlacedCall>
}

export function placedCalls(): PlacedCalls {
  const calls = new Map<string, Call>()
  visitCalls((name, call) => {
    // In some cases a date part is applied to a NULL literal; with a column the call would be refused.
    if (calls.has(name) || isDrawn(call) || (argumentsOf(call).some(isWord) && argumentsOf(call).some(isNull))) return
    if (argumentsOf(call).every(isMovable)) calls.set(name, call)
  })
  const types = new Map<string, Type>()
  for (const call of calls.values()) {
    for (const argument of argumentsOf(call)) if (isPlaced(argument)) types.set(nameOfType(argument), typeOf(argument))
  }
  const names = new Map([...types.keys()].map((type, i) => [type, SHORT[i] ?? `c${i}`]))
  const columns = [
    { name: 'id', type: INT64 },
    { name: 'ints', type: { kind: 'ARRAY', element: INT64 } as const },
    ...[...types].map(([type, known]) => ({ name: names.get(type)!, type: known })),
  ]
  const tables = ['o', 'u', 'j'].map(name => ({ name, columns }))
  const catalogue = tableCatalogue(tables)

  function* queries(turns: number): Iterable<PlacedCall> {
    const places = Object.entries(PLACES)
    const ways = Object.entries(ARGUMENTS)
    let turn = 0
    for (const [name, call] of calls) {
      for (let i = 0; i < turns; i++, turn++) {
        const [place, text] = places[turn % places.length]!
        const [way, written] = ways[Math.floor(turn / places.length) % ways.length]!
        const parts = argumentsOf(call).filter(isPlaced)
        const given = parts.map((part, k) => `${written(names.get(nameOfType(part))!, k)} AS a${k}`)
        const marked = text.replaceAll('@place', `STRUCT(${['@place AS p', ...given].join(', ')}).p`)
        const query = resolved(marked, call.type)
        if (query) yield { name: `${name} of ${way} in ${place}`, query: withCall(query, call) }
      }
    }
  }

  /** The resolved query; null where the place does not accept a value of the type. */
  function resolved(text: string, type: Type): ResolvedQuery | null {
    try {
      return resolveQuery(text, catalogue, { place: type })
    } catch (error) {
      if (error instanceof SqlError) return null
      throw error
    }
  }
  return { tables, queries }
}

/** Replaces each mark by the call, with the arguments that the mark holds. */
function withCall(query: ResolvedQuery, call: Call): ResolvedQuery {
  const scan: Scan = mapScan(query.scan, part => {
    if (part.kind !== 'field' || part.operand.kind !== 'struct') return undefined
    const [mark, ...given] = part.operand.fields
    return mark?.kind === 'parameter' ? called(call, given) : undefined
  })
  return { ...query, scan }
}

function called(call: Call, given: readonly Expr[]): Expr {
  const rest = [...given]
  const args = argumentsOf(call).map(argument => {
    if (!isPlaced(argument)) return argument
    const value = rest.shift()!
    return isInterval(argument) ? { ...argument, arguments: [value, ...argument.arguments.slice(1)] } : value
  })
  return call.kind === 'cast' ? { ...call, operand: args[0]! } : { ...call, arguments: args }
}

const argumentsOf = (call: Call): readonly (Expr | null)[] => (call.kind === 'cast' ? [call.operand] : call.arguments)

/**
 * Volatile calls are left out: the mark would hide them from the resolver, which forbids them as keys of DISTINCT aggregates.
 */
const isDrawn = isVolatileCall

/** Whether an argument is replaced by a column. Literals are not: formats, patterns and paths must be valid. */
const isPlaced = (
  argument: Expr | null,
): argument is Exclude<Expr, { kind: 'word' | 'lambda' | 'literal' | 'parameter' }> =>
  argument !== null && !['word', 'lambda', 'literal', 'parameter'].includes(argument.kind)

/** Whether the argument is replaced, or reads no columns except its own parameters. */
function isMovable(argument: Expr | null): boolean {
  if (argument === null || isPlaced(argument)) return true
  const own = argument.kind === 'lambda' ? argument.parameters.map(({ id }) => id) : []
  return !hasSubquery(argument) && [...columnsRead([argument])].every(id => own.includes(id))
}

/** `INTERVAL n DAY` cannot be replaced by a column where a function needs its parts; only `n` is replaced. */
const isInterval = (expr: Expr): expr is CallExpr => expr.kind === 'call' && expr.name === '$interval'
const typeOf = (argument: Expr): Type => (isInterval(argument) ? INT64 : argument.type)
const nameOfType = (argument: Expr): string => typeName(typeOf(argument))

const isWord = (expr: Expr | null): boolean => expr?.kind === 'word'

const isNull = (expr: Expr | null): boolean =>
  expr?.kind === 'cast' ? isNull(expr.operand) : expr?.kind === 'literal' && expr.value === null
