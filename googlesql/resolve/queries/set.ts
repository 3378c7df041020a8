/** Set operations: their inputs get the same number of columns, in the same order, with the same types. */

import type * as ast from '../../ast/nodes.js'
import { isGroupable } from '../../functions/definitions/operators.js'
import { literal } from '../../plan/build.js'
import type { Column, Expr, Scan } from '../../plan/nodes.js'
import { coerceTo, commonSupertype } from '../../types/apply-coercion.js'
import { INT64, sameType, type Type, typeName } from '../../types/types.js'
import { coerced, computed, type NamedColumn, type QueryResult, type ResolveContext } from '../context.js'
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
  const words = `${node.operator} ${node.isAll ? 'ALL' : 'DISTINCT'}`
  const rows =
    node.match === 'position' ? byPosition(node, results, words, context) : byName(node, results, words, context)
  const first = rows[0]!
  const types = first.map((_, i) => {
    const exprs = rows.map((row, q) => row[i]?.expr ?? untypedNull(node.inputs[q]!.at))
    const type = commonSupertype(exprs)
    if (!type) {
      const typeNames = exprs.map(expr => typeName(expr.type)).join(', ')
      return context.fail(`Column ${i + 1} in ${words} has incompatible types: ${typeNames}`, node.inputs[1]!.at)
    }
    if (!node.isAll && !isGroupable(type)) {
      return context.fail(
        `Column ${i + 1} in ${words} has type that does not support set operation comparisons: ${typeName(type)}`,
        node.at,
      )
    }
    return type
  })
  const inputs = rows.map((row, q) => {
    const exprs = row.map((item, i) => coerceTo(item?.expr ?? untypedNull(node.at), types[i]!, context.source)!)
    const items = exprs.map((expr, i) => ({ name: row[i]?.name ?? '', expr }))
    return projected(results[q]!.scan, items, context)
  })
  return { inputs, names: first.map((item, i) => item?.name ?? rows.find(row => row[i])?.[i]?.name ?? '') }
}

/**
 * The result with its columns coerced to these types; `what` names the result in the message about a column that cannot be
 * coerced.
 */
export function castColumns(
  result: QueryResult,
  types: readonly Type[],
  at: number,
  what: string,
  context: ResolveContext,
): Scan {
  const items = result.columns.map((named, i): Item => {
    const [own, wanted] = [named.column.type, types[i]!].map(typeName)
    const reason = `Column ${i + 1} of the ${what} has type ${own}, which cannot be coerced to ${wanted}`
    return { name: named.name, expr: coerced(outputExpr(result, named), types[i]!, reason, context, at) }
  })
  return projected(result.scan, items, context)
}

interface Item {
  readonly name: string
  readonly expr: Expr
}
/** The columns of one input; null for a column that the input does not have. */
type Row = readonly (Item | null)[]

const untypedNull = (at: number): Expr => literal(INT64, null, at)

function byPosition(
  node: SetNode,
  results: readonly QueryResult[],
  words: string,
  context: ResolveContext,
): readonly Row[] {
  const width = results[0]!.columns.length
  return results.map((result, q) => {
    const count = result.columns.length
    if (count !== width) {
      const columns = (n: number): string => `${n} column${n === 1 ? '' : 's'}`
      context.fail(
        `Queries in ${words} have mismatched column count; query 1 has ${columns(width)}, query ${q + 1} has ${columns(count)}`,
        node.inputs[q]!.at,
      )
    }
    return result.columns.map(named => ({ name: named.name, expr: outputExpr(result, named) }))
  })
}

/** BY NAME and CORRESPONDING. Source: the language reference, set operators, "Matching columns by name". */
function byName(
  node: SetNode,
  results: readonly QueryResult[],
  words: string,
  context: ResolveContext,
): readonly Row[] {
  const sets = results.map((result, q) => namesOf(result, node.inputs[q]!.at, context))
  const isStrict = node.mode === null && (node.match === 'by-name' || node.isStrict)
  const chosen = chooseNames(node, sets, isStrict, words, context)
  return results.map((result, q) =>
    chosen.map((name): Item | null => {
      const match = result.columns.find(named => named.name.toLowerCase() === name.toLowerCase())
      if (match) return { name: match.name, expr: outputExpr(result, match) }
      if (node.mode === 'full' || (node.mode === 'left' && q > 0)) return null
      return context.fail(`Column ${name} is missing from query ${q + 1} of ${words} by name`, node.inputs[q]!.at)
    }),
  )
}

function namesOf(result: QueryResult, at: number, context: ResolveContext): readonly string[] {
  const names = result.columns.map(named => named.name)
  if (result.isValueTable || names.includes(''))
    return context.fail('Matching columns by name needs a name for every column', at)
  if (new Set(names.map(name => name.toLowerCase())).size < names.length) {
    return context.fail('Matching columns by name needs column names that differ', at)
  }
  return names
}

function chooseNames(
  node: SetNode,
  sets: readonly (readonly string[])[],
  isStrict: boolean,
  words: string,
  context: ResolveContext,
): readonly string[] {
  const has = (set: readonly string[], name: string): boolean =>
    set.some(other => other.toLowerCase() === name.toLowerCase())
  const [first, ...others] = sets as [readonly string[], ...(readonly string[])[]]
  if (node.matchColumns) return node.matchColumns.map(column => column.name)
  if (isStrict) {
    others.forEach((set, i) => {
      if (set.length !== first.length || !set.every(name => has(first, name))) {
        context.fail(`Queries in ${words} matched by name must have the same column names`, node.inputs[i + 1]!.at)
      }
    })
    return first
  }
  if (node.mode === 'left') return first
  if (node.mode === 'full') {
    const all: string[] = []
    for (const name of sets.flat()) if (!has(all, name)) all.push(name)
    return all
  }
  const common = first.filter(name => others.every(set => has(set, name)))
  return common.length > 0
    ? common
    : context.fail(`Queries in ${words} matched by name have no column in common`, node.at)
}

/**
 * The expression of an output column. A literal, also in a field of a STRUCT, is returned as a literal, so that it is coerced
 * like a literal.
 */
function outputExpr(result: QueryResult, named: NamedColumn): Expr {
  const read = readableExpr(named.column, false, 0)
  const written = exprBehind(result.scan, named.column)
  return written ? withLiterals(read, written) : read
}

function exprBehind(scan: Scan, column: Column): Expr | null {
  if (scan.kind !== 'project') return null
  const own = scan.computed.find(item => item.column.id === column.id)
  return own ? own.expr : exprBehind(scan.input, column)
}

/** The column `read`, with the literals of its expression `written` in their places. */
function withLiterals(read: Expr, written: Expr): Expr {
  if (written.kind === 'literal' || isBareArray(written)) return written
  if (written.kind !== 'struct' || !holdsLiteral(written)) return read
  const { at } = written
  const fields = written.fields.map((field, index): Expr => {
    if (field.kind === 'literal') return field
    const own: Expr = { kind: 'field', type: field.type, operand: read, index, at }
    return field.kind === 'struct' ? withLiterals(own, field) : own
  })
  return { ...written, fields }
}

/** Whether the expression is a literal, or a STRUCT without a written type that contains a literal. */
const holdsLiteral = (expr: Expr): boolean =>
  expr.kind === 'literal' || (expr.kind === 'struct' && !expr.hasWrittenType && expr.fields.some(holdsLiteral))

const isBareArray = (expr: Expr): boolean => expr.kind === 'array' && !expr.hasWrittenType && expr.items.length === 0

function projected(input: Scan, items: readonly Item[], context: ResolveContext): Scan {
  const isSame = ({ expr }: Item, i: number): boolean => {
    const column = input.columns[i]!
    return expr.kind === 'column' && expr.column.id === column.id && sameType(expr.type, column.type)
  }
  if (items.length === input.columns.length && items.every(isSame)) return input
  const made = items.map(({ name, expr }) => computed(name, expr, context))
  return { kind: 'project', input, computed: made, columns: made.map(item => item.column) }
}
