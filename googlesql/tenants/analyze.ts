/** Follows the scans of a plan from the tables up: which scans of tenants' tables are bounded. README.md has the rules. */

import { JAVASCRIPT_CALLS } from '../functions/definitions/javascript.js'
import { memo } from '../memo.js'
import type {
  AggregateScan,
  Column,
  CteScan,
  Expr,
  JoinScan,
  OneRowScan,
  Scan,
  SetScan,
  TableScan,
  WithScan,
} from '../plan/nodes.js'
import { columnsNamed, exprsOfScan, inputsOfScan, partsOf, someOf } from '../plan/walk.js'
import {
  definitionEqualities,
  elementEqualities,
  equalitiesOf,
  type TenantParameter,
  valuePathOf,
} from './conditions.js'
import { columnOf, type Equality, equalTo, TENANT, type ValuePath, withEqualities } from './equalities.js'
import {
  EMPTY,
  limitPending,
  mix,
  type OuterIds,
  type PendingScan,
  type Relation,
  rename,
  type TenantScan,
} from './relation.js'

/** Returns where a table names the tenant of a row: `key` is null if the table lacks the column. `free`: the rows belong to no tenant. */
export type TenantsOf = (
  scan: TableScan,
) => (Pick<TenantScan, 'column' | 'parts'> & { readonly key: ValuePath | null }) | 'free'

export class TenantAnalysis {
  readonly #parameter: TenantParameter
  readonly #tenantsOf: TenantsOf
  /** The common table expressions that have been followed, by their ids. */
  readonly #ctes = new Map<number, { relation: Relation; columns: readonly Column[]; outer: OuterIds }>()
  readonly #relations = new Map<Scan, Relation>()

  constructor(parameter: TenantParameter, tenantsOf: TenantsOf) {
    this.#parameter = parameter
    this.#tenantsOf = tenantsOf
  }

  /** The scans on which the query's result depends and that are not bounded. */
  findUnbounded(query: Scan): readonly PendingScan[] {
    return this.#query(query, new Set())
  }

  /** The scans that are not bounded in a query whose rows are used together: the whole query, or a subquery. */
  #query(scan: Scan, outer: OuterIds): readonly PendingScan[] {
    return mix(this.#relation(scan, outer), outer)
  }

  /** What is known about a scan. Each scan is followed only once, although a condition may ask for it again. */
  #relation(scan: Scan, outer: OuterIds): Relation {
    return memo(this.#relations, scan, () => this.#follow(scan, outer))
  }

  #follow(scan: Scan, outer: OuterIds): Relation {
    switch (scan.kind) {
      case 'one-row':
        return EMPTY
      case 'table':
        return this.#table(scan)
      case 'cte': {
        const cte = this.#ctes.get(scan.cte)!
        return rename(cte.relation, cte.columns, scan.columns, cte.outer)
      }
      case 'with':
        return this.#with(scan, outer)
      case 'join':
        return this.#join(scan, outer)
      case 'unnest':
      case 'filter':
      case 'project':
      case 'order':
        return this.#rowByRow(scan, outer)
      case 'limit':
      case 'window': {
        const rows = this.#rowByRow(scan, outer)
        return { ...rows, pending: mix(rows, outer) }
      }
      case 'aggregate':
        return this.#aggregate(scan, outer)
      case 'set':
        return this.#set(scan, outer)
      default:
        return scan satisfies never
    }
  }

  #table(scan: TableScan): Relation {
    const tenants = this.#tenantsOf(scan)
    if (tenants === 'free') return EMPTY
    const { column, parts, key } = tenants
    const { table, at } = scan
    const keys = new Set(key === null ? [] : [key])
    return { ...EMPTY, pending: [{ scan: { table, at, column, parts }, keys }] }
  }

  /** A scan whose rows each come from one row of its input; its expressions are evaluated over that row. */
  #rowByRow(
    scan: Exclude<Scan, OneRowScan | TableScan | CteScan | JoinScan | SetScan | WithScan>,
    outer: OuterIds,
  ): Relation {
    const input = scan.input ? this.#relation(scan.input, outer) : EMPTY
    const { pending, equalities } = this.#expressions(scan, input, outer)
    return mixByJavaScript(
      scan,
      { pending, equalities: withEqualities([equalities], ownEqualities(this.#scanEqualities(scan, outer), outer)) },
      outer,
    )
  }

  /** The equalities of a scan's own condition or definitions. */
  #scanEqualities(scan: Scan, outer: OuterIds): readonly Equality[] {
    if (scan.kind === 'filter') return this.#conditionOf(scan, scan.condition, outer)
    if (scan.kind === 'project') return definitionEqualities(scan.computed, this.#parameter)
    return scan.kind === 'unnest' ? elementEqualities(scan, this.#parameter) : []
  }

  #conditionOf(scan: Scan, condition: Expr, outer: OuterIds): readonly Equality[] {
    const around = columnsAround(scan, outer)
    return equalitiesOf(condition, this.#parameter, query => this.#rowOf(query, around))
  }

  /** The equalities in one row of a subquery, such as the row that EXISTS found; equalities of outer columns included. */
  #rowOf(scan: Scan, outer: OuterIds): readonly Equality[] {
    switch (scan.kind) {
      case 'filter':
      case 'project':
        return [...this.#scanEqualities(scan, outer), ...this.#rowOf(scan.input, outer)]
      case 'order':
        return this.#rowOf(scan.input, outer)
      case 'unnest':
        return scan.isOuter
          ? []
          : [...this.#scanEqualities(scan, outer), ...(scan.input ? this.#rowOf(scan.input, outer) : [])]
      case 'join': {
        if (scan.join !== 'inner' && scan.join !== 'cross') return []
        const on = scan.condition ? this.#conditionOf(scan, scan.condition, outer) : []
        return [...on, ...this.#rowOf(scan.left, outer), ...this.#rowOf(scan.right, outer)]
      }
      default:
        return knownTenantEqualities(this.#relation(scan, outer), scan.columns)
    }
  }

  /**
   * ON drops rows of an inner join, and rows of the optional side of a LEFT or RIGHT join. It drops no rows of the other side, and
   * no rows of a FULL join.
   */
  #join(scan: JoinScan, outer: OuterIds): Relation {
    const [left, right] = [this.#relation(scan.left, outer), this.#relation(scan.right, outer)]
    const pending = limitPending([...left.pending, ...right.pending])
    const equalities = withEqualities([left.equalities, right.equalities], [])
    const both = this.#expressions(scan, { pending, equalities }, outer)
    if (scan.condition === null || scan.join === 'full') return mixByJavaScript(scan, both, outer)
    const proven = ownEqualities(this.#conditionOf(scan, scan.condition, outer), outer)
    const nullable = { left: scan.right, right: scan.left, inner: null, cross: null }[scan.join]
    const more = nullable ? proven.filter(([from]) => isColumnOf(nullable, from)) : proven
    return mixByJavaScript(scan, { ...both, equalities: withEqualities([both.equalities], more) }, outer)
  }

  #aggregate(scan: AggregateScan, outer: OuterIds): Relation {
    const input = this.#expressions(scan, this.#relation(scan.input, outer), outer)
    const isTenantKey = (expr: Expr): boolean => {
      const value = valuePathOf(expr, this.#parameter)
      return value !== null && equalTo([value], input.equalities).has(TENANT)
    }
    const keys = scan.keys.filter(({ expr }) => isTenantKey(expr)).map(({ column }) => column)
    return { pending: mix(input, outer), equalities: withEqualities([], equalToTenant(keys)) }
  }

  #set({ operator, isAll, inputs, columns }: SetScan, outer: OuterIds): Relation {
    const relations = inputs.map(input => {
      const relation = this.#relation(input, outer)
      const isMixed = operator !== 'UNION' || !isAll
      const whole = isMixed ? { ...relation, pending: mix(relation, outer) } : relation
      return rename(whole, input.columns, columns, outer)
    })
    const pending = limitPending(relations.flatMap(relation => relation.pending))
    const tenantColumns = columns.filter(column =>
      relations.every(relation => knownTenantEqualities(relation, [column]).length > 0),
    )
    return { pending, equalities: withEqualities([], equalToTenant(tenantColumns)) }
  }

  #with({ ctes, body }: WithScan, outer: OuterIds): Relation {
    for (const { id, scan, columns, recursion } of ctes) {
      const relation = this.#relation(scan, outer)
      if (recursion === null) {
        this.#ctes.set(id, { relation, columns, outer })
        continue
      }
      // By induction: the rows of each step belong to the tenant if the rows of earlier steps do.
      this.#ctes.set(id, { relation: EMPTY, columns, outer })
      const terms = recursion.terms.flatMap(term => this.#query(term, outer))
      const pending = [...mix(relation, outer), ...terms].map(pendingScan => ({
        ...pendingScan,
        keys: new Set<ValuePath>(),
      }))
      this.#ctes.set(id, { relation: { ...EMPTY, pending }, columns, outer })
    }
    return this.#relation(body, outer)
  }

  /**
   * The relation with what the expressions of the scan add to it: the scans of their subqueries, which may be bounded by a
   * column of this relation, and the equalities that a subquery in a condition proves.
   */
  #expressions(scan: Scan, input: Relation, outer: OuterIds): Relation {
    const exprs = exprsOfScan(scan)
    const around = new Set(columnsAround(scan, outer))
    const pending: PendingScan[] = []
    const equalities: Equality[] = []
    const visit = (expr: Expr): void => {
      for (const { id } of expr.kind === 'column' ? [] : columnsNamed(expr)) around.add(id)
      if (expr.kind === 'let') equalities.push(...definitionEqualities(expr.bindings, this.#parameter))
      if (expr.kind === 'subquery' || expr.kind === 'in-query') pending.push(...this.#query(expr.scan, around))
      partsOf(expr).forEach(visit)
    }
    exprs.forEach(visit)
    if (pending.length + equalities.length === 0) return input
    return {
      pending: limitPending([...input.pending, ...pending]),
      equalities: withEqualities([input.equalities], ownEqualities(equalities, outer)),
    }
  }
}

/** The relation. If the scan calls a JavaScript function, its rows are mixed: the code may keep a value of one row for later rows. */
function mixByJavaScript(scan: Scan, relation: Relation, outer: OuterIds): Relation {
  const callsJavaScript = exprsOfScan(scan).some(expr => someOf(expr, isJavaScript))
  return callsJavaScript ? { ...relation, pending: mix(relation, outer) } : relation
}

const isJavaScript = (expr: Expr): boolean =>
  expr.kind === 'call' && JAVASCRIPT_CALLS.some(({ name }) => name === expr.name)

const equalToTenant = (columns: readonly Column[]): readonly Equality[] =>
  columns.map(({ id }): Equality => [`${id}`, TENANT])

/** The equality with TENANT of each column that is known to equal TENANT. */
const knownTenantEqualities = ({ equalities }: Relation, columns: readonly Column[]): readonly Equality[] =>
  equalToTenant(columns.filter(({ id }) => equalTo([`${id}`], equalities).has(TENANT)))

const isColumnOf = ({ columns }: Scan, value: ValuePath): boolean => columns.some(({ id }) => id === columnOf(value))

/** The columns that are constants for a subquery in an expression of the scan: the columns of its inputs and of outer queries. */
const columnsAround = (scan: Scan, outer: OuterIds): OuterIds =>
  new Set([...outer, ...inputsOfScan(scan).flatMap(input => input.columns.map(({ id }) => id))])

/**
 * The equalities of this query's own columns. An equality of an outer column is left out, because it holds only where this query
 * has a row, and an outer join may find no row.
 */
const ownEqualities = (equalities: readonly Equality[], outer: OuterIds): readonly Equality[] =>
  equalities.filter(([from]) => !outer.has(columnOf(from)))
