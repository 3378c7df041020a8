/**
 * Long chains of `+`, `-` and `*` with large operands: `EXTRACT(DAY FROM a - b) + EXTRACT(DAY FROM …) + …`. For each operator,
 * DuckDB visits the whole tree below it, so the operands are computed outside the chain.
 */
import type { CallExpr, Expr } from '../../../googlesql/plan/nodes.js'
import type { Place } from '../context.js'
import { asOperand, type Fragment } from '../fragment.js'
import { shareArguments, type Write, writeCall } from '../share-arguments.js'

const SYMBOLS: Readonly<Record<string, string>> = { $add: '+', $subtract: '-', $multiply: '*' }

const MIN_OPERANDS = 20
/** The least average size of an operand, in words of SQL. */
const MIN_SIZE = 20

/** The SQL of a long chain; null for any other expression. */
export function longChainSql(expr: Expr, place: Place): Fragment | null {
  const operands: Expr[] = []
  const symbols: string[] = []
  let first = expr
  for (; isLink(first); first = first.arguments[0]!) {
    operands.push(first.arguments[1]!)
    symbols.push(SYMBOLS[first.name]!)
  }
  if (operands.length < MIN_OPERANDS) return null
  const all = [first, ...operands.reverse()]
  symbols.reverse()
  const sql = all.map(operand => place.expr(operand, place))
  if (sql.reduce((sum, { size }) => sum + size, 0) < MIN_SIZE * all.length) return null
  const write: Write = ([start, ...rest]) =>
    rest.reduce<string>((text, part, i) => `(${text} ${symbols[i]} ${part})`, start!)
  const isBound = all.map(() => true)
  return asOperand(shareArguments(all, sql, parts => writeCall(all, parts, write), place, isBound))
}

function isLink(expr: Expr): expr is CallExpr {
  if (expr.kind !== 'call' || expr.isSafe || expr.type.kind !== 'INT64') return false
  return Object.hasOwn(SYMBOLS, expr.name) && expr.arguments.every(part => part?.type.kind === 'INT64')
}
