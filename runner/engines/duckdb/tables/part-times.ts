/** The least and greatest times in the parts of tables. */
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../../googlesql/data.js'
import { quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import type { TablePart } from '../../../model/query.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { QueryNeeds } from './query-needs.js'
import type { ShownParts } from './table-store.js'

/** As in TablePart. */
type Times = TablePart['times'] | undefined

/** Remembers the times of the parts that tables have, since a part never changes under its key. */
export class PartTimes {
  /** By table and column, then by the key of the part. */
  readonly #known = new Map<string, Map<string, Times>>()

  /**
   * The files that are read are added to `needs`.
   * @throws QueryFault for a column that the table does not have; DuckDB's errors of values that cannot be read.
   */
  async of(
    { definition, parts, select }: ShownParts,
    column: string,
    connection: DuckDBConnection,
    needs: QueryNeeds,
  ): Promise<readonly TablePart[]> {
    const { name, columns, pseudoColumns = [] } = definition
    if (![...columns, ...pseudoColumns].some(other => other.name === column))
      throw new QueryFault(`${name} has no column ${column}`)
    const known = memo(this.#known, JSON.stringify([name, column]), () => new Map<string, Times>())
    const all: TablePart[] = []
    for (const [key, part] of parts) {
      if (!known.has(key)) {
        needs.parts.push(part)
        known.set(key, await timesIn(select(part), column, connection))
      }
      const times = known.get(key)
      all.push(times === undefined ? { key } : { key, times })
    }
    for (const key of known.keys()) if (!parts.has(key)) known.delete(key)
    return all
  }
}

async function timesIn(select: string, column: string, connection: DuckDBConnection): Promise<Times> {
  const name = quoteName(column)
  const result = await connection.runAndReadAll(`SELECT min(${name}), max(${name}) FROM (${select})`)
  const [least, greatest] = result.getRows()[0]!.map(microsOf) as [bigint | null, bigint | null]
  if (least === null || greatest === null) return null
  const isShown = least >= MIN_TIMESTAMP_MICROS && greatest <= MAX_TIMESTAMP_MICROS
  return isShown ? { least: secondsOf(least), greatest: secondsOf(greatest) } : undefined
}

/** A DATE, TIMESTAMP or TIMESTAMPTZ of DuckDB in microseconds since 1970; null for NULL. */
function microsOf(value: unknown): bigint | null {
  if (value instanceof DuckDBDateValue) return BigInt(value.days) * DAY
  return (value as { readonly micros: bigint } | null)?.micros ?? null
}

const SECOND = 1_000_000n
const DAY = 86_400n * SECOND

/** Rounded down. */
const secondsOf = (micros: bigint): number => Number(micros / SECOND) - (micros % SECOND < 0n ? 1 : 0)
