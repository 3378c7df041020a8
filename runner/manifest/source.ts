/** Maps a path in a manifest, or an offset in its SQL, to a line and column of the file. */
import { isMap, isPair, isScalar, isSeq, type Node, type Pair, type Scalar } from 'yaml'
import { lineStartsOf } from '../model/line-starts.js'

/** A 1-based line and column; columns count UTF-16 units. */
export interface FilePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Map keys and list indexes from the root. */
export type NodePath = readonly (string | number)[]

/** The places of a file's values. */
export interface PlaceSource {
  readonly file: string
  /** The place of a key, or of a list item. A path that does not exist gets the place of its nearest parent. */
  keyAt(path: NodePath): FilePlace
  /** The place of a value, or of its nearest parent where it does not exist. */
  valueAt(path: NodePath): FilePlace
}

/** The line and column of an offset, from the offsets of line beginnings. */
export function placeAt(file: string, starts: readonly number[], offset: number): FilePlace {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return { file, line: low + 1, column: offset - starts[low]! + 1 }
}

/** Keeps the manifest's text, and parses it again for the first place that is asked for: most manifests have no mistake. */
export class ManifestSource implements PlaceSource {
  readonly file: string
  /** Whether the SQL is written as `sql: |`, the only style whose characters have places. */
  readonly isSqlLiteral: boolean
  readonly #text: string
  readonly #parse: (text: string) => Node | null
  #root: Node | null = null
  #starts: readonly number[] = []
  #sqlAt: ((offset: number) => FilePlace) | null = null

  constructor(file: string, text: string, root: Node | null, parse: (text: string) => Node | null) {
    this.file = file
    this.isSqlLiteral = literalSql(root) !== null
    this.#text = text
    this.#parse = parse
  }

  keyAt(path: NodePath): FilePlace {
    const { key, value } = this.#find(path)
    return this.#at(startOf(key) ?? startOf(value))
  }

  valueAt(path: NodePath): FilePlace {
    const { key, value } = this.#find(path)
    return this.#at(startOf(value) ?? startOf(key))
  }

  /** The text of a value as the file has it; undefined for a list or a map. */
  writtenAt(path: NodePath): string | undefined {
    const { value } = this.#find(path)
    return isScalar(value) ? value.source : undefined
  }

  /** The place of an offset in the value of `sql`. */
  sqlAt(offset: number): FilePlace {
    if (!this.isSqlLiteral) return this.valueAt(['sql'])
    this.#find([])
    this.#sqlAt ??= literalPlaces(this.file, this.#text, this.#starts, literalSql(this.#root)!)
    return this.#sqlAt(offset)
  }

  #find(path: NodePath): NodeWithKey {
    if (this.#starts.length === 0) {
      this.#root = this.#parse(this.#text)
      this.#starts = lineStartsOf(this.#text)
    }
    return findNode(this.#root, path)
  }

  #at(offset = 0): FilePlace {
    return placeAt(this.file, this.#starts, offset)
  }
}

function literalSql(root: Node | null): Scalar | null {
  const { value } = findNode(root, ['sql'])
  return isScalar(value) && value.type === 'BLOCK_LITERAL' ? value : null
}

interface NodeWithKey {
  readonly key: Node | null
  readonly value: Node | null
}

/** Follows the path as far as it exists. */
function findNode(root: Node | null, path: NodePath): NodeWithKey {
  let node: NodeWithKey = { key: null, value: root }
  for (const step of path) {
    const { value } = node
    if (isMap(value)) {
      const pair: Pair | undefined = value.items.find(
        item => isPair(item) && isScalar(item.key) && item.key.value === step,
      )
      if (!pair) break
      node = { key: pair.key as Node, value: pair.value as Node | null }
    } else if (isSeq(value) && typeof step === 'number' && value.items[step] !== undefined) {
      node = { key: null, value: value.items[step] as Node }
    } else break
  }
  return node
}

const startOf = (node: Node | null): number | undefined => node?.range?.[0]

/** Line n of a literal block is line n after its header; its columns are shifted by the block's indentation. */
function literalPlaces(file: string, text: string, starts: readonly number[], scalar: Scalar) {
  const header = placeAt(file, starts, scalar.range?.[0] ?? 0).line
  const value = String(scalar.value)
  const valueStarts = lineStartsOf(value)
  return (offset: number): FilePlace => {
    const place = placeAt(file, valueStarts, Math.min(offset, value.length))
    const line = header + place.line
    const lineText = text.slice(starts[line - 1] ?? text.length, starts[line] ?? text.length).replace(/\r?\n$/, '')
    const valueEnd = valueStarts[place.line] ?? value.length + 1
    const indent = Math.max(0, lineText.length - (valueEnd - 1 - valueStarts[place.line - 1]!))
    return { file, line, column: place.column + indent }
  }
}
