/** Parses arguments of the command line: `name=value` pairs, times and numbers. */
import { UsageError } from '../../runner/model/errors.js'
import { readTimestamp } from '../../runner/model/typed-value.js'

/** `k=v` texts as an object. @throws UsageError for one without `=` or a name given twice. */
export function assignments(what: string, texts: readonly string[]): Readonly<Record<string, string>> {
  const seen = new Map<string, string>()
  for (const [name, value] of texts.map(text => splitAssignment(what, text))) {
    if (seen.has(name)) throw new UsageError([`${what}: ${name} is given twice`])
    seen.set(name, value)
  }
  return Object.fromEntries(seen)
}

/** @throws UsageError for a text without `=`. */
export function splitAssignment(what: string, text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError([`${what} must be name=value, found ${JSON.stringify(text)}`])
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The arguments of a call from `k=v` texts; a repeated name becomes a list, as in a URL. @throws UsageError. */
export function rawArguments(texts: readonly string[]): Readonly<Record<string, string | readonly string[]>> {
  const all = new Map<string, string | readonly string[]>()
  for (const text of texts) {
    const [name, value] = splitAssignment('an argument', text)
    const values = all.get(name)
    all.set(name, values === undefined ? value : [...(typeof values === 'string' ? [values] : values), value])
  }
  return Object.fromEntries(all)
}

/** Microseconds since 1970 of an ISO 8601 time. @throws UsageError. */
export function timeArgument(flag: string, text: string): bigint {
  const micros = readTimestamp(text)
  if (micros === null)
    throw new UsageError([
      `${flag} must be an ISO 8601 time such as 2026-01-31T12:00:00Z, found ${JSON.stringify(text)}`,
    ])
  return micros
}

/** @throws UsageError for a text that is not digits alone, or a number out of range. */
export function wholeNumber(flag: string, text: string, minimum: number, maximum: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= minimum && number <= maximum) return number
  throw new UsageError([`${flag} must be a whole number from ${minimum} to ${maximum}, found ${JSON.stringify(text)}`])
}
