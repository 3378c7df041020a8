/**
 * Queries of every form over columns of every type, built from a list of choices: fewer and smaller choices give simpler
 * queries.
 */

import { allFunctions } from '../../googlesql/functions/all.js'
import type { FunctionEntry } from '../../googlesql/functions/catalogue.js'
import { OPERATOR_SYMBOLS } from '../../googlesql/functions/definitions/operators.js'
import { type Pattern, parseSignature, type Signature } from '../../googlesql/functions/signature.js'
import { mayCast } from '../../googlesql/types/cast-rules.js'
import {
  arrayOf,
  INT64,
  SCALAR_TYPES,
  type StructField,
  sameType,
  structOf,
  type Type,
  typeName,
} from '../../googlesql/types/types.js'

const scalars: readonly Type[] = SCALAR_TYPES.map(kind => ({ kind }))
const STRUCT = structOf([
  { name: 'a', type: INT64 },
  { name: 'b', type: { kind: 'STRING' } },
])

/** The columns: one for every scalar type, one for an array of each, a struct and an array of structs. */
export const RANDOM_COLUMNS: readonly StructField[] = [
  ...scalars.map(type => ({ name: `c_${type.kind.toLowerCase()}`, type })),
  ...scalars.map(type => ({ name: `l_${type.kind.toLowerCase()}`, type: arrayOf(type) })),
  { name: 'r', type: STRUCT },
  { name: 'rs', type: arrayOf(STRUCT) },
]
export const RANDOM_TABLES: readonly string[] = ['one', 'two']

const TYPES: readonly Type[] = [...scalars, ...scalars.map(arrayOf), STRUCT, arrayOf(STRUCT)]

interface Callable {
  readonly entry: FunctionEntry
  readonly signature: Signature
}

const ALL: readonly Callable[] = allFunctions()
  .filter(
    ({ name }) => !/^(?:\$count_star|\$extract|\$interval|\$json_field|\$like_a|ERROR|RAND|GENERATE_UUID)/.test(name),
  )
  .flatMap(entry => entry.signatures.map(text => ({ entry, signature: parseSignature(text) })))
const ofKind = (kind: FunctionEntry['kind']): readonly Callable[] => ALL.filter(({ entry }) => entry.kind === kind)
const SCALAR_CALLS = ofKind('scalar')
const AGGREGATE_CALLS = ofKind('aggregate')
const WINDOW_CALLS = [...ofKind('window'), ...AGGREGATE_CALLS.filter(({ entry }) => entry.aggregate?.allowsOver)]

/** An expression that names a column, and its type. */
interface Visible {
  readonly sql: string
  readonly type: Type
}

export function randomQuery(choices: readonly number[]): string {
  return new Writer(choices).query(3, [], null)
}

class Writer {
  readonly #choices: readonly number[]
  #next = 0
  #names = 0
  constructor(choices: readonly number[]) {
    this.#choices = choices
  }

  #choose(count: number): number {
    return (this.#choices[this.#next++] ?? 0) % count
  }
  #of<T>(items: readonly T[]): T {
    return items[this.#choose(items.length)]!
  }
  #maybe(text: () => string): string {
    return this.#choose(3) === 2 ? text() : ''
  }
  #name(prefix: string): string {
    return `${prefix}${++this.#names}`
  }

  /** A query whose columns have these types; null: any types. */
  query(depth: number, outer: readonly Visible[], types: readonly Type[] | null): string {
    const wanted = types ?? Array.from({ length: 1 + this.#choose(3) }, () => this.#of(TYPES))
    switch (depth > 0 ? this.#choose(8) : 0) {
      case 5: {
        const operator = this.#of(['UNION ALL', 'UNION DISTINCT', 'INTERSECT DISTINCT', 'EXCEPT DISTINCT'])
        return `(${this.query(depth - 1, outer, wanted)}) ${operator} (${this.query(depth - 1, outer, wanted)})`
      }
      case 6: {
        const name = this.#name('w')
        const columns = wanted.map(type => ({ name: this.#name('k'), type }))
        const inner = this.#select(
          depth - 1,
          outer,
          wanted,
          columns.map(column => column.name),
        )
        return `WITH ${name} AS (${inner}) SELECT ${columns.map(column => `x.${column.name}`).join(', ')} FROM ${name} x CROSS JOIN ${name} y`
      }
      default:
        return this.#select(
          depth,
          outer,
          wanted,
          wanted.map(() => this.#name('k')),
        )
    }
  }

  #select(
    depth: number,
    outer: readonly Visible[],
    types: readonly Type[],
    names: readonly string[],
    limit = '',
  ): string {
    const { sql: from, visible } = this.#from(depth)
    const sight = [...visible, ...outer]
    const where = this.#maybe(() => ` WHERE ${this.#expr({ kind: 'BOOL' }, depth - 1, sight)}`)
    const list = (items: readonly string[]): string => items.map((item, i) => `${item} AS ${names[i]}`).join(', ')
    switch (depth > 0 ? this.#choose(4) : 0) {
      case 1: {
        const items = types.map(type => this.#aggregate(type, depth - 1, sight))
        return `SELECT ${list(items)} FROM ${from}${where}${limit}`
      }
      case 2: {
        const key = this.#of(visible)
        const items = types.map(type => (sameType(type, key.type) ? key.sql : this.#aggregate(type, depth - 1, sight)))
        const having = this.#maybe(() => ` HAVING ${this.#aggregate({ kind: 'BOOL' }, depth - 1, sight)}`)
        return `SELECT ${list(items)} FROM ${from}${where} GROUP BY ${key.sql}${having}${limit}`
      }
      case 3: {
        const items = types.map(type => this.#window(type, depth - 1, sight))
        return `SELECT ${list(items)} FROM ${from}${where}${limit}`
      }
      default: {
        const items = types.map(type => this.#expr(type, depth, sight))
        const order = this.#maybe(
          () => ` ORDER BY ${names[0]}${this.#of(['', ' DESC'])}${limit === '' ? ' LIMIT 5' : ''}`,
        )
        return `SELECT ${this.#of(['', '', 'DISTINCT '])}${list(items)} FROM ${from}${where}${order}${limit}`
      }
    }
  }

  #from(depth: number): { sql: string; visible: readonly Visible[] } {
    const alias = this.#name('t')
    const table = (name: string): { sql: string; visible: readonly Visible[] } => ({
      sql: `${this.#of(RANDOM_TABLES)} ${name}`,
      visible: RANDOM_COLUMNS.map(column => ({ sql: `${name}.${column.name}`, type: column.type })),
    })
    const left = table(alias)
    switch (depth > 0 ? this.#choose(5) : 0) {
      case 1: {
        const right = table(this.#name('t'))
        const visible = [...left.visible, ...right.visible]
        const join = this.#of(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'])
        const condition = this.#choose(2)
          ? `${alias}.c_int64 = ${right.visible[0]!.sql}`
          : this.#expr({ kind: 'BOOL' }, depth - 2, visible)
        return { sql: `${left.sql} ${join} ${right.sql} ON ${condition}`, visible }
      }
      case 2: {
        const [element, offset] = [this.#name('e'), this.#name('o')]
        const type = this.#of(TYPES.filter(candidate => candidate.kind !== 'ARRAY'))
        const join = this.#of(['CROSS JOIN', 'LEFT JOIN'])
        const unnest = `UNNEST(${this.#expr(arrayOf(type), depth - 2, left.visible)}) AS ${element} WITH OFFSET AS ${offset}`
        const own = [
          { sql: element, type },
          { sql: offset, type: INT64 },
        ]
        return { sql: `${left.sql} ${join} ${unnest}`, visible: [...left.visible, ...own] }
      }
      case 3: {
        const columns = [this.#of(TYPES), this.#of(TYPES)].map(type => ({ name: this.#name('k'), type }))
        const inner = this.#select(
          depth - 1,
          [],
          columns.map(c => c.type),
          columns.map(c => c.name),
        )
        return {
          sql: `(${inner}) ${alias}`,
          visible: columns.map(column => ({ sql: `${alias}.${column.name}`, type: column.type })),
        }
      }
      default:
        return left
    }
  }

  #expr(type: Type, depth: number, sight: readonly Visible[]): string {
    const columns = sight.filter(column => sameType(column.type, type))
    const leaf = (): string => (columns.length > 0 && this.#choose(4) < 3 ? this.#of(columns).sql : this.#literal(type))
    if (depth <= 0) return leaf()
    const part = (partType: Type): string => this.#expr(partType, depth - 1, sight)
    switch (this.#choose(10)) {
      case 1:
      case 2:
      case 3:
        return this.#call(SCALAR_CALLS, type, depth, sight) ?? leaf()
      case 4:
        return this.#of([
          () => `IF(${part({ kind: 'BOOL' })}, ${part(type)}, ${part(type)})`,
          () => `COALESCE(${part(type)}, ${part(type)})`,
          () => `CASE WHEN ${part({ kind: 'BOOL' })} THEN ${part(type)} END`,
        ])()
      case 5: {
        const sources = TYPES.filter(candidate => mayCast(candidate, type))
        if (sources.length === 0) return leaf()
        const from = this.#of(sources)
        return `${this.#of(['CAST', 'SAFE_CAST'])}(${part(from)} AS ${typeName(type)})`
      }
      case 6:
        return `(${this.#select(depth - 1, sight, [type], ['v'], ' LIMIT 1')})`
      case 7:
        if (type.kind === 'BOOL') return this.#test(depth, sight)
        return type.kind === 'ARRAY'
          ? `ARRAY(${this.query(depth - 1, sight, [type.element])})`
          : this.#element(type, depth, sight)
      case 8:
        if (type.kind === 'ARRAY') return `[${part(type.element)}, ${part(type.element)}]`
        if (type.kind === 'STRUCT') return `STRUCT(${type.fields.map(f => `${part(f.type)} AS ${f.name}`).join(', ')})`
        return `STRUCT(${part(type)} AS q, ${part(this.#of(TYPES))} AS p).q`
      default:
        return leaf()
    }
  }

  #element(type: Type, depth: number, sight: readonly Visible[]): string {
    const mode = this.#of(['OFFSET', 'SAFE_OFFSET', 'ORDINAL', 'SAFE_ORDINAL'])
    return `${this.#expr(arrayOf(type), depth - 1, sight)}[${mode}(${this.#expr(INT64, depth - 1, sight)})]`
  }

  #test(depth: number, sight: readonly Visible[]): string {
    const type = this.#of(TYPES)
    const part = (): string => this.#expr(type, depth - 1, sight)
    return this.#of([
      () => `${part()} IN (${this.query(depth - 1, sight, [type])})`,
      () => `EXISTS(${this.query(depth - 1, sight, null)})`,
      () => `${part()} IS NULL`,
      () => `${part()} IN UNNEST(${this.#expr(arrayOf(type), depth - 1, sight)})`,
      () => `${part()} IS NOT DISTINCT FROM ${part()}`,
    ])()
  }

  #aggregate(type: Type, depth: number, sight: readonly Visible[]): string {
    return this.#call(AGGREGATE_CALLS, type, depth, sight) ?? `ANY_VALUE(${this.#expr(type, depth, sight)})`
  }

  #window(type: Type, depth: number, sight: readonly Visible[]): string {
    const over = (): string => {
      const partition = this.#maybe(() => `PARTITION BY ${this.#of(sight).sql}`)
      const order = this.#choose(3) < 2 ? ` ORDER BY ${this.#of(sight).sql}` : ''
      const frame = this.#maybe(() =>
        this.#of([' ROWS 2 PRECEDING', ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING', ' RANGE UNBOUNDED PRECEDING']),
      )
      return ` OVER (${partition}${order}${frame})`
    }
    const call = this.#call(WINDOW_CALLS, type, depth, sight)
    return `${call ?? `ANY_VALUE(${this.#expr(type, depth, sight)})`}${over()}`
  }

  /** A call of one of these functions with a result of the type; null where no function has such a result. */
  #call(calls: readonly Callable[], type: Type, depth: number, sight: readonly Visible[]): string | null {
    const fitting = calls.flatMap(({ entry, signature }) => {
      const variables = new Map<string, Type>()
      if (!unify(signature.result, type, variables)) return []
      // GoogleSQL has no arrays of arrays.
      const isNested =
        [...variables.values()].some(({ kind }) => kind === 'ARRAY') && /ARRAY<[A-Z]>/.test(signature.text)
      return isNested ? [] : [{ entry, signature, variables }]
    })
    if (fitting.length === 0) return null
    const { entry, signature, variables } = this.#of(fitting)
    const args: string[] = []
    for (const parameter of signature.parameters) {
      if (parameter.isOptional && this.#choose(2) === 0) break
      const count = parameter.isRepeated ? 1 + this.#choose(2) : 1
      const name = parameter.isNamedOnly ? `${parameter.name} => ` : ''
      for (let i = 0; i < count; i++) args.push(name + this.#argument(parameter.pattern, variables, depth, sight))
    }
    if (entry.name.startsWith('$')) return operatorText(entry.name, args)
    const distinct = entry.aggregate?.allowsDistinct ? this.#of(['', '', 'DISTINCT ']) : ''
    const safe = entry.kind === 'scalar' && entry.allowsSafe !== false ? this.#of(['', '', 'SAFE.']) : ''
    return `${safe}${entry.name}(${distinct}${args.join(', ')})`
  }

  #argument(pattern: Pattern, variables: Map<string, Type>, depth: number, sight: readonly Visible[]): string {
    switch (pattern.kind) {
      case 'part':
        return this.#of(['DAY', 'MONTH', 'WEEK', 'ISOWEEK', 'HOUR', 'SECOND', 'YEAR'])
      case 'word':
        return this.#of(pattern.words)
      case 'lambda': {
        const names = pattern.parameters.map(() => this.#name('p'))
        const own = pattern.parameters.map((parameter, i) => ({
          sql: names[i]!,
          type: this.#typeOf(parameter, variables),
        }))
        const body = this.#expr(this.#typeOf(pattern.result, variables), depth - 1, own)
        return `${names.length === 1 ? names[0] : `(${names.join(', ')})`} -> ${body}`
      }
      default: {
        const type = this.#typeOf(pattern, variables)
        if (type.kind === 'INTERVAL' && this.#choose(2))
          return `INTERVAL ${this.#expr(INT64, depth - 1, sight)} ${this.#of(['DAY', 'MONTH', 'HOUR'])}`
        return this.#expr(type, depth - 1, sight)
      }
    }
  }

  #typeOf(pattern: Pattern, variables: Map<string, Type>): Type {
    switch (pattern.kind) {
      case 'type':
        return pattern.type
      case 'array':
        return arrayOf(this.#typeOf(pattern.element, variables))
      case 'struct':
        return structOf(
          pattern.fields.map((f, i) => ({ name: f.name || `f${i}`, type: this.#typeOf(f.pattern, variables) })),
        )
      case 'variable': {
        const known = variables.get(pattern.letter) ?? this.#of(TYPES.filter(candidate => candidate.kind !== 'ARRAY'))
        variables.set(pattern.letter, known)
        return known
      }
      default:
        return this.#of(TYPES)
    }
  }

  #literal(type: Type): string {
    if (type.kind === 'ARRAY' || type.kind === 'STRUCT' || this.#choose(5) === 4)
      return `CAST(NULL AS ${typeName(type)})`
    return this.#of(LITERALS[type.kind])
  }
}

const LITERALS: Readonly<Record<(typeof SCALAR_TYPES)[number], readonly string[]>> = {
  INT64: ['1', '0', '-7'],
  FLOAT64: ['1.5', '0.0', "CAST('nan' AS FLOAT64)"],
  NUMERIC: ["NUMERIC '1.5'", "NUMERIC '0'"],
  BIGNUMERIC: ["BIGNUMERIC '1.5'", "BIGNUMERIC '0'"],
  BOOL: ['TRUE', 'FALSE'],
  STRING: ["'a'", "''", "'$.a'", "'%Y'"],
  BYTES: ["b'a'", "b''"],
  DATE: ["DATE '2024-02-29'"],
  DATETIME: ["DATETIME '2024-02-29 12:00:00'"],
  TIME: ["TIME '12:00:00'"],
  TIMESTAMP: ["TIMESTAMP '2024-02-29 12:00:00+00'"],
  INTERVAL: ['INTERVAL 1 DAY'],
  JSON: [`JSON '{"a": 1}'`],
  'RANGE<DATE>': ["RANGE<DATE> '[2024-02-29, UNBOUNDED)'"],
  'RANGE<DATETIME>': ["RANGE<DATETIME> '[2024-02-29 12:00:00, 2024-03-01 00:00:00)'"],
  'RANGE<TIMESTAMP>': ["RANGE<TIMESTAMP> '[UNBOUNDED, 2024-02-29 12:00:00+00)'"],
}

/** Whether the pattern can match this type; records in `variables` the type that each letter then stands for. */
function unify(pattern: Pattern, type: Type, variables: Map<string, Type>): boolean {
  switch (pattern.kind) {
    case 'type':
      return sameType(pattern.type, type)
    case 'array':
      return type.kind === 'ARRAY' && unify(pattern.element, type.element, variables)
    case 'variable':
      variables.set(pattern.letter, type)
      return true
    default:
      return false
  }
}

function operatorText(name: string, args: readonly string[]): string {
  const symbol = OPERATOR_SYMBOLS[name] ?? name
  const [a, b, c] = args
  if (name.startsWith('$array_at') || name.startsWith('$safe_array')) {
    const mode = name.replace('$', '').replace('array_at_', '').toUpperCase()
    return `${a}[${mode}(${b})]`
  }
  if (name === '$subscript_json') return `${a}[${b}]`
  if (name === '$between') return `(${a} BETWEEN ${b} AND ${c})`
  if (name === '$in') return `(${a} IN (${args.slice(1).join(', ')}))`
  if (name === '$in_array') return `(${a} IN UNNEST(${b}))`
  if (name.startsWith('$is_') && b === undefined) return `(${a} ${symbol})`
  return b === undefined ? `(${symbol} ${a})` : `(${a} ${symbol} ${b})`
}
