/** Writes trees of queries as GoogleSQL, which parses to the same trees, except for their places. */
import type * as ast from '../../../googlesql/ast/nodes.js'
import {
  aliased,
  directionText,
  type ExpressionPrinter,
  expressionPrinter,
  identifier,
  identifiers,
  typeText,
} from './print-expression.js'

/** The text of a script: its functions, and the query. */
export function printScript({ functions, variables, query }: ast.Script): string {
  const declarations = variables.filter(({ kind }) => kind === 'declare').map(variableText)
  const assignments = variables.filter(({ kind }) => kind === 'set').map(variableText)
  return [...declarations, ...functions.map(functionText), ...assignments, printQuery(query)].join('\n')
}

function printQuery(query: ast.Query): string {
  const { ctes, isRecursive, body, orderBy, limit, offset, pipes } = query
  return clauses(
    ctes.length > 0 && `WITH ${isRecursive ? 'RECURSIVE ' : ''}${ctes.map(cteText).join(', ')}`,
    bodyText(body),
    orderBy.length > 0 && print.orderByText(orderBy),
    limit && `LIMIT ${print.expression(limit)}`,
    offset && `OFFSET ${print.expression(offset)}`,
    ...pipes.map(pipe => `|> ${pipeText(pipe)}`),
  )
}

const print: ExpressionPrinter = expressionPrinter(printQuery)

/** The clauses that are present, separated by blanks. */
const clauses = (...texts: readonly (string | false | null)[]): string =>
  texts.filter(text => text !== false && text !== null && text !== '').join(' ')

function functionText({ name, mode, parameters, returns, body }: ast.FunctionDefinition): string {
  const listed = parameters.map(({ name: one, type }) => `${identifier(one)} ${type ? typeText(type) : 'ANY TYPE'}`)
  return clauses(
    `CREATE ${mode === 'replace' ? 'OR REPLACE ' : ''}TEMP FUNCTION`,
    mode === 'if-not-exists' && 'IF NOT EXISTS',
    `${identifier(name)}(${listed.join(', ')})`,
    returns && `RETURNS ${typeText(returns)}`,
    body.kind === 'javascript'
      ? `${body.isDeterministic ? '' : 'NOT '}DETERMINISTIC LANGUAGE js AS ${JSON.stringify(body.text)};`
      : `AS (${print.expression(body)});`,
  )
}

const cteText = ({ name, query }: ast.Cte): string => `${identifier(name)} AS (${printQuery(query)})`

function bodyText(body: ast.QueryBody): string {
  switch (body.kind) {
    case 'select':
      return selectText(body)
    case 'from':
      return `FROM ${fromText(body.from)}`
    case 'query':
      return `(${printQuery(body)})`
    case 'set-operation':
      return body.inputs.map(bodyText).join(` ${setOperatorText(body)} `)
  }
}

function setOperatorText(node: Omit<ast.SetOperation, 'kind' | 'inputs'>): string {
  const columns = node.matchColumns && identifiers(node.matchColumns)
  const match = {
    position: '',
    'by-name': clauses('BY NAME', columns && `ON ${columns}`),
    corresponding: clauses(node.isStrict && 'STRICT', 'CORRESPONDING', columns && `BY ${columns}`),
  }[node.match]
  return clauses(node.mode?.toUpperCase() ?? null, node.operator, node.isAll ? 'ALL' : 'DISTINCT', match)
}

function selectText(node: ast.Select): string {
  return clauses(
    'SELECT',
    node.isDistinct && 'DISTINCT',
    node.as && `AS ${node.as.toUpperCase()}`,
    node.items.map(itemText).join(', '),
    node.from && `FROM ${fromText(node.from)}`,
    node.where && `WHERE ${print.expression(node.where)}`,
    node.groupBy && `GROUP BY ${groupByText(node.groupBy)}`,
    node.having && `HAVING ${print.expression(node.having)}`,
    node.qualify && `QUALIFY ${print.expression(node.qualify)}`,
    windowsText(node.windows),
  )
}

function itemText(item: ast.SelectItem): string {
  if (item.kind === 'expression') return aliasedText(item)
  const replacements = item.replace.map(({ expression, name }) => `${print.expression(expression)}${aliased(name)}`)
  return clauses(
    `${item.path ? `${print.operand(item.path)}.` : ''}*`,
    item.except.length > 0 && `EXCEPT ${identifiers(item.except)}`,
    replacements.length > 0 && `REPLACE (${replacements.join(', ')})`,
  )
}

const aliasedText = (item: { readonly expression: ast.Expression; readonly alias: ast.Identifier | null }): string =>
  `${print.expression(item.expression)}${aliased(item.alias)}`

const windowsText = (windows: readonly ast.NamedWindow[]): string =>
  windows.length === 0
    ? ''
    : `WINDOW ${windows.map(({ name, window }) => `${identifier(name)} AS ${print.windowText(window)}`).join(', ')}`

// ---- GROUP BY

const groupByText = ({ isAll, items }: ast.GroupBy): string => (isAll ? 'ALL' : items.map(groupingText).join(', '))

function groupingText(item: ast.GroupingItem): string {
  switch (item.kind) {
    case 'empty':
      return '()'
    case 'expression':
      return `${aliasedText(item)}${suffixText(item.order)}`
    case 'rollup':
    case 'cube':
      return rollupText(item)
    case 'grouping-sets':
      return `GROUPING SETS (${item.items.map(set => (set.kind === 'set' ? setText(set.expressions) : rollupText(set))).join(', ')})`
  }
}

const rollupText = ({ kind, sets }: Extract<ast.GroupingSetItem, { kind: 'rollup' | 'cube' }>): string =>
  `${kind.toUpperCase()} (${sets.map(setText).join(', ')})`

/**
 * A set of grouping keys. A single subquery keeps its own parentheses: with a second pair it would parse as a query inside a
 * query.
 */
function setText(expressions: readonly ast.Expression[]): string {
  const [only] = expressions
  return expressions.length === 1 && only!.kind === 'subquery'
    ? print.expression(only!)
    : `(${print.list(expressions)})`
}

const suffixText = (order: ast.PipeOrder | null): string =>
  order ? `${order.isDescending ? '' : ' ASC'}${directionText(order)}` : ''

// ---- FROM

function fromText(node: ast.From): string {
  switch (node.kind) {
    case 'table':
      return `${node.path.map(identifier).join('.')}${aliased(node.alias)}${offsetText(node.offset)}`
    case 'table-call': {
      const given = (node.arguments ?? []).map(
        ({ name, expression }) => `${name ? `${identifier(name)} => ` : ''}${print.expression(expression)}`,
      )
      const list = node.arguments === null ? 'TABLE t' : given.join(', ')
      return `${node.path.map(identifier).join('.')}(${list})${aliased(node.alias)}`
    }
    case 'unnest':
      return `UNNEST(${print.expression(node.expression)})${aliased(node.alias)}${offsetText(node.offset)}`
    case 'subquery':
      return `(${printQuery(node.query)})${aliased(node.alias)}`
    case 'parenthesised':
      return `(${fromText(node.from)})`
    case 'join':
      return `${fromText(node.left)}${node.join === 'comma' ? ', ' : ' '}${joinText(node)}`
    case 'pivot':
      return `${fromText(node.input)} ${pivotText(node)}`
    case 'unpivot':
      return `${fromText(node.input)} ${unpivotText(node)}`
  }
}

const offsetText = (offset: ast.Identifier | null): string => (offset ? ` WITH OFFSET${aliased(offset)}` : '')

/** The text of a join without its left side. */
function joinText({ join, right, on, using }: Omit<ast.Join, 'kind' | 'left'>): string {
  return clauses(
    join !== 'comma' && `${join.toUpperCase()} JOIN`,
    fromText(right),
    on && `ON ${print.expression(on)}`,
    using && `USING ${identifiers(using)}`,
  )
}

function pivotText({ aggregates, on, values, alias }: Omit<ast.Pivot, 'kind' | 'input'>): string {
  const listed = (items: ast.Pivot['values']): string => items.map(aliasedText).join(', ')
  return `PIVOT(${listed(aggregates)} FOR ${print.operand(on)} IN (${listed(values)}))${aliased(alias)}`
}

function unpivotText(node: Omit<ast.Unpivot, 'kind' | 'input'>): string {
  const groups = node.groups.map(({ columns, label }) =>
    clauses(`(${columns.map(unpivotedText).join(', ')})`, label && `AS ${print.expression(label)}`),
  )
  const inside = `${identifiers(node.values)} FOR ${identifier(node.name)} IN (${groups.join(', ')})`
  return `UNPIVOT ${node.includesNulls ? 'INCLUDE NULLS ' : ''}(${inside})${aliased(node.alias)}`
}

const unpivotedText = ({ table, column }: ast.UnpivotedColumn): string =>
  `${table ? `${identifier(table)}.` : ''}${identifier(column)}`

// ---- pipe operators

function pipeText(node: ast.Pipe): string {
  switch (node.kind) {
    case 'pipe-select':
      return selectText(node.select)
    case 'pipe-extend':
      return clauses(
        node.isWindow ? 'WINDOW' : 'EXTEND',
        node.items.map(itemText).join(', '),
        windowsText(node.windows),
      )
    case 'pipe-set':
      return `SET ${node.items.map(({ name, expression }) => `${identifier(name)} = ${print.expression(expression)}`).join(', ')}`
    case 'pipe-drop':
      return `DROP ${node.columns.map(identifier).join(', ')}`
    case 'pipe-rename':
      return `RENAME ${node.items.map(({ from, to }) => `${identifier(from)}${aliased(to)}`).join(', ')}`
    case 'pipe-as':
      return `AS ${identifier(node.alias)}`
    case 'pipe-where':
      return `WHERE ${print.expression(node.condition)}`
    case 'pipe-aggregate':
      return aggregateText(node)
    case 'pipe-distinct':
      return 'DISTINCT'
    case 'pipe-order-by':
      return print.orderByText(node.orderBy)
    case 'pipe-limit':
      return clauses(`LIMIT ${print.expression(node.limit)}`, node.offset && `OFFSET ${print.expression(node.offset)}`)
    case 'pipe-join':
      return joinText(node)
    case 'pipe-set-operation':
      return `${setOperatorText(node)} ${node.queries.map(query => `(${printQuery(query)})`).join(', ')}`
    case 'pipe-with':
      return `WITH ${node.isRecursive ? 'RECURSIVE ' : ''}${node.ctes.map(cteText).join(', ')}`
    case 'pipe-pivot':
      return pivotText(node)
    case 'pipe-unpivot':
      return unpivotText(node)
  }
}

function aggregateText({ items, groupBy, isOrdered }: ast.PipeAggregate): string {
  return clauses(
    'AGGREGATE',
    items.map(item => `${aliasedText(item)}${suffixText(item.order)}`).join(', '),
    groupBy && `GROUP ${isOrdered ? 'AND ORDER ' : ''}BY ${groupByText(groupBy)}`,
  )
}

function variableText(statement: ast.VariableStatement): string {
  const names = statement.names.map(identifier).join(', ')
  if (statement.kind === 'set') {
    return `SET ${statement.isTuple ? `(${names})` : names} = ${print.expression(statement.value)};`
  }
  const type = statement.type ? ` ${typeText(statement.type)}` : ''
  return `DECLARE ${names}${type}${statement.value ? ` DEFAULT ${print.expression(statement.value)}` : ''};`
}
