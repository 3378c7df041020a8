/** Finds a smaller query that still shows the same difference. */
import { sameType } from '../../googlesql/types/types.js'
import { literal } from './literals.js'
import { simplerValues, simplestValues } from './simpler-values.js'
import { descendants, list, type Node, query, sizeOf, sql } from './tree.js'

/** Whether a query still shows the difference. */
export type StillDiffers = (candidate: Node) => Promise<boolean>

/**
 * Returns the smallest tree found that still differs; it tries smaller ones until none of them differs or `attempts` are used
 * up.
 */
export async function shrink(root: Node, stillDiffers: StillDiffers, attempts = 250): Promise<Node> {
  let best = root
  let left = attempts
  for (;;) {
    let found: Node | null = null
    for (const candidate of smaller(best)) {
      if (left-- <= 0) return best
      if (await stillDiffers(candidate)) {
        found = candidate
        break
      }
    }
    if (!found) return best
    best = found
  }
}

/** The candidates that are smaller than `root`; those that remove most come first. */
export function* smaller(root: Node): Generator<Node> {
  yield* standingAlone(root)
  yield* inside(root, candidate => candidate)
}

/** The queries inside `root`, and its expressions without columns as queries, each group from the smallest on. */
export function* standingAlone(root: Node): Generator<Node> {
  const all = [...descendants(root)]
  const bySize = (a: Node, b: Node): number => sizeOf(a) - sizeOf(b)
  yield* all.filter(node => node.kind === 'query').sort(bySize)
  if (isAlone(root)) return
  const named = all.filter(node => node.kind === 'expr' && node.type && ![...descendants(node)].some(isColumn))
  yield* named.sort(bySize).map(node => query`SELECT ${list([sql`${node} AS c1`])}`)
}

const isColumn = (node: Node): boolean => node.kind === 'column'
/** Whether it is already a query of the form `SELECT expression`. */
const isAlone = (root: Node): boolean =>
  root.children.length === 1 && root.children[0]!.kind === 'list' && root.children[0]!.children.length === 1

type Wrap = (candidate: Node) => Node

/**
 * Trees in which the node, or one of its descendants, is replaced by a simpler one; the node's own replacements come first.
 */
function* inside(node: Node, wrap: Wrap): Generator<Node> {
  for (const other of instead(node)) yield wrap(other)
  for (const [i, child] of node.children.entries()) {
    yield* inside(child, candidate => wrap(withChild(node, i, candidate)))
  }
}

const withChild = (node: Node, at: number, child: Node): Node => ({
  ...node,
  children: node.children.map((other, i) => (i === at ? child : other)),
})

const NOTHING = sql``

function* instead(node: Node): Generator<Node> {
  switch (node.kind) {
    case 'clause':
      yield NOTHING
      return
    case 'list': {
      const { children, least = 1 } = node
      if (children.length > least) {
        const half = Math.max(least, Math.floor(children.length / 2))
        if (half < children.length - 1) {
          yield { ...node, children: children.slice(0, half) }
          yield { ...node, children: children.slice(-half) }
        }
        for (let i = children.length - 1; i >= 0; i--) yield { ...node, children: children.filter((_, j) => j !== i) }
      }
      return
    }
    case 'query':
      yield* [...descendants(node)].filter(other => other.kind === 'query')
      return
    case 'relation':
      yield* [...descendants(node)].filter(other => other.kind === 'relation')
      return
    case 'literal': {
      if (node.isBound) {
        const { isBound: _, ...written } = node
        yield written
      }
      yield* simplerValues(node.value, node.type!).map(value => ({ ...node, value }))
      return
    }
    case 'column':
    case 'expr': {
      const type = node.type
      if (!type) return
      if (node.kind === 'expr') {
        const within = [...descendants(node)].filter(other => other.type && sameType(other.type, type))
        yield* within.sort((a, b) => sizeOf(a) - sizeOf(b))
        yield* simplestValues(type).map(value => literal(type, value))
      } else yield* distinct((node.value as readonly unknown[] | undefined) ?? []).map(value => literal(type, value))
      return
    }
    default:
      return
  }
}

const distinct = (values: readonly unknown[]): readonly unknown[] => {
  const seen = new Map(values.map(value => [JSON.stringify(value), value]))
  return [...seen.values()].sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)
}
