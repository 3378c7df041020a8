/** Builds diagnostics with their places and "did you mean". */

import { nearest } from '../../googlesql/index.js'
import type { Diagnostic, Severity } from '../model/diagnostic.js'
import type { RuleId } from '../model/rules.js'
import type { FilePlace } from './source.js'

/** A diagnostic at this place; an error unless `severity` says otherwise. */
export function diagnosticAt(
  place: FilePlace,
  rule: RuleId,
  message: string,
  severity: Severity = 'error',
): Diagnostic {
  return { file: place.file, line: place.line, column: place.column, rule, severity, message }
}

/** `; did you mean "x"?`, or '' when no candidate is similar. */
export function didYouMean(word: string, among: Iterable<string>): string {
  const candidate = nearest(word, among)
  return candidate === undefined ? '' : `; did you mean "${candidate}"?`
}

const MAX_LISTED = 16

/** The words in quotes, `"a", "b", "c"`: at most sixteen. */
export function quotedList(words: Iterable<string>): string {
  const all = [...words].map(word => `"${word}"`)
  return all.length > MAX_LISTED
    ? `${all.slice(0, MAX_LISTED).join(', ')} and ${all.length - MAX_LISTED} more`
    : all.join(', ')
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
