/** A query as a tree of texts: what generators build, renderers write and the shrinker cuts. */
import type { Type } from '../../googlesql/types/types.js'

/**
 * - `expr`: a value of `type`; another value of that type may stand in its place
 * - `literal`: `value` as a JSON value on the wire
 * - `column`: a name that is in scope; `value` is a list of what the column holds, where that is known
 * - `relation`: what FROM takes
 * - `query`: a whole query without parentheses
 * - `clause`: what may be left out
 * - `list`: members with a separator between them, of which at least `least` stay
 * - `text`: anything else
 */
export type Kind = 'expr' | 'literal' | 'column' | 'relation' | 'query' | 'clause' | 'list' | 'text'

/** Texts, with the places of children between them. */
export type Template = readonly (string | number)[]

export interface Node {
  readonly kind: Kind
  readonly children: readonly Node[]
  readonly text: Template
  /** Where the reference implementation is asked in other words. */
  readonly reference?: Template
  /** Of values. */
  readonly type?: Type
  readonly value?: unknown
  /** A literal that is bound as a parameter. */
  readonly isBound?: true
  /** Of a list. */
  readonly separator?: string
  readonly least?: number
  /** Of an ORDER BY that ends a query: the places of the columns, from 0, that determine the order of its rows. */
  readonly orderedBy?: readonly number[]
  /** The catalogue's name of the function that is called. */
  readonly calls?: string
  /** Its value may differ in the last digits of FLOAT64. */
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

/** The same node, asked of the reference in other words. */
export const asReference = (of: Node, reference: Template): Node => ({ ...of, reference })

/** The order of the rows of a query that this node, one of its own children, determines; undefined where nothing does. */
export function orderOf(root: Node): readonly number[] | undefined {
  const ordering = root.children.find(child => child.orderedBy)
  if (ordering) return ordering.orderedBy
  const last = root.children.at(-1)
  // Behind WITH.
  return last?.kind === 'query' ? orderOf(last) : undefined
}

export function* descendants(root: Node): Generator<Node> {
  for (const child of root.children) {
    yield child
    yield* descendants(child)
  }
}

/** How many nodes there are. */
export function sizeOf(root: Node): number {
  return root.children.reduce((sum, child) => sum + sizeOf(child), 1)
}
