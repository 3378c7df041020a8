/** Writes trees of expressions and types as GoogleSQL, which parses to the same trees, except for their places. */
import type * as ast from '../../../googlesql/ast/nodes.js'
import { RESERVED_KEYWORDS } from '../../../googlesql/lex/keywords.js'

/** Writes a query inside an expression. */
export type PrintQuery = (query: ast.Query) => string

export const identifier = ({ name, isQuoted }: Pick<ast.Identifier, 'name' | 'isQuoted'>): string =>
  isQuoted ? `\`${escaped(name, '`')}\`` : name

export const identifiers = (names: readonly ast.Identifier[]): string => `(${names.map(identifier).join(', ')})`

/** ` AS alias`, or '' without an alias. */
export const aliased = (alias: ast.Identifier | null): string => (alias ? ` AS ${identifier(alias)}` : '')

function escaped(text: string, quote: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replace(/[\0-\x1f]/g, each => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

const string = (text: string): string => `'${escaped(text, "'")}'`

export function typeText(type: ast.TypeNode): string {
  switch (type.kind) {
    case 'named':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.join(', ')})`
    case 'array':
      return `ARRAY<${typeText(type.element)}>`
    case 'struct': {
      const fields = type.fields.map(
        field => `${field.name && `\`${escaped(field.name, '`')}\` `}${typeText(field.type)}`,
      )
      return `STRUCT<${fields.join(', ')}>`
    }
  }
}

/** The kinds of expressions that need no parentheses as an operand, or before a dot or a subscript. */
const CLOSED: ReadonlySet<ast.Expression['kind']> = new Set([
  'parameter',
  'name',
  'dot',
  'index',
  'case',
  'cast',
  'extract',
  'array',
  'struct',
  'subquery',
  'with',
  'unary',
  'binary',
  'is',
  'is-distinct',
  'between',
  'in-list',
  'in-unnest',
  'in-query',
  'like',
  'like-quantified',
])

/** Functions that write expressions; `query` writes the queries inside them. */
export function expressionPrinter(query: PrintQuery) {
  const list = (items: readonly ast.Expression[]): string => items.map(expression).join(', ')

  /** An expression as an operand, in parentheses where they are necessary. */
  const operand = (node: ast.Expression): string => (CLOSED.has(node.kind) ? expression(node) : `(${expression(node)})`)

  function expression(node: ast.Expression): string {
    switch (node.kind) {
      case 'null':
        return 'NULL'
      case 'bool':
        return node.value ? 'TRUE' : 'FALSE'
      case 'int':
        return node.value
      case 'float':
        return `(${node.value})`
      case 'string':
        return string(node.value)
      case 'bytes':
        return `b'${[...node.value].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`
      case 'typed':
        return `${node.typed} ${string(node.value)}`
      case 'parameter':
        return /^\w+$/.test(node.name) ? `@${node.name}` : `@${identifier({ name: node.name, isQuoted: true })}`
      case 'name':
        return identifier(node)
      case 'dot':
        return `${operand(node.operand)}.${identifier(node.name)}`
      case 'index':
        return `${operand(node.operand)}[${subscript(node)}]`
      case 'case':
        return caseText(node)
      case 'cast':
        return castText(node)
      case 'extract':
        return `EXTRACT(${part(node.part)} FROM ${expression(node.operand)}${timeZone(node.timeZone)})`
      case 'interval':
        return `INTERVAL ${operand(node.value)} ${part(node.part)}${node.to ? ` TO ${part(node.to)}` : ''}`
      case 'array':
        return `${node.element ? `ARRAY<${typeText(node.element)}>` : ''}[${list(node.items)}]`
      case 'struct':
        return structText(node)
      case 'subquery':
        return `${{ scalar: '', array: 'ARRAY', exists: 'EXISTS' }[node.form]}(${query(node.query)})`
      case 'call':
        return callText(node)
      case 'lambda':
        return `${identifiers(node.parameters)} -> ${expression(node.body)}`
      case 'with':
        return withText(node)
      default:
        return `(${operatorText(node)})`
    }
  }

  function operatorText(node: Exclude<ast.Expression, { kind: Operandless }>): string {
    switch (node.kind) {
      case 'unary':
        return `${node.operator} ${operand(node.operand)}`
      case 'binary':
        return `${operand(node.left)} ${node.operator} ${operand(node.right)}`
      case 'is':
        return `${operand(node.operand)} IS ${not(node)}${node.test}`
      case 'is-distinct':
        return `${operand(node.left)} IS ${not(node)}DISTINCT FROM ${operand(node.right)}`
      case 'between':
        return `${operand(node.operand)} ${not(node)}BETWEEN ${operand(node.low)} AND ${operand(node.high)}`
      case 'in-list':
        return `${operand(node.operand)} ${not(node)}IN (${list(node.items)})`
      case 'in-unnest':
        return `${operand(node.operand)} ${not(node)}IN UNNEST(${expression(node.array)})`
      case 'in-query':
        return `${operand(node.operand)} ${not(node)}IN (${query(node.query)})`
      case 'like':
        return `${operand(node.operand)} ${not(node)}LIKE ${operand(node.pattern)}`
      case 'like-quantified':
        return `${operand(node.operand)} ${not(node)}LIKE ${node.quantifier} ${patterns(node)}`
    }
  }

  function patterns({ array, query: from, patterns: items }: ast.LikeQuantified): string {
    if (array) return `UNNEST(${expression(array)})`
    return from ? `(${query(from)})` : `(${list(items!)})`
  }

  function subscript({ mode, index }: ast.Index): string {
    return mode === 'plain' ? expression(index) : `${mode.replace('-', '_').toUpperCase()}(${expression(index)})`
  }

  function caseText(node: ast.Case): string {
    const branches = node.branches.map(({ when, then }) => `WHEN ${expression(when)} THEN ${expression(then)}`)
    const otherwise = node.otherwise ? ` ELSE ${expression(node.otherwise)}` : ''
    return `CASE ${node.operand ? `${operand(node.operand)} ` : ''}${branches.join(' ')}${otherwise} END`
  }

  const timeZone = (zone: ast.Expression | null): string => (zone ? ` AT TIME ZONE ${expression(zone)}` : '')

  function castText(node: ast.Cast): string {
    const format = node.format ? ` FORMAT ${expression(node.format)}${timeZone(node.timeZone)}` : ''
    return `${node.isSafe ? 'SAFE_CAST' : 'CAST'}(${expression(node.operand)} AS ${typeText(node.type)}${format})`
  }

  function structText(node: ast.StructConstructor): string {
    const fields = node.fields.map(field => `${expression(field.expression)}${aliased(field.alias)}`).join(', ')
    return `${node.isTuple ? '' : node.type ? typeText(node.type) : 'STRUCT'}(${fields})`
  }

  function withText(node: ast.WithExpression): string {
    const bindings = node.bindings.map(binding => `${identifier(binding.name)} AS ${expression(binding.expression)}`)
    return `WITH(${[...bindings, expression(node.result)].join(', ')})`
  }

  function callText(node: ast.Call): string {
    const items = node.arguments.map(
      ({ name, expression: value, alias }) =>
        `${name ? `${identifier(name)} => ` : ''}${expression(value)}${aliased(alias)}`,
    )
    const parts = [
      `${node.isDistinct ? 'DISTINCT ' : ''}${node.isStar ? '*' : items.join(', ')}`,
      node.nulls ? `${node.nulls.toUpperCase()} NULLS` : '',
      node.having ? `HAVING ${node.having.extreme.toUpperCase()} ${expression(node.having.expression)}` : '',
      node.orderBy.length > 0 ? orderByText(node.orderBy) : '',
      node.limit ? `LIMIT ${expression(node.limit)}` : '',
    ]
    const over = node.over ? ` OVER ${windowText(node.over)}` : ''
    return `${node.path.map(identifier).join('.')}(${parts.filter(text => text !== '').join(' ')})${over}`
  }

  function orderByText(items: readonly ast.OrderItem[]): string {
    return `ORDER BY ${items.map(item => `${expression(item.expression)}${directionText(item)}`).join(', ')}`
  }

  function windowText({ base, partitionBy, orderBy, frame }: ast.Window): string {
    const parts = [
      base ? identifier(base) : '',
      partitionBy.length > 0 ? `PARTITION BY ${list(partitionBy)}` : '',
      orderBy.length > 0 ? orderByText(orderBy) : '',
      frame ? frameText(frame) : '',
    ]
    return `(${parts.filter(text => text !== '').join(' ')})`
  }

  function frameText({ unit, start, end }: ast.Frame): string {
    const words = unit.toUpperCase()
    return end ? `${words} BETWEEN ${boundText(start)} AND ${boundText(end)}` : `${words} ${boundText(start)}`
  }

  function boundText({ kind, offset }: ast.FrameBound): string {
    return `${offset ? `${operand(offset)} ` : ''}${kind.replace('-', ' ').toUpperCase()}`
  }

  return { expression, operand, list, orderByText, windowText }
}

export type ExpressionPrinter = ReturnType<typeof expressionPrinter>

type Operandless = Exclude<
  ast.Expression['kind'],
  | 'unary'
  | 'binary'
  | 'is'
  | 'is-distinct'
  | 'between'
  | 'in-list'
  | 'in-unnest'
  | 'in-query'
  | 'like'
  | 'like-quantified'
>

const not = ({ isNegated }: { readonly isNegated: boolean }): string => (isNegated ? 'NOT ' : '')

/** ` DESC NULLS LAST`; ASC is not written. */
export const directionText = ({ isDescending, nulls }: Pick<ast.OrderItem, 'isDescending' | 'nulls'>): string =>
  `${isDescending ? ' DESC' : ''}${nulls ? ` NULLS ${nulls.toUpperCase()}` : ''}`

const part = ({ part: word, weekday }: ast.DatePart): string => {
  const written = RESERVED_KEYWORDS.has(word) ? `\`${word}\`` : word
  return weekday ? `${written}(${weekday})` : written
}
