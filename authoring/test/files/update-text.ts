/**
 * Writes other values into a test file. Only the expectations that change are written anew; in those, rows that stay keep their
 * comments, and values their quotes.
 */
import { Document, isCollection, isMap, isScalar, isSeq, type Node, Pair, parseDocument, visit, YAMLMap } from 'yaml'
import type { NodePath } from '../../../runner/manifest/source.js'
import { isRecord } from '../../../runner/model/is-record.js'
import { type AlignedPair, alignRows, pairChanges } from './align-rows.js'
import { equalValues } from './equal-values.js'
import { PARSE_OPTIONS } from './load.js'
import { readPlain } from './read-value.js'

export interface ValueUpdate {
  /** The path to a value that is there: `['tests', 0, 'expect', 'rows']`. */
  readonly path: NodePath
  readonly value: unknown
  /** Rows in any order: those that are there already keep their places. */
  readonly isUnordered?: boolean
}

/** The text with these values. */
export function updateText(fileText: string, updates: readonly ValueUpdate[]): string {
  const mark = /^\ufeff/.exec(fileText)?.[0] ?? ''
  const text = fileText.slice(mark.length).replaceAll('\r\n', '\n')
  const edited = edit(text, updates)
  return mark + (fileText.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited)
}

const PRINT_OPTIONS = { lineWidth: 0 }

/** A part of the file that is written anew: a member of a block, or an element of a block that is written in one line. */
interface Part {
  readonly start: number
  readonly end: number
  readonly node: Pair<Node, Node> | Node
}

/** Replaces the parts with the updated values, and nothing else of the text. */
function edit(text: string, updates: readonly ValueUpdate[]): string {
  const document = parseDocument(text, PARSE_OPTIONS)
  const parts = new Map<number, Part>()
  for (const { path, value, isUnordered = false } of updates) {
    const part = partOf(document, path, text)
    parts.set(part.start, part)
    const node = document.getIn(path, true) as Node
    const isLong = text.slice(node.range![0], node.range![1]).includes('\n')
    const newNode = reviseNode(document, node, value, isUnordered)
    // Otherwise a list in several lines would become a single line.
    if (isSeq(newNode) && newNode.items.length > 0 && isLong) newNode.flow = false
    // The library would write a number of many digits as JavaScript rounds it.
    visit(newNode, {
      Scalar(_, scalar) {
        scalar.value = readPlain(scalar)
      },
    })
    document.setIn(path, newNode)
  }
  return [...parts.values()]
    .sort((a, b) => b.start - a.start)
    .reduce((all, { start, end, node }) => {
      const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1))
      return all.slice(0, start) + printNode(node).replace(/\n(?=.)/g, `\n${indent}`) + all.slice(end)
    }, text)
}

/** The smallest part around the value: what is within a flow collection has no lines of its own. */
function partOf(document: Document, path: NodePath, text: string): Part {
  const parent = document.getIn(path.slice(0, -1), true)
  if (path.length > 1 && isCollection(parent) && parent.flow) return partOf(document, path.slice(0, -1), text)
  const node = document.getIn(path, true) as Node
  const [from, to] = node.range!
  const end = from + text.slice(from, to).trimEnd().length
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined
  return pair === undefined
    ? { start: from, end, node }
    : { start: (pair.key as Node).range![0], end, node: pair as Pair<Node, Node> }
}

/** The text of a node without the comments around it, which the file keeps. */
function printNode(node: Part['node']): string {
  const value = node instanceof Pair ? node.value! : node
  value.comment = null
  if (!(node instanceof Pair)) return new Document(node, PARSE_OPTIONS).toString(PRINT_OPTIONS).trimEnd()
  const map = new YAMLMap<unknown, Node>()
  map.set(nameOf(node.key), value)
  return new Document(map, PARSE_OPTIONS).toString(PRINT_OPTIONS).trimEnd()
}

/** The node with another value. Equal values stay as they are written. */
function reviseNode(document: Document, node: Node | null, value: unknown, isUnordered = false): Node {
  const current = readPlain(node)
  if (node !== null && equalValues(current, value)) return node
  if (isSeq<Node>(node) && Array.isArray(value) && node.items.length > 0 && value.length > 0) {
    const pairs = isUnordered
      ? alignUnordered(current as unknown[], value)
      : pairChanges(alignRows(current as unknown[], value))
    const isBlock = node.items.some(item => isMap(item) && !item.flow)
    node.items = pairs.flatMap(({ expected, found }) => {
      if (found === null) return []
      if (expected !== null) return [reviseNode(document, node.items[expected]!, value[found])]
      return [document.createNode(value[found], { flow: !isBlock })]
    })
    return node
  }
  if (isMap<Node, Node | null>(node) && isRecord(value) && Object.keys(value).length > 0) {
    for (const { key } of [...node.items]) if (!Object.hasOwn(value, nameOf(key))) node.delete(key)
    for (const [name, member] of Object.entries(value)) {
      const pair = node.items.find(({ key }) => nameOf(key) === name)
      if (pair === undefined) node.add(document.createPair(name, member, { flow: true }))
      else pair.value = reviseNode(document, pair.value, member)
    }
    return node
  }
  const newNode = document.createNode(value, { flow: true })
  if (isSeq(newNode) && newNode.items.length > 0 && newNode.items.every(isMap)) {
    newNode.flow = false
    for (const item of newNode.items) item.flow = true
  }
  return replaceNode(node, newNode)
}

const nameOf = (key: Node): string => String((key as { readonly value?: unknown }).value)

/** A new value in the place of another, with its comments and quotes. */
function replaceNode(node: Node | null, newNode: Node): Node {
  newNode.commentBefore = node?.commentBefore ?? null
  newNode.comment = node?.comment ?? null
  const isQuoted = isScalar(node) && (node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE')
  if (isQuoted && isScalar(newNode) && typeof newNode.value === 'string') newNode.type = node.type!
  return newNode
}

/** Pairs each item with an equal one, wherever it is, and the others in order. */
function alignUnordered(before: readonly unknown[], after: readonly unknown[]): readonly AlignedPair[] {
  const freeIndexes = new Set(after.keys())
  const matches = before.map(item => {
    const match = [...freeIndexes].find(index => equalValues(item, after[index])) ?? null
    if (match !== null) freeIndexes.delete(match)
    return match
  })
  const rest = [...freeIndexes]
  const pairs = matches.map((found, expected) => ({ expected, found: found ?? rest.shift() ?? null }))
  return [...pairs, ...rest.map(found => ({ expected: null, found }))]
}
