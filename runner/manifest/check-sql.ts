/** Compiles every distinct SQL text of a manifest and places what is wrong with it. */
import type { Diagnostic } from '../model/diagnostic.js'
import type { Manifest } from '../model/manifest.js'
import type { CheckResult } from '../model/ports.js'
import { bigqueryType } from './bigquery-type.js'
import type { ExpandedSql } from './expand-sql.js'
import { diagnosticAt } from './report.js'
import type { CheckedSql } from './rule.js'

/** Compiles SQL whose parameters have these types. Never throws for a mistake in the SQL. */
export type CheckSql = (sql: string, types: Readonly<Record<string, string>>) => CheckResult | Promise<CheckResult>

export interface SqlCheck {
  readonly checked: readonly CheckedSql[]
  readonly diagnostics: readonly Diagnostic[]
}

/** `skip`: places that have been told of already, as `file:line:column`. */
export async function checkSqlTexts(
  manifest: Manifest,
  expanded: ExpandedSql,
  checkSql: CheckSql,
  skip: ReadonlySet<string>,
): Promise<SqlCheck> {
  const types: Record<string, string> = { now: 'TIMESTAMP' }
  for (const [name, { type }] of Object.entries(manifest.parameters ?? {})) types[name] = bigqueryType(type)
  const checked: CheckedSql[] = []
  const failures = new Map<string, { diagnostic: Diagnostic; share: number; label: string }>()
  for (const text of expanded.texts) {
    const result = await checkSql(text.sql, types)
    if (result.ok) {
      checked.push({ text, columns: result.columns })
      continue
    }
    const { message, line, column } = result.problem
    const { place, inclusion } = expanded.placeOf(text.variant.rendered, offsetAt(text.sql, line, column))
    const key = `${place.file}:${place.line}:${place.column}`
    if (skip.has(key)) continue
    const diagnostic = diagnosticAt(place, 'sql/error', message + inclusion)
    const known = failures.get(`${key} ${diagnostic.message}`)
    if (known) known.share += text.share
    else failures.set(`${key} ${diagnostic.message}`, { diagnostic, share: text.share, label: text.variant.label })
  }
  const diagnostics = [...failures.values()].map(({ diagnostic, share, label }) =>
    share === expanded.variants.length
      ? diagnostic
      : { ...diagnostic, message: `${diagnostic.message} (when ${label})` },
  )
  return { checked, diagnostics }
}

/** The offset of a line and column. */
function offsetAt(sql: string, line: number, column: number): number {
  let offset = 0
  for (let i = 1; i < line; i++) {
    const next = sql.indexOf('\n', offset)
    if (next < 0) return sql.length
    offset = next + 1
  }
  return Math.min(sql.length, offset + column - 1)
}
