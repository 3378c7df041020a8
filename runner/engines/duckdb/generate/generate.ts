/** A resolved query as one DuckDB SELECT statement. */
import type { Column, ParameterExpr, ResolvedQuery, Scan } from '../../../googlesql/resolved.js'
import type { Type } from '../../../googlesql/types.js'
import { arrayQuerySql } from './array-query.js'
import type { Context } from './context.js'
import { exprSql } from './exprs.js'
import { withGuards } from './guard.js'
import { partitionBounds } from './partition-bounds.js'
import { prune } from './prune.js'
import { quantileOffsets } from './quantile-offsets.js'
import { blockOf, querySql } from './scans.js'
import { storedArrays } from './stored-arrays.js'
import { visitScan } from './walk.js'

export interface GeneratedSql {
  readonly sql: string
  /** What $1, $2, … stand for: those of the query's parameters that the SQL still reads. */
  readonly parameters: readonly string[]
  /** The tables that the SQL still reads. */
  readonly tables: readonly string[]
}

/**
 * The statement, its columns named as the query's. It expects a session made by prepareSession, with a table or view in
 * sight for each name in `tables`.
 *
 * @throws GenerateError for what DuckDB cannot compute as BigQuery does.
 */
export function generate(query: ResolvedQuery): GeneratedSql {
  const pruned = prune({ ...query, scan: withGuards(query.scan) })
  const parameters: string[] = []
  const context = newContext(pruned, parameters)
  const sql = context.query(
    pruned.scan,
    pruned.columns.map(output => output.column),
    pruned.columns.map(output => output.name),
    null,
  )
  return { sql, parameters, tables: tablesOf(pruned) }
}

function tablesOf(query: ResolvedQuery): readonly string[] {
  const tables = new Set<string>()
  visitScan(
    query.scan,
    () => {},
    scan => {
      if (scan.kind === 'table') tables.add(scan.table)
    },
  )
  return [...tables]
}

/** The text alone. */
export const generateSql = (query: ResolvedQuery): string => generate(query).sql

/** All columns that come into being with the scan, read or not. */
function columnsMade(scan: Scan): readonly Column[] {
  switch (scan.kind) {
    case 'unnest':
      return [scan.element, ...(scan.offset ? [scan.offset] : []), ...scan.columns]
    case 'project':
      return [...scan.computed.map(part => part.column), ...scan.columns]
    case 'aggregate':
      return [...scan.keys, ...scan.aggregates, ...scan.groupingCalls].map(part => part.column)
    case 'window':
      return [...scan.functions.map(part => part.column), ...scan.columns]
    case 'with':
      return scan.ctes.flatMap(cte => cte.columns)
    default:
      return scan.columns
  }
}

function newContext(query: ResolvedQuery, parameters: string[]): Context {
  const taken = new Set([...query.columns.map(output => output.name), ...query.tables].map(name => name.toLowerCase()))
  const cteUses = new Map<number, number>()
  let lastId = 0
  // What most queries have none of need not be looked for.
  let [hasQuantiles, hasPartitions] = [false, false]
  visitScan(
    query.scan,
    expr => {
      if (expr.kind === 'column') lastId = Math.max(lastId, expr.column.id)
      if (expr.kind === 'lambda') for (const { id } of expr.parameters) lastId = Math.max(lastId, id)
      if (expr.kind === 'let') for (const { column } of expr.bindings) lastId = Math.max(lastId, column.id)
    },
    scan => {
      for (const { id } of columnsMade(scan)) lastId = Math.max(lastId, id)
      if (scan.kind === 'cte') cteUses.set(scan.cte, (cteUses.get(scan.cte) ?? 0) + 1)
      if (scan.kind === 'aggregate') {
        hasQuantiles ||= scan.aggregates.some(({ call }) => call.name === 'APPROX_QUANTILES')
      }
      hasPartitions ||= scan.kind === 'table' && scan.partitionedBy !== undefined
    },
  )
  let aliases = 0
  const free = (base: string): string => {
    let name = base
    while (taken.has(name.toLowerCase())) name = `x_${name}`
    return name
  }
  const context: Context = {
    name: column => free(/^[a-z_]\w*$/i.test(column.name) ? `${column.name}_${column.id}` : `c${column.id}`),
    newColumn: (name: string, type: Type): Column => ({ id: ++lastId, name, type }),
    newAlias: () => free(`t${++aliases}`),
    placeholder: ({ name }: ParameterExpr) => {
      const known = parameters.findIndex(other => other.toLowerCase() === name.toLowerCase())
      return `$${known < 0 ? parameters.push(name) : known + 1}`
    },
    cteName: cte => free(/^[a-z_]\w*$/i.test(cte.name) ? `${cte.name}_${cte.id}` : `w${cte.id}`),
    cteUses,
    ctes: new Map(),
    quantileOffsets: hasQuantiles ? quantileOffsets(query) : new Map(),
    fillings: storedArrays(query),
    partitionBounds: hasPartitions ? partitionBounds(query.scan) : new Map(),
    expr: (expr, scope) => exprSql(expr, scope, context),
    query: (scan, columns, names, outer) => querySql(scan, columns, names, outer, context),
    arrayQuery: (scan, column, outer) => arrayQuerySql(scan, column, outer, context, blockOf),
  }
  return context
}
