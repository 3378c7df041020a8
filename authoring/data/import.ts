/** `sluice import`: adds the rows of files to a table; when a row is bad, adds none. */

import { UsageError } from '../../runner/model/errors.js'
import { readSettings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { type ImportReport, importTable } from './open-import.js'

type Flags = Readonly<Record<string, unknown>>

export async function importFiles(table: string, files: readonly string[], flags: Flags, io: Io): Promise<number> {
  const settings = readSettings(flags as Readonly<Record<string, string | undefined>>, io.environment)
  if (flags['append'] && flags['replace']) throw new UsageError(['--append and --replace exclude each other'])
  const skipFile = (flags['skipBad'] as string | undefined) ?? null
  const report = await importTable(settings, {
    table,
    files,
    inputFormat: (flags['inputFormat'] as string | undefined) ?? null,
    replaces: flags['replace'] === true,
    ignoresUnknown: flags['ignoreUnknown'] === true,
    skipFile,
    maxBadRows: MAX_BAD_ROWS,
    standardInput: io.standardInput,
  })
  for (const row of report.badRows) io.printError(`${badRowLine(row)}\n`)
  if (!report.isCommitted) {
    const isAll = report.badRowCount <= report.badRows.length
    io.printError(
      `${isAll ? plural(report.badRowCount, 'bad row') : `${report.badRows.length} bad rows and more`}; nothing was imported\n`,
    )
    return EXIT.problems
  }
  const skipped = report.badRowCount - report.badRows.length
  if (skipped > 0) io.printError(`and ${plural(skipped, 'more bad row', 'more bad rows')}\n`)
  io.print(`${summary(table, report, skipFile, flags['replace'] === true)}\n`)
  return EXIT.clean
}

/** The most bad rows that are printed: further ones mostly have the same cause. */
export const MAX_BAD_ROWS = 100

/** `logs.ndjson:3:17: metadata[0].status: found "x", expected an INT64: …` */
export function badRowLine({ file, line, column, path, found, expected }: ImportReport['badRows'][number]): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}found ${found}, expected ${expected}`
}

function summary(table: string, report: ImportReport, skipFile: string | null, isReplaced: boolean): string {
  const { rows, files, replaced, badRowCount } = report
  const what = `imported ${plural(rows, 'row')} into ${table}, in ${plural(files, 'file')}`
  const instead = isReplaced ? `, in place of ${plural(replaced, 'import or file', 'imports and files')}` : ''
  const aside = badRowCount === 0 ? '' : `; set aside ${plural(badRowCount, 'bad row')} in ${skipFile}`
  return what + instead + aside
}
