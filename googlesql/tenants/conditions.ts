/** The equalities that a condition, or the definition of a column, proves. */
import type { CallExpr, CastExpr, Computed, Expr, Scan, UnnestScan } from '../plan/nodes.js'
import { conjuncts } from '../plan/walk.js'
import { sameType, type Type } from '../types/types.js'
import { type Equality, TENANT, type ValuePath } from './equalities.js'

/** The parameter that says which tenant asks. */
export interface TenantParameter {
  readonly name: string
  /** Whether its value is a regular expression that matches the tenant's values alone. */
  readonly isPattern: boolean
}

/** The value that the expression names: a column, a field of a column, or the tenant's parameter; null for any other expression. */
export function valuePathOf(expr: Expr | null | undefined, parameter: TenantParameter): ValuePath | null {
  switch (expr?.kind) {
    case 'column':
      return `${expr.column.id}`
    case 'parameter':
      return expr.name.toLowerCase() === parameter.name.toLowerCase() ? TENANT : null
    case 'field': {
      const record = valuePathOf(expr.operand, parameter)
      return record === null || record === TENANT ? null : `${record}.${expr.index}`
    }
    case 'cast':
      return isExact(expr) ? valuePathOf(expr.operand, parameter) : null
    default:
      return null
  }
}

/** Whether the result of the cast equals its operand, and differs where the operand differs. */
function isExact({ operand, type, format, timeZone, typeParameters }: CastExpr): boolean {
  if (format || timeZone || typeParameters) return false
  return sameType(operand.type, type) || EXACT_SOURCES[type.kind]?.includes(operand.type.kind) === true
}

const EXACT_SOURCES: Readonly<Partial<Record<Type['kind'], readonly Type['kind'][]>>> = {
  NUMERIC: ['INT64'],
  BIGNUMERIC: ['INT64', 'NUMERIC'],
}

/**
 * The equalities that hold wherever the condition is true: they come from each operand of AND that is `a = b`, `a IN (b)`,
 * `a IN UNNEST([b])`, a match of the tenant's pattern, or a subquery. Nothing follows from any other operand.
 *
 * @param rowEqualities the equalities that hold in each row of a subquery
 */
export const equalitiesOf = (
  condition: Expr,
  parameter: TenantParameter,
  rowEqualities: (scan: Scan) => readonly Equality[],
): readonly Equality[] =>
  conjuncts(condition).flatMap(part => {
    if (part.kind === 'call') return part.isSafe ? [] : equalitiesOfCall(part, parameter)
    if (part.kind === 'subquery') return part.form === 'exists' ? rowEqualities(part.scan) : []
    if (part.kind !== 'in-query') return []
    const value = valuePathOf(part.operand, parameter)
    return value === null ? [] : [...equal(value, `${part.scan.columns[0]!.id}`), ...rowEqualities(part.scan)]
  })

function equalitiesOfCall({ name, arguments: args }: CallExpr, parameter: TenantParameter): readonly Equality[] {
  const [first, second = null] = args
  const value = valuePathOf(first, parameter)
  if (value === null) return []
  switch (name) {
    case '$eq':
    case '$in':
      return equalToAll(value, args.slice(1), parameter)
    case '$in_array': {
      if (second?.kind === 'array') return equalToAll(value, second.items, parameter)
      const array = valuePathOf(second, parameter)
      if (array === null) return []
      // A row has the tenant of any element of its array.
      return array === TENANT ? equal(value, TENANT) : [[`${array}[]`, value]]
    }
    case 'REGEXP_CONTAINS':
      return parameter.isPattern && valuePathOf(second, parameter) === TENANT ? equal(value, TENANT) : []
    default:
      return []
  }
}

/** The value equals the others; there is no equality where two of the others may differ. */
function equalToAll(
  value: ValuePath,
  others: readonly (Expr | null)[],
  parameter: TenantParameter,
): readonly Equality[] {
  const [other, ...more] = new Set(others.map(operand => valuePathOf(operand, parameter)))
  return other == null || more.length > 0 ? [] : equal(value, other)
}

/** The equality in both directions, but never from TENANT. */
function equal(a: ValuePath, b: ValuePath): readonly Equality[] {
  const both: readonly Equality[] = [
    [a, b],
    [b, a],
  ]
  return both.filter(([from]) => from !== TENANT)
}

/** The equalities between computed columns and their expressions, in both directions. */
export const definitionEqualities = (computed: readonly Computed[], parameter: TenantParameter): readonly Equality[] =>
  computed.flatMap(({ column, expr }) => pathEqualities(`${column.id}`, expr, parameter))

function pathEqualities(name: ValuePath, expr: Expr, parameter: TenantParameter): readonly Equality[] {
  if (expr.kind === 'struct') return expr.fields.flatMap((field, i) => pathEqualities(`${name}.${i}`, field, parameter))
  const value = valuePathOf(expr, parameter)
  return value === null ? [] : equal(name, value)
}

/**
 * The equalities between an element and its array, in one direction: one element that equals TENANT bounds the row of the array,
 * but says nothing about its other elements.
 */
export function elementEqualities({ array, element }: UnnestScan, parameter: TenantParameter): readonly Equality[] {
  const name = `${element.id}`
  if (array.kind === 'array') {
    const isTenants = array.items.length > 0 && array.items.every(item => valuePathOf(item, parameter) === TENANT)
    return isTenants ? [[name, TENANT]] : []
  }
  const value = valuePathOf(array, parameter)
  if (value === null) return []
  return value === TENANT ? [[name, TENANT]] : [[`${value}[]`, name]]
}
