/**
 * Finds the offset at which an expression begins: the `at` of an operator's node is the offset of the operator, but BigQuery's
 * messages point at the first operand.
 */
import type * as ast from './nodes.js'

export function startOf(node: ast.Expression): number {
  switch (node.kind) {
    case 'binary':
    case 'is-distinct':
      return startOf(node.left)
    case 'is':
    case 'between':
    case 'in-list':
    case 'in-unnest':
    case 'in-query':
    case 'like':
    case 'like-quantified':
    case 'dot':
    case 'index':
      return startOf(node.operand)
    default:
      return node.at
  }
}
