/** FROM: tables, arrays, subqueries and joins become a scan and the names that it brings into scope. */

import type * as ast from '../../ast/nodes.js'
import { proposing } from '../../mistakes.js'
import { filterScan, withComputed } from '../../plan/build.js'
import type { JoinScan, Scan, UnnestScan } from '../../plan/nodes.js'
import { nearest } from '../../suggest.js'
import type { TableDefinition } from '../../tables.js'
import { INT64, STRING, type StructField, typeName } from '../../types/types.js'
import { isWildcard } from '../../wildcard-tables.js'
import { clauseEnv, type ExpressionEnv, type NamedColumn, type QueryEnv, type ResolveContext } from '../context.js'
import { conditionOf, impliedName } from '../expressions/expression.js'
import { type FromNames, fromScope, lookup, NO_NAMES, type Range, valueColumns, visibleColumn } from '../name-scope.js'
import { resolveTableCall } from '../stored-functions.js'
import { isCorrelated, withoutFullJoin } from './correlated-full-join.js'
import { resolvePivot, resolveUnpivot } from './pivot.js'
import { type UsingNode, usingNames } from './using.js'

export interface FromResult {
  readonly scan: Scan
  readonly names: FromNames
}

/**
 * `left` is the join of the items before this item in the same FROM clause, to which an array path may refer; null for the
 * first item.
 */
export function resolveFrom(node: ast.From, left: FromResult | null, env: QueryEnv): FromResult {
  switch (node.kind) {
    case 'table':
      return resolveTable(node, left, env)
    case 'table-call': {
      const { scan, columns, isValueTable } = resolveTableCall(node, env)
      return { scan, names: rangeNames(columns, isValueTable, node.alias?.name ?? '') }
    }
    case 'unnest':
      return unnest(node.expression, node.alias?.name ?? '', node.offset, null, left, env)
    case 'subquery':
      return resolveSubqueryFrom(node, env)
    case 'parenthesised':
      return resolveFrom(node.from, null, env)
    case 'join':
      return resolveJoin(node, env)
    case 'pivot':
      return resolvePivot(node, resolveFrom(node.input, null, env), env)
    case 'unpivot':
      return resolveUnpivot(node, resolveFrom(node.input, null, env), env)
  }
}

const fromEnv = (names: FromNames, env: QueryEnv, clause: string): ExpressionEnv =>
  clauseEnv(fromScope(names, env.outer), env, clause)

// ---- tables

/** The names of a scan under an alias, which may be empty. */
export function rangeNames(
  columns: readonly NamedColumn[],
  isValueTable: boolean,
  alias: string,
  pseudoColumns: readonly NamedColumn[] = [],
): FromNames {
  const first = columns[0]
  if (isValueTable && first) {
    const range: Range = { kind: 'value', name: alias, column: first.column }
    return { ranges: [range], columns: valueColumns(first.column, alias) }
  }
  const shown = columns.map(({ name, column }) => visibleColumn(column, name))
  if (pseudoColumns.length === 0) return { ranges: [{ kind: 'table', name: alias, columns: shown }], columns: shown }
  const hidden = pseudoColumns.map(({ name, column }) => visibleColumn(column, name))
  return { ranges: [{ kind: 'table', name: alias, columns: shown, hidden }], columns: shown, hidden }
}

function resolveTable(node: ast.TablePath, left: FromResult | null, env: QueryEnv): FromResult {
  const first = node.path[0]!
  const last = node.path[node.path.length - 1]!
  if (node.path.length > 1) {
    const scope = fromScope(left?.names ?? NO_NAMES, env.outer)
    if (lookup(scope, first.name)) {
      const path = node.path
        .slice(1)
        .reduce<ast.Expression>((operand, name) => ({ kind: 'dot', operand, name, at: name.at }), {
          kind: 'name',
          ...first,
        })
      return unnest(path, node.alias?.name ?? last.name, node.offset, last, left, env)
    }
  }
  if (node.offset) return env.fail('WITH OFFSET cannot be used with a table; it needs an array', node.offset.at)
  const cte = node.path.length === 1 ? env.ctes.get(first.name.toLowerCase()) : undefined
  if (cte) {
    const columns = cte.columns.map(({ name, column }) => ({ name, column: env.newColumn(name, column.type) }))
    const scan: Scan = { kind: 'cte', cte: cte.id, columns: columns.map(named => named.column) }
    return { scan, names: rangeNames(columns, cte.isValueTable, node.alias?.name ?? first.name) }
  }
  return resolveStoredTable(node, env)
}

function resolveStoredTable(node: ast.TablePath, env: QueryEnv): FromResult {
  const table = findTable(node, env)
  env.usedTables.add(table.name)
  const impliedAlias = lastName(node.path.at(-1)!.name)
  env.tableReferences.set(node.at, {
    table: table.name,
    at: node.at,
    end: node.pathEnd,
    impliedAlias: node.alias === null ? impliedAlias : null,
  })
  const newColumn = ({ name, type }: StructField): NamedColumn => ({ name, column: env.newColumn(name, type) })
  const columns = table.columns.map(newColumn)
  const hidden = (table.pseudoColumns ?? []).map(newColumn)
  const unreadable = (table.unreadable ?? []).map(({ name: column, reason }) => ({
    name: column,
    column: {
      ...env.newColumn(column, STRING),
      unreadable: `Column ${column} of table ${table.name} cannot be read: ${reason}`,
    },
  }))
  const scan: Scan = {
    kind: 'table',
    table: table.name,
    columns: [...columns, ...hidden].map(({ column }) => column),
    ...(table.partitionedBy !== undefined && { partitionedBy: table.partitionedBy }),
    ...(table.wildcard && { wildcard: { ...table.wildcard, columns: table.columns } }),
    at: node.at,
  }
  const alias = node.alias?.name ?? impliedAlias
  const names = rangeNames([...columns, ...unreadable], false, alias, hidden)
  return { scan, names: node.alias ? names : withPath(names, pathOf(node)) }
}

const pathOf = ({ path }: ast.TablePath): string => path.map(part => part.name).join('.')

const withPath = (names: FromNames, path: string): FromNames => ({
  ...names,
  ranges: names.ranges.map(range => (range.kind === 'table' ? { ...range, path } : range)),
})

/** @throws SqlError where no table has the name */
function findTable(node: ast.TablePath, env: QueryEnv): TableDefinition {
  const name = pathOf(node)
  const table = env.tables.find(name)
  if (table) return table
  const absence = env.tables.absence(name)
  if (absence !== undefined) {
    const { reason, ...schema } = absence
    return env.fail(`Table not found: ${name}`, node.at, {
      code: 'unknown-table',
      name,
      hint: `; ${reason}`,
      ...schema,
    })
  }
  const tableNames = env.tables.names()
  const meant =
    nearest(name, [...tableNames, ...[...env.ctes.values()].map(cte => cte.name)]) ?? withDataset(name, tableNames)
  const subject = isWildcard(name) ? `${name} does not match any table` : name
  return env.fail(`Table not found: ${subject}`, node.at, { code: 'unknown-table', name, ...proposing(meant) })
}

/** The table whose name without its dataset is nearest to `name`; undefined where `name` includes a dataset. */
function withDataset(name: string, tableNames: readonly string[]): string | undefined {
  if (name.includes('.')) return undefined
  const meant = nearest(name, tableNames.map(lastName))
  return tableNames.find(table => lastName(table) === meant)
}

/** The name of a table without an alias: `edge` for `` `logs.edge` ``. */
const lastName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

function resolveSubqueryFrom(node: ast.SubqueryFrom, env: QueryEnv): FromResult {
  const result = env.query(node.query, env)
  return { scan: result.scan, names: rangeNames(result.columns, result.isValueTable, node.alias?.name ?? '') }
}

// ---- arrays

function unnest(
  expression: ast.Expression,
  alias: string,
  offsetName: ast.Identifier | null,
  path: ast.Identifier | null,
  left: FromResult | null,
  env: QueryEnv,
): FromResult {
  const array = env.expression(expression, fromEnv(left?.names ?? NO_NAMES, env, 'FROM clause'))
  if (array.type.kind !== 'ARRAY') {
    const [place, value] = path ? ['FROM clause', `${path.name} has`] : ['UNNEST', 'UNNEST contains expression of']
    const message = `Values referenced in ${place} must be arrays. ${value} type ${typeName(array.type)}`
    return env.fail(message, (path ?? expression).at)
  }
  const element = env.newColumn(alias || impliedName(expression), array.type.element)
  const offset = offsetName && env.newColumn(offsetName.name, INT64)
  const scan: UnnestScan = {
    kind: 'unnest',
    input: left?.scan ?? null,
    array,
    element,
    offset,
    isOuter: false,
    condition: null,
    columns: [...(left?.scan.columns ?? []), element, ...(offset ? [offset] : [])],
  }
  const arrayNames = joinNames(
    rangeNames([{ name: alias, column: element }], true, alias),
    offset ? rangeNames([{ name: offset.name, column: offset }], true, offset.name) : NO_NAMES,
  )
  return { scan, names: left ? joinNames(left.names, arrayNames) : arrayNames }
}

// ---- joins

const joinNames = (left: FromNames, right: FromNames): FromNames => ({
  ranges: [...left.ranges, ...right.ranges],
  columns: [...left.columns, ...right.columns],
  hidden: [...(left.hidden ?? []), ...(right.hidden ?? [])],
})

function resolveJoin(node: ast.Join, env: QueryEnv): FromResult {
  const left = resolveFrom(node.left, null, env)
  checkAliases([node.left, node.right], new Map(), env)
  return joinTo(left, node, env)
}

/** A join without its left side. */
type JoinNode = Omit<ast.Join, 'kind' | 'left'>

/** The join of a pipe: its left side is the table that comes through the pipe. */
export function resolvePipeJoin(left: FromResult, node: ast.PipeJoin, env: QueryEnv): FromResult {
  const leftAliases = left.names.ranges.map((range): [string, string | null] => [
    range.name.toLowerCase(),
    range.kind === 'table' ? (range.path ?? null) : null,
  ])
  checkAliases([node.right], new Map(leftAliases), env)
  return joinTo(left, node, env)
}

function joinTo(left: FromResult, node: JoinNode, env: QueryEnv): FromResult {
  const right = resolveFrom(node.right, left, env)
  const isArray = right.scan.kind === 'unnest' && right.scan.input === left.scan
  if (isArray && node.join !== 'right' && node.join !== 'full') return joinArray(node, left, right, env)
  if (isArray) {
    if (node.right.kind === 'table' && lookup(fromScope(left.names, null), node.right.path[0]!.name)) {
      const path = node.right.path.map(part => part.name).join('.')
      const join = node.join.toUpperCase()
      return env.fail(`Correlated array references are not allowed with ${join} JOIN: ${path}`, node.right.at)
    }
    // In a RIGHT or FULL join the array must not be correlated: it is resolved without the left side.
    return joinScans(node, left, resolveFrom(node.right, null, env), env)
  }
  return joinScans(node, left, right, env)
}

/**
 * Refuses two equal table aliases. Tables without aliases may have different paths with the same last part, which then is an
 * ambiguous name. `names` maps each alias in use, in lower case, to the path of a table without an alias, or to null; this
 * function adds the aliases of `items`.
 */
function checkAliases(items: readonly ast.From[], names: Map<string, string | null>, context: ResolveContext): void {
  const visit = (from: ast.From): void => {
    if (from.kind === 'join') {
      visit(from.left)
      visit(from.right)
      return
    }
    if (from.kind === 'parenthesised') {
      visit(from.from)
      return
    }
    if (from.kind === 'unnest') return
    const alias = from.alias ?? (from.kind === 'table' ? from.path[from.path.length - 1] : undefined)
    if (!alias) return
    const path = from.kind === 'table' && !from.alias ? pathOf(from) : null
    const key = (path === null ? alias.name : lastName(alias.name)).toLowerCase()
    const other = names.get(key)
    if (other !== undefined && (path === null || other === null || other === path))
      context.fail(`Duplicate table alias ${alias.name} in the same FROM clause`, alias.at, { code: 'duplicate-alias' })
    names.set(key, path)
  }
  items.forEach(visit)
}

/** A join with an array: one unnest scan whose input is the left side. `right` already has the columns of the left side. */
function joinArray(node: JoinNode, left: FromResult, right: FromResult, env: QueryEnv): FromResult {
  const scan = right.scan as UnnestScan
  if (node.using) return joinArrayUsing({ join: node.join, using: node.using }, left, right, env)
  const on = node.on && conditionOf(node.on, 'ON clause', fromEnv(right.names, env, 'ON clause'))
  if (node.join === 'left') return { scan: { ...scan, isOuter: true, condition: on }, names: right.names }
  return { scan: on ? filterScan(scan, on) : scan, names: right.names }
}

function joinArrayUsing(node: UsingNode, left: FromResult, right: FromResult, env: QueryEnv): FromResult {
  const scan = right.scan as UnnestScan
  const arrayNames: FromNames = {
    ranges: right.names.ranges.slice(left.names.ranges.length),
    columns: right.names.columns.slice(left.names.columns.length),
  }
  const { on, names } = usingNames(node, left.names, arrayNames, fromEnv(left.names, env, 'USING'))
  if (node.join === 'left') return { scan: { ...scan, isOuter: true, condition: on }, names }
  return { scan: filterScan(scan, on), names }
}

function joinScans(node: JoinNode, left: FromResult, right: FromResult, env: QueryEnv): FromResult {
  const columns = [...left.scan.columns, ...right.scan.columns]
  const join = node.join === 'comma' ? 'cross' : node.join
  const both = joinNames(left.names, right.names)
  if (node.using) {
    const using = { join: node.join, using: node.using }
    const { on, names, merged } = usingNames(using, left.names, right.names, fromEnv(left.names, env, 'USING'))
    const scan = joinScan({ kind: 'join', join, left: left.scan, right: right.scan, condition: on, columns }, env)
    if (merged.length === 0) return { scan, names }
    return { scan: withComputed(scan, merged), names }
  }
  if (join !== 'cross' && !node.on) {
    return env.fail(`${join.toUpperCase()} JOIN must have an immediately following ON or USING clause`, node.at)
  }
  const on = node.on && conditionOf(node.on, 'ON clause', fromEnv(both, env, 'ON clause'))
  const scan = joinScan({ kind: 'join', join, left: left.scan, right: right.scan, condition: on, columns }, env)
  return { scan, names: both }
}

const joinScan = (scan: JoinScan, context: ResolveContext): Scan =>
  scan.join === 'full' && isCorrelated(scan) ? withoutFullJoin(scan, context) : scan
