/** JSON text as a tree and back; numbers keep their text and members their order. */
import { type JsonBuilder, JsonError, JsonReader } from '../../../../googlesql/values/json-reader.js'
import { doubleText } from '../../../../googlesql/values/json-text.js'

export type JsonNode =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | {
      readonly kind: 'object'
      /** The members by name; the first of several with the same name. */
      readonly members: ReadonlyMap<string, JsonNode>
      /**
       * All members in their order. Set only where several members have the same name: JSON text of type STRING keeps all of them,
       * the JSON type only the first.
       */
      readonly allMembers?: readonly (readonly [string, JsonNode])[]
    }

export const JSON_NULL: JsonNode = { kind: 'null' }

/** The greatest depth of a value; deeper text counts as malformed. */
const MAX_DEPTH = 1000

const NODES: JsonBuilder<JsonNode> = {
  literal: word => (word === 'null' ? JSON_NULL : { kind: 'bool', value: word === 'true' }),
  number: text => ({ kind: 'number', text }),
  string: value => ({ kind: 'string', value }),
  array: items => ({ kind: 'array', items }),
  object: allMembers => {
    const members = new Map<string, JsonNode>()
    for (const [name, value] of allMembers) if (!members.has(name)) members.set(name, value)
    return { kind: 'object', members, ...(members.size < allMembers.length && { allMembers }) }
  },
}

/** The tree of a JSON text; null for text that is not JSON. */
export const parseDocument = (text: string): JsonNode | null =>
  orNull(() => new JsonReader(text, NODES, MAX_DEPTH).document())

/**
 * Finds the value at the end of a path, which has a name or index for each step. The text after that value need not be JSON,
 * since BigQuery reads a STRING only up to the value. Null if there is an error before the value, or no such value.
 */
export const findInText = (text: string, steps: readonly string[]): JsonNode | null =>
  orNull(() => find(new JsonReader(text, NODES, MAX_DEPTH, true), steps, 0))

function orNull(read: () => JsonNode | null): JsonNode | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

function find(reader: JsonReader<JsonNode>, steps: readonly string[], depth: number): JsonNode | null {
  const step = steps[depth]
  if (step === undefined) return readValue(reader, depth)
  if (depth > MAX_DEPTH) return null
  const isArray = reader.accept('[')
  if (!isArray && !reader.accept('{')) return null
  let index = 0
  do {
    const name = isArray ? String(index++) : reader.name()
    if (name === step) return find(reader, steps, depth + 1)
    if (!readValue(reader, depth + 1)) return null
  } while (reader.accept(','))
  return null
}

/** Reads a value; null for a number with an incomplete part, such as `1.` or `1e+`. */
function readValue(reader: JsonReader<JsonNode>, depth: number): JsonNode | null {
  const node = reader.value(depth)
  if (node.kind !== 'number') return node
  const next = reader.next ?? ''
  const isCut = next === '.' ? /^-?\d+$/.test(node.text) : /e/i.test(next) && !/e/i.test(node.text)
  return isCut ? null : node
}

/** The JSON text of a value, without white space. */
export function documentText(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null'
    case 'bool':
      return String(node.value)
    case 'number':
      return node.text
    case 'string':
      // A single surrogate, which an escape can give, is not a character.
      return JSON.stringify(node.value.replace(/\p{Surrogate}/gu, '\ufffd'))
    case 'array':
      return `[${node.items.map(documentText).join(',')}]`
    case 'object':
      return `{${[...(node.allMembers ?? node.members)].map(memberText).join(',')}}`
  }
}

const memberText = ([name, value]: readonly [string, JsonNode]): string =>
  `${JSON.stringify(name)}:${documentText(value)}`

/**
 * Escapes U+2028 and U+2029, which are line ends in JavaScript. BigQuery escapes them in STRINGs of JSON text, but not in the
 * JSON type.
 */
export const withLineEscapes = (text: string): string =>
  text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** The text of a number in the JSON type: an integer keeps its text, any other number gets the text of a FLOAT64. */
export const numberText = (text: string): string => (/[.eE]/.test(text) ? doubleText(Number(text)) : text)

/** The JSON text with each member and item on its own line, indented by two spaces for each level. */
export function prettyText(node: JsonNode, indent = ''): string {
  const inner = `${indent}  `
  if (node.kind === 'array' && node.items.length > 0) {
    return `[\n${node.items.map(item => inner + prettyText(item, inner)).join(',\n')}\n${indent}]`
  }
  if (node.kind === 'object' && node.members.size > 0) {
    const members = [...node.members].map(
      ([name, value]) => `${inner}${JSON.stringify(name)}: ${prettyText(value, inner)}`,
    )
    return `{\n${members.join(',\n')}\n${indent}}`
  }
  return documentText(node)
}
