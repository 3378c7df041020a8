/** Builds diagnostics with their places. */

import type { Diagnostic, DiagnosticData, Severity } from '../model/diagnostic.js'
import type { RuleId } from '../model/rules.js'
import type { FilePlace } from './source.js'

/** The rest of a diagnostic. */
export interface More extends DiagnosticData {
  /** @default error */
  readonly severity?: Severity
  /** The end of the message. */
  readonly hint?: string
}

/** A mistake in the text of a file, and the offset of its place. */
export interface TextMistake {
  readonly offset: number
  readonly rule: RuleId
  readonly message: string
}

export function diagnosticAt(
  { file, line, column }: FilePlace,
  rule: RuleId,
  message: string,
  { severity = 'error', hint = '', ...data }: More = {},
): Diagnostic {
  const hasData = Object.keys(data).length > 0
  return { file, line, column, rule, severity, message: message + hint, ...(hasData && { data }) }
}

/** A diagnostic about a whole file or folder. */
export const diagnosticOf = (file: string, rule: RuleId, message: string, more?: More): Diagnostic =>
  diagnosticAt({ file, line: 1, column: 1 }, rule, message, more)

const MAX_LISTED = 16

/** The words in quotes, `"a", "b", "c"`: at most sixteen. */
export function quotedList(words: Iterable<string>): string {
  const quoted = [...words].map(word => `"${word}"`)
  return quoted.length > MAX_LISTED
    ? `${quoted.slice(0, MAX_LISTED).join(', ')} and ${quoted.length - MAX_LISTED} more`
    : quoted.join(', ')
}

/** A YAML value in words, for "found …": `the number 5`, `a list`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`
  const text = value.length > 60 ? `${value.slice(0, 60)}…` : value
  return `the text ${JSON.stringify(text)}`
}
