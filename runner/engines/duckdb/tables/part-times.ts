/** Finds the least and the greatest time in the parts of tables. */
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { dateLiteral, MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS, TABLE_SUFFIX } from '../../../../googlesql/data.js'
import { quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import type { TablePart } from '../../../model/query.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { QueryNeeds } from './query-needs.js'
import type { ShownParts } from './table-store.js'

/** Null where no row has a time; undefined where the times are not known. */
type Times = TablePart['times'] | undefined

/** The times of the parts of tables. They are remembered by the keys of parts: a part that changes gets another key. */
export class PartTimes {
  /** By table and column, then by the key of the part. */
  readonly #times = new Map<string, Map<string, Times>>()

  /**
   * The table's parts with their times. Adds the files that it reads to `needs`. `suffix` is the suffix of a shard; null for a table.
   * @throws QueryFault for a column that the table does not have; DuckDB's errors of values that cannot be read.
   */
  async partsWithTimes(
    { definition, parts, select, suffix }: ShownParts & { readonly suffix: string | null },
    column: string,
    connection: DuckDBConnection,
    needs: QueryNeeds,
  ): Promise<readonly TablePart[]> {
    const { name, columns, pseudoColumns = [] } = definition
    if (suffix !== null && column === TABLE_SUFFIX) {
      const times = timesOfDay(suffix)
      return [...parts.keys()].map(key => (times === undefined ? { key } : { key, times }))
    }
    const field = [...columns, ...pseudoColumns].find(other => other.name === column)
    if (!field) throw new QueryFault(`${name} has no column ${column}`)
    const isText = field.type.kind === 'STRING'
    // In a shard, the column may have another type than in its wildcard table, so its times are not known.
    if (suffix !== null && !isText) return [...parts.keys()].map(key => ({ key }))
    const value = isText ? dayOf(quoteName(column)) : quoteName(column)
    const timesByKey = memo(this.#times, JSON.stringify([name, column]), () => new Map<string, Times>())
    const all: TablePart[] = []
    for (const [key, part] of parts) {
      if (!timesByKey.has(key)) {
        needs.parts.push(part)
        timesByKey.set(key, await timesIn(select(part), { value, isText }, connection))
      }
      const times = timesByKey.get(key)
      all.push(times === undefined ? { key } : { key, times })
    }
    for (const key of timesByKey.keys()) if (!parts.has(key)) timesByKey.delete(key)
    return all
  }
}

/** The day of a text like 20260131; NULL for any other text. */
const dayOf = (text: string): string =>
  `CASE WHEN regexp_full_match(${text}, '[0-9]{8}') THEN CAST(try_strptime(${text}, '%Y%m%d') AS DATE) END`

/** The times of rows that all have this text. */
function timesOfDay(text: string): Times {
  const day = /^\d{8}$/.test(text) ? dateLiteral(text.replace(/^(....)(..)/, '$1-$2-')) : null
  if (day === null) return undefined
  const seconds = Date.parse(day) / 1_000
  return { least: seconds, greatest: seconds }
}

/** @param value SQL of a row's time; `isText` whether the time is the day in a text: then the times are known only if each row has a day */
async function timesIn(
  select: string,
  { value, isText }: { readonly value: string; readonly isText: boolean },
  connection: DuckDBConnection,
): Promise<Times> {
  const isEachDay = isText ? 'count(t) = count(*)' : 'true'
  const result = await connection.runAndReadAll(
    `SELECT ${isEachDay}, min(t), max(t) FROM (SELECT ${value} AS t FROM (${select}))`,
  )
  const [isEach, ...ends] = result.getRows()[0]!
  if (!isEach) return undefined
  const [least, greatest] = ends.map(microsOf) as [bigint | null, bigint | null]
  if (least === null || greatest === null) return null
  const isInYears = least >= MIN_TIMESTAMP_MICROS && greatest <= MAX_TIMESTAMP_MICROS
  return isInYears ? { least: secondsOf(least), greatest: secondsOf(greatest) } : undefined
}

/** A DATE, TIMESTAMP or TIMESTAMPTZ of DuckDB in microseconds since 1970; null for NULL. */
function microsOf(value: unknown): bigint | null {
  if (value instanceof DuckDBDateValue) return BigInt(value.days) * DAY
  return (value as { readonly micros: bigint } | null)?.micros ?? null
}

const SECOND = 1_000_000n
const DAY = 86_400n * SECOND

/** In seconds, rounded down. */
const secondsOf = (micros: bigint): number => Number(micros / SECOND) - (micros % SECOND < 0n ? 1 : 0)
