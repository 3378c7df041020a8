/**
 * Infers the types of undeclared parameters from their uses: an undeclared parameter is resolved as an untyped NULL, and its
 * types are those to which the query coerces that NULL.
 */
import { getOrMake } from '../get-or-make.js'
import { visitScan } from '../plan/walk.js'
import type { TableCatalogue } from '../tables.js'
import type { Type } from '../types/types.js'
import { resolveWith } from './resolve.js'

export interface UndeclaredParameter {
  /** The name as the query spells it at its first use. */
  readonly name: string
  /** The types to which the uses coerce the parameter, in the order of the plan; empty where no use coerces it. */
  readonly types: readonly Type[]
}

/**
 * The parameters that `given` does not have, in the order of their first use.
 * @throws SqlError for a query that is not valid with NULL in the place of these parameters
 */
export function inferParameters(
  source: string,
  tables: TableCatalogue,
  given: Readonly<Record<string, Type>>,
): readonly UndeclaredParameter[] {
  const undeclared = new Map<string, { readonly name: string; readonly places: Set<number> }>()
  const { scan } = resolveWith(source, tables, given, (name, at) => {
    getOrMake(undeclared, name.toLowerCase(), () => ({ name, places: new Set<number>() })).places.add(at)
  })
  const typesAt = new Map<number, Type[]>()
  visitScan(scan, expr => {
    if (expr.kind !== 'cast' || expr.operand.kind !== 'literal' || expr.operand.value !== null) return
    getOrMake(typesAt, expr.operand.at, () => []).push(expr.type)
  })
  return [...undeclared.values()].map(({ name, places }) => ({
    name,
    types: [...places].flatMap(at => typesAt.get(at) ?? []),
  }))
}
