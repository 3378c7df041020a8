/** Reads the plain part of YAML's flow style (`{ a: 1, b: [x, 'y'] }`, which JSON is too) and of its scalars. */

export interface Flow {
  readonly value: unknown
  /** Behind its last character. */
  readonly end: number
}

/** A map, a list or a scalar at the offset; null for what is not plain. `mayWrap`: lines may end within. */
export function readFlow(text: string, offset: number, mayWrap: boolean): Flow | null {
  const space = mayWrap ? /[ \n]*/y : / */y
  const skip = (at: number): number => {
    space.lastIndex = at
    space.test(text)
    return space.lastIndex
  }
  const readAny = (at: number): Flow | null => {
    if (text[at] === '{') return readEntries(at, '}', readMember)
    if (text[at] === '[') return readEntries(at, ']', readElement)
    return readFlowScalar(text, at)
  }
  /** Whatever stands between the brackets, with commas between. */
  const readEntries = (at: number, close: string, readEntry: typeof readMember | typeof readElement): Flow | null => {
    const into: Record<string, unknown> | unknown[] = close === '}' ? {} : []
    let next = skip(at + 1)
    if (text[next] === close) return { value: into, end: next + 1 }
    for (;;) {
      const end = readEntry(next, into as Record<string, unknown> & unknown[])
      if (end < 0) return null
      next = skip(end)
      if (text[next] === close) return { value: into, end: next + 1 }
      if (text[next] !== ',') return null
      next = skip(next + 1)
    }
  }
  /** The offset behind the entry; -1 for what is not plain. */
  const readMember = (at: number, map: Record<string, unknown>): number => {
    const key = readFlowKey(text, at)
    if (key === null || typeof key.value !== 'string' || key.end - at > MAX_KEY) return -1
    if (Object.hasOwn(map, key.value) || key.value === '__proto__' || key.value === '<<') return -1
    // Behind a name without quotes only a blank makes the colon one.
    if (text[key.end] !== ':' || (text[key.end + 1] !== ' ' && !isQuote(text[at]))) return -1
    const member = readAny(skip(key.end + 1))
    if (member === null) return -1
    map[key.value] = member.value
    return member.end
  }
  const readElement = (at: number, list: unknown[]): number => {
    const element = readAny(at)
    if (element === null) return -1
    list.push(element.value)
    return element.end
  }
  return readAny(offset)
}

/** Whether nothing stands behind this offset, but for a comment. */
export const isWhole = (text: string, end: number): boolean => /^(?: *$| +#)/.test(text.slice(end))

const isQuote = (character: string | undefined): boolean => character === '"' || character === "'"

/** YAML allows keys of 1,024 characters. */
const MAX_KEY = 1_000
const QUOTED = /"([^"\\\n]*)"|'((?:[^'\n]|'')*)'/y
const FLOW_KEY = /[A-Za-z0-9_][\w.-]*/y
// No character that means something in a flow, be it only before or behind a blank.
const FLOW_PLAIN = /(?:-(?=[0-9])|[^\s\-?:,[\]{}#&*!|>'"%@`])[^:,[\]{}#\n]*/y

function readFlowKey(text: string, at: number): Flow | null {
  return isQuote(text[at]) ? readQuoted(text, at) : match(FLOW_KEY, text, at)
}

function readFlowScalar(text: string, at: number): Flow | null {
  return isQuote(text[at]) ? readQuoted(text, at) : match(FLOW_PLAIN, text, at)
}

function match(pattern: RegExp, text: string, at: number): Flow | null {
  pattern.lastIndex = at
  const found = pattern.exec(text)?.[0]
  if (found === undefined) return null
  const value = plainValue(found.trimEnd())
  return value === undefined ? null : { value, end: at + found.length }
}

function readQuoted(text: string, at: number): Flow | null {
  QUOTED.lastIndex = at
  const found = QUOTED.exec(text)
  if (found === null) return null
  const [whole, double, single] = found
  return { value: double ?? single!.replaceAll("''", "'"), end: at + whole.length }
}

/** A scalar that is the whole text, but for a comment behind it; undefined for what is not plain. */
export function readScalar(text: string): unknown {
  if (isQuote(text[0])) {
    const quoted = readQuoted(text, 0)
    return quoted && isWhole(text, quoted.end) ? quoted.value : undefined
  }
  const comment = text.indexOf(' #')
  const plain = comment < 0 ? text : text.slice(0, comment).trimEnd()
  return NOT_PLAIN.test(plain) ? undefined : plainValue(plain)
}

/** Indicators at the beginning, a member's colon. */
const NOT_PLAIN = /^(?:[?:,[\]{}#&*!|>'"%@`]|-(?![0-9]))|:(?: |$)/

/** The core schema's numbers that are written as anybody writes them; more digits than these could be lost. */
const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,14})?$/
/** Anything else that the core schema may take for a number, or that begins like one. */
const NUMBER_LIKE =
  /^(?:[-+]?\.?[0-9][0-9.]*(?:[eE][-+]?[0-9]*)?|0[xob][0-9a-fA-F]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...['', '~', 'null', 'Null', 'NULL'].map(word => [word, null] as const),
  ...['true', 'True', 'TRUE'].map(word => [word, true] as const),
  ...['false', 'False', 'FALSE'].map(word => [word, false] as const),
])

/** Undefined for a number that is not plain. */
function plainValue(text: string): unknown {
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (NUMBER.test(text)) return text === '-0' ? undefined : Number(text)
  return NUMBER_LIKE.test(text) ? undefined : text
}
