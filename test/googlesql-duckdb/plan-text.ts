/**
 * A plan as lines of text, for tests that compare plans: one scan a line, its inputs below it, further in. Columns are
 * `name.id`, or `.id` without a name.
 */
import type {
  AggregateCall,
  Column,
  Computed,
  Expr,
  ResolvedBound,
  Scan,
  SortKey,
  WindowCall,
} from '../../googlesql/plan/nodes.js'
import { inputsOfScan } from '../../googlesql/plan/walk.js'
import { typeName } from '../../googlesql/types/types.js'

/** What a scan does, without its inputs, and those inputs below it. */
export function planText(scan: Scan, depth = 0): string {
  const lines = [`${'  '.repeat(depth)}${ownText(scan)}`]
  return [...lines, ...inputsOfScan(scan).map(input => planText(input, depth + 1))].join('\n')
}

function ownText(scan: Scan): string {
  switch (scan.kind) {
    case 'one-row':
      return 'one row'
    case 'table':
      return `table ${scan.table}${columns(scan.columns)}`
    case 'cte':
      return `cte ${scan.cte}${columns(scan.columns)}`
    case 'unnest': {
      const offset = scan.offset ? ` offset ${column(scan.offset)}` : ''
      const condition = scan.condition ? ` on ${exprText(scan.condition)}` : ''
      return `${scan.isOuter ? 'outer ' : ''}unnest ${exprText(scan.array)} as ${column(scan.element)}${offset}${condition}`
    }
    case 'join':
      return `${scan.join} join${scan.condition ? ` on ${exprText(scan.condition)}` : ''}`
    case 'filter':
      return `${scan.isGuard ? 'guard' : 'filter'} ${exprText(scan.condition)}`
    case 'project':
      return `project${columns(scan.columns, scan.computed)}`
    case 'aggregate': {
      const calls = scan.aggregates.map(part => `${column(part.column)} = ${callText(part.call)}`)
      const keys = scan.keys.map(computed)
      return `aggregate [${calls.join(', ')}]${keys.length > 0 ? ` by [${keys.join(', ')}]` : ''}`
    }
    case 'window':
      return `window [${scan.functions.map(part => `${column(part.column)} = ${windowText(part.call)}`).join(', ')}]`
    case 'set':
      return `${scan.operator.toLowerCase()}${scan.isAll ? ' all' : ''}${columns(scan.columns)}`
    case 'order':
      return `order ${scan.keys.map(keyText).join(', ')}`
    case 'limit':
      return `limit ${exprText(scan.limit)}${scan.offset ? ` offset ${exprText(scan.offset)}` : ''}`
    case 'with':
      return `with ${scan.ctes.map(cte => `${cte.id}${columns(cte.columns)}`).join(', ')}`
    default:
      return scan satisfies never
  }
}

const column = ({ name, id }: Column): string => `${name}.${id}`
const computed = (part: Computed): string => `${column(part.column)} = ${exprText(part.expr)}`

/** Those that are computed with what they are computed from. */
function columns(all: readonly Column[], parts: readonly Computed[] = []): string {
  const byId = new Map(parts.map(part => [part.column.id, part]))
  const texts = all.map(each => (byId.has(each.id) ? computed(byId.get(each.id)!) : column(each)))
  return ` [${texts.join(', ')}]`
}

const keyText = ({ expr, isDescending }: SortKey): string => `${exprText(expr)}${isDescending ? ' desc' : ''}`

function callText(call: AggregateCall): string {
  const parts = [
    call.isDistinct ? 'distinct' : '',
    call.arguments.map(part => part && exprText(part)).join(', '),
    call.having ? `having ${call.having.extreme} ${exprText(call.having.expr)}` : '',
    call.orderBy.length > 0 ? `order ${call.orderBy.map(keyText).join(', ')}` : '',
    call.filter ? `where ${exprText(call.filter)}` : '',
  ]
  return `${call.name}(${parts.filter(part => part !== '').join(' ')})`
}

function windowText({ call, partitionBy, orderBy, frame }: WindowCall): string {
  const parts = [
    partitionBy.length > 0 ? `partition ${partitionBy.map(exprText).join(', ')}` : '',
    orderBy.length > 0 ? `order ${orderBy.map(keyText).join(', ')}` : '',
    frame ? `${frame.unit} from ${boundText(frame.start)} to ${boundText(frame.end)}` : '',
  ]
  return `${callText(call)} over (${parts.filter(part => part !== '').join(' ')})`
}

const boundText = ({ kind, offset }: ResolvedBound): string => (offset ? `${exprText(offset)} ${kind}` : kind)

/** In one line; a subquery's scans stand from the outermost in, with `<-` between them. */
function exprText(expr: Expr): string {
  const texts = (parts: readonly (Expr | null)[]): string => parts.map(part => (part ? exprText(part) : '-')).join(', ')
  switch (expr.kind) {
    case 'literal':
      return expr.type.kind === 'STRING' ? `'${expr.value}'` : String(expr.value)
    case 'parameter':
      return `@${expr.name}`
    case 'column':
      return `${expr.isCorrelated ? 'outer ' : ''}${column(expr.column)}`
    case 'word':
      return expr.word
    case 'call':
      return `${expr.isSafe ? 'SAFE.' : ''}${expr.name}(${texts(expr.arguments)})`
    case 'cast':
      return `${expr.isSafe ? 'safe ' : ''}${exprText(expr.operand)}::${typeName(expr.type)}`
    case 'field':
      return `${exprText(expr.operand)}[${expr.index}]`
    case 'struct':
      return `(${texts(expr.fields)})`
    case 'array':
      return `[${texts(expr.items)}]`
    case 'case': {
      const branches = expr.branches.map(({ when, then }) => `when ${exprText(when)} then ${exprText(then)}`)
      return `case ${branches.join(' ')}${expr.otherwise ? ` else ${exprText(expr.otherwise)}` : ''} end`
    }
    case 'subquery':
      return `${expr.form} {${scanText(expr.scan)}}`
    case 'in-query':
      return `${exprText(expr.operand)} in {${scanText(expr.scan)}}`
    case 'lambda':
      return `(${expr.parameters.map(column).join(', ')}) -> ${exprText(expr.body)}`
    case 'let':
      return `let ${expr.bindings.map(computed).join(', ')} in ${exprText(expr.result)}`
    default:
      return expr satisfies never
  }
}

function scanText(scan: Scan): string {
  const inputs = inputsOfScan(scan).map(scanText)
  if (inputs.length === 0) return ownText(scan)
  return `${ownText(scan)} <- ${inputs.length === 1 ? inputs[0] : `(${inputs.join('; ')})`}`
}
