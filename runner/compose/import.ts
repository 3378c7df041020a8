/** Imports rows of files into the data folder. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isWildcard } from '../../googlesql/index.js'
import { type ImportReport, importFiles } from '../engines/duckdb/import/import-table.js'
import { loadTableSchemas, tableNamed } from '../manifest/tables/load.js'
import { UsageError } from '../model/errors.js'
import { systemClock } from '../process/clock.js'
import { refuseErrors } from '../serving/endpoint-registry.js'
import type { Settings } from '../settings/settings.js'
import { definitionOf, threadsOf } from './engine.js'

export type { ImportReport }

/** The arguments of `sluice import`. */
export interface ImportOrder {
  /** The table as `dataset.table`; it must have a schema. */
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
  const table = tableNamed(tables, order.table)
  if (table && isWildcard(table.name))
    throw new UsageError([`${table.name} is a wildcard table: name the shard that the rows are of`])
  if (!table) {
    const path = join(settings.tablesDir, `${order.table}.json`)
    throw new UsageError([`there is no table ${order.table}: its schema would be ${path}`])
  }
  return importFiles({
    ...order,
    dataDir: settings.dataDir,
    table: definitionOf(table),
    schema: table.fields,
    layout: table.layout,
    memoryLimitMb: Math.min(settings.engineMemoryMb, IMPORT_MEMORY_MB),
    threads: threadsOf(settings),
    nowMs: systemClock().nowMs(),
    unique: randomUUID().slice(0, 8),
  })
}

/** DuckDB's memory limit; together with the rows that are being checked, an import stays below 1 GB. */
const IMPORT_MEMORY_MB = 400
