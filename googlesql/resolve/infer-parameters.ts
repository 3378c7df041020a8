/**
 * Infers the types of undeclared parameters from their uses: an undeclared parameter is resolved as an untyped NULL, and its
 * types are the types to which the query coerces that NULL.
 */
import { memo } from '../memo.js'
import { visitScan } from '../plan/walk.js'
import type { TableCatalogue } from '../tables.js'
import type { Type } from '../types/types.js'
import { resolveWithUndeclared } from './resolve.js'

export interface UndeclaredParameter {
  /** The name as the query spells it at its first use. */
  readonly name: string
  /** The types to which the uses coerce the parameter, in the order of the plan; empty where no use coerces it. */
  readonly types: readonly Type[]
}

/**
 * The parameters that are not in `declared`, in the order of their first use.
 * @throws SqlError for a query that is not valid with NULL in the place of these parameters
 */
export function inferParameters(
  source: string,
  tables: TableCatalogue,
  declared: Readonly<Record<string, Type>>,
): readonly UndeclaredParameter[] {
  const undeclared = new Map<string, { readonly name: string; readonly places: Set<number> }>()
  const { scan } = resolveWithUndeclared(source, tables, declared, (name, at) => {
    memo(undeclared, name.toLowerCase(), () => ({ name, places: new Set<number>() })).places.add(at)
  })
  const typesAt = new Map<number, Type[]>()
  visitScan(scan, expr => {
    if (expr.kind !== 'cast' || expr.operand.kind !== 'literal' || expr.operand.value !== null) return
    typesAt.set(expr.operand.at, [...(typesAt.get(expr.operand.at) ?? []), expr.type])
  })
  return [...undeclared.values()].map(({ name, places }) => ({
    name,
    types: [...places].flatMap(at => typesAt.get(at) ?? []),
  }))
}
