/** Typed random expressions: calls of every function and operator of the catalogue, casts, conditionals, subqueries. */

import type { Pattern, SignatureParameter } from '../../googlesql/functions/signature.js'
import { mayCast } from '../../googlesql/types/cast-rules.js'
import {
  arrayOf,
  BOOL,
  INT64,
  SCALAR_TYPES,
  type ScalarKind,
  STRING,
  sameType,
  scalarType,
  type Type,
  typeName,
} from '../../googlesql/types/types.js'
import {
  ARGUMENTS,
  type Arguments,
  castFormat,
  type Maker,
  partOf,
  takesWrittenInterval,
  writtenInterval,
} from './arguments.js'
import { literal, mayBind, small, text } from './literals.js'
import { NEGATED, OPERATOR_TEXTS, OTHER_WORDS, templateOf } from './operators.js'
import type { Random } from './random.js'
import { PLAIN, randomScalar, randomType, randomValue, type Taste, ZONES } from './random-values.js'
import {
  type Bindings,
  boundTypes,
  mayGive,
  type Overload,
  resultOf,
  SCALAR_OVERLOADS,
  scalarsThatGive,
  typeOfPattern,
} from './signatures.js'
import { column, expr, list, type Node, sql } from './tree.js'

/** The columns that an expression may refer to, and the depth that it may have. */
export interface Scope {
  readonly columns: readonly Node[]
  readonly depth: number
}

/** Makers of subqueries, which the generator of queries provides. */
export interface Subqueries {
  /** A scalar subquery: one value, or NULL. */
  readonly scalar: (type: Type, scope: Scope) => Node
  readonly exists: (scope: Scope) => Node
  readonly membership: (scope: Scope) => Node
  readonly array: (element: Type, scope: Scope) => Node
}

/** Functions whose last digits depend on the library that computes them. */
const INEXACT =
  /^(ACOSH?|ASINH?|ATANH?|ATAN2|CBRT|COSH?|COTH?|CSCH?|SECH?|SINH?|TANH?|EXP|LN|LOG|LOG10|POW|SQRT|COSINE_DISTANCE|EUCLIDEAN_DISTANCE|PI|AVG|SUM|STDDEV.*|VAR.*|CORR|COVAR.*|PERCENTILE_CONT|ARRAY_AVG|ARRAY_SUM)$/

/** Functions with random values or values that depend on the clock: a condition that is always true is compared instead. */
const BY_CHANCE: Readonly<Record<string, string>> = {
  RAND: '({} BETWEEN 0 AND 1)',
  GENERATE_UUID: '(LENGTH({}) = 36)',
  CURRENT_DATE: "({} > DATE '2025-01-01')",
  CURRENT_DATETIME: "({} > DATETIME '2025-01-01 00:00:00')",
  CURRENT_TIMESTAMP: "({} > TIMESTAMP '2025-01-01 00:00:00+00')",
  CURRENT_TIME: "({} >= TIME '00:00:00')",
}
const BOOLS_BY_CHANCE = SCALAR_OVERLOADS.filter(({ entry }) => Object.hasOwn(BY_CHANCE, entry.name))
/** Functions that return any type from a value of that type. They fit everywhere and would crowd out the others. */
const isPassing = ({ signature }: Overload): boolean => signature.result.kind === 'variable'

/** The mixtures of values: some queries have many values from the limits of their types, or many NULLs. */
const TASTES: readonly Taste[] = [PLAIN, PLAIN, PLAIN, { wide: 0.45, null: 0.04 }, { wide: 0.1, null: 0.2 }]

const INTERVAL_TEXTS: readonly (readonly [text: string, parts: string])[] = [
  ['1-2', 'YEAR TO MONTH'],
  ['1:2:3', 'HOUR TO SECOND'],
  ['-1:30', 'HOUR TO MINUTE'],
  ['0 1', 'DAY TO HOUR'],
  ['1 2:3:4.5', 'DAY TO SECOND'],
  ['1-2 3', 'YEAR TO DAY'],
]

export class Expressions {
  readonly random: Random
  readonly #subqueries: Subqueries | null
  /** The probability that a literal is bound as a parameter instead of written. */
  readonly #binding: number
  readonly #taste: Taste

  constructor(random: Random, subqueries: Subqueries | null = null, binding = 0.04) {
    this.random = random
    this.#taste = random.pick(TASTES)
    this.#subqueries = subqueries
    this.#binding = binding
  }

  /** An expression of the type, as deep as the scope allows. */
  value(type: Type, scope: Scope): Node {
    const { random } = this
    if (scope.depth <= 0 || random.chance(0.3)) return this.leaf(type, scope)
    const inner = { ...scope, depth: scope.depth - 1 }
    const make = random.weighted<() => Node | null>([
      [12, () => this.#anyCall(type, inner, false)],
      [3, () => this.#anyCall(type, inner, true)],
      [1.5, () => this.cast(type, inner)],
      [1.2, () => this.#conditional(type, inner)],
      [0.8, () => this.#field(type, inner)],
      [this.#subqueries ? 0.6 : 0, () => this.#subquery(type, inner)],
    ])
    return make() ?? this.leaf(type, scope)
  }

  /** A column in scope, or a literal. */
  leaf(type: Type, scope: Scope): Node {
    const { random } = this
    const columns = scope.columns.filter(one => one.type && sameType(one.type, type))
    if (columns.length > 0 && random.chance(0.75)) return random.pick(columns)
    const castable = scope.columns.filter(one => one.type && mayCast(one.type, type))
    if (columns.length === 0 && castable.length > 0 && random.chance(0.3)) {
      return expr(type)`SAFE_CAST(${random.pick(castable)} AS ${typeName(type)})`
    }
    const value = randomValue(random, type, this.#taste)
    const made = literal(type, value)
    return mayBind(type) && random.chance(this.#binding) ? { ...made, isBound: true } : made
  }

  /** A call of this overload with a result of the type `wanted`, or of any type where `wanted` is null. */
  call(overload: Overload, wanted: Type | null, scope: Scope): Node {
    const { random } = this
    const { entry, signature } = overload
    const bindings = boundTypes(overload, wanted, random)
    const types = signature.parameters.map(({ pattern }) => typeOfPattern(pattern, bindings, random))
    const maker: Maker = { random, value: type => this.value(type, { ...scope, depth: scope.depth - 1 }) }
    const made: Arguments = this.#made(maker, entry.name, types)
    const type = this.#typeOfCall(overload, wanted, bindings)
    const args: Node[] = []
    let isNamed = false
    for (const [i, parameter] of signature.parameters.entries()) {
      const isLeftOut = parameter.isOptional && !random.chance(parameter.name === null ? 0.45 : 0.25)
      if (isLeftOut && parameter.name === null && !signature.parameters.slice(i).some(one => !one.isOptional)) {
        if (signature.parameters.slice(i).every(one => one.name === null)) break
        continue
      }
      if (isLeftOut) {
        isNamed = true
        continue
      }
      const given =
        made[i] ??
        this.#again(args.at(-1), types[i]!) ??
        this.#argument(overload, i, parameter.pattern, types, bindings, scope)
      if (!given) continue
      if (parameter.name !== null && (isNamed || random.chance(0.8))) {
        isNamed = true
        args.push(sql`${parameter.name} => ${given}`)
      } else args.push(given)
      if (parameter.isRepeated) args.push(...this.#repeated(parameter, made.slice(i + 1), bindings, scope))
    }
    return { ...this.#written(overload, type, args), calls: entry.name }
  }

  /** Arguments that are valid for the function; for a few calls none, so that they get random ones. */
  #made(maker: Maker, name: string, types: readonly Type[]): Arguments {
    const isLong = /^(GENERATE_|REPEAT)/.test(name)
    return isLong || this.random.chance(0.95) ? (ARGUMENTS[name]?.(maker, types) ?? []) : []
  }

  /** A cast to the type from a type that can be cast to it; null where no type can be. */
  cast(type: Type, scope: Scope): Node | null {
    const { random } = this
    const sources = SCALAR_TYPES.map(kind => scalarType(kind)!).filter(source => mayCast(source, type))
    if (sources.length === 0) return null
    const source = random.pick(sources)
    const isSafe = random.chance(0.4)
    const cast = isSafe ? 'SAFE_CAST' : 'CAST'
    const isFormatted = (source.kind === 'STRING') !== (type.kind === 'STRING') && random.chance(0.3)
    const kind = source.kind === 'STRING' ? type.kind : source.kind
    const isFormattable = !['BOOL', 'INTERVAL', 'JSON'].includes(kind)
    const isNumber = ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'].includes(kind)
    if (isFormatted && isFormattable && !(isNumber && source.kind === 'STRING')) {
      const format = text(castFormat(random, kind))
      const operand = source.kind === 'STRING' ? text(castableText(random, kind)) : this.value(source, scope)
      const zone = kind === 'TIMESTAMP' && random.chance(0.4) ? sql` AT TIME ZONE ${text(random.pick(ZONES))}` : sql``
      return expr(type)`${cast}(${operand} AS ${typeName(type)} FORMAT ${format}${zone})`
    }
    const operand =
      source.kind === 'STRING' && random.chance(0.7) ? text(castableText(random, type.kind)) : this.value(source, scope)
    return expr(type)`${cast}(${operand} AS ${typeName(type)})`
  }

  /** A condition. */
  condition(scope: Scope): Node {
    return this.value(BOOL, scope)
  }

  /** Sometimes repeats the previous argument, because equal arguments are rare by chance; otherwise null. */
  #again(before: Node | undefined, type: Type): Node | null {
    return before?.type && sameType(before.type, type) && this.random.chance(0.1) ? before : null
  }

  #typeOfCall(overload: Overload, wanted: Type | null, bindings: Bindings): Type {
    if (Object.hasOwn(BY_CHANCE, overload.entry.name)) return BOOL
    return wanted ?? resultOf(overload, bindings, this.random)
  }

  #anyCall(type: Type, scope: Scope, passing: boolean): Node | null {
    const { random } = this
    const overloads = scalarsThatGive(type).filter(
      one => isPassing(one) === passing && !Object.hasOwn(BY_CHANCE, one.entry.name) && one.entry.name !== 'ERROR',
    )
    if (type.kind === 'BOOL' && random.chance(0.01)) return this.call(random.pick(BOOLS_BY_CHANCE), null, scope)
    const chosen = overloads.length > 0 ? random.pick(overloads) : undefined
    return chosen && mayGive(chosen, type, random) ? this.call(chosen, type, scope) : null
  }

  #argument(
    { entry }: Overload,
    at: number,
    pattern: Pattern,
    types: readonly Type[],
    bindings: Bindings,
    scope: Scope,
  ): Node | null {
    const { random } = this
    const inner = { ...scope, depth: scope.depth - 1 }
    switch (pattern.kind) {
      case 'part': {
        const dated = types.find((type, i) => i !== at && type.kind !== 'INT64')?.kind ?? types[0]!.kind
        return sql`${partOf(random, entry.name, dated)}`
      }
      case 'word':
        return sql`${random.pick(pattern.words)}`
      case 'lambda':
        return this.#lambda(pattern, bindings, inner)
      default: {
        const type = types[at]!
        if (type.kind === 'INTERVAL' && takesWrittenInterval(entry.name) && random.chance(0.97)) {
          const maker: Maker = { random, value: wanted => this.value(wanted, inner) }
          return writtenInterval(maker, entry.name, types[0]!.kind)
        }
        if (pattern.kind === 'type' && random.chance(0.06))
          return this.#coercible(type, inner, !entry.name.startsWith('$'))
        // An INT64 argument that is a count or an amount should rarely be large.
        if (type.kind === 'INT64' && !entry.name.startsWith('$') && at > 0 && random.chance(0.5)) {
          return small(random, -3, 12)
        }
        return this.value(type, inner)
      }
    }
  }

  /** An expression that the language coerces to the type. */
  #coercible(type: Type, scope: Scope, mayBeNull: boolean): Node {
    const { random } = this
    const from: Partial<Record<ScalarKind, readonly ScalarKind[]>> = {
      FLOAT64: ['INT64', 'NUMERIC'],
      NUMERIC: ['INT64'],
      BIGNUMERIC: ['INT64', 'NUMERIC'],
      DATETIME: ['DATE'],
    }
    if (type.kind === 'ARRAY' || type.kind === 'STRUCT') return this.value(type, scope)
    const sources = from[type.kind]
    if (sources && random.chance(0.6)) return expr(type)`${this.value(scalarType(random.pick(sources))!, scope)}`
    const plain = ['DATE', 'TIMESTAMP', 'DATETIME', 'TIME'].includes(type.kind)
    if (plain && random.chance(0.5)) {
      const written = String(randomValue(random, type, { wide: 0.1, null: 0 })).replace('Z', '+00')
      return expr(type)`'${written}'`
    }
    return mayBeNull ? expr(type)`NULL` : this.value(type, scope)
  }

  #repeated(parameter: SignatureParameter, made: Arguments, bindings: Bindings, scope: Scope): Node[] {
    if (made.length > 0) return made.filter(one => one !== null)
    const inner = { ...scope, depth: scope.depth - 1 }
    return this.random.several(0, 2, () => this.value(typeOfPattern(parameter.pattern, bindings, this.random), inner))
  }

  #lambda(pattern: Pattern & { kind: 'lambda' }, bindings: Bindings, scope: Scope): Node {
    const names = ['e', 'i'].slice(0, pattern.parameters.length)
    const columns = pattern.parameters.map((of, i) => column(names[i]!, typeOfPattern(of, bindings, this.random)))
    let result = typeOfPattern(pattern.result, bindings, this.random)
    if (result.kind === 'ARRAY') {
      result = INT64
      if (pattern.result.kind === 'variable') bindings.set(pattern.result.letter, result)
    }
    // The lambda's own parameters are listed twice, so that its body uses them more often than the columns outside.
    const body = this.value(result, { columns: [...columns, ...columns, ...scope.columns], depth: scope.depth })
    return sql`${names.length === 1 ? names[0]! : `(${names.join(', ')})`} -> ${body}`
  }

  #written(overload: Overload, type: Type, args: readonly Node[]): Node {
    const { random } = this
    const { entry } = overload
    const { name } = entry
    if (name === '$extract') {
      const [part, value, zone] = args
      const at = zone ? sql` AT TIME ZONE ${zone}` : sql``
      return expr(type)`EXTRACT(${part!} FROM ${value!}${at})`
    }
    if (name === '$interval') {
      const [value, part, to] = args
      const isText = overload.signature.text.startsWith('STRING')
      if (!isText) return expr(type)`INTERVAL ${value!} ${part!}`
      const [written, parts] = random.pick(INTERVAL_TEXTS)
      if (to) return expr(type)`INTERVAL ${text(written)} ${random.chance(0.1) ? 'YEAR TO DAY' : parts}`
      return expr(type)`INTERVAL ${text(random.chance(0.1) ? written : String(random.between(-40, 40)))} ${part!}`
    }
    if (name === '$json_field') return expr(type)`(${args[0]!}).${random.pick(['a', 'b', 'c', 'A'])}`
    const operator = OPERATOR_TEXTS[name]
    if (operator) {
      const written = NEGATED[name] && random.chance(0.3) ? NEGATED[name] : operator
      return { kind: 'expr', type, children: args, text: templateOf(written, args) }
    }
    const called = random.chance(0.15) && entry.aliases?.length ? random.pick(entry.aliases) : name
    const isSafe = entry.kind === 'scalar' && entry.allowsSafe !== false && random.chance(0.12)
    const words = OTHER_WORDS[name]
    if (words && (words.first ?? args[0]?.type?.kind) === args[0]?.type?.kind) {
      return {
        ...expr(type, { isInexact: true })`${name}(${args[0]!}${args[1] ? ', ' : ''}${args[1] ?? ''})`,
        reference: templateOf(words.text, args),
      }
    }
    const call = expr(
      type,
      INEXACT.test(name) ? { isInexact: true } : {},
    )`${isSafe ? 'SAFE.' : ''}${called}(${list(args, ', ', 0)})`
    const chance = BY_CHANCE[name]
    if (!chance) return call
    const [before, after] = chance.split('{}')
    // The call is a text, so that a smaller query never has it without its condition.
    const stated = expr(BOOL)`${before!}${{ ...call, kind: 'text' }}${after!}`
    return name === 'GENERATE_UUID' ? { ...stated, reference: ['TRUE'] } : stated
  }

  #conditional(type: Type, scope: Scope): Node {
    const { random } = this
    const fallback = random.chance(0.7) ? sql` ELSE ${this.value(type, scope)}` : sql``
    if (random.chance(0.3)) {
      const scalar = randomScalar(random)
      const of = scalar.kind === 'JSON' ? INT64 : scalar
      const branches = random.several(1, 2, () => sql`WHEN ${this.value(of, scope)} THEN ${this.value(type, scope)}`)
      return expr(type)`CASE ${this.value(of, scope)} ${list(branches, ' ')}${fallback} END`
    }
    if (random.chance(0.08)) {
      return expr(type)`IF(${this.condition(scope)}, ${this.value(type, scope)}, ERROR(${this.value(STRING, scope)}))`
    }
    const branches = random.several(1, 2, () => sql`WHEN ${this.condition(scope)} THEN ${this.value(type, scope)}`)
    return expr(type)`CASE ${list(branches, ' ')}${fallback} END`
  }

  /** A field of a STRUCT in scope, or of one that is constructed for it. */
  #field(type: Type, scope: Scope): Node | null {
    const { random } = this
    const fields = scope.columns.flatMap(one =>
      one.type?.kind === 'STRUCT'
        ? one.type.fields.flatMap(field => (field.name && sameType(field.type, type) ? [{ one, field }] : []))
        : [],
    )
    if (fields.length > 0) {
      const { one, field } = random.pick(fields)
      return expr(type)`${one}.${field.name}`
    }
    return random.chance(0.3)
      ? expr(type)`STRUCT(${this.value(type, scope)} AS a, ${this.value(randomScalar(random), scope)} AS b).a`
      : null
  }

  #subquery(type: Type, scope: Scope): Node | null {
    const { random } = this
    const subqueries = this.#subqueries!
    if (type.kind === 'BOOL' && random.chance(0.6)) {
      return random.chance(0.5) ? subqueries.exists(scope) : subqueries.membership(scope)
    }
    if (type.kind === 'ARRAY' && random.chance(0.7)) return subqueries.array(type.element, scope)
    return subqueries.scalar(type, scope)
  }

  /** A constructor of an ARRAY or STRUCT whose members are expressions. */
  constructed(scope: Scope): Node {
    const { random } = this
    const inner = { ...scope, depth: scope.depth - 1 }
    if (random.chance(0.5)) {
      const element = randomType(random, 0)
      const items = random.several(1, 3, () => this.value(element, inner))
      return expr(arrayOf(element))`[${list(items)}]`
    }
    const fields = random.several(1, 3, i => ({ name: ['a', 'b', 'c'][i]!, type: randomScalar(random) }))
    const values = fields.map(({ name, type }) => sql`${this.value(type, inner)} AS ${name}`)
    return expr({ kind: 'STRUCT', fields })`STRUCT(${list(values, ', ', fields.length)})`
  }
}

/** A text that can often, but not always, be cast to the type. */
function castableText(random: Random, kind: string): string {
  switch (kind) {
    case 'INT64':
      return random.pick(['1', '-5', ' 7 ', '+3', '0x1F', '-0x8', '1.5', '9223372036854775808', '', 'x', '007', '1e3'])
    case 'FLOAT64':
      return random.pick([
        '1.5',
        'nan',
        '-inf',
        'Infinity',
        '1e400',
        '.5',
        '5.',
        '1e-400',
        ' 2 ',
        'x',
        '0x1p3',
        '0xa.8',
        '+inf',
      ])
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return random.pick([
        '1.5',
        '0.0000000005',
        '-.5',
        '1e10',
        '5.',
        'nan',
        ' 7 ',
        '1e-10',
        '99999999999999999999999999999',
      ])
    case 'BOOL':
      return random.pick(['true', 'FALSE', 't', '1', ' true', 'True', ''])
    case 'DATE':
      return random.pick([
        '2024-02-29',
        '2024-2-9',
        '2023-02-29',
        '2024-02-29 10:00:00',
        '0001-01-01',
        '02029-10-13',
        '20240229',
        '',
      ])
    case 'TIME':
      return random.pick(['12:34:56', '1:2:3', '24:00:00', '12:34', '12:34:56.1234567', '12:34:56.789'])
    case 'DATETIME':
      return random.pick([
        '2024-02-29 12:34:56',
        '2024-02-29T1:2:3',
        '2024-02-29',
        '2024-02-29 12:34:56.789',
        '2024-02-30 00:00:00',
        '2024-02-29 12:34:56+00',
      ])
    case 'TIMESTAMP':
      return random.pick([
        '2024-02-29 12:34:56',
        '2024-02-29 12:34:56Z',
        '2024-02-29T12:34:56+05:30',
        '2024-02-29 12:34:56 America/New_York',
        '2024-02-29',
        '2024-02-29 12:34:56-8',
        '0001-01-01 00:00:00',
        'x',
      ])
    case 'INTERVAL':
      return random.pick([
        '1-2 3 4:5:6',
        '0-0 0 0:0:1.5',
        'P1Y2M3DT4H5M6S',
        'PT1H',
        '1-2',
        '-1-2 3',
        'x',
        'P1W',
        '1 2:3:4',
      ])
    case 'BYTES':
      return random.pick(['YQ==', '4142', 'abc', 'ME======', 'é', '', 'ff'])
    default:
      return random.pick(['a', '1', '', 'é', 'true'])
  }
}
