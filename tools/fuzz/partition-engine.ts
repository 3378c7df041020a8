/** The embedded engine over a folder into which the partitioned tables are imported. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { importRows } from '../../authoring/data/import.js'
import { typeName } from '../../googlesql/types/types.js'
import { toTable } from '../../runner/formats/table.js'
import { RunnerError } from '../../runner/model/errors.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'
import { openEngine } from '../../runner/serve/engine.js'
import { DEFAULT_SETTINGS } from '../../runner/settings/settings.js'
import type { OurAnswer } from './answers.js'
import type { Question } from './render.js'
import { type FuzzTable, PARTITIONED, type PartitionedTable } from './tables.js'

interface PartitionEngine {
  readonly ask: (question: Question) => Promise<OurAnswer>
  readonly close: () => Promise<void>
}

/** Imports the tables into a new folder. The caller closes the engine, which removes the folder. */
export async function openPartitionEngine(timeoutMs: number): Promise<PartitionEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'))
  const settings = {
    ...DEFAULT_SETTINGS,
    tablesDir: join(folder, 'tables'),
    dataDir: join(folder, 'data'),
    engineMemoryMb: 256,
    engineThreads: 1,
  }
  mkdirSync(settings.tablesDir)
  mkdirSync(settings.dataDir)
  for (const table of PARTITIONED) {
    const { name, unit, field } = table
    const fields = table.columns
      .filter(column => !column.name.startsWith('_PARTITION'))
      .map(column => ({ name: column.name, type: typeName(column.type) }))
    const schema = { timePartitioning: { type: unit, ...(field !== null && { field }) }, schema: { fields } }
    writeFileSync(join(settings.tablesDir, `${name}.json`), JSON.stringify(schema))
  }
  for (const table of PARTITIONED) {
    for (const [decorator, rows] of importsOf(table)) {
      const text = rows.map(row => `${JSON.stringify(row)}\n`).join('')
      const io = {
        print: () => undefined,
        printError: () => undefined,
        standardInput: () => Readable.from([Buffer.from(text)]),
      }
      await importRows(`${table.name}${decorator}`, ['-'], settings, { inputFormat: 'ndjson' }, io)
    }
  }
  const engine = await openEngine(settings, { observe: () => {}, clock: systemClock() })
  return {
    async ask({ sql: text, parameters }) {
      const options = { maxRows: 10_000, timestamps: 'iso8601', endpoint: 'fuzz', timeoutMs } as const
      try {
        const { columns, body } = await engine.run(
          { sql: text, parameters },
          { ...options, signal: new AbortController().signal },
        )
        const facts = { endpoint: 'fuzz', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
        const { rows } = JSON.parse(Buffer.from(toTable(columns, body, facts)).toString()) as { rows: unknown[][] }
        return { kind: 'rows', columns, rows }
      } catch (error) {
        if (error instanceof RunnerError && error.code === 'QUERY_TIMEOUT') return { kind: 'timeout' }
        const cause = error instanceof RunnerError ? error.cause : error
        return { kind: 'error', message: (cause as Error).message, isFault: cause instanceof QueryFault }
      }
    },
    async close() {
      await engine.close()
      rmSync(folder, { recursive: true })
    },
  }
}

type Row = Readonly<Record<string, unknown>>

/** The rows of each import: all at once, or those of each partition of a table partitioned by ingestion time. */
function importsOf(table: PartitionedTable): ReadonlyMap<string, readonly Row[]> {
  const imports = new Map<string, Row[]>()
  for (const row of table.rows) {
    const at = table.columns.findIndex(({ name }) => name === '_PARTITIONTIME')
    const decorator =
      at < 0
        ? ''
        : `$${String(row[at])
            .replace(/\D/g, '')
            .slice(0, table.unit === 'HOUR' ? 10 : 8)}`
    const fields = rowFields(table, row)
    imports.set(decorator, [...(imports.get(decorator) ?? []), fields])
  }
  return imports
}

const rowFields = ({ columns }: FuzzTable, row: readonly unknown[]): Row =>
  Object.fromEntries(columns.flatMap(({ name }, i) => (name.startsWith('_PARTITION') ? [] : [[name, row[i]]])))
