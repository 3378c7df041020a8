/** The partitions of a table as its dataset lists them: https://cloud.google.com/bigquery/docs/information-schema-partitions. */
import { partKey } from '../../model/file-stamp.js'
import { timesOfPartition } from '../../model/partition.js'
import type { Query, ResultSet, TablePart } from '../../model/query.js'
import { readJson } from '../../model/read-json.js'

/** More partitions than a table can have: https://cloud.google.com/bigquery/quotas#partitioned_tables. */
export const MAX_PARTITIONS = 20_000

/** @param table its full name */
export function partitionsQuery(table: string): Query {
  const [, dataset = '', name = ''] = /^(.+)\.([^.]+)$/.exec(table) ?? []
  return {
    sql: `SELECT partition_id, last_modified_time, total_rows FROM \`${dataset}.INFORMATION_SCHEMA.PARTITIONS\` WHERE table_name = @table ORDER BY partition_id`,
    parameters: { table: { type: 'STRING', value: name } },
  }
}

interface Partition {
  readonly partition_id: string | null
  readonly last_modified_time: string | null
  readonly total_rows: number | string | null
}

/** @param set the result of `partitionsQuery` */
export function partsOf({ body }: ResultSet): readonly TablePart[] {
  const { result } = readJson(Buffer.from(body).toString()) as { readonly result: readonly Partition[] }
  return result.map(({ partition_id: id, last_modified_time: changed, total_rows: rows }) => {
    const times = timesOfPartition(id ?? '')
    return { key: partKey(`${id} ${changed} ${rows}`), ...(times !== undefined && { times }) }
  })
}
