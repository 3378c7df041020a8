/** Imports rows of files into the data folder. */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isWildcard, PARTITION_TIME } from '../../googlesql/index.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { UsageError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'
import { refuseErrors } from '../../runner/serve/endpoint-registry.js'
import { definitionOf, threadsOf } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { type ImportReport, importFiles } from './import/import-table.js'
import { noTableText, tableNamed } from './table-named.js'

export type { ImportReport }

/** The arguments of `sluice import`. */
export interface ImportOrder {
  /** The table as `dataset.table`, or a partition of it as `dataset.table$20260131`; it must have a schema. */
  readonly table: string
  /** Paths; `-` is standard input. */
  readonly files: readonly string[]
  /** The format (`ndjson`, `csv.gz`, …) of standard input and of files whose names do not show it; null where not given. */
  readonly inputFormat: string | null
  readonly replaces: boolean
  readonly ignoresUnknown: boolean
  readonly skipFile: string | null
  readonly maxBadRows: number
  readonly standardInput: () => Readable
}

/**
 * Writes the rows of the files into the data folder: all of them, or none.
 * @throws UsageError, LoadError, SetupError; QueryFault for a file that cannot be read at all.
 */
export async function importTable(settings: Settings, order: ImportOrder): Promise<ImportReport> {
  const { tables, diagnostics } = await loadTableSchemas(settings.tablesDir)
  refuseErrors(diagnostics)
  const [, name = order.table, decorator = null] = /^(.*)\$(\d+)$/.exec(order.table) ?? []
  const table = tableNamed(tables, name)
  if (table && isWildcard(table.name))
    throw new UsageError([`${table.name} is a wildcard table: name the shard that the rows are of`])
  if (!table) throw new UsageError([noTableText(name, settings.tablesDir, tables)])
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
    table: definitionOf(table),
    schema: table.fields,
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
