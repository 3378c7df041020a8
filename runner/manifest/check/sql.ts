/** Compiles every distinct SQL text of a manifest and places its errors in the manifest. */
import { blamedOffset, withAdvice } from '../../../googlesql/index.js'
import { RunnerError, SetupError } from '../../model/errors.js'
import type { Manifest } from '../../model/manifest.js'
import type { CheckResult } from '../../model/ports.js'
import { argumentTypes } from '../bigquery-type.js'
import type { ExpandedSql } from '../expand-sql.js'
import { diagnosticAt } from '../report.js'
import { exampleArguments } from './example-arguments.js'
import type { CheckedSql, DistinctSql } from './rule.js'
import { VariantFailures } from './variant-failures.js'

/** Compiles SQL whose parameters have these types. Never throws for a mistake in the SQL. */
export type CheckSql = (
  sql: string,
  types: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
) => CheckResult | Promise<CheckResult>

/**
 * Checks the texts. `skip` holds places that were reported already, as `file:line:column`; `maxBytes` is the most bytes that the
 * warehouse may read for a text.
 */
export async function checkSqlTexts(
  manifest: Manifest,
  expanded: ExpandedSql,
  checkSql: CheckSql,
  skip: ReadonlySet<string>,
  maxBytes: number | null,
) {
  const types = argumentTypes(manifest)
  const values = exampleArguments(manifest)
  const names = Object.keys(manifest.parameters ?? {})
  const checked: CheckedSql[] = []
  const failures = new VariantFailures()
  const checkText = async (text: DistinctSql): Promise<readonly [DistinctSql, CheckResult]> => {
    try {
      return [text, await checkSql(text.sql, types, values)]
    } catch (thrown) {
      if (!(thrown instanceof RunnerError)) throw thrown
      const variant = text.share === expanded.variants.length ? '' : ` (when ${text.variant.label})`
      const message = `${text.placeAt(0).file}: the query could not be checked: ${reasonOf(thrown)}${variant}`
      throw new SetupError(message, { cause: thrown })
    }
  }
  for (const [text, result] of await Promise.all(expanded.texts.map(checkText))) {
    if (result.ok) {
      const { reads } = result
      checked.push({ text, ...result })
      if (maxBytes !== null && reads && reads.bytes > maxBytes) {
        const message = `the query would read ${reads.bytes} bytes, more than ${maxBytes}`
        failures.add(text, diagnosticAt(text.placeAt(0), 'sql/too-many-bytes', message), message)
      }
      continue
    }
    const { problem } = result
    const place = text.placeAt(blamedOffset(problem, text.sql))
    const { file, line, column, inclusion } = place
    if (skip.has(`${file}:${line}:${column}`)) continue
    const { message, ...proposed } = withAdvice(problem, text.sql, names)
    const more = { ...proposed, ...(problem.mistake && { sql: problem.mistake }), hint: inclusion }
    // Another variant may report the same mistake in syntax with other words, a little further on. Advice may name what only one
    // variant has, so mistakes are compared by their messages without advice.
    const what = problem.mistake?.code === 'syntax' ? 'syntax' : `${column} ${problem.message}${inclusion}`
    failures.add(text, diagnosticAt(place, 'sql/error', message, more), `${file}:${line}:${what}`)
  }
  return { checked, diagnostics: failures.diagnostics(expanded.variants.length) }
}

/** The engine's message, where the error has one. */
const reasonOf = ({ cause, detail }: RunnerError): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : detail
