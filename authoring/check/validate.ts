/** `sluice validate`: checks every manifest against every rule, and every variant of its query. */

import { BYTE_SIZE_FORM, parseByteSize } from '../../runner/model/byte-size.js'
import { ENGINES } from '../../runner/model/engines.js'
import { UsageError } from '../../runner/model/errors.js'
import type { Settings } from '../../runner/settings/settings.js'
import { tableDiagnostics } from '../data/diff.js'
import type { FormatFlags } from '../terminal/flags.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { reportDiagnostics } from '../terminal/report.js'
import { checkManifests } from './check-manifests.js'
import { readEstimates, reportEstimates } from './estimates.js'

export interface ValidateFlags extends FormatFlags {
  /** The most bytes that BigQuery may read for a variant, such as `100 GB`; more is an error. Absent for no limit. */
  readonly maxBytes?: string
  /** Whether table schemas are also compared with the tables in BigQuery. */
  readonly tablesDiff?: boolean
  /** Whether hints are reported too. */
  readonly hints?: boolean
  /** `refresh`: a hint for each variant says what a refresh keeps, or why it reads all rows. */
  readonly explain?: 'refresh'
}

/** Validates and reports; `paths` limits the report to these files and folders. */
export async function validate(
  paths: readonly string[],
  settings: Settings,
  { format, maxBytes, tablesDiff, hints: showsHints = false, explain }: ValidateFlags,
  io: Io,
): Promise<number> {
  const options = { maxBytes: readMaxBytes(maxBytes, settings), showsHints, explainsRefresh: explain === 'refresh' }
  const { loadedEndpoints, manifests, variants, ...loaded } = await checkManifests(settings, paths, options)
  const diagnostics = [...loaded.diagnostics]
  if (tablesDiff) diagnostics.push(...(await tableDiagnostics(settings, null)).diagnostics)
  const estimates = readEstimates(loadedEndpoints, settings.pricePerTib)
  reportDiagnostics(diagnostics, format, io, estimates)
  if (format !== 'json') reportEstimates(estimates, format, io)
  const errors = diagnostics.filter(d => d.severity === 'error').length
  const warnings = diagnostics.filter(d => d.severity === 'warning').length
  const hints = diagnostics.length - errors - warnings
  const problems =
    errors + warnings === 0 ? 'no problems' : `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`
  const outcome = hints === 0 ? problems : `${problems}, ${plural(hints, 'hint')}`
  if (format === 'text') io.print(`${plural(manifests, 'manifest')}, ${plural(variants, 'variant')}: ${outcome}\n`)
  return errors > 0 ? EXIT.problems : EXIT.clean
}

function readMaxBytes(text: string | undefined, { engine }: Settings): number | null {
  if (text === undefined) return null
  const bytes = parseByteSize(text)
  if (bytes === undefined) throw new UsageError([`--max-bytes must be ${BYTE_SIZE_FORM}`])
  if (!ENGINES[engine].estimatesCost)
    throw new UsageError(['--max-bytes needs --engine bigquery: only BigQuery estimates what a query reads'])
  return bytes
}
