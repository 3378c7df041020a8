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

export interface ManifestSource extends PlaceSource {
  /** The place of an offset in the value of `sql`. */
  sqlAt(offset: number): FilePlace
  /** `sql: |`: the only style whose characters can be placed. */
  readonly isSqlLiteral: boolean
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

/** A source over the root node of a parsed manifest; `text` is the parsed text. */
export function manifestSource(file: string, text: string, root: Node | null): ManifestSource {
  const starts = lineStartsOf(text)
  const at = (offset: number): FilePlace => placeAt(file, starts, offset)
  const sql = literalSql(root)
  return {
    file,
    isSqlLiteral: sql !== null,
    keyAt: path => at(keyOffset(walk(root, path))),
    valueAt: path => at(valueOffset(walk(root, path))),
    sqlAt: sql ? literalMap(file, text, starts, sql) : () => at(valueOffset(walk(root, ['sql']))),
  }
}

/** Whether the `sql` of this manifest is a literal block. */
export function hasLiteralSql(root: Node | null): boolean {
  return literalSql(root) !== null
}

function literalSql(root: Node | null): Scalar | null {
  const sql = walk(root, ['sql'])?.value ?? null
  return isScalar(sql) && sql.type === 'BLOCK_LITERAL' ? sql : null
}

/** A source that is made when it is first asked for a place. Most manifests have no mistake and are never asked. */
export function lazySource(file: string, isSqlLiteral: boolean, make: () => ManifestSource): ManifestSource {
  let made: ManifestSource | null = null
  const source = (): ManifestSource => {
    made ??= make()
    return made
  }
  return {
    file,
    isSqlLiteral,
    keyAt: path => source().keyAt(path),
    valueAt: path => source().valueAt(path),
    sqlAt: offset => source().sqlAt(offset),
  }
}

interface Found {
  readonly key: Node | null
  readonly value: Node | null
}

/** Follows the path as far as it exists. */
function walk(root: Node | null, path: NodePath): Found | null {
  let found: Found = { key: null, value: root }
  for (const step of path) {
    const { value } = found
    if (isMap(value)) {
      const pair: Pair | undefined = value.items.find(
        item => isPair(item) && isScalar(item.key) && item.key.value === step,
      )
      if (!pair) break
      found = { key: pair.key as Node, value: pair.value as Node | null }
    } else if (isSeq(value) && typeof step === 'number' && value.items[step] !== undefined) {
      found = { key: null, value: value.items[step] as Node }
    } else break
  }
  return found
}

const startOf = (node: Node | null): number | undefined => node?.range?.[0]
const keyOffset = (found: Found | null): number => startOf(found?.key ?? null) ?? startOf(found?.value ?? null) ?? 0
const valueOffset = (found: Found | null): number => startOf(found?.value ?? null) ?? startOf(found?.key ?? null) ?? 0

/** Line n of a literal block is line n after its header; its columns are shifted by the block's indentation. */
function literalMap(
  file: string,
  text: string,
  starts: readonly number[],
  scalar: Scalar,
): (offset: number) => FilePlace {
  const header = placeAt(file, starts, scalar.range?.[0] ?? 0).line
  const value = String(scalar.value)
  const valueStarts = lineStartsOf(value)
  return offset => {
    const inside = placeAt(file, valueStarts, Math.min(offset, value.length))
    const line = header + inside.line
    const lineText = text.slice(starts[line - 1] ?? text.length, starts[line] ?? text.length).replace(/\r?\n$/, '')
    const valueEnd = valueStarts[inside.line] ?? value.length + 1
    const indent = Math.max(0, lineText.length - (valueEnd - 1 - valueStarts[inside.line - 1]!))
    return { file, line, column: inside.column + indent }
  }
}
