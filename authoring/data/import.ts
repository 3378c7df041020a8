/** `sluice import`: adds the rows of files to a table; when a row is bad, adds none. */

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isWildcard, PARTITION_TIME } from '../../googlesql/index.js'
import { filesOfTable } from '../../runner/engines/duckdb/index.js'
import { UsageError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'
import { definitionOf, threadsOf } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { MAX_BAD_ROWS, printBadRows } from './bad-rows.js'
import { findTable, noTableText } from './find-table.js'
import { type ImportReport, importFiles, openDuckdb } from './import/import-table.js'
import { mostThreads } from './import/partition-writer.js'
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
  io: Pick<Io, 'print' | 'printError' | 'standardInput'>,
): Promise<number> {
  if (append && replace) throw new UsageError(['--append and --replace exclude each other'])
  const textForm = textFormOfFlags(form, files, inputFormat)
  const nowMs = systemClock().nowMs()
  const { loaded, layout } = await findImportTable(table, replace, settings, nowMs)
  const isThere = !replace && existsSync(settings.dataDir)
  const ownFiles = new Set(isThere ? filesOfTable(settings.dataDir, loaded.name).map(({ path }) => resolve(path)) : [])
  const ownFile = files.find(file => ownFiles.has(resolve(file)))
  if (ownFile !== undefined)
    throw new UsageError([
      `${ownFile} is a file of ${loaded.name}, so that its rows are there already: --replace makes them the whole table`,
    ])
  const skipFile = skipBad ?? null
  const threads = Math.min(threadsOf(settings), mostThreads(loaded))
  const duckdb = await openDuckdb(threads, Math.min(settings.engineMemoryMb, IMPORT_MEMORY_MB))
  const report = await importFiles(duckdb, {
    dataDir: settings.dataDir,
    table: definitionOf({ ...loaded, textForm: { ...loaded.textForm, ...textForm } }),
    layout,
    files,
    inputFormat: inputFormat ?? null,
    standardInput: io.standardInput,
    replaces: replace,
    ignoresUnknown: ignoreUnknown || loaded.textForm?.ignoresUnknown === true,
    skipFile,
    maxBadRows: MAX_BAD_ROWS,
    nowMs,
    idSuffix: randomUUID().slice(0, 8),
  }).finally(() => duckdb.closeSync())
  printBadRows(report.badRows, io)
  if (!report.isCommitted) {
    const areAllPrinted = report.badRowCount <= report.badRows.length
    io.printError(
      `${areAllPrinted ? plural(report.badRowCount, 'bad row') : `${report.badRows.length} bad rows and more`}; nothing was imported\n`,
    )
    return EXIT.problems
  }
  const skipped = report.badRowCount - report.badRows.length
  if (skipped > 0) io.printError(`and ${plural(skipped, 'more bad row', 'more bad rows')}\n`)
  io.print(`${summary(table, report, skipFile, replace)}\n`)
  return EXIT.clean
}

function summary(table: string, report: ImportReport, skipFile: string | null, isReplaced: boolean): string {
  const { rows, files, replaced, badRowCount } = report
  const what = `imported ${plural(rows, 'row')} into ${table}, in ${plural(files, 'file')}`
  const instead = isReplaced ? `, in place of ${plural(replaced, 'import or file', 'imports and files')}` : ''
  const aside = badRowCount === 0 ? '' : `; set aside ${plural(badRowCount, 'bad row')} in ${skipFile}`
  return what + instead + aside
}

/**
 * The table for rows, and how its files are laid out. The table is named as `dataset.table`, or a partition of it as
 * `dataset.table$20260131`, and must have a schema. @throws UsageError, LoadError
 */
async function findImportTable(table: string, replaces: boolean, settings: Settings, nowMs: number) {
  const [, name = table, decorator = null] = /^(.*)\$(\d+)$/.exec(table) ?? []
  const loaded = findTable(await schemaFiles(settings, other => other === name || isWildcard(other)), name)
  if (!loaded) throw new UsageError([noTableText(name, settings.tablesDir, await schemaFiles(settings))])
  if (isWildcard(name)) throw new UsageError([`${name} is a wildcard table: name the shard of these rows`])
  const { layout } = loaded
  if (layout.partition?.column !== PARTITION_TIME) {
    if (decorator === null) return { loaded, layout }
    throw new UsageError([`${table}: ${name} is not partitioned by ingestion time, so its rows tell their partition`])
  }
  if (decorator !== null && replaces)
    throw new UsageError(['--replace replaces the whole table, so it cannot stand beside one partition'])
  const { unit } = layout.partition
  const ingestedAt = decorator === null ? new Date(nowMs) : partitionTime(decorator, unit)
  if (ingestedAt === null) throw new UsageError([`${table}: a partition of ${name} is named like $${DECORATORS[unit]}`])
  return { loaded, layout: { ...layout, ingestedAt } }
}

/** Decorators of partitions in BigQuery's form, by the unit of the partitioning. */
const DECORATORS = { HOUR: '2026013112', DAY: '20260131', MONTH: '202601', YEAR: '2026' } as const

/** The beginning of the partition with this decorator; null if there is no such time. */
function partitionTime(decorator: string, unit: keyof typeof DECORATORS): Date | null {
  if (decorator.length !== DECORATORS[unit].length) return null
  const [, year, month = '01', day = '01', hour = '00'] = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?$/.exec(decorator)!
  const text = `${year}-${month}-${day}T${hour}:00:00.000Z`
  const time = new Date(text)
  return Number.isNaN(time.getTime()) || time.toISOString() !== text ? null : time
}

/** DuckDB's memory limit; together with the rows that are being checked, an import stays below 1 GB. */
const IMPORT_MEMORY_MB = 600
