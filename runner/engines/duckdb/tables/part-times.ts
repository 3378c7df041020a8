/** The least and greatest times in the parts of tables. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { StructField } from '../../../../googlesql/data.js'
import { quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import type { TablePart } from '../../../model/query.js'
import { QueryFault } from '../../../model/query-fault.js'
import { NO_PROMISE } from '../../../result/broken-contract.js'
import { ValueError } from '../../../result/scalar-text.js'
import { compileCellWriter } from '../values/cell-writer.js'
import type { ShownParts } from './table-store.js'

/** As in TablePart; undefined where they cannot be written. */
type Times = TablePart['times'] | undefined

/** Remembers the times of the parts that tables have, since a part never changes under its key. */
export class PartTimes {
  /** By table and column, then by the key of the part. */
  readonly #known = new Map<string, Map<string, Times>>()

  /** @throws QueryFault for a column that the table does not have; DuckDB's errors of values that cannot be read. */
  async of(
    { definition, selects }: ShownParts,
    column: string,
    connection: DuckDBConnection,
  ): Promise<readonly TablePart[]> {
    const { name, columns, pseudoColumns = [] } = definition
    const field = [...columns, ...pseudoColumns].find(other => other.name === column)
    if (!field) throw new QueryFault(`${name} has no column ${column}`)
    const known = memo(this.#known, JSON.stringify([name, column]), () => new Map<string, Times>())
    const parts: TablePart[] = []
    for (const [key, select] of selects) {
      const times = known.has(key) ? known.get(key) : await timesIn(select(), field, connection)
      known.set(key, times)
      parts.push(times === undefined ? { key } : { key, times })
    }
    for (const key of known.keys()) if (!selects.has(key)) known.delete(key)
    return parts
  }
}

async function timesIn(select: string, column: StructField, connection: DuckDBConnection): Promise<Times> {
  const name = quoteName(column.name)
  const result = await connection.run(`SELECT min(${name}), max(${name}) FROM (${select})`)
  const chunk = (await result.fetchChunk())!
  const write = compileCellWriter(column, NO_PROMISE, { timestamps: 'iso8601', maxBytes: 0 })
  try {
    const [least, greatest] = [0, 1].map(i => JSON.parse(write(chunk.getColumnVector(i), 0)))
    return least === null ? null : { least, greatest }
  } catch (error) {
    if (error instanceof ValueError) return undefined
    throw error
  }
}
