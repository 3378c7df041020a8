/** `sluice validate`: every manifest, every rule, every variant of every query. */
import { checkManifests } from '../compose.js'
import { readSettings } from '../settings.js'
import { EXIT, type Io } from './io.js'
import { type ReportFormat, reportDiagnostics } from './report.js'

/** `paths` narrows what is reported to these files and folders. */
export async function validate(
  paths: readonly string[],
  flags: Readonly<Record<string, string | undefined>>,
  format: ReportFormat,
  io: Io,
): Promise<number> {
  const settings = readSettings(flags, io.environment)
  const { diagnostics, manifests, variants } = await checkManifests(settings, paths)
  reportDiagnostics(diagnostics, format, io)
  const errors = diagnostics.filter(d => d.severity === 'error').length
  const warnings = diagnostics.length - errors
  const found = errors + warnings === 0 ? 'no problems' : `${count(errors, 'error')}, ${count(warnings, 'warning')}`
  if (format === 'text') io.print(`${count(manifests, 'manifest')}, ${count(variants, 'variant')}: ${found}\n`)
  return errors > 0 ? EXIT.problems : EXIT.clean
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`
