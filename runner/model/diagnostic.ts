/** Diagnostics, which tell authors about mistakes in their files. */

import type { SqlMistake } from '../../googlesql/data.js'
import type { RuleId } from './rules.js'

/** A hint is not a mistake, and is only reported on request. */
export type Severity = 'error' | 'warning' | 'hint'

/** All positions are 1-based; `file` is relative to the folder that the command was run in. */
export interface Diagnostic {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The rule's name, such as `schema/unknown-key`. A name never changes and is never reused for another rule. */
  readonly rule: RuleId
  readonly severity: Severity
  /** What was found, what was expected, and the likely fix. */
  readonly message: string
  readonly data?: DiagnosticData
}

/** What a diagnostic is about, for code that acts on it instead of reading its message. It is not shown. */
export interface DiagnosticData {
  /** The word that the message proposes instead of the word at its place. */
  readonly meant?: string
  /** The lookup table whose field the message proposes to read. */
  readonly table?: string
  /** The name that nothing reads. */
  readonly unused?: string
  /** The table that has no schema. */
  readonly missing?: string
  /** The mistake in SQL. */
  readonly sql?: SqlMistake
}

/** A diagnostic as programs get it: without its data. */
export const plainDiagnostic = ({ data: _, ...plain }: Diagnostic): Diagnostic => plain

/** The rules about files and folders that were not read: their diagnostics have no line. */
const ABOUT_WHOLE_FILES: ReadonlySet<RuleId> = new Set(['manifest/unreadable', 'manifest/none-left'])

/** Whether a diagnostic is about a file or folder as a whole; its line and column are then 1. */
export const isAboutWholeFile = ({ rule }: Pick<Diagnostic, 'rule'>): boolean => ABOUT_WHOLE_FILES.has(rule)

/** One line: `endpoints/top.yaml:6:5: unknown key "defualt" … [schema/unknown-key]`. */
export function diagnosticLine(d: Diagnostic): string {
  const place = isAboutWholeFile(d) ? d.file : `${d.file}:${d.line}:${d.column}`
  return `${place}: ${d.severity === 'error' ? '' : `${d.severity}: `}${d.message} [${d.rule}]`
}

/** Orders diagnostics by file, line, column, rule and message: a total order. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(a.rule, b.rule) ||
    compareText(a.message, b.message)
  )
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
