/**
 * The rows of small Parquet files that refreshes read again and again, in a table of DuckDB: opening a file takes some 0.3 ms, as long as
 * reading thousands of rows.
 */
import { quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import type { TableParts } from './table-view.js'

/** The largest file whose rows are copied, in bytes. */
const SMALL_BYTES = 256_000
/** The bytes of files from which a table begins anew, so that files of the past leave. */
const MAX_BYTES = 64_000_000
/** The fewest files that are copied at once, since each time is a commit, and the most, since other changes wait. */
const FEWEST = 8
const MOST = 64
/** A name that no column has. */
const NUMBER = quoteName('~part')

/** A part of a table by its key. */
export type Part = readonly [key: string, part: TableParts]

export class GatheredFiles {
  /** The name of the table. */
  readonly table: string
  /** The numbers that the rows of the parts have in the table; null for a part whose rows cannot be copied. */
  readonly #numbers = new Map<string, number | null>()
  #bytes = 0

  constructor(table: string) {
    this.table = table
  }

  /** The parts that are worth copying and are not here. */
  missing(parts: readonly Part[]): readonly Part[] {
    const small = parts.filter(([, part]) => bytesOf(part) <= SMALL_BYTES)
    const missing = small.filter(([key]) => !this.#numbers.has(key))
    return missing.length < FEWEST || sizeOf(small) > MAX_BYTES ? [] : missing.slice(0, MOST)
  }

  hasRoomFor(parts: readonly Part[]): boolean {
    return this.#bytes + sizeOf(parts) <= MAX_BYTES
  }

  /** The statements that copy the rows of these parts, each of which `select` reads. */
  copying(parts: readonly Part[], select: (part: TableParts) => string): readonly string[] {
    const rows = parts.map(([, part], i) => `SELECT *, ${this.#numbers.size + i} AS ${NUMBER} FROM (${select(part)})`)
    const table = quoteName(this.table)
    return [
      `CREATE TABLE IF NOT EXISTS ${table} AS ${rows[0]} LIMIT 0`,
      `INSERT INTO ${table} ${rows.join(' UNION ALL ')}`,
    ]
  }

  /** To be called when the rows have been copied, or could not be. */
  add(parts: readonly Part[], areCopied: boolean): void {
    for (const [key] of parts) this.#numbers.set(key, areCopied ? this.#numbers.size : null)
    this.#bytes += sizeOf(parts)
  }

  has(key: string): boolean {
    return typeof this.#numbers.get(key) === 'number'
  }

  /** The SQL that reads the rows of these parts. */
  select(keys: readonly string[]): string {
    const numbers = keys.map(key => this.#numbers.get(key))
    return `SELECT * EXCLUDE (${NUMBER}) FROM ${quoteName(this.table)} WHERE ${NUMBER} IN (${numbers.join(', ')})`
  }
}

const bytesOf = ({ parquet: [part] }: TableParts): number =>
  Number(part?.open[0]?.state.size ?? Number.POSITIVE_INFINITY)

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, [, part]) => sum + bytesOf(part), 0)
