/**
 * Writes other values into a test file. Only the values that differ are written anew, so comments, order and style of all
 * else stay as they are.
 */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { NodePath } from '../../../runner/manifest/source.js'
import { type Aligned, alignRows, pairChanges } from './align-rows.js'
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

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text with these values. */
export function updateText(fileText: string, updates: readonly ValueUpdate[]): string {
  const mark = /^\ufeff/.exec(fileText)?.[0] ?? ''
  const text = fileText.slice(mark.length)
  const edits = new Editor(text).editsFor(updates)
  const edited = [...edits]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((all, { start, end, text: part }) => all.slice(0, start) + part + all.slice(end), text)
  return mark + (isAsWanted(edited, text, updates) ? edited : written(text, updates))
}

function isAsWanted(text: string, before: string, updates: readonly ValueUpdate[]): boolean {
  const document = parseDocument(text, PARSE_OPTIONS)
  if (document.errors.length > 0 || !equalValues(others(text, updates), others(before, updates))) return false
  const holds = ({ path, value, isUnordered }: ValueUpdate): boolean => {
    const found = readPlain(document.getIn(path, true) as Node)
    return isUnordered ? (found as unknown[]).length === (value as unknown[]).length : equalValues(found, value)
  }
  return updates.every(holds)
}

/** All values of the file but those that are updated. */
function others(text: string, updates: readonly ValueUpdate[]): unknown {
  const document = parseDocument(text, PARSE_OPTIONS)
  for (const { path } of updates) document.setIn(path, null)
  return readPlain(document.contents as Node | null)
}

/** The whole document written by the library, for layouts that the edits do not know; comments and order stay. */
function written(text: string, updates: readonly ValueUpdate[]): string {
  const document = parseDocument(text, PARSE_OPTIONS)
  for (const { path, value } of updates) document.setIn(path, document.createNode(value))
  return document.toString({ lineWidth: 0 })
}

class Editor {
  readonly #text: string
  readonly #document: Document
  readonly #newline: string
  readonly #edits: Edit[] = []

  constructor(text: string) {
    this.#text = text
    this.#document = parseDocument(text, PARSE_OPTIONS)
    this.#newline = text.includes('\r\n') ? '\r\n' : '\n'
  }

  editsFor(updates: readonly ValueUpdate[]): readonly Edit[] {
    for (const { path, value, isUnordered = false } of updates) {
      const parent = this.#document.getIn(path.slice(0, -1), true) as YAMLMap
      const pair = parent.items.find(one => isScalar(one.key) && one.key.value === path.at(-1)) as Pair<Node, Node>
      const { value: node } = pair
      if (isSeq(node) && Array.isArray(value) && (node.items.length === 0 || value.length === 0)) {
        this.#replaceList(parent, pair, value)
      } else this.#revise(node, value, isUnordered)
    }
    return this.#edits
  }

  #edit(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text })
  }

  /** Writes a value over another, and only the parts that differ. */
  #revise(node: Node | null, value: unknown, isUnordered = false): void {
    if (node === null) return
    const before = readPlain(node)
    if (equalValues(before, value)) return
    if (isSeq(node) && Array.isArray(value) && node.items.length > 0 && value.length > 0) {
      this.#reviseList(node, before as unknown[], value, isUnordered)
      return
    }
    if (isMap(node) && isFilledMap(value) && this.#reviseMap(node, value)) return
    this.#edit(node.range![0], this.#endOf(node), this.#render(node, value))
  }

  /** False where no member stays, or where a line cannot be taken out: the map is then written as a whole. */
  #reviseMap(node: YAMLMap, value: Readonly<Record<string, unknown>>): boolean {
    const items = node.items as Pair<Node, Node | null>[]
    const nameOf = ({ key }: Pair<Node, Node | null>): string => String((key as { value?: unknown }).value)
    const isKept = items.map(pair => Object.hasOwn(value, nameOf(pair)))
    const last = isKept.lastIndexOf(true)
    // A value that is left out has no place, and the first line of a block may hold the dash of a list.
    if (last < 0 || items.some(pair => pair.value === null) || (!node.flow && !isKept[0])) return false
    for (const [i, pair] of items.entries()) if (isKept[i]) this.#revise(pair.value, value[nameOf(pair)])
    const names = new Set(items.map(nameOf))
    const added = Object.keys(value).filter(name => !names.has(name))
    this.#addMembers(
      node,
      items[last]!,
      added.map(name => `${flowText(name)}: ${flowText(value[name])}`),
    )
    this.#removeMembers(node, items, isKept)
    return true
  }

  #addMembers(node: YAMLMap, after: Pair<Node, Node | null>, members: readonly string[]): void {
    const end = this.#endOf(after.value!)
    const gap = node.flow ? ', ' : this.#newline + ' '.repeat(this.#columnOf(after.key.range![0]))
    const at = node.flow ? end : this.#lineEnd(end)
    if (members.length > 0) this.#edit(at, at, members.map(member => gap + member).join(''))
  }

  #removeMembers(node: YAMLMap, items: readonly Pair<Node, Node | null>[], isKept: readonly boolean[]): void {
    const last = isKept.lastIndexOf(true)
    const endOf = (index: number): number => this.#endOf(items[index]!.value!)
    const startOf = (index: number): number => items[index]!.key.range![0]
    if (!node.flow) {
      for (const [i, kept] of isKept.entries()) {
        if (!kept) this.#edit(this.#lineEnd(endOf(i - 1)), this.#lineEnd(endOf(i)), '')
      }
      return
    }
    if (last < items.length - 1) this.#edit(endOf(last), endOf(items.length - 1), '')
    for (let i = 0; i < last; i++) if (!isKept[i]) this.#edit(startOf(i), startOf(i + 1), '')
  }

  /** The value in the style of the node that it replaces. */
  #render(node: Node, value: unknown): string {
    if (isScalar(node) && typeof value === 'string' && !/[\u0000-\u001f]/.test(value)) {
      if (node.type === 'QUOTE_SINGLE') return `'${value.replaceAll("'", "''")}'`
      if (node.type === 'QUOTE_DOUBLE') return JSON.stringify(value)
    }
    if (isScalar(node) && (node.source ?? '') === '') return ` ${flowText(value)}`
    const isBlock = isMap(node) && !node.flow && isFilledMap(value)
    return isBlock ? this.#blockText(value, this.#columnOf(node.range![0])) : flowText(value)
  }

  #blockText(value: Readonly<Record<string, unknown>>, indent: number): string {
    const lines = Object.entries(value).map(([key, one]) => `${flowText(key)}: ${flowText(one)}`)
    return lines.join(this.#newline + ' '.repeat(indent))
  }

  #reviseList(list: YAMLSeq, before: readonly unknown[], value: readonly unknown[], isUnordered: boolean): void {
    const items = list.items as Node[]
    const pairs = isUnordered ? alignUnordered(before, value) : pairChanges(alignRows(before, value))
    const removed = new Set(pairs.flatMap(({ expected, found }) => (found === null ? [expected!] : [])))
    for (const { expected, found } of pairs) {
      if (expected !== null && found !== null) this.#revise(items[expected]!, value[found])
    }
    let last = -1
    let added: unknown[] = []
    const insert = (): void => {
      if (added.length > 0) this.#insert(list, last, added)
      added = []
    }
    for (const { expected, found } of pairs) {
      if (expected === null) added.push(value[found!])
      else {
        insert()
        last = expected
      }
    }
    insert()
    this.#remove(list, removed)
  }

  /** Adds items after the item `after`, which is -1 for the beginning. */
  #insert(list: YAMLSeq, after: number, values: readonly unknown[]): void {
    const items = list.items as Node[]
    const model = items[Math.max(0, after)]!
    const start = model.range![0]
    if (list.flow) {
      const isMultiline = this.#text.slice(list.range![0], start).includes('\n')
      const gap = isMultiline ? `,${this.#newline}${' '.repeat(this.#columnOf(start))}` : ', '
      const text = values.map(flowText).join(gap)
      if (after < 0) this.#edit(start, start, text + gap)
      else this.#edit(this.#endOf(model), this.#endOf(model), gap + text)
      return
    }
    const dash = this.#dashOf(model)
    const indent = ' '.repeat(this.#columnOf(dash))
    const lines = values.map(value => {
      const isBlock = isMap(model) && !model.flow && isFilledMap(value)
      return `${indent}- ${isBlock ? this.#blockText(value, indent.length + 2) : flowText(value)}`
    })
    if (after < 0) {
      const line = this.#lineStart(dash)
      this.#edit(line, line, lines.map(line => line + this.#newline).join(''))
    } else {
      const end = this.#lineEnd(this.#endOf(model))
      this.#edit(end, end, lines.map(line => this.#newline + line).join(''))
    }
  }

  #remove(list: YAMLSeq, indexes: ReadonlySet<number>): void {
    const items = list.items as Node[]
    if (!list.flow) {
      for (const index of indexes) {
        const end = this.#lineEnd(this.#endOf(items[index]!))
        const after = Math.min(this.#text.length, end + this.#newline.length)
        this.#edit(this.#lineStart(this.#dashOf(items[index]!)), after, '')
      }
      return
    }
    let kept = items.length
    while (indexes.has(kept - 1)) kept--
    if (kept < items.length) this.#edit(this.#endOf(items[kept - 1]!), this.#endOf(items.at(-1)!), '')
    for (const index of indexes) {
      if (index < kept) this.#edit(items[index]!.range![0], items[index + 1]!.range![0], '')
    }
  }

  /** Replaces a list that is empty, or that becomes empty. */
  #replaceList(parent: YAMLMap, pair: Pair<Node, Node>, value: readonly unknown[]): void {
    const list = pair.value as YAMLSeq
    const colon = this.#text.indexOf(':', this.#endOf(pair.key))
    const indent = this.#newline + ' '.repeat(this.#columnOf(pair.key.range![0]) + 2)
    const isBlock = !parent.flow && value.length > 0 && value.every(isFilledMap)
    const text = isBlock ? value.map(one => `${indent}- ${flowText(one)}`).join('') : ` ${flowText(value)}`
    this.#edit(colon + 1, this.#endOf(list), text)
  }

  /** The end of the node's own text, without the white space after it. */
  #endOf(node: Node): number {
    const items = (isMap(node) || isSeq(node)) && !node.flow ? node.items : []
    const last = items.at(-1)
    if (last !== undefined) {
      const inner = isMap(node) ? ((last as Pair<Node, Node | null>).value ?? (last as Pair<Node>).key) : (last as Node)
      if (inner.range) return this.#endOf(inner)
    }
    const [start, end] = node.range!
    return start + this.#text.slice(start, end).trimEnd().length
  }

  #columnOf(offset: number): number {
    return offset - this.#lineStart(offset)
  }

  #lineStart(offset: number): number {
    return this.#text.lastIndexOf('\n', offset - 1) + 1
  }

  /** Where the line ends, before its line break. */
  #lineEnd(offset: number): number {
    const at = this.#text.indexOf(this.#newline, offset)
    return at < 0 ? this.#text.length : at
  }

  #dashOf(item: Node): number {
    return this.#text.lastIndexOf('-', item.range![0] - 1)
  }
}

/** One line of YAML that may stand in a flow collection. */
function flowText(value: unknown): string {
  const text = stringify([value], { collectionStyle: 'flow', lineWidth: 0, version: '1.2', schema: 'core' }).trim()
  return text.slice(1, -1).trim()
}

const isFilledMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

/** Pairs each item with an equal one, wherever it is, and the others in order. */
function alignUnordered(before: readonly unknown[], after: readonly unknown[]): readonly Aligned[] {
  const left = new Set(after.keys())
  const equal = before.map(item => {
    const at = [...left].find(index => equalValues(item, after[index])) ?? null
    if (at !== null) left.delete(at)
    return at
  })
  const rest = [...left]
  const pairs = equal.map((found, expected) => ({ expected, found: found ?? rest.shift() ?? null }))
  return [...pairs, ...rest.map(found => ({ expected: null, found }))]
}
