/** A query as a tree of texts, which generators build, the renderer writes and the shrinker reduces. */
import type { Type } from '../../googlesql/types/types.js'

/**
 * - `expr`: an expression of `type`; any other value of that type may replace it
 * - `literal`: `value` as a JSON value on the wire
 * - `column`: the name of a column in scope; `value` is a list of the column's values, as far as they are known
 * - `relation`: an item of FROM
 * - `query`: a whole query without parentheses
 * - `clause`: a part that may be left out
 * - `list`: members with a separator between them, of which at least `least` must remain
 * - `text`: anything else
 */
export type Kind = 'expr' | 'literal' | 'column' | 'relation' | 'query' | 'clause' | 'list' | 'text'

/** Texts, and between them the indexes of children. */
export type Template = readonly (string | number)[]

export interface Node {
  readonly kind: Kind
  readonly children: readonly Node[]
  readonly text: Template
  /** The template for the reference implementation, where it needs different SQL. */
  readonly reference?: Template
  /** The type of an expression, a literal or a column. */
  readonly type?: Type
  readonly value?: unknown
  /** True for a literal that is bound as a parameter. */
  readonly isBound?: true
  /** `separator` and `least` are only for lists. */
  readonly separator?: string
  readonly least?: number
  /** For an ORDER BY that ends a query: the indexes, from 0, of the columns that determine the order of its rows. */
  readonly orderedBy?: readonly number[]
  /** The name in the catalogue of the function that the node calls. */
  readonly calls?: string
  /** True: its FLOAT64 value may differ in the last digits. */
  readonly isInexact?: true
}

type Piece = Node | string | number

const node =
  (kind: Kind, more: Partial<Node> = {}) =>
  (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Node => {
    const children: Node[] = []
    const text: (string | number)[] = []
    const put = (piece: string): void => {
      if (piece !== '') text.push(piece)
    }
    texts.forEach((before, i) => {
      put(before)
      const piece = pieces[i]
      if (piece === undefined) return
      if (typeof piece !== 'object') put(String(piece))
      else text.push(children.push(piece) - 1)
    })
    return { kind, children, text, ...more }
  }

export const sql = node('text')
export const query = node('query')
export const relation = node('relation')
export const clause = node('clause')
/** An expression of a type, as a template: ``expr(INT64)`${a} + ${b}` ``. */
export const expr = (type: Type, more: Partial<Node> = {}) => node('expr', { type, ...more })

export const list = (children: readonly Node[], separator = ', ', least = 1): Node => ({
  kind: 'list',
  children,
  text: [],
  separator,
  least,
})

export const column = (name: string, type: Type, samples: readonly unknown[] = []): Node => ({
  kind: 'column',
  children: [],
  text: [name],
  type,
  value: samples,
})

/** The same node with another template for the reference. */
export const asReference = (of: Node, reference: Template): Node => ({ ...of, reference })

/** The `orderedBy` of the query's own ORDER BY; undefined where the query does not determine an order. */
export function orderOf(root: Node): readonly number[] | undefined {
  const ordering = root.children.find(child => child.orderedBy)
  if (ordering) return ordering.orderedBy
  const last = root.children.at(-1)
  // The query after a WITH is the last child.
  return last?.kind === 'query' ? orderOf(last) : undefined
}

export function* descendants(root: Node): Generator<Node> {
  for (const child of root.children) {
    yield child
    yield* descendants(child)
  }
}

/** The number of nodes in the tree. */
export function sizeOf(root: Node): number {
  return root.children.reduce((sum, child) => sum + sizeOf(child), 1)
}
