/** Scans as SELECT blocks. Scans that fit into one SELECT share a SELECT; the others become derived tables. */

import { isVolatile, isVolatileScan } from '../../../googlesql/functions/facts.js'
import type {
  Column,
  CteScan,
  Expr,
  FilterScan,
  LimitScan,
  OrderScan,
  ProjectScan,
  Scan,
  SetScan,
  TableScan,
  WindowScan,
  WithScan,
} from '../../../googlesql/plan/nodes.js'
import { columnsRead, conjuncts, partsOfWindow } from '../../../googlesql/plan/walk.js'
import { mayFail } from '../../analysis/fallible-expressions.js'
import { type Context, type Env, findEntry, GenerateError, inScope, isConstant } from '../context.js'
import { windowSql } from '../expressions/aggregates.js'
import { castSql } from '../expressions/cast.js'
import { path, textFragment } from '../fragment.js'
import { quoteName } from '../quote.js'
import { duckdbType } from '../type.js'
import { groupedBlock } from './aggregate-scan.js'
import { joinBlock } from './joins.js'
import { tableSql } from './null-arrays.js'
import { partitionTests } from './partition-filter.js'
import { partitionRead } from './partition-reads.js'
import { rowCountSql } from './row-count.js'
import {
  type Block,
  type BlockOf,
  columnEntry,
  computedEntry,
  derive,
  EMPTY_BLOCK,
  type Ids,
  inBlock,
  isLimited,
  makeReadable,
  type Output,
  rowsOf,
  scopeOf,
  selectSql,
  withEntries,
} from './select-block.js'
import { shardViewName } from './shard-reads.js'
import { orderParts } from './sort.js'
import { unnestBlock } from './unnest.js'

/** The block of any scan. It may offer more columns than are needed. */
export const blockOf: BlockOf = (scan, needed, env) =>
  (BLOCKS[scan.kind] as (...args: Parameters<BlockOf>) => Block)(scan, needed, env)

const BLOCKS: {
  readonly [K in Scan['kind']]: (scan: Extract<Scan, { kind: K }>, needed: Ids, env: Env) => Block
} = {
  'one-row': () => EMPTY_BLOCK,
  table: (scan, _needed, env) => tableBlock(scan, env),
  cte: cteBlock,
  filter: filterBlock,
  project: projectBlock,
  unnest: (scan, needed, env) => unnestBlock(scan, needed, env, blockOf),
  join: (scan, needed, env) => joinBlock(scan, needed, env, blockOf),
  aggregate: (scan, needed, env) => groupedBlock(scan, needed, env, blockOf),
  window: windowBlock,
  set: (scan, _needed, env) => setBlock(scan, env),
  order: orderBlock,
  limit: limitBlock,
  with: withBlock,
}

/** The text of a query that gives these columns of the scan under these names. */
export function querySql(scan: Scan, columns: readonly Column[], names: readonly string[], env: Env): string {
  const block = blockOf(scan, new Set(columns.map(column => column.id)), env)
  const scope = scopeOf(block, null)
  return selectSql(
    block,
    columns.map((column, i) => ({ ...findEntry(scope, column), name: names[i]! })),
  )
}

function sourceBlock(
  source: string,
  alias: string,
  columns: readonly Column[],
  nameOf: (column: Column, index: number) => string,
): Block {
  const entries = columns.map((column, i) => columnEntry(column, path(`${alias}.${nameOf(column, i)}`)))
  return withEntries({ ...EMPTY_BLOCK, from: `${source} AS ${alias}` }, entries)
}

function tableBlock(scan: TableScan, context: Context): Block {
  const alias = context.newAlias()
  const table = scan.wildcard ? shardViewName(scan, context) : scan.table
  const source = tableSql(table, scan.columns, context.fillings)
  const block = sourceBlock(source, alias, scan.columns, column => quoteName(column.name))
  const read = context.partitionReads && partitionRead(scan, context)
  if (read) context.partitionReads?.push(read)
  return { ...block, where: partitionTests(scan, alias, context) }
}

function cteBlock(scan: CteScan, needed: Ids, env: Env): Block {
  const cteSource = env.ctes.get(scan.cte)
  if (!cteSource) throw new GenerateError(`Internal error: no common table expression #${scan.cte} in sight`, null)
  if (cteSource.kind === 'named') {
    return sourceBlock(cteSource.name, env.newAlias(), scan.columns, (_, index) => cteSource.columns[index]!)
  }
  const sources = cteSource.cte.scan.columns
  const kept = scan.columns.flatMap((column, i) => (needed.has(column.id) ? [{ column, source: sources[i]! }] : []))
  const block = blockOf(cteSource.cte.scan, new Set(kept.map(({ source }) => source.id)), inScope(cteSource.outer, env))
  const scope = scopeOf(block, null)
  const entries = new Map(kept.map(({ column, source }) => [column.id, { ...findEntry(scope, source), column }]))
  return { ...block, entries }
}

function filterBlock(scan: FilterScan, needed: Ids, env: Env): Block {
  const reads = columnsRead([scan.condition])
  const keep = new Set([...needed, ...reads])
  const block = rowsOf(blockOf(scan.input, keep, env), reads, keep, env)
  const inner = inBlock(block, env)
  return { ...block, where: [...block.where, ...conjuncts(scan.condition).map(part => env.expr(part, inner).text)] }
}

function projectBlock(scan: ProjectScan, needed: Ids, env: Env): Block {
  const computed = scan.computed
    .filter(({ column }) => needed.has(column.id))
    .map(part => ({ ...part, reads: columnsRead([part.expr]) }))
  const keep = new Set([...needed, ...computed.flatMap(({ reads }) => [...reads])])
  let block = blockOf(scan.input, keep, env)
  // DuckDB computes a SELECT list before ORDER BY and LIMIT, and so also for rows that the LIMIT leaves out.
  if (isLimited(block) && computed.some(({ expr }) => mayFail(expr))) block = derive(block, keep, env)
  // One mutable map for all computed columns: a copy for each column would take quadratic time in their number.
  let entries = new Map(block.entries)
  for (const { column, expr, reads } of computed) {
    const source = expr.kind === 'column' ? entries.get(expr.column.id) : undefined
    if (source && !source.isVolatile) {
      entries.set(column.id, { ...source, column })
      continue
    }
    const current = { ...block, entries }
    block = makeReadable(current, reads, keep, env)
    if (block !== current) entries = new Map(block.entries)
    const kind = isPath(expr, entries) ? 'path' : isConstant(expr) ? 'constant' : 'computed'
    const sql = env.expr(expr, inScope({ entries, outer: env.scope }, env))
    entries.set(column.id, { column, sql, kind, isVolatile: isVolatile(expr), source: column.id })
  }
  return { ...block, entries }
}

/**
 * Whether the expression is a column of the block itself, or a field of such a column; false for a column of an outer query.
 */
function isPath(expr: Expr, entries: Block['entries']): boolean {
  let operand = expr
  while (operand.kind === 'field') operand = operand.operand
  if (operand.kind !== 'column') return false
  const kind = entries.get(operand.column.id)?.kind
  return kind === 'column' || kind === 'path'
}

function windowBlock(scan: WindowScan, needed: Ids, env: Env): Block {
  const functions = scan.functions.filter(({ column }) => needed.has(column.id))
  const reads = columnsRead(functions.flatMap(({ call }) => partsOfWindow(call)))
  const keep = new Set([...needed, ...reads])
  let block = blockOf(scan.input, keep, env)
  if (block.groupBy || isLimited(block)) block = derive(block, keep, env)
  block = makeReadable(block, reads, keep, env)
  const inner = inBlock(block, env)
  const added = functions.map(({ column, call }) => computedEntry(column, textFragment(windowSql(call, inner))))
  return { ...withEntries(block, added), isWindowed: true }
}

function setBlock(scan: SetScan, env: Env): Block {
  const names = scan.columns.map(column => env.name(column))
  const entries = scan.columns.map((column, i) => columnEntry(column, path(names[i]!)))
  const arms = scan.inputs.map(input => armOf(input, scan.columns, env))
  // DuckDB plans each SELECT of a set operation by itself, and runs them in parallel. VALUES is one scan, which keeps the order of the
  // rows.
  const isValues = scan.inputs.every((input, i) => isLiteralRow(input) && arms[i]!.hasSameTypes)
  if (scan.operator === 'UNION' && scan.isAll && names.length > 0 && isValues) {
    const rows = arms.map(({ outputs }) => `(${outputs.map(({ sql }) => String(sql)).join(', ')})`)
    const from = `(VALUES\n${rows.join(',\n')}\n) AS ${env.newAlias()}(${names.join(', ')})`
    return withEntries({ ...EMPTY_BLOCK, from }, entries)
  }
  const operator = `${scan.operator}${scan.isAll ? ' ALL' : ''}`
  const parts = arms.map(({ block, outputs }) => `(${selectSql(block, outputs)})`)
  return withEntries({ ...EMPTY_BLOCK, from: `(\n${parts.join(`\n${operator}\n`)}\n)` }, entries)
}

/** Whether the scan is one row of literals and typed NULLs. DuckDB cannot run some VALUES of parameters and other casts. */
function isLiteralRow(scan: Scan): boolean {
  if (scan.kind !== 'project') return scan.kind === 'one-row'
  const inputIds = new Set(scan.input.columns.map(column => column.id))
  const isLiteral = (expr: Expr): boolean =>
    expr.kind === 'literal' ||
    (expr.kind === 'column' && inputIds.has(expr.column.id)) ||
    (expr.kind === 'cast' && expr.operand.kind === 'literal' && expr.operand.value === null)
  return isLiteralRow(scan.input) && scan.computed.every(({ expr }) => isLiteral(expr))
}

/** One input of a set operation. It gets the names of the operation's columns, and casts where a type differs from the column's. */
function armOf(input: Scan, columns: readonly Column[], env: Env) {
  const block = blockOf(input, new Set(input.columns.map(column => column.id)), env)
  const scope = scopeOf(block, null)
  const areSame = input.columns.map(({ type }, i) => duckdbType(type) === duckdbType(columns[i]!.type))
  const outputs = input.columns.map((column, i): Output => {
    const entry = findEntry(scope, column)
    const target = columns[i]!
    const isSame = areSame[i]!
    const sql = isSame ? entry.sql : castSql(entry.sql.text, column.type, target.type)
    return { name: env.name(target), sql, source: isSame ? entry.source : null }
  })
  const hasSameTypes = areSame.every(Boolean)
  return { hasSameTypes, block: isLimited(block) ? block : { ...block, order: [] }, outputs }
}

function armSql(input: Scan, columns: readonly Column[], env: Env): string {
  const { block, outputs } = armOf(input, columns, env)
  return selectSql(block, outputs)
}

function orderBlock(scan: OrderScan, needed: Ids, env: Env): Block {
  const reads = columnsRead(scan.keys.map(key => key.expr))
  const keep = new Set([...needed, ...reads])
  let block = blockOf(scan.input, keep, env)
  if (isLimited(block)) block = derive(block, keep, env)
  // A key that is a column can be written as its alias; a key that is computed from columns must be able to read them.
  const computed = scan.keys.filter(key => key.expr.kind !== 'column' || key.expr.type.kind === 'FLOAT64')
  block = makeReadable(block, columnsRead(computed.map(key => key.expr)), keep, env)
  const isVolatileKey = scan.keys.some(
    key => key.expr.kind === 'column' && block.entries.get(key.expr.column.id)?.isVolatile,
  )
  if (isVolatileKey) block = derive(block, keep, env)
  return { ...block, order: orderParts(scan.keys, inBlock(block, env)) }
}

function limitBlock(scan: LimitScan, needed: Ids, env: Env): Block {
  let block = blockOf(scan.input, needed, env)
  if (isLimited(block)) block = derive(block, needed, env)
  return {
    ...block,
    limit: rowCountSql(scan.limit, env),
    offset: scan.offset && rowCountSql(scan.offset, env),
  }
}

const isLimitedScan = (scan: Scan): boolean =>
  scan.kind === 'limit' || (scan.kind === 'project' && isLimitedScan(scan.input))

function withBlock(scan: WithScan, needed: Ids, env: Env): Block {
  const withs: string[] = []
  for (const cte of scan.ctes) {
    if (env.isInline(cte)) {
      env.ctes.set(cte.id, { kind: 'inline', cte, outer: env.scope })
      continue
    }
    const name = env.cteName(cte)
    const columns = cte.columns.map(column => env.name(column))
    env.ctes.set(cte.id, { kind: 'named', name, columns })
    // A volatile CTE and one with a LIMIT are computed once, so that all readers see the same rows.
    const isMaterialized =
      cte.isComputedFirst || (!cte.recursion && (isLimitedScan(cte.scan) || isVolatileScan(cte.scan)))
    const keyword = isMaterialized ? 'AS MATERIALIZED' : 'AS'
    const operator = cte.recursion?.isAll ? 'UNION ALL' : 'UNION'
    const terms = [cte.scan, ...(cte.recursion?.terms ?? [])].map(term => armSql(term, cte.columns, env))
    const body = terms.length === 1 ? terms[0]! : terms.map(term => `(${term})`).join(`\n${operator}\n`)
    withs.push(`${name}${cte.recursion ? ` (${columns.join(', ')})` : ''} ${keyword} (\n${body}\n)`)
  }
  const block = blockOf(scan.body, needed, env)
  return {
    ...block,
    withs: [...withs, ...block.withs],
    isRecursive: block.isRecursive || scan.ctes.some(cte => cte.recursion !== null),
  }
}
