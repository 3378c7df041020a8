/** `sluice import`: adds the rows of files to a table; when a row is bad, adds none. */

import { randomUUID } from 'node:crypto'
import { isWildcard, PARTITION_TIME, type TextForm } from '../../googlesql/index.js'
import { badRowLine } from '../../runner/engines/duckdb/tables/rows/row-stream.js'
import { UsageError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'
import { definitionOf, threadsOf } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { type ImportOptions, type ImportReport, importFiles } from './import/import-table.js'
import { noTableText, tableNamed } from './table-named.js'
import { type TextFormFlags, textFormOfFlags } from './text-form-flags.js'
import { schemaFiles } from './warehouse.js'

export interface ImportFlags extends TextFormFlags {
  readonly append?: boolean
  readonly replace?: boolean
  readonly skipBad?: string
  readonly ignoreUnknown?: boolean
  readonly inputFormat?: string
}

export async function importRows(
  table: string,
  files: readonly string[],
  settings: Settings,
  { append, replace = false, skipBad, ignoreUnknown = false, inputFormat, ...form }: ImportFlags,
  io: Io,
): Promise<number> {
  if (append && replace) throw new UsageError(['--append and --replace exclude each other'])
  const skipFile = skipBad ?? null
  const report = await importTable(settings, {
    table,
    files,
    inputFormat: inputFormat ?? null,
    replaces: replace,
    ignoresUnknown: ignoreUnknown,
    textForm: textFormOfFlags(form, files, inputFormat),
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
  io.print(`${summary(table, report, skipFile, replace)}\n`)
  return EXIT.clean
}

/** The most bad rows that are printed: further ones mostly have the same cause. */
export const MAX_BAD_ROWS = 100

function summary(table: string, report: ImportReport, skipFile: string | null, isReplaced: boolean): string {
  const { rows, files, replaced, badRowCount } = report
  const what = `imported ${plural(rows, 'row')} into ${table}, in ${plural(files, 'file')}`
  const instead = isReplaced ? `, in place of ${plural(replaced, 'import or file', 'imports and files')}` : ''
  const aside = badRowCount === 0 ? '' : `; set aside ${plural(badRowCount, 'bad row')} in ${skipFile}`
  return what + instead + aside
}

/** The arguments of `sluice import`. */
export interface ImportOrder
  extends Pick<
    ImportOptions,
    'files' | 'inputFormat' | 'replaces' | 'ignoresUnknown' | 'skipFile' | 'maxBadRows' | 'standardInput'
  > {
  /** The table as `dataset.table`, or a partition of it as `dataset.table$20260131`; it must have a schema. */
  readonly table: string
  /** How the files are written, where it differs from what the table's schema says. */
  readonly textForm?: TextForm
}

/**
 * Writes the rows of the files into the data folder: all of them, or none.
 * @throws UsageError, LoadError, SetupError; QueryFault for a file that cannot be read at all.
 */
export async function importTable(settings: Settings, order: ImportOrder): Promise<ImportReport> {
  const [, name = order.table, decorator = null] = /^(.*)\$(\d+)$/.exec(order.table) ?? []
  const table = tableNamed(await schemaFiles(settings, other => other === name || isWildcard(other)), name)
  if (table && isWildcard(table.name))
    throw new UsageError([`${table.name} is a wildcard table: name the shard that the rows are of`])
  if (!table) throw new UsageError([noTableText(name, settings.tablesDir, await schemaFiles(settings))])
  const nowMs = systemClock().nowMs()
  const { layout } = table
  const isIngested = layout.partition?.column === PARTITION_TIME
  if (decorator !== null && !isIngested) {
    throw new UsageError([
      `${order.table}: ${name} is not partitioned by ingestion time, so its rows tell their partition`,
    ])
  }
  if (decorator !== null && order.replaces) {
    throw new UsageError(['--replace replaces the whole table, so it cannot stand beside one partition'])
  }
  const ingestedAt = decorator === null ? new Date(nowMs) : partitionTime(decorator, layout.partition!.unit)
  if (ingestedAt === null) {
    throw new UsageError([
      `${order.table}: a partition of ${name} is named like $${DECORATORS[layout.partition!.unit]}`,
    ])
  }
  return importFiles({
    ...order,
    dataDir: settings.dataDir,
    ignoresUnknown: order.ignoresUnknown || table.textForm?.ignoresUnknown === true,
    table: definitionOf({ ...table, textForm: { ...table.textForm, ...order.textForm } }),
    layout: isIngested ? { ...layout, ingestedAt } : layout,
    memoryLimitMb: Math.min(settings.engineMemoryMb, IMPORT_MEMORY_MB),
    threads: threadsOf(settings),
    nowMs,
    unique: randomUUID().slice(0, 8),
  })
}

/** Decorators of partitions in BigQuery's form, by the unit of the partitioning. */
const DECORATORS = { HOUR: '2026013112', DAY: '20260131', MONTH: '202601', YEAR: '2026' } as const

/** The beginning of the partition with this decorator; null for no such time. */
function partitionTime(decorator: string, unit: keyof typeof DECORATORS): Date | null {
  if (decorator.length !== DECORATORS[unit].length) return null
  const full = `${decorator}${'0101'.slice(Math.max(0, decorator.length - 4))}`
  const [year, month, day, hour] = [full.slice(0, 4), full.slice(4, 6), full.slice(6, 8), full.slice(8, 10) || '00']
  const time = new Date(`${year}-${month}-${day}T${hour}:00:00Z`)
  return Number.isNaN(time.getTime()) || time.toISOString().slice(8, 10) !== day ? null : time
}

/** DuckDB's memory limit; together with the rows that are being checked, an import stays below 1 GB. */
const IMPORT_MEMORY_MB = 400
