/** Compiles every distinct SQL text of a manifest and places its errors in the manifest. */
import { blamedOffset, withAdvice } from '../../../googlesql/index.js'
import type { Diagnostic } from '../../model/diagnostic.js'
import { RunnerError, SetupError } from '../../model/errors.js'
import type { Manifest } from '../../model/manifest.js'
import type { CheckResult } from '../../model/ports.js'
import { bigqueryType } from '../bigquery-type.js'
import { diagnosticAt } from '../report.js'
import type { ExpandedSql } from '../variants/expand-sql.js'
import { exampleArguments } from './example-arguments.js'
import type { CheckedSql, DistinctSql } from './rule.js'

/** Compiles SQL whose parameters have these types. Never throws for a mistake in the SQL. */
export type CheckSql = (
  sql: string,
  types: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
) => CheckResult | Promise<CheckResult>

export interface SqlCheck {
  readonly checked: readonly CheckedSql[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Checks the texts. `skip` holds places that were reported already, as `file:line:column`; `maxBytes`, the most bytes that the
 * warehouse may read for a text.
 */
export async function checkSqlTexts(
  manifest: Manifest,
  expanded: ExpandedSql,
  checkSql: CheckSql,
  skip: ReadonlySet<string>,
  maxBytes: number | null,
): Promise<SqlCheck> {
  const types: Record<string, string> = { now: 'TIMESTAMP' }
  for (const [name, { type }] of Object.entries(manifest.parameters ?? {})) types[name] = bigqueryType(type)
  const values = exampleArguments(manifest)
  const names = Object.keys(manifest.parameters ?? {})
  const checked: CheckedSql[] = []
  const failures = new Map<string, { diagnostic: Diagnostic; share: number; label: string }>()
  // The advice may name what only one variant has: the reason without it tells whether two mistakes are one.
  function fail(text: DistinctSql, diagnostic: Diagnostic, reason = diagnostic.message): void {
    // Another variant may report the same mistake in syntax with other words, a little further on.
    const isSyntax = diagnostic.data?.sql?.code === 'syntax'
    const what = isSyntax ? 'syntax' : `${diagnostic.column} ${reason}`
    const key = `${diagnostic.file}:${diagnostic.line}:${what}`
    const known = failures.get(key)
    if (known) known.share += text.share
    else failures.set(key, { diagnostic, share: text.share, label: text.variant.label })
  }
  const checkText = async (text: DistinctSql): Promise<readonly [DistinctSql, CheckResult]> => {
    try {
      return [text, await checkSql(text.sql, types, values)]
    } catch (thrown) {
      if (!(thrown instanceof RunnerError)) throw thrown
      const { place } = expanded.placeOf(text.variant.rendered, 0)
      const variant = text.share === expanded.variants.length ? '' : ` (when ${text.variant.label})`
      throw new SetupError(`${place.file}: the query could not be checked: ${reasonOf(thrown)}${variant}`, {
        cause: thrown,
      })
    }
  }
  for (const [text, result] of await Promise.all(expanded.texts.map(checkText))) {
    if (result.ok) {
      const { columns, compiled, reads } = result
      checked.push({ text, columns, ...(compiled && { compiled }), ...(reads && { reads }) })
      if (maxBytes !== null && reads && reads.bytes > maxBytes) {
        const { place } = expanded.placeOf(text.variant.rendered, 0)
        const message = `the query would read ${reads.bytes} bytes, more than ${maxBytes}`
        fail(text, diagnosticAt(place, 'sql/too-many-bytes', message))
      }
      continue
    }
    const { problem } = result
    const { place, inclusion } = expanded.placeOf(text.variant.rendered, blamedOffset(problem, text.sql))
    const key = `${place.file}:${place.line}:${place.column}`
    if (skip.has(key)) continue
    const { message, ...proposed } = withAdvice(problem, text.sql, names)
    const more = { ...proposed, ...(problem.mistake && { sql: problem.mistake }), hint: inclusion }
    fail(text, diagnosticAt(place, 'sql/error', message, more), problem.message + inclusion)
  }
  const diagnostics = [...failures.values()].map(({ diagnostic, share, label }) =>
    share === expanded.variants.length
      ? diagnostic
      : { ...diagnostic, message: `${diagnostic.message} (when ${label})` },
  )
  return { checked, diagnostics }
}

/** The engine's message, where the error has one. */
const reasonOf = ({ cause, detail }: RunnerError): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : detail
