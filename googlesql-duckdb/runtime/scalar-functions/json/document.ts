/** JSON text as a tree and back; numbers keep their text and members their order. */
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
      /** All members in their order, where several have the same name: a STRING keeps them all. */
      readonly written?: readonly (readonly [string, JsonNode])[]
    }

export const JSON_NULL: JsonNode = { kind: 'null' }

/** The greatest depth of a value; deeper text counts as malformed. */
const MAX_DEPTH = 1000

/** The tree of a JSON text; null for text that is not JSON. */
export function parseDocument(text: string): JsonNode | null {
  const reader = new Reader(text)
  const node = reader.value(0)
  return node && reader.isAtEnd() ? node : null
}

/**
 * Finds the value at the end of a path, which has a name or index for each step. The text after that value need not be JSON,
 * since BigQuery reads a STRING only up to the value. Null if there is an error before the value, or no such value.
 */
export function findInText(text: string, steps: readonly string[]): JsonNode | null {
  return new Reader(text, true).find(steps)
}

class Reader {
  readonly #text: string
  readonly #isLenient: boolean
  #offset = 0

  /**
   * @param isLenient whether strings are accepted as BigQuery does: in double or single quotes, with any character, plain or
   * escaped
   */
  constructor(text: string, isLenient = false) {
    this.#text = text
    this.#isLenient = isLenient
  }

  find(steps: readonly string[], depth = 0): JsonNode | null {
    const step = steps[depth]
    if (step === undefined) return this.#wholeValue(depth)
    if (depth > MAX_DEPTH) return null
    const isArray = this.#accept('[')
    if (!isArray && !this.#accept('{')) return null
    let index = 0
    do {
      this.#accept('')
      const name = isArray ? String(index++) : this.#string()
      if (name === null || (!isArray && !this.#accept(':'))) return null
      if (name === step) return this.find(steps, depth + 1)
      if (!this.#wholeValue(depth + 1)) return null
    } while (this.#accept(','))
    return null
  }

  /** Reads a value; null for a number with an incomplete part, such as `1.` or `1e+`. */
  #wholeValue(depth: number): JsonNode | null {
    const node = this.value(depth)
    if (node?.kind !== 'number') return node
    const next = this.#text[this.#offset] ?? ''
    const isCut = next === '.' ? /^-?\d+$/.test(node.text) : /e/i.test(next) && !/e/i.test(node.text)
    return isCut ? null : node
  }

  isAtEnd(): boolean {
    this.#accept('')
    return this.#offset === this.#text.length
  }

  value(depth: number): JsonNode | null {
    if (depth > MAX_DEPTH) return null
    this.#accept('')
    switch (this.#text[this.#offset]) {
      case '{':
        return this.#object(depth)
      case '[':
        return this.#array(depth)
      case "'":
      case '"': {
        const value = this.#string()
        return value === null ? null : { kind: 'string', value }
      }
      default:
        return this.#scalar()
    }
  }

  #object(depth: number): JsonNode | null {
    const members = new Map<string, JsonNode>()
    let written: [string, JsonNode][] | undefined
    this.#offset++
    if (this.#accept('}')) return { kind: 'object', members }
    do {
      this.#accept('')
      const name = this.#string()
      if (name === null || !this.#accept(':')) return null
      const value = this.value(depth + 1)
      if (!value) return null
      if (members.has(name)) written ??= [...members]
      else members.set(name, value)
      written?.push([name, value])
    } while (this.#accept(','))
    return this.#accept('}') ? { kind: 'object', members, ...(written ? { written } : {}) } : null
  }

  #array(depth: number): JsonNode | null {
    const items: JsonNode[] = []
    this.#offset++
    if (this.#accept(']')) return { kind: 'array', items }
    do {
      const item = this.value(depth + 1)
      if (!item) return null
      items.push(item)
    } while (this.#accept(','))
    return this.#accept(']') ? { kind: 'array', items } : null
  }

  #string(): string | null {
    const quoted = this.#match(this.#isLenient ? /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy : /"(?:[^"\\]|\\.)*"/sy)
    if (quoted === null) return null
    try {
      return JSON.parse(this.#isLenient ? asJson(quoted) : quoted) as string
    } catch {
      return null
    }
  }

  #scalar(): JsonNode | null {
    const word = this.#match(/true|false|null/y)
    if (word !== null) return word === 'null' ? JSON_NULL : { kind: 'bool', value: word === 'true' }
    const text = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    return text === null ? null : { kind: 'number', text }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#offset
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return null
    this.#offset += found.length
    return found
  }

  #accept(symbol: string): boolean {
    while (' \t\n\r'.includes(this.#text[this.#offset] ?? '-')) this.#offset++
    if (symbol === '' || this.#text[this.#offset] !== symbol) return false
    this.#offset++
    return true
  }
}

/** A lenient string as a JSON string: an escape that JSON does not have means the character itself. */
function asJson(quoted: string): string {
  const body = quoted.slice(1, -1).replace(/\\(.)|"/gs, (found, escaped: string | undefined) => {
    if (escaped === undefined) return '\\"'
    return '"\\/bfnrtu'.includes(escaped) ? found : escaped
  })
  return `"${withEscapes(body)}"`
}

const withEscapes = (text: string): string =>
  text.replace(/[\0-\x1f]/g, symbol => `\\u00${symbol.charCodeAt(0).toString(16).padStart(2, '0')}`)

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
      return `{${[...(node.written ?? node.members)].map(memberText).join(',')}}`
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
