/** Arguments as they come: by name, not yet typed, and refused where their very form is wrong. */
import { RunnerError } from '../model/errors.js'

/** What a caller gave under one name. */
export interface RawArgument {
  /** Text from an address or a form; any JSON value but an array from a JSON body. */
  readonly values: readonly unknown[]
  /** The caller wrote a list (a JSON array), even if of one element. */
  readonly isList: boolean
}

export type RawArguments = ReadonlyMap<string, RawArgument>

/**
 * The pairs of a query string or of a form body, `+` and percent-encoding undone; repeated names keep every value.
 * `text` holds one character per byte, as node:http gives an address.
 * @throws RunnerError REQUEST_INVALID when an encoding is broken or is not UTF-8.
 */
export function parsePairs(text: string): RawArguments {
  const found = new Map<string, { values: string[]; isList: false }>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const before = found.get(name)
    if (before) before.values.push(value)
    else found.set(name, { values: [value], isList: false })
  }
  return found
}

function decode(text: string): string {
  if (!/[%+\x80-\xff]/.test(text)) return text
  try {
    return decodeURIComponent(
      text.replace(/\+/g, ' ').replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`),
    )
  } catch (cause) {
    const detail = 'A name or value is not valid percent-encoded UTF-8.'
    throw new RunnerError('REQUEST_INVALID', { detail, cause })
  }
}

/**
 * The members of a JSON object; null means not given.
 * @throws RunnerError REQUEST_INVALID when the text is no JSON object or a name stands in it twice.
 */
export function parseJsonArguments(text: string): RawArguments {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw new RunnerError('REQUEST_INVALID', { detail: 'The body is not valid JSON.', cause })
  }
  const found = parsedArguments(document, true)
  // JSON.parse keeps the last of two members of one name; a repeated argument is refused wherever it stands.
  if (countTopNames(text) !== Object.keys(document as object).length) {
    throw new RunnerError('REQUEST_INVALID', { detail: 'The body names an argument twice.' })
  }
  return found
}

/**
 * The members of a JSON object or form that somebody else has parsed. `isJson`: an array there is a list; in a form it is
 * a name that was given several times.
 * @throws RunnerError REQUEST_INVALID when it is no object.
 */
export function parsedArguments(document: unknown, isJson: boolean): RawArguments {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new RunnerError('REQUEST_INVALID', { detail: 'The body must be a JSON object of arguments.' })
  }
  const found = new Map<string, RawArgument>()
  for (const [name, value] of Object.entries(document)) {
    if (value === null || value === undefined) continue
    found.set(name, Array.isArray(value) ? { values: value, isList: isJson } : { values: [value], isList: false })
  }
  return found
}

/** How many members the outermost object of this valid JSON text has. */
function countTopNames(text: string): number {
  let depth = 0
  let names = 0
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token === ':' && depth === 1) names += 1
  }
  return names
}

/** Arguments of a call from within the process. */
export function rawArguments(given: Readonly<Record<string, string | readonly string[]>>): RawArguments {
  return new Map(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? { values: [value], isList: false } : { values: value, isList: true },
    ]),
  )
}

/** Both, where a name in both counts as repeated. */
export function mergeArguments(a: RawArguments, b: RawArguments): RawArguments {
  const merged = new Map(a)
  for (const [name, { values, isList }] of b) {
    const first = merged.get(name)
    merged.set(
      name,
      first ? { values: [...first.values, ...values], isList: first.isList || isList } : { values, isList },
    )
  }
  return merged
}
