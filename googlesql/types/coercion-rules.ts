/** Coercion: the types that an expression can take without a written cast, the cost, and the common type of expressions. */
import type { Expr } from '../plan/nodes.js'
import { arrayOf, INT64, isEquivalent, type ScalarKind, sameType, structOf, type Type } from './types.js'

/**
 * The properties of an expression that coercion depends on. A `null` or `empty-array` is untyped; literals and parameters
 * are coerced to more types than other expressions.
 */
export interface Operand {
  readonly type: Type
  readonly kind: 'null' | 'empty-array' | 'literal' | 'parameter' | 'expression'
  /** The fields of a struct that is constructed field by field, without a written type; null for any other expression. */
  readonly fields: readonly Operand[] | null
}

/**
 * The number of coerced non-literals, their total distance, the number of coerced literals, and their total distance. Costs
 * are compared by the first number, then by the second, and so on.
 */
export type Cost = readonly [number, number, number, number]
export const NO_COST: Cost = [0, 0, 0, 0]

type Coercion = 'always' | 'literal' | 'literal-or-parameter'

/** The implicit casts, from the reference implementation's table of casts: COERCIONS[from][to]. */
const COERCIONS: Partial<Record<ScalarKind, Partial<Record<ScalarKind, Coercion>>>> = {
  INT64: { NUMERIC: 'always', BIGNUMERIC: 'always', FLOAT64: 'always' },
  NUMERIC: { BIGNUMERIC: 'always', FLOAT64: 'always' },
  BIGNUMERIC: { FLOAT64: 'always' },
  FLOAT64: { NUMERIC: 'literal', BIGNUMERIC: 'literal' },
  STRING: {
    DATE: 'literal-or-parameter',
    DATETIME: 'literal-or-parameter',
    TIME: 'literal-or-parameter',
    TIMESTAMP: 'literal-or-parameter',
  },
  DATE: { DATETIME: 'always' },
}

/**
 * The distance between two numeric types is the difference of their ranks. A STRING literal has the same distance to all date
 * and time types, so that the order of the signatures decides which of them it becomes.
 */
const RANK: Partial<Record<Type['kind'], number>> = { INT64: 1, NUMERIC: 2, BIGNUMERIC: 3, FLOAT64: 4 }

const distanceBetween = (from: Type, to: Type): number => Math.abs((RANK[from.kind] ?? 1) - (RANK[to.kind] ?? 2))

export function operandOf(expr: Expr): Operand {
  return { type: expr.type, ...kindOf(expr) }
}

/** An operand whose type alone is known, such as a column or an array's element. */
export const expressionOf = (type: Type): Operand => ({ type, kind: 'expression', fields: null })

function kindOf(expr: Expr): Omit<Operand, 'type'> {
  switch (expr.kind) {
    case 'literal':
      if (expr.value === null) return { kind: 'null', fields: null }
      // `DATE '2020-01-01'` has a written type: it is not coerced like a literal, but literals are coerced to its type.
      return { kind: WRITTEN_TYPES.test(expr.type.kind) ? 'expression' : 'literal', fields: null }
    case 'parameter':
      return { kind: 'parameter', fields: null }
    case 'cast':
      // A NULL, literal or parameter that has been coerced already can still be coerced to another type.
      return expr.isImplicit && (expr.operand.kind === 'literal' || expr.operand.kind === 'parameter')
        ? kindOf(expr.operand)
        : { kind: 'expression', fields: null }
    case 'call':
      // ERROR never returns a value, so it can take any type.
      return { kind: expr.name === 'ERROR' ? 'null' : 'expression', fields: null }
    case 'array':
      if (expr.hasWrittenType) return { kind: 'expression', fields: null }
      if (expr.items.length === 0) return { kind: 'empty-array', fields: null }
      return { kind: expr.items.every(isLiteralItem) ? 'literal' : 'expression', fields: null }
    case 'struct': {
      if (expr.hasWrittenType) return { kind: 'expression', fields: null }
      const fields = expr.fields.map(operandOf)
      return { kind: fields.every(isLiteral) ? 'literal' : 'expression', fields }
    }
    default:
      return { kind: 'expression', fields: null }
  }
}

/** A literal has one of these types only if the type is written with it or it was coerced to that type already. */
const WRITTEN_TYPES = /^(?:DATE|DATETIME|TIME|TIMESTAMP|NUMERIC|BIGNUMERIC|JSON|RANGE<\w+>)$/

const isLiteralItem = (expr: Expr): boolean => expr.kind === 'literal' || isLiteral(operandOf(expr))

const isUntyped = (operand: Operand): boolean => operand.kind === 'null' || operand.kind === 'empty-array'
const isLiteral = (operand: Operand): boolean => operand.kind === 'literal' || isUntyped(operand)

/** An operand that represents every element of the array; null for an untyped operand, and for an operand that is not an array. */
export function elementOf(operand: Operand): Operand | null {
  if (isUntyped(operand) || operand.type.kind !== 'ARRAY') return null
  const { element } = operand.type
  return { type: element, kind: WRITTEN_TYPES.test(element.kind) ? 'expression' : operand.kind, fields: null }
}

/** The cost of coercing `from` to `to`; null where the language does not coerce it. */
export function coercionCost(from: Operand, to: Type): Cost | null {
  if (from.kind === 'null') return [0, 0, 1, 1]
  if (from.kind === 'empty-array') return to.kind === 'ARRAY' ? NO_COST : null
  if (sameType(from.type, to)) return NO_COST
  if (from.type.kind === 'STRUCT') {
    if (to.kind !== 'STRUCT' || to.fields.length !== from.type.fields.length) return null
    // Fields correspond by position; their names may differ.
    return sumOfCosts(fieldsOf(from)!.map((field, index) => coercionCost(field, to.fields[index]!.type)))
  }
  if (from.type.kind === 'ARRAY') {
    if (to.kind !== 'ARRAY') return null
    // Only arrays of literals are converted element by element; in any other array, at most the names of fields may differ.
    if (from.kind === 'expression') return isEquivalent(from.type, to) ? NO_COST : null
    return coercionCost({ type: from.type.element, kind: from.kind, fields: null }, to.element)
  }
  if (to.kind === 'ARRAY' || to.kind === 'STRUCT') return null
  const coercion = COERCIONS[from.type.kind]?.[to.kind]
  if (coercion === undefined) return null
  if (coercion !== 'always' && from.kind === 'expression') return null
  if (coercion === 'literal' && from.kind === 'parameter') return null
  const distance = distanceBetween(from.type, to)
  return from.kind === 'expression' ? [1, distance, 0, 0] : [0, 0, 1, distance]
}

/** The fields of a struct as operands; null for any other operand. */
const fieldsOf = (operand: Operand): readonly Operand[] | null =>
  operand.type.kind === 'STRUCT'
    ? (operand.fields ?? operand.type.fields.map(({ type }) => ({ ...operand, type, fields: null })))
    : null

/** The sum of the costs; null if any cost is null. */
export function sumOfCosts(costs: readonly (Cost | null)[]): Cost | null {
  let sum: Cost = NO_COST
  for (const cost of costs) {
    if (!cost) return null
    sum = [sum[0] + cost[0], sum[1] + cost[1], sum[2] + cost[2], sum[3] + cost[3]]
  }
  return sum
}

/** Whether `a` is strictly smaller than `b`. */
export function isCheaper(a: Cost, b: Cost): boolean {
  const index = a.findIndex((part, index) => part !== b[index])
  return index >= 0 && a[index]! < b[index]!
}

/**
 * The common type of all operands, or null. Literals are coerced to the types of the other operands; parameters only if there
 * is no common type otherwise.
 */
export function supertypeOf(operands: readonly Operand[]): Type | null {
  return supertype(operands, false) ?? supertype(operands, true)
}

function supertype(operands: readonly Operand[], coercesParameters: boolean): Type | null {
  const typed = operands.filter(operand => !isUntyped(operand))
  const first = typed[0]
  if (!first) return operands.some(operand => operand.kind === 'empty-array') ? arrayOf(INT64) : INT64
  if (typed.some(operand => operand.type.kind === 'STRUCT')) return structSupertype(typed, operands)
  if (typed.some(operand => operand.type.kind === 'ARRAY')) return arraySupertype(typed, coercesParameters)
  if (operands.some(operand => operand.kind === 'empty-array')) return null
  if (typed.every(operand => sameType(operand.type, first.type))) return first.type
  const isCoercible = (operand: Operand): boolean =>
    operand.kind === 'literal' || (coercesParameters && operand.kind === 'parameter')
  const fixed = typed.filter(operand => !isCoercible(operand))
  if (fixed.length === 0)
    return supertype(
      typed.map(operand => expressionOf(operand.type)),
      coercesParameters,
    )
  const kinds = new Set(typed.map(operand => operand.type.kind))
  for (const candidate of supertypesOf(fixed[0]!.type)) {
    if (!fixed.every(operand => supertypesOf(operand.type).some(type => sameType(type, candidate)))) continue
    // A wider numeric type is the common type only if one of the operands has it.
    if (WIDER_NUMBERS.has(candidate.kind) && !kinds.has(candidate.kind)) continue
    if (typed.every(operand => !isCoercible(operand) || coercionCost(operand, candidate) !== null)) return candidate
  }
  return null
}

const WIDER_NUMBERS: ReadonlySet<Type['kind']> = new Set(['NUMERIC', 'BIGNUMERIC', 'FLOAT64'])

/** The type itself and the types that it can always be coerced to, the most specific first. */
function supertypesOf(type: Type): Type[] {
  if (type.kind === 'ARRAY' || type.kind === 'STRUCT') return [type]
  const coercions = Object.entries(COERCIONS[type.kind] ?? {})
  return [type, ...coercions.filter(([, when]) => when === 'always').map(([kind]) => ({ kind: kind as ScalarKind }))]
}

function structSupertype(typed: readonly Operand[], operands: readonly Operand[]): Type | null {
  const first = typed[0]!.type
  if (operands.some(operand => operand.kind === 'empty-array') || first.kind !== 'STRUCT') return null
  if (typed.every(operand => sameType(operand.type, first))) return first
  const rows = typed.map(fieldsOf)
  if (rows.some(row => row?.length !== first.fields.length)) return null
  const fields = first.fields.flatMap(({ name }, index) => {
    const type = supertypeOf(rows.map(row => row![index]!))
    return type ? [{ name, type }] : []
  })
  return fields.length === first.fields.length ? structOf(fields) : null
}

function arraySupertype(typed: readonly Operand[], coercesParameters: boolean): Type | null {
  const elements = typed.flatMap(operand => elementOf(operand) ?? [])
  if (elements.length < typed.length) return null
  const element = supertype(elements, coercesParameters)
  const type = element && arrayOf(element)
  return type && typed.every(operand => coercionCost(operand, type) !== null) ? type : null
}
