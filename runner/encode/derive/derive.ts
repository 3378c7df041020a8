/** Converts a stored JSON result to another format. */
import type { DerivedFormat, ResultColumn } from '../../model/query.js'
import { toCsv } from './csv.js'
import { toExcel } from './excel.js'
import type { ResultFacts } from './facts.js'
import { toNdjson } from './ndjson.js'
import { toTable } from './table.js'

export type Derive = (columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts) => Uint8Array

/** Formats whose library is loaded on first use, which takes 200 ms of the thread that does it. */
export const LIBRARY_FORMATS: ReadonlySet<DerivedFormat> = new Set(['arrow', 'parquet'])

const DERIVES: Readonly<Record<DerivedFormat, () => Derive | Promise<Derive>>> = {
  ndjson: () => toNdjson,
  csv: () => toCsv,
  excel: () => toExcel,
  table: () => toTable,
  arrow: async () => (await import('./arrow.js')).toArrow,
  parquet: async () => (await import('./parquet.js')).toParquet,
}

/**
 * @param json `{"result":[{…},…]}`, the members of each row in the order of the columns; it is not changed.
 * @returns bytes that are alone in their buffer, which a thread may transfer.
 * @throws JsonTextError where the JSON has another form, BodyTooLargeError.
 */
export async function derive(
  format: DerivedFormat,
  columns: readonly ResultColumn[],
  json: Uint8Array,
  facts: ResultFacts,
): Promise<Uint8Array> {
  const run = await DERIVES[format]()
  return run(columns, json, facts)
}
