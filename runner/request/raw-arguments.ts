/** Parses arguments by name, before they are typed; malformed encodings and JSON are refused. */
import { invalidRequest, type RunnerError } from '../model/errors.js'
import { MAX_VALUES } from '../model/param.js'

/** The values that a caller sent under one name. */
export interface RawArgument {
  /** Texts from an address or a form; from a JSON body any JSON values except arrays. */
  readonly values: readonly unknown[]
  /** Whether the caller sent a JSON array, even of one element. */
  readonly isList: boolean
}

export type RawArguments = ReadonlyMap<string, RawArgument>

/** How deep the lists and objects of a body may be nested: JSON.parse takes much longer for deep texts than for flat texts. */
export const MAX_DEPTH = 500

/** How many different names one request may have. They are counted before there is any other work for them. */
export const MAX_NAMES = 1_000

const tooDeep = (): RunnerError =>
  invalidRequest(`The lists and objects of a body may be nested at most ${MAX_DEPTH} deep.`)
const tooManyValues = (): RunnerError => invalidRequest(`A call may have at most ${MAX_VALUES} values.`)

/** @throws RunnerError REQUEST_INVALID where there are more names than MAX_NAMES. */
export function refuseManyNames(count: number): void {
  if (count <= MAX_NAMES) return
  throw invalidRequest(`A call may have at most ${MAX_NAMES} different arguments.`)
}

/**
 * Parses a query string or a form body, decoding `+` and percent-encoding; repeated names keep all values.
 * `text` holds one character per byte, as node:http gives an address.
 * @throws RunnerError REQUEST_INVALID when an encoding is broken or is not UTF-8, and where there are too many names or values.
 */
export function parsePairs(text: string): RawArguments {
  const args = new Map<string, { values: string[]; isList: false }>()
  const pairs = text.split('&', MAX_VALUES + 1)
  if (pairs.length > MAX_VALUES) throw tooManyValues()
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const repeated = args.get(name)
    if (repeated) repeated.values.push(value)
    else refuseManyNames(args.set(name, { values: [value], isList: false }).size)
  }
  return args
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(text: string): string {
  if (!/[%+\x80-\xff]/.test(text)) return text
  try {
    const characters = /[\x80-\xff]/.test(text) ? UTF8.decode(Buffer.from(text, 'latin1')) : text
    return decodeURIComponent(characters.replaceAll('+', ' '))
  } catch (cause) {
    throw invalidRequest('A name or value is not valid percent-encoded UTF-8.', cause)
  }
}

/**
 * Parses the members of a JSON object; null counts as absent.
 * @throws RunnerError REQUEST_INVALID when the text is not a JSON object or repeats a name.
 */
export function parseJsonArguments(text: string): RawArguments {
  const { all, top } = countNames(text, MAX_NAMES)
  refuseManyNames(all)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw invalidRequest('The body is not valid JSON.', cause)
  }
  const object = objectIn(document)
  const args = argumentsOf(object, true)
  // JSON.parse keeps the last of two members with one name, but a repeated argument must be refused.
  if (top !== Object.keys(object).length) throw invalidRequest('The body names an argument twice.')
  return args
}

/**
 * The arguments of a document, such as a body that a middleware has parsed. With `isJson` an array is a list; in a form it is a
 * repeated name.
 * @throws RunnerError REQUEST_INVALID when the document is not an object, and where it has too many names or values.
 */
export function parsedArguments(document: unknown, isJson: boolean): RawArguments {
  const object = objectIn(document)
  refuseManyNames(Object.keys(object).length)
  refuseLarge(object)
  return argumentsOf(object, isJson)
}

function objectIn(document: unknown): object {
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  throw invalidRequest('The body must be a JSON object of arguments.')
}

function argumentsOf(object: object, isJson: boolean): RawArguments {
  const args = new Map<string, RawArgument>()
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined) continue
    args.set(name, Array.isArray(value) ? { values: value, isList: isJson } : { values: [value], isList: false })
  }
  return args
}

/** Refuses a document that is nested too deep or has too many values, as `countNames` does. An empty list or object is a value. */
function refuseLarge(document: object): void {
  let level: readonly unknown[] = [document]
  for (let depth = 0, leaves = 0; level.length > 0; depth++) {
    const inner: unknown[] = []
    for (const value of level) {
      const isScalar = typeof value !== 'object' || value === null
      if (!isScalar && depth === MAX_DEPTH) throw tooDeep()
      const members = isScalar ? [] : Object.values(value)
      if (members.length === 0) leaves++
      for (const member of members) inner.push(member)
    }
    if (leaves + inner.length > MAX_VALUES) throw tooManyValues()
    level = inner
  }
}

const [QUOTE, COLON, COMMA, BACKSLASH] = [0x22, 0x3a, 0x2c, 0x5c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Counts the members of all objects of this JSON text, and those of its outermost object (`top`). For a text that is not valid, the
 * counts are estimates. It stops after `most` + 1 members.
 * @throws RunnerError REQUEST_INVALID where the text is nested too deep, or has too many values.
 */
export function countNames(text: string, most: number): { readonly all: number; readonly top: number } {
  const counts = countParts(text, most)
  if (counts.depth > MAX_DEPTH) throw tooDeep()
  if (counts.values > MAX_VALUES) throw tooManyValues()
  return counts
}

/** As `countNames`, with the number of values and the depth. It stops counting when one of these exceeds its limit. */
export function countParts(text: string, mostNames: number) {
  let depth = 0
  let all = 0
  let top = 0
  let values = 1
  let isInString = false
  for (let i = 0; i < text.length && all <= mostNames && values <= MAX_VALUES && depth <= MAX_DEPTH; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i++
    else if (code === QUOTE) isInString = !isInString
    else if (isInString) continue
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--
    else if (code === COMMA) values++
    else if (code === COLON) {
      all++
      if (depth === 1) top++
    }
  }
  return { all, top, values, depth }
}

/** Merges two sets of arguments; a name in both counts as repeated. */
export function mergeArguments(a: RawArguments, b: RawArguments): RawArguments {
  const merged = new Map(a)
  for (const [name, { values, isList }] of b) {
    const first = merged.get(name) ?? { values: [], isList: false }
    merged.set(name, { values: [...first.values, ...values], isList: first.isList || isList })
  }
  return merged
}
