/** Set operations: their inputs get the same number of columns, in the same order, with the same types. */

import type * as ast from '../../ast/nodes.js'
import { isGroupable } from '../../functions/definitions/operators.js'
import { literal } from '../../plan/build.js'
import type { Column, Expr, Scan } from '../../plan/nodes.js'
import { coerceTo, commonSupertype } from '../../types/apply-coercion.js'
import { INT64, sameType, type Type, typeName } from '../../types/types.js'
import { coerceOrFail, computedColumn, type NamedColumn, type QueryResult, type ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'

/** A set operation with the places of its inputs instead of the inputs. */
export type SetNode = Omit<ast.SetOperation, 'kind' | 'inputs'> & {
  readonly inputs: readonly { readonly at: number }[]
}

/** The set operation over these results, one for each input of the node, in order. */
export function combine(node: SetNode, results: readonly QueryResult[], context: ResolveContext): QueryResult {
  const { inputs, names } = alignInputs(node, results, context)
  const columns = names.map((name, i) => context.newColumn(name, inputs[0]!.columns[i]!.type))
  const scan: Scan = { kind: 'set', operator: node.operator, isAll: node.isAll, inputs, columns }
  return {
    scan,
    columns: columns.map((column, i): NamedColumn => ({ name: names[i]!, column })),
    isValueTable: results.every(result => result.isValueTable),
  }
}

function alignInputs(
  node: SetNode,
  results: readonly QueryResult[],
  context: ResolveContext,
): { inputs: readonly Scan[]; names: readonly string[] } {
  const operation = `${node.operator} ${node.isAll ? 'ALL' : 'DISTINCT'}`
  const align = node.match === 'position' ? alignByPosition : alignByName
  const rows = align(node, results, operation, context)
  const exprs = rows.map((row, query) => row.map(item => item?.expr ?? literal(INT64, null, node.inputs[query]!.at)))
  const types = exprs[0]!.map((_, i) => {
    const columnExprs = exprs.map(row => row[i]!)
    const type = commonSupertype(columnExprs)
    if (!type) {
      const typeNames = columnExprs.map(expr => typeName(expr.type)).join(', ')
      return context.fail(`Column ${i + 1} in ${operation} has incompatible types: ${typeNames}`, node.inputs[1]!.at)
    }
    if (!node.isAll && !isGroupable(type)) {
      return context.fail(
        `Column ${i + 1} in ${operation} has type that does not support set operation comparisons: ${typeName(type)}`,
        node.at,
      )
    }
    return type
  })
  const names = exprs[0]!.map((_, i) => rows.find(row => row[i])![i]!.name)
  const inputs = rows.map((row, query) => {
    const coerced = exprs[query]!.map((expr, i) => coerceTo(expr, types[i]!, context.source)!)
    const items = row.map((item, i) => ({ name: item?.name ?? '', expr: coerced[i]! }))
    return projectItems(results[query]!.scan, items, context)
  })
  return { inputs, names }
}

/** The result with its columns coerced to these types. `what` names the result in the message about a column that is not coerced. */
export function castColumns(
  result: QueryResult,
  types: readonly Type[],
  at: number,
  what: string,
  context: ResolveContext,
): Scan {
  const items = result.columns.map((named, i): Item => {
    const [actual, expected] = [named.column.type, types[i]!].map(typeName)
    const reason = `Column ${i + 1} of the ${what} has type ${actual}, which cannot be coerced to ${expected}`
    return { name: named.name, expr: coerceOrFail(outputExpr(result, named), types[i]!, reason, context, at) }
  })
  return projectItems(result.scan, items, context)
}

interface Item {
  readonly name: string
  readonly expr: Expr
}
/** The columns of one input; null for a column that the input does not have. */
type Row = readonly (Item | null)[]

function alignByPosition(
  node: SetNode,
  results: readonly QueryResult[],
  operation: string,
  context: ResolveContext,
): readonly Row[] {
  const width = results[0]!.columns.length
  return results.map((result, query) => {
    const count = result.columns.length
    if (count !== width) {
      const columns = (n: number): string => `${n} column${n === 1 ? '' : 's'}`
      return context.fail(
        `Queries in ${operation} have mismatched column count; query 1 has ${columns(width)}, query ${query + 1} has ${columns(count)}`,
        node.inputs[query]!.at,
      )
    }
    return result.columns.map(named => ({ name: named.name, expr: outputExpr(result, named) }))
  })
}

/** BY NAME and CORRESPONDING. Source: the language reference, set operators, "Matching columns by name". */
function alignByName(
  node: SetNode,
  results: readonly QueryResult[],
  operation: string,
  context: ResolveContext,
): readonly Row[] {
  const sets = results.map((result, query) => namesOf(result, node.inputs[query]!.at, context))
  const names = chooseNames(node, sets, operation, context)
  return results.map((result, query) =>
    names.map((name): Item | null => {
      const match = result.columns.find(named => named.name.toLowerCase() === name.toLowerCase())
      if (match) return { name: match.name, expr: outputExpr(result, match) }
      if (node.mode === 'full' || (node.mode === 'left' && query > 0)) return null
      return context.fail(
        `Column ${name} is missing from query ${query + 1} of ${operation} by name`,
        node.inputs[query]!.at,
      )
    }),
  )
}

function namesOf(result: QueryResult, at: number, context: ResolveContext): readonly string[] {
  const names = result.columns.map(named => named.name)
  if (result.isValueTable || names.includes(''))
    return context.fail('Matching columns by name needs a name for every column', at)
  if (uniqueNames(names).length < names.length) {
    return context.fail('Matching columns by name needs column names that differ', at)
  }
  return names
}

function chooseNames(
  node: SetNode,
  sets: readonly (readonly string[])[],
  operation: string,
  context: ResolveContext,
): readonly string[] {
  const all = uniqueNames(sets.flat())
  const [first, ...others] = sets as [readonly string[], ...(readonly string[])[]]
  const disjoint = node.mode === 'left' ? others.findIndex(set => !first.some(name => has(set, name))) : -1
  if (disjoint >= 0) {
    const message = `Query ${disjoint + 2} of ${operation} by name has no column in common with query 1`
    return context.fail(message, node.inputs[disjoint + 1]!.at)
  }
  const listedNames = node.matchColumns?.map(column => column.name)
  for (const [i, { name, at }] of node.matchColumns?.entries() ?? []) {
    if (has(listedNames!.slice(0, i), name)) context.fail(`Column ${name} is listed twice in ${operation} by name`, at)
    if (!has(all, name)) context.fail(`Column ${name} is in no query of ${operation} by name`, at)
  }
  if (listedNames) return listedNames
  if (node.mode === null && (node.match === 'by-name' || node.isStrict)) {
    const other = others.findIndex(set => set.length !== first.length || !set.every(name => has(first, name)))
    if (other < 0) return first
    const message = `Queries in ${operation} matched by name must have the same column names`
    return context.fail(message, node.inputs[other + 1]!.at)
  }
  if (node.mode === 'left') return first
  if (node.mode === 'full') return all
  const common = first.filter(name => others.every(set => has(set, name)))
  if (common.length > 0) return common
  return context.fail(`Queries in ${operation} matched by name have no column in common`, node.at)
}

const has = (names: readonly string[], name: string): boolean =>
  names.some(other => other.toLowerCase() === name.toLowerCase())

const uniqueNames = (names: readonly string[]): readonly string[] => [
  ...new Map(names.map(name => [name.toLowerCase(), name])).values(),
]

/** The expression of an output column. GoogleSQL coerces its literals as literals, also those in the fields of a STRUCT. */
function outputExpr(result: QueryResult, named: NamedColumn): Expr {
  const column = readableExpr(named.column, false, 0)
  const definition = definitionOf(result.scan, named.column)
  if (!definition) return column
  const isBareArray = definition.kind === 'array' && !definition.hasWrittenType && definition.items.length === 0
  return isBareArray ? definition : withLiterals(column, definition)
}

function definitionOf(scan: Scan, column: Column): Expr | null {
  if (scan.kind !== 'project') return null
  const item = scan.computed.find(item => item.column.id === column.id)
  return item ? item.expr : definitionOf(scan.input, column)
}

/** The value, with the literals of its definition in their places. */
function withLiterals(value: Expr, definition: Expr): Expr {
  if (definition.kind === 'literal') return definition
  if (definition.kind !== 'struct' || !holdsLiteral(definition)) return value
  const { at } = definition
  const fields = definition.fields.map((field, index) =>
    withLiterals({ kind: 'field', type: field.type, operand: value, index, at }, field),
  )
  return { ...definition, fields }
}

/** Whether the expression is a literal, or a STRUCT without a written type that contains a literal. */
const holdsLiteral = (expr: Expr): boolean =>
  expr.kind === 'literal' || (expr.kind === 'struct' && !expr.hasWrittenType && expr.fields.some(holdsLiteral))

function projectItems(input: Scan, items: readonly Item[], context: ResolveContext): Scan {
  const isSame = ({ expr }: Item, i: number): boolean => {
    const column = input.columns[i]!
    return expr.kind === 'column' && expr.column.id === column.id && sameType(expr.type, column.type)
  }
  if (items.length === input.columns.length && items.every(isSame)) return input
  const columns = items.map(({ name, expr }) => computedColumn(name, expr, context))
  return { kind: 'project', input, computed: columns, columns: columns.map(item => item.column) }
}
