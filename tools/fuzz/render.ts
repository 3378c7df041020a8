/** Renders a tree as SQL for each of the two engines, with the bound parameters. */
import { typeName } from '../../googlesql/types/types.js'
import type { BoundValue } from '../../runner/index.js'
import { literalText, wireValue } from './literals.js'
import { type Node, orderOf } from './tree.js'

export interface Question {
  readonly sql: string
  /** The same query in SQL that the reference supports. */
  readonly reference: string
  readonly parameters: Readonly<Record<string, BoundValue>>
  /**
   * The indexes, from 0, of the columns that determine the order of the rows; undefined where the order is not determined.
   */
  readonly orderedBy: readonly number[] | undefined
  /** True: FLOAT64 values, also inside texts, may differ in their last digits. */
  readonly isInexact: boolean
}

type Dialect = 'ours' | 'reference'

export function questionOf(root: Node): Question {
  const bound = new Map<Node, string>()
  const write = (node: Node, dialect: Dialect): string => {
    if (node.kind === 'literal') {
      if (!node.isBound) return literalText(node.value, node.type!)
      const name = bound.get(node) ?? `p${bound.size + 1}`
      bound.set(node, name)
      return `@${name}`
    }
    if (node.kind === 'list') return node.children.map(child => write(child, dialect)).join(node.separator)
    const template = (dialect === 'reference' && node.reference) || node.text
    return template.map(piece => (typeof piece === 'string' ? piece : write(node.children[piece]!, dialect))).join('')
  }
  const sql = write(root, 'ours')
  return {
    sql,
    reference: write(root, 'reference'),
    parameters: Object.fromEntries(
      [...bound].map(([node, name]) => [
        name,
        { type: typeName(node.type!), value: wireValue(node.value, node.type!) },
      ]),
    ),
    orderedBy: orderOf(root),
    isInexact: isInexact(root),
  }
}

const isInexact = (node: Node): boolean => node.isInexact === true || node.children.some(isInexact)
