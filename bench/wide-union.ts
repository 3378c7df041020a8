/** The time of a UNION ALL of 238 tables with 40 nested columns, from the text to its (empty) answer. */

import { tableCatalogue } from '../googlesql/tables.js'
import { translate } from '../googlesql-duckdb/translate.js'
import type { DuckdbEngine } from '../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../runner/engines/duckdb/open-engine.js'
import { CLOCK } from '../test/engines/duckdb/raw-engine.js'
import { wideTables, wideUnions } from '../test/googlesql-duckdb/wide-union.js'
import type { Figure } from './figures.js'

const TABLES = 238
const NESTED_COLUMNS = 40
/** A quarter of the tables: shows whether the time grows linearly with their number or faster. */
const FEWER = 60

/** Measures with the engine's process already started, but with tables that it has not loaded yet. */
export async function planningWideUnions(folder: string): Promise<readonly Figure[]> {
  const whole = wideTables(TABLES, NESTED_COLUMNS)
  const fewer = wideTables(FEWER, NESTED_COLUMNS)
  const smaller = wideUnions(fewer)
  const figures: Figure[] = []
  for (const [what, sql] of Object.entries(wideUnions(whole))) {
    const translating = milliseconds(() => translate(sql, tableCatalogue(whole), {}))
    const { first, again } = await answering(folder, whole, sql)
    const { first: firstOfFewer } = await answering(folder, fewer, smaller[what]!)
    figures.push({
      what: `UNION ALL of ${TABLES} tables with ${NESTED_COLUMNS} nested columns and no rows: ${what}`,
      value: `${first} ms, of which ${translating} ms until DuckDB has it; the next call ${again} ms; of ${FEWER} tables ${firstOfFewer} ms`,
      bar: '≤ 2 s',
    })
  }
  return figures
}

async function answering(folder: string, tables: ReturnType<typeof wideTables>, sql: string) {
  const engine = await openDuckdbEngine({
    dataDir: null,
    database: null,
    tables: tables.map(definition => ({ definition, rows: [] })),
    memoryLimitMb: 1_024,
    threads: 2,
    tempDir: folder,
    observe: () => {},
    clock: CLOCK,
  })
  try {
    return { first: await answerTime(engine, sql), again: await answerTime(engine, sql) }
  } finally {
    await engine.close()
  }
}

async function answerTime(engine: DuckdbEngine, sql: string): Promise<number> {
  const began = performance.now()
  await engine.run(
    { sql, parameters: {} },
    {
      maxRows: 1_000,
      timestamps: 'iso8601',
      endpoint: 'bench',
      timeoutMs: 120_000,
      signal: new AbortController().signal,
    },
  )
  return Math.round(performance.now() - began)
}

function milliseconds(work: () => unknown): number {
  const began = performance.now()
  work()
  return Math.round(performance.now() - began)
}
