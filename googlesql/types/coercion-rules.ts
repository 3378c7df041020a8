/** Coercion: the types that an expression can take without a written cast, the cost, and the common type of expressions. */
import type { Expr } from '../plan/nodes.js'
import { arrayOf, INT64, isEquivalent, type ScalarKind, sameType, structOf, type Type } from './types.js'

/**
 * The properties of an expression that coercion depends on. A `null` or `empty-array` is untyped; literals and parameters
 * are coerced to more types than other expressions.
 */
export interface Operand {
  readonly type: Type
  readonly standing: 'null' | 'empty-array' | 'literal' | 'parameter' | 'expression'
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
  return { type: expr.type, ...standingOf(expr) }
}

/** Whether the expression is an untyped NULL. An implicit cast around it does not make it typed. */
export const isBareNull = (expr: Expr | null | undefined): boolean =>
  expr !== null && expr !== undefined && expr.kind !== 'call' && operandOf(expr).standing === 'null'

/** An operand whose type alone is known, such as a column or an array's element. */
export const expressionOf = (type: Type): Operand => ({ type, standing: 'expression', fields: null })

function standingOf(expr: Expr): Omit<Operand, 'type'> {
  switch (expr.kind) {
    case 'literal':
      if (expr.value === null) return { standing: 'null', fields: null }
      // `DATE '2020-01-01'` has a written type: it is not coerced like a literal, but literals are coerced to its type.
      return { standing: WRITTEN_TYPES.test(expr.type.kind) ? 'expression' : 'literal', fields: null }
    case 'parameter':
      return { standing: 'parameter', fields: null }
    case 'cast':
      // A NULL, literal or parameter that has been coerced already can still be coerced to another type.
      return expr.isImplicit && (expr.operand.kind === 'literal' || expr.operand.kind === 'parameter')
        ? standingOf(expr.operand)
        : { standing: 'expression', fields: null }
    case 'call':
      // ERROR never returns a value, so it can take any type.
      return { standing: expr.name === 'ERROR' ? 'null' : 'expression', fields: null }
    case 'array':
      if (expr.hasWrittenType) return { standing: 'expression', fields: null }
      if (expr.items.length === 0) return { standing: 'empty-array', fields: null }
      return { standing: expr.items.every(isWritten) ? 'literal' : 'expression', fields: null }
    case 'struct': {
      if (expr.hasWrittenType) return { standing: 'expression', fields: null }
      const fields = expr.fields.map(operandOf)
      return { standing: fields.every(isLiteral) ? 'literal' : 'expression', fields }
    }
    default:
      return { standing: 'expression', fields: null }
  }
}

/** A literal has one of these types only if the type is written with it or it was coerced to that type already. */
const WRITTEN_TYPES = /^(?:DATE|DATETIME|TIME|TIMESTAMP|NUMERIC|BIGNUMERIC|JSON|RANGE<\w+>)$/

const isWritten = (expr: Expr): boolean => expr.kind === 'literal' || isLiteral(operandOf(expr))

const isUntyped = (operand: Operand): boolean => operand.standing === 'null' || operand.standing === 'empty-array'
const isLiteral = (operand: Operand): boolean => operand.standing === 'literal' || isUntyped(operand)

/** An operand that represents every element of the array; null for an untyped operand or one that is not an array. */
export function elementOf(operand: Operand): Operand | null {
  if (isUntyped(operand) || operand.type.kind !== 'ARRAY') return null
  const { element } = operand.type
  return { type: element, standing: WRITTEN_TYPES.test(element.kind) ? 'expression' : operand.standing, fields: null }
}

/** The cost of coercing `from` to `to`; null where the language does not coerce it. */
export function coercionCost(from: Operand, to: Type): Cost | null {
  if (from.standing === 'null') return [0, 0, 1, 1]
  if (from.standing === 'empty-array') return to.kind === 'ARRAY' ? NO_COST : null
  if (sameType(from.type, to)) return NO_COST
  if (from.type.kind === 'STRUCT') {
    if (to.kind !== 'STRUCT' || to.fields.length !== from.type.fields.length) return null
    // Fields correspond by position; their names may differ.
    return sumOfCosts(fieldsOf(from)!.map((field, index) => coercionCost(field, to.fields[index]!.type)))
  }
  if (from.type.kind === 'ARRAY') {
    if (to.kind !== 'ARRAY') return null
    // Only arrays of literals are converted element by element; in any other array, at most the names of fields may differ.
    if (from.standing === 'expression') return isEquivalent(from.type, to) ? NO_COST : null
    return coercionCost({ type: from.type.element, standing: from.standing, fields: null }, to.element)
  }
  if (to.kind === 'ARRAY' || to.kind === 'STRUCT') return null
  const coercion = COERCIONS[from.type.kind]?.[to.kind]
  if (coercion === undefined) return null
  if (coercion !== 'always' && from.standing === 'expression') return null
  if (coercion === 'literal' && from.standing === 'parameter') return null
  const distance = distanceBetween(from.type, to)
  return from.standing === 'expression' ? [1, distance, 0, 0] : [0, 0, 1, distance]
}

/** The fields of a struct as operands; null for any other operand. */
const fieldsOf = (operand: Operand): readonly Operand[] | null =>
  operand.type.kind === 'STRUCT'
    ? (operand.fields ?? operand.type.fields.map(({ type }) => ({ ...operand, type, fields: null })))
    : null

/** The sum of the costs; null when one of them is null. */
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
  const at = a.findIndex((part, index) => part !== b[index])
  return at >= 0 && a[at]! < b[at]!
}

/**
 * The common type of all operands, or null. Literals are coerced to the types of the other operands; parameters only if there
 * is no common type otherwise.
 */
export function supertypeOf(operands: readonly Operand[]): Type | null {
  return supertype(operands, false) ?? supertype(operands, true)
}

function supertype(operands: readonly Operand[], bendsParameters: boolean): Type | null {
  const typed = operands.filter(operand => !isUntyped(operand))
  const first = typed[0]
  if (!first) return operands.some(operand => operand.standing === 'empty-array') ? arrayOf(INT64) : INT64
  if (typed.some(operand => operand.type.kind === 'STRUCT')) return structSupertype(typed, operands)
  if (typed.some(operand => operand.type.kind === 'ARRAY')) return arraySupertype(typed, bendsParameters)
  if (operands.some(operand => operand.standing === 'empty-array')) return null
  if (typed.every(operand => sameType(operand.type, first.type))) return first.type
  const bends = (operand: Operand): boolean =>
    operand.standing === 'literal' || (bendsParameters && operand.standing === 'parameter')
  const firm = typed.filter(operand => !bends(operand))
  if (firm.length === 0)
    return supertype(
      typed.map(operand => expressionOf(operand.type)),
      bendsParameters,
    )
  const kinds = new Set(typed.map(operand => operand.type.kind))
  for (const candidate of supertypesOf(firm[0]!.type)) {
    if (!firm.every(operand => supertypesOf(operand.type).some(type => sameType(type, candidate)))) continue
    // A wider numeric type is the common type only if one of the operands has it.
    if (WIDER_NUMBERS.has(candidate.kind) && !kinds.has(candidate.kind)) continue
    if (typed.every(operand => !bends(operand) || coercionCost(operand, candidate) !== null)) return candidate
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
  if (operands.some(operand => operand.standing === 'empty-array') || first.kind !== 'STRUCT') return null
  if (typed.every(operand => sameType(operand.type, first))) return first
  const rows = typed.map(fieldsOf)
  if (rows.some(row => row?.length !== first.fields.length)) return null
  const fields = first.fields.flatMap(({ name }, index) => {
    const type = supertypeOf(rows.map(row => row![index]!))
    return type ? [{ name, type }] : []
  })
  return fields.length === first.fields.length ? structOf(fields) : null
}

function arraySupertype(typed: readonly Operand[], bendsParameters: boolean): Type | null {
  const elements = typed.flatMap(operand => elementOf(operand) ?? [])
  if (elements.length < typed.length) return null
  const element = supertype(elements, bendsParameters)
  const type = element && arrayOf(element)
  return type && typed.every(operand => coercionCost(operand, type) !== null) ? type : null
}
