/** A FULL JOIN inside a correlated subquery, in terms of LEFT JOIN and UNION ALL, which engines can compute there. */

import type { CastExpr, Column, Computed, Expr, JoinScan, Scan } from '../../plan/nodes.js'
import { BOOL } from '../../types/types.js'
import type { Resolution } from '../context.js'
import { columnExpr } from '../name-scope.js'

/** Whether it reads a column that it does not make: one of the queries around it. */
export function isCorrelated(scan: Scan): boolean {
  const { made, read } = columnsIn(scan)
  return [...read].some(id => !made.has(id))
}

/**
 * The rows of `left LEFT JOIN right`, then those of the right side that meet none of the left: the same columns, made of
 * copies of both sides.
 */
export function withoutFullJoin({ left, right, condition, columns }: JoinScan, r: Resolution): Scan {
  const first = copy({ left, right, condition }, r)
  const matched: Scan = {
    kind: 'join',
    join: 'left',
    ...first,
    columns: [...first.left.columns, ...first.right.columns],
  }
  const second = copy({ left, right, condition }, r)
  return {
    kind: 'set',
    operator: 'UNION',
    isAll: true,
    inputs: [matched, unmatched(second.right, second.left, second.condition, condition?.at ?? 0, r)],
    columns,
  }
}

/** The rows of `scan` that meet none of `other`, whose columns stand before them as NULLs. */
function unmatched(scan: Scan, other: Scan, condition: Expr | null, at: number, r: Resolution): Scan {
  const isThere = r.newColumn('', BOOL)
  const marked: Scan = {
    kind: 'project',
    input: other,
    computed: [{ column: isThere, expr: { kind: 'literal', type: BOOL, value: true, at } }],
    columns: [...other.columns, isThere],
  }
  const joined: Scan = {
    kind: 'join',
    join: 'left',
    left: scan,
    right: marked,
    condition,
    columns: [...scan.columns, ...marked.columns],
  }
  const isMissing: Expr = {
    kind: 'call',
    type: BOOL,
    name: '$is_null',
    arguments: [columnExpr(isThere, false, at)],
    isSafe: false,
    at,
  }
  const nulls = (other.columns as readonly Column[]).map(({ name, type }): Computed => {
    const expr: CastExpr = {
      kind: 'cast',
      type,
      operand: { kind: 'literal', type, value: null, at },
      isSafe: false,
      isImplicit: true,
      format: null,
      timeZone: null,
      typeParameters: null,
      at,
    }
    return { column: r.newColumn(name, type), expr }
  })
  return {
    kind: 'project',
    input: { kind: 'filter', input: joined, condition: isMissing, columns: joined.columns },
    computed: nulls,
    columns: [...nulls.map(item => item.column), ...scan.columns],
  }
}

// ---- over all that a tree holds

type Visit = (node: object) => boolean

/** Visits every object in it; a visitor that answers true has seen to the parts itself. */
function walk(value: unknown, visit: Visit): void {
  if (typeof value !== 'object' || value === null || visit(value)) return
  for (const part of Object.values(value)) walk(part, visit)
}

const isColumn = (node: object): node is Column => 'id' in node && 'type' in node && 'name' in node && !('kind' in node)
const isRead = (node: object): node is { readonly column: Column } => 'isCorrelated' in node && 'column' in node

function columnsIn(tree: object) {
  const made = new Set<number>()
  const read = new Set<number>()
  walk(tree, node => {
    if (isRead(node)) read.add(node.column.id)
    else if (isColumn(node)) made.add(node.id)
    else return node instanceof Uint8Array
    return true
  })
  return { made, read }
}

/** The same tree over columns of its own; what it reads from outside stays. */
function copy<T extends object>(tree: T, r: Resolution): T {
  const { made } = columnsIn(tree)
  const fresh = new Map<number, Column>()
  const freshen = (column: Column): Column => {
    if (!made.has(column.id)) return column
    if (!fresh.has(column.id)) fresh.set(column.id, r.newColumn(column.name, column.type))
    return fresh.get(column.id)!
  }
  const clone = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
    if (Array.isArray(value)) return value.map(clone)
    if (isColumn(value)) return freshen(value)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, key === 'type' ? part : clone(part)]))
  }
  return clone(tree) as T
}
