/** What the analysis knows about the rows of a scan. */
import type { Column } from '../plan/nodes.js'
import {
  columnOf,
  type Equalities,
  equalTo,
  NO_EQUALITIES,
  TENANT,
  type ValuePath,
  withEqualities,
} from './equalities.js'

/** A place that reads a table whose rows belong to tenants. */
export interface TenantScan {
  readonly table: string
  /** The offset of the table's name in the text. */
  readonly at: number
  /** The path of the column that names the tenant. */
  readonly column: string
  /** The column as ColumnPath.parts has it; null where the table lacks it. */
  readonly parts: readonly string[] | null
}

/**
 * A scan that is not bounded yet: its rows may belong to any tenant. Each row of the relation comes from at most one row of the
 * scan. The values `keys` are equal to the scan's tenant column, so the scan is bounded once a key equals the tenant's parameter.
 */
export interface PendingScan {
  readonly scan: TenantScan
  readonly keys: ReadonlySet<ValuePath>
}

export interface Relation {
  readonly pending: readonly PendingScan[]
  readonly equalities: Equalities
}

export const EMPTY: Relation = { pending: [], equalities: NO_EQUALITIES }

/** The ids of the columns of outer queries: they are constants within one evaluation of the inner query. */
export type OuterIds = ReadonlySet<number>

/** More scans than this count as unbounded, so that a query of a few lines cannot make millions of them. */
const MAX_PENDING = 1_000

export function limitPending(parts: readonly PendingScan[]): readonly PendingScan[] {
  if (parts.length <= MAX_PENDING) return parts
  const unbounded = new Map(parts.map(({ scan }) => [`${scan.at} ${scan.table}`, { scan, keys: new Set<ValuePath>() }]))
  return [...unbounded.values()]
}

/**
 * The scans that are still not bounded where their rows are combined with each other (by an aggregate, a window, LIMIT,
 * DISTINCT, …). A later condition on one row says nothing about other rows. Only columns of outer queries remain as keys, since they
 * have one value for all these rows.
 */
export function mix({ pending, equalities }: Relation, outer: OuterIds): readonly PendingScan[] {
  return pending.flatMap(({ scan, keys }) => {
    const equal = equalTo(keys, equalities)
    return equal.has(TENANT) ? [] : [{ scan, keys: onlyOuter(equal, outer) }]
  })
}

const onlyOuter = (values: ReadonlySet<ValuePath>, outer: OuterIds): ReadonlySet<ValuePath> =>
  new Set([...values].filter(value => outer.has(columnOf(value))))

/** The relation under other columns: `to` has a column for each of `from`, in the same order. */
export function rename(relation: Relation, from: readonly Column[], to: readonly Column[], outer: OuterIds): Relation {
  const newIds = new Map<number, number[]>()
  from.forEach(({ id }, i) => void newIds.set(id, [...(newIds.get(id) ?? []), to[i]!.id]))
  const renameValue = (value: ValuePath): readonly ValuePath[] => {
    const id = columnOf(value)
    if (outer.has(id)) return [value]
    return (newIds.get(id) ?? []).map(newId => `${newId}${value.slice(String(id).length)}`)
  }
  const pending = relation.pending.flatMap(({ scan, keys }): readonly PendingScan[] => {
    const equal = equalTo(keys, relation.equalities)
    return equal.has(TENANT) ? [] : [{ scan, keys: new Set([...equal].flatMap(renameValue)) }]
  })
  const isTenant = ({ id }: Column): boolean => equalTo([`${id}`], relation.equalities).has(TENANT)
  const equalities = from.flatMap((column, i) => (isTenant(column) ? [[`${to[i]!.id}`, TENANT] as const] : []))
  return { pending, equalities: withEqualities([], equalities) }
}
