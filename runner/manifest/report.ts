/** Makes diagnostics: places them and adds "did you mean". */

import { nearest } from '../../googlesql/index.js'
import type { Diagnostic, Severity } from '../model/diagnostic.js'
import type { RuleId } from '../model/rules.js'
import type { FilePlace } from './source.js'

/** An error at this place; a warning when `severity` says so. */
export function diagnosticAt(
  place: FilePlace,
  rule: RuleId,
  message: string,
  severity: Severity = 'error',
): Diagnostic {
  return { file: place.file, line: place.line, column: place.column, rule, severity, message }
}

/** `; did you mean "x"?`, or '' when nothing is near. */
export function didYouMean(word: string, among: Iterable<string>): string {
  const candidate = nearest(word, among)
  return candidate === undefined ? '' : `; did you mean "${candidate}"?`
}

const MAX_LISTED = 16

/** `"a", "b", "c"`, cut after sixteen. */
export function quotedList(words: Iterable<string>): string {
  const all = [...words].map(word => `"${word}"`)
  return all.length > MAX_LISTED
    ? `${all.slice(0, MAX_LISTED).join(', ')} and ${all.length - MAX_LISTED} more`
    : all.join(', ')
}

/** What a YAML value is, for "found …": `the number 5`, `a list`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`
  const text = value.length > 60 ? `${value.slice(0, 60)}…` : value
  return `the text ${JSON.stringify(text)}`
}
