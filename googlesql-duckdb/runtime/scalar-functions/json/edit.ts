/**
 * Makes changed copies of JSON values, for JSON_SET and related functions. A name always means a member of an object, and an
 * index an item of an array; where the value is of another kind, the change is skipped and the document stays as it is.
 */
import type { JsonPath, JsonPathStep } from '../../../../googlesql/values/json-path.js'
import { fail } from '../scalar-function.js'
import { JSON_NULL, type JsonNode } from './document.js'

/** BigQuery refuses a path whose indexes would add so many items to arrays, in all steps together, and an insertion at this index. */
const MAX_LENGTH = 1_000_000
/** The most items that indexes may add here: with BigQuery's limit, a path of 20 characters would take a second. */
const MAX_ADDED = 200_000

/** The value that a step leads to; undefined where there is no such value. */
function child(node: JsonNode, step: JsonPathStep): JsonNode | undefined {
  if (step.kind === 'name') return node.kind === 'object' ? node.members.get(step.text) : undefined
  return node.kind === 'array' ? node.items[Number(step.text)] : undefined
}

/**
 * A copy with this child; null where the kind of the value does not allow the step. A JSON null becomes an object or array.
 */
function withChild(node: JsonNode, step: JsonPathStep, value: JsonNode): JsonNode | null {
  if (step.kind === 'name') {
    if (node.kind !== 'object' && node.kind !== 'null') return null
    const members = new Map(node.kind === 'object' ? node.members : [])
    return { kind: 'object', members: members.set(step.text, value) }
  }
  if (node.kind !== 'array' && node.kind !== 'null') return null
  const items = node.kind === 'array' ? [...node.items] : []
  const index = Number(step.text)
  while (items.length < index) items.push(JSON_NULL)
  items[index] = value
  return { kind: 'array', items }
}

function checkLength(length: number): void {
  if (length >= MAX_LENGTH) fail(`Exceeded maximum array size of ${MAX_LENGTH}`)
}

function checkAdded(count: number): void {
  if (count > MAX_ADDED) fail(TOO_MANY)
}

const TOO_MANY = `Resources exceeded during query execution: an index adds more than ${MAX_ADDED} items to an array`

/**
 * Whether the path can be created, given the kinds of the values on it. @throws ScalarFunctionError where arrays would get too long: this
 * is checked before any array is made.
 */
function allowsPath(root: JsonNode, steps: readonly JsonPathStep[]): boolean {
  let node: JsonNode | undefined = root
  let added = 0
  for (const step of steps) {
    const kind = step.kind === 'name' ? 'object' : 'array'
    if (node && node.kind !== kind && node.kind !== 'null') return false
    const length = node?.kind === 'array' ? node.items.length : 0
    if (step.kind === 'index') added += Math.max(0, Number(step.text) - length)
    node = node && child(node, step)
  }
  checkLength(added)
  checkAdded(added)
  return true
}

/**
 * Copies the document and changes the value at the path; null if nothing changes. `change` gets undefined if the path has no
 * value.
 */
function changeAt(
  node: JsonNode | undefined,
  steps: readonly JsonPathStep[],
  change: (value: JsonNode | undefined) => JsonNode | null,
): JsonNode | null {
  const [step, ...rest] = steps
  if (!step) return change(node)
  const value = changeAt(node && child(node, step), rest, change)
  return value && withChild(node ?? JSON_NULL, step, value)
}

/** JSON_SET. `creates`: whether a path that does not exist is created. */
export function setValue(root: JsonNode, { steps }: JsonPath, value: JsonNode, creates: boolean): JsonNode {
  if (creates && !allowsPath(root, steps)) return root
  return changeAt(root, steps, old => (old || creates ? value : null)) ?? root
}

/** JSON_ARRAY_APPEND. `isOneByOne`: whether the items of an array are appended one by one. */
export function appendItems(root: JsonNode, { steps }: JsonPath, value: JsonNode, isOneByOne: boolean): JsonNode {
  const added = isOneByOne && value.kind === 'array' ? value.items : [value]
  const change = (old: JsonNode | undefined): JsonNode | null => {
    if (old?.kind === 'null') return { kind: 'array', items: added }
    return old?.kind === 'array' ? { kind: 'array', items: [...old.items, ...added] } : null
  }
  return changeAt(root, steps, change) ?? root
}

/** JSON_ARRAY_INSERT: inserts before the item at the end of the path. */
export function insertItems(root: JsonNode, { steps }: JsonPath, value: JsonNode, isOneByOne: boolean): JsonNode {
  const last = steps.at(-1)
  if (last?.kind !== 'index') return root
  const index = Number(last.text)
  checkLength(index)
  const added = isOneByOne && value.kind === 'array' ? value.items : [value]
  const change = (old: JsonNode | undefined): JsonNode | null => {
    if (old?.kind !== 'array' && old?.kind !== 'null') return null
    const items = old.kind === 'array' ? [...old.items] : []
    checkAdded(index - items.length)
    while (items.length < index) items.push(JSON_NULL)
    items.splice(index, 0, ...added)
    return { kind: 'array', items }
  }
  return changeAt(root, steps.slice(0, -1), change) ?? root
}

/** JSON_REMOVE for a path other than `$`. */
export function removeAt(root: JsonNode, { steps }: JsonPath): JsonNode {
  const last = steps.at(-1)!
  const change = (old: JsonNode | undefined): JsonNode | null => {
    if (!old || child(old, last) === undefined) return null
    if (old.kind === 'array') return { kind: 'array', items: old.items.toSpliced(Number(last.text), 1) }
    if (old.kind !== 'object') return null
    const members = new Map(old.members)
    members.delete(last.text)
    return { kind: 'object', members }
  }
  return changeAt(root, steps.slice(0, -1), change) ?? root
}

/** JSON_STRIP_NULLS. */
export function stripNulls(root: JsonNode, { steps }: JsonPath, inArrays: boolean, removesEmpty: boolean): JsonNode {
  const isRemoved = (node: JsonNode, isItem: boolean): boolean => {
    if (node.kind === 'null') return !isItem || inArrays
    if (!removesEmpty) return false
    if (node.kind === 'object') return node.members.size === 0
    return node.kind === 'array' && inArrays && node.items.length === 0
  }
  const strip = (node: JsonNode): JsonNode => {
    if (node.kind === 'array') {
      return { kind: 'array', items: node.items.map(strip).filter(item => !isRemoved(item, true)) }
    }
    if (node.kind !== 'object') return node
    const members = [...node.members].map(([name, value]) => [name, strip(value)] as const)
    return { kind: 'object', members: new Map(members.filter(([, value]) => !isRemoved(value, false))) }
  }
  const change = (old: JsonNode | undefined): JsonNode | null => {
    if (!old) return null
    const stripped = strip(old)
    return isRemoved(stripped, false) ? JSON_NULL : stripped
  }
  return changeAt(root, steps, change) ?? root
}
