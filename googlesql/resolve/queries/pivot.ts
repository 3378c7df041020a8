/** PIVOT and UNPIVOT, expressed by other nodes of the plan: filtered aggregates, and arrays of structs. */

import type * as ast from '../../ast/nodes.js'
import { isGroupable } from '../../functions/definitions/operators.js'
import { aggregateScan, call, filterScan, literal } from '../../plan/build.js'
import { exprKey } from '../../plan/key.js'
import type { Column, Expr, Scan } from '../../plan/nodes.js'
import { mapExpr } from '../../plan/rewrite.js'
import {
  arrayOf,
  BOOL,
  INT64,
  STRING,
  type StructField,
  sameType,
  shortTypeName,
  structOf,
  type Type,
  typeName,
} from '../../types/types.js'
import {
  type CollectedCalls,
  clauseEnv,
  coerceOrFail,
  computedColumn,
  type NamedColumn,
  type QueryEnv,
} from '../context.js'
import {
  type FromNames,
  fromScope,
  lookup,
  readableExpr,
  type VisibleColumn,
  visibleColumn,
  visibleExpr,
} from '../name-scope.js'

interface FromResult {
  readonly scan: Scan
  readonly names: FromNames
}

function tableNames(columns: readonly NamedColumn[], alias: string): FromNames {
  const seen = columns.map(({ name, column }) => visibleColumn(column, name))
  return { ranges: [{ kind: 'table', name: alias, columns: seen }], columns: seen }
}

/** PIVOT groups by every input column that neither the aggregates nor the pivot column read. */
export function resolvePivot(node: Omit<ast.Pivot, 'kind' | 'input'>, input: FromResult, env: QueryEnv): FromResult {
  const scope = fromScope(input.names, env.outer)
  const pivotEnv = clauseEnv(scope, env, 'PIVOT')
  const on = env.expression(node.on, pivotEnv)
  const values = node.values.map(value => {
    const expr = env.expression(value.expression, { ...pivotEnv, scope: null })
    const reason = `PIVOT value has type ${typeName(expr.type)}, which does not coerce to ${typeName(on.type)} of the pivot column`
    const coercedValue = coerceOrFail(expr, on.type, reason, env, value.expression.at)
    const nameOf = (followsPrefix: boolean): string =>
      value.alias?.name ?? pivotName(value.expression, coercedValue, followsPrefix, env)
    return { expr: coercedValue, name: nameOf(false), suffix: nameOf(true) }
  })
  const aggregates = node.aggregates.map(aggregate => {
    const collected: CollectedCalls = { aggregates: [], windows: [], groupings: [] }
    const expr = env.expression(aggregate.expression, { ...pivotEnv, aggregates: { collected, scope } })
    const first = collected.aggregates[0]
    if (!first || expr.kind !== 'column' || expr.column !== first.column || collected.aggregates.length !== 1) {
      return env.fail('PIVOT expression must be an aggregate function call', aggregate.expression.at)
    }
    return { call: first.call, prefix: aggregate.alias?.name ?? null, at: aggregate.expression.at }
  })
  if (aggregates.length > 1) {
    const unnamed = aggregates.find(aggregate => aggregate.prefix === null)
    if (unnamed) return env.fail('PIVOT with more than one aggregate needs an alias for each', unnamed.at)
  }
  // The input columns may be fields of one struct, the row of a value table: an expression that reads one field does not read the others.
  const reads = new Set<string>()
  const addRead = (expr: Expr | null): void => {
    if (!expr) return
    mapExpr(expr, part => {
      if (part.kind === 'column') reads.add(exprKey(part))
      if (part.kind !== 'field' || part.operand.kind !== 'column') return undefined
      reads.add(exprKey(part))
      return part
    })
  }
  const isRead = (column: VisibleColumn): boolean =>
    reads.has(exprKey(visibleExpr(column, false, node.at))) || reads.has(exprKey(readableExpr(column.column, false, 0)))
  addRead(on)
  for (const { call } of aggregates) {
    for (const part of call.arguments) addRead(part)
    addRead(call.having?.expr ?? null)
    for (const key of call.orderBy) addRead(key.expr)
  }
  const kept = input.names.columns.filter(column => !isRead(column))
  for (const { name, type } of kept) {
    if (isGroupable(type)) continue
    const typeText = shortTypeName(type)
    env.fail(
      `Column ${name} of type ${typeText} cannot be used as an implicit grouping column of a PIVOT clause`,
      node.at,
    )
  }
  const keys = kept.map(column => computedColumn(column.name, visibleExpr(column, false, node.at), env))
  const outputs = values.flatMap(value =>
    aggregates.map(({ call, prefix }) => ({
      name: prefix === null ? value.name : `${prefix}_${value.suffix}`,
      column: env.newColumn(value.name, call.type),
      call: { ...call, filter: matchExpr(on, value.expr, node.at) },
    })),
  )
  const scan = aggregateScan(
    input.scan,
    keys,
    outputs.map(({ column, call }) => ({ column, call })),
  )
  const all = [
    ...keys.map(({ column }, i) => ({ name: kept[i]!.name, column })),
    ...outputs.map(({ name, column }) => ({ name, column })),
  ]
  return { scan, names: tableNames(all, node.alias?.name ?? '') }
}

function matchExpr(on: Expr, value: Expr, at: number): Expr {
  return call('$not', BOOL, [call('$is_distinct', BOOL, [on, value], at)], at)
}

/**
 * The name of the column for a pivot value without an alias: the whole name, or the part after an aggregate's alias. Source:
 * the language reference, PIVOT, rules for `pivot_column`, and for an empty text the reference implementation.
 */
function pivotName(node: ast.Expression, expr: Expr, followsPrefix: boolean, env: QueryEnv): string {
  if (expr.kind === 'cast' && expr.operand.kind === 'literal' && expr.operand.value === null) return 'NULL'
  const prefix = followsPrefix ? '' : '_'
  if (expr.kind === 'literal') {
    const { type, value } = expr
    if (value === null) return 'NULL'
    switch (type.kind) {
      case 'STRING':
        if (value === '') return followsPrefix ? '_empty_string_value' : 'empty_string_value'
        return String(value)
      case 'BOOL':
        return value ? 'TRUE' : 'FALSE'
      case 'INT64':
      case 'NUMERIC':
      case 'BIGNUMERIC': {
        const text = String(value)
        const digits = text.replace('-', '').replace('.', '_point_')
        return text.startsWith('-') ? `minus_${digits}` : `${prefix}${digits}`
      }
      case 'DATE':
        return `${prefix}${String(value).replaceAll('-', '_')}`
      default:
        break
    }
  }
  if (expr.kind === 'struct') {
    const parts = expr.fields.map((field, i) => {
      const name = expr.type.fields[i]!.name
      const value = pivotName(node, field, followsPrefix || i > 0 || name !== '', env)
      return name === '' ? value : `${name}_${value}`
    })
    return parts.join('_')
  }
  return env.fail(`PIVOT value of type ${typeName(expr.type)} needs an alias`, node.at)
}

/** UNPIVOT returns each row once for each group of columns: it unnests an array with one struct for each group. */
export function resolveUnpivot(
  node: Omit<ast.Unpivot, 'kind' | 'input'>,
  input: FromResult,
  env: QueryEnv,
): FromResult {
  const resolve = ({ table, column: name }: ast.UnpivotedColumn): VisibleColumn => {
    if (table) return columnOf(table, name, input.names, env)
    const hit = lookup(fromScope(input.names, null), name.name)
    const matches = input.names.columns.filter(column => column.name.toLowerCase() === name.name.toLowerCase())
    if (matches.length > 1) return failAmbiguous(name, env)
    return matches[0] ?? (hit?.target.kind === 'column' ? hit.target.column : failUnrecognized(name, env))
  }
  const groups = node.groups.map(group => {
    if (group.columns.length !== node.values.length) {
      return env.fail(
        'The number of columns in the UNPIVOT IN clause differs from the number of value columns',
        node.at,
      )
    }
    return { columns: group.columns.map(resolve), label: group.label, names: group.columns.map(({ column }) => column) }
  })
  const types = groups[0]!.columns.map(column => column.type)
  for (const group of groups) {
    group.columns.forEach((column, i) => {
      if (!sameType(column.type, types[i]!)) {
        env.fail(
          `The datatype of column ${column.name} does not match with other datatypes in the IN clause. Expected ${typeName(types[i]!)}, found ${typeName(column.type)}`,
          group.names[i]!.at,
        )
      }
    })
  }
  const labels = groups.map(group => resolveLabel(group.label, group.names, env))
  const labelType: Type = labels.every(expr => expr.type.kind === 'INT64') ? INT64 : STRING
  const fields: StructField[] = [
    ...node.values.map((value, i) => ({ name: value.name, type: types[i]! })),
    { name: node.name.name, type: labelType },
  ]
  const row = structOf(fields)
  const items = groups.map(
    (group, g): Expr => ({
      kind: 'struct',
      type: row,
      fields: [...group.columns.map(column => visibleExpr(column, false, node.at)), labels[g]!],
      hasWrittenType: true,
      at: node.at,
    }),
  )
  if (labels.some(expr => expr.type.kind !== labelType.kind)) {
    return env.fail('UNPIVOT labels must be all strings or all integers', node.at)
  }
  const element = env.newColumn('', row)
  const array: Expr = { kind: 'array', type: arrayOf(row), items, hasWrittenType: true, at: node.at }
  const unnest: Scan = {
    kind: 'unnest',
    input: input.scan,
    array,
    element,
    offset: null,
    isOuter: false,
    condition: null,
    columns: [...input.scan.columns, element],
  }
  const used = new Set(
    groups.flatMap(group => group.columns.map(column => exprKey(visibleExpr(column, false, node.at)))),
  )
  const kept = input.names.columns.filter(column => !used.has(exprKey(visibleExpr(column, false, node.at))))
  const fieldOf = (type: Type, index: number): Expr => {
    const operand = readableExpr(element, false, node.at)
    return { kind: 'field', type, operand, index, at: node.at }
  }
  const computed = [
    ...kept.map(column => computedColumn(column.name, visibleExpr(column, false, node.at), env)),
    ...fields.map(({ name, type }, index) => computedColumn(name, fieldOf(type, index), env)),
  ]
  const columns = computed.map(item => item.column)
  const projection: Scan = { kind: 'project', input: unnest, computed, columns }
  const values = columns.slice(kept.length, kept.length + node.values.length)
  const scan = node.includesNulls ? projection : dropAllNull(projection, values, node.at)
  return {
    scan,
    names: tableNames(
      columns.map(column => ({ name: column.name, column })),
      node.alias?.name ?? '',
    ),
  }
}

/** The column of a FROM clause that `table.column` names. */
function columnOf(table: ast.Identifier, name: ast.Identifier, names: FromNames, env: QueryEnv): VisibleColumn {
  const hit = lookup(fromScope(names, null), table.name)?.target
  if (hit?.kind !== 'range') {
    // `column.field` has the form of `table.column` but is an expression.
    if (hit?.kind !== 'column') return failUnrecognized(table, env)
    return env.fail('UNPIVOT IN clause cannot have expressions, only column names are allowed', table.at)
  }
  const columns = hit.range.kind === 'table' ? hit.range.columns : []
  const [match, ...others] = columns.filter(column => column.name.toLowerCase() === name.name.toLowerCase())
  if (others.length > 0) return failAmbiguous(name, env)
  return match ?? env.fail(`Name ${name.name} not found inside ${table.name}`, name.at)
}

const failAmbiguous = ({ name, at }: ast.Identifier, env: QueryEnv): never =>
  env.fail(`Column name ${name} is ambiguous`, at, { code: 'ambiguous-column' })

const failUnrecognized = ({ name, at }: ast.Identifier, env: QueryEnv): never =>
  env.fail(`Unrecognized name: ${name}`, at, { code: 'unknown-name', name })

/** EXCLUDE NULLS leaves out a row whose value columns are all NULL. */
function dropAllNull(input: Scan, values: readonly Column[], at: number): Scan {
  const test = (name: string, args: Expr[]): Expr => call(name, BOOL, args, at)
  const condition = values
    .map(column => test('$not', [test('$is_null', [readableExpr(column, false, at)])]))
    .reduce((all, condition) => test('$or', [all, condition]))
  return filterScan(input, condition)
}

function resolveLabel(node: ast.Expression | null, names: readonly ast.Identifier[], env: QueryEnv): Expr {
  if (!node) {
    const text = names.map(name => name.name).join('_')
    return literal(STRING, text, names[0]!.at)
  }
  const expr = env.expression(node, clauseEnv(null, env, 'UNPIVOT'))
  if (expr.kind !== 'literal' || (expr.type.kind !== 'STRING' && expr.type.kind !== 'INT64')) {
    return env.fail('UNPIVOT labels must be string or integer literals', node.at)
  }
  return expr
}
