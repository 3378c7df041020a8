/** The equalities between a column and the expression that defines it. */
import type { Computed, Expr, UnnestScan } from '../plan/nodes.js'
import { equal, type TenantParameter, valueNamed } from './conditions.js'
import { type Equality, TENANT, type Value } from './equalities.js'

/** Those of computed columns, in both directions. */
export const definitions = (computed: readonly Computed[], parameter: TenantParameter): readonly Equality[] =>
  computed.flatMap(({ column, expr }) => definition(`${column.id}`, expr, parameter))

function definition(name: Value, expr: Expr, parameter: TenantParameter): readonly Equality[] {
  if (expr.kind === 'struct') return expr.fields.flatMap((field, i) => definition(`${name}.${i}`, field, parameter))
  const value = valueNamed(expr, parameter)
  return value === null ? [] : equal(name, value)
}

/**
 * Those of an element, in one direction: a row has the tenant of any element of its array, so the array's row is bounded by one
 * element, and another element by nothing.
 */
export function elementDefinition({ array, element }: UnnestScan, parameter: TenantParameter): readonly Equality[] {
  const name = `${element.id}`
  if (array.kind === 'array') {
    const isTenants = array.items.length > 0 && array.items.every(item => valueNamed(item, parameter) === TENANT)
    return isTenants ? [[name, TENANT]] : []
  }
  const value = valueNamed(array, parameter)
  if (value === null) return []
  return value === TENANT ? [[name, TENANT]] : [[`${value}[]`, name]]
}
