/** The embedded engine over the tables that the GoogleSQL cases may read. */
import { tmpdir } from 'node:os'
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../runner/engines/duckdb/open-engine.js'
import { CLOCK } from '../engines/duckdb/raw-engine.js'
import type { CaseTable } from '../googlesql/case-files.js'

export const openCasesEngine = (tables: ReadonlyMap<string, CaseTable>): Promise<DuckdbEngine> =>
  openDuckdbEngine({
    dataDir: null,
    database: null,
    tables: [...tables].map(([name, { columns, rows }]) => ({
      definition: { name, columns },
      rows: rows.map(row => Object.fromEntries(columns.map((column, i) => [column.name, row[i]]))),
    })),
    naming: { project: null, defaultDataset: null, ignoresCase: true },
    memoryLimitMb: 1_024,
    threads: 2,
    tempDir: tmpdir(),
    maxResultBytes: 256_000_000,
    observe: () => undefined,
    clock: CLOCK,
  })
