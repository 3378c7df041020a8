/** The partitions of a table as its dataset lists them: https://cloud.google.com/bigquery/docs/information-schema-partitions. */
import { type CivilDate, daysFromCivil, monthsLater } from '../../../googlesql/index.js'
import { partKey } from '../../model/file-stamp.js'
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

export function partsOf({ body }: ResultSet): readonly TablePart[] {
  const { result } = readJson(Buffer.from(body).toString()) as { readonly result: readonly Partition[] }
  return result.map(({ partition_id: id, last_modified_time: changed, total_rows: rows }) => ({
    key: partKey(`${id} ${changed} ${rows}`),
    ...timesOf(id ?? ''),
  }))
}

/** The partitions of rows without a time, and of those that are streamed and have no partition yet. */
const WITHOUT_TIME: readonly string[] = ['__NULL__', '__UNPARTITIONED__']

function timesOf(id: string): Pick<TablePart, 'times'> {
  if (WITHOUT_TIME.includes(id)) return { times: null }
  const [, year, month = '01', day = '01', hour = '00'] = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?$/.exec(id) ?? []
  if (year === undefined) return {}
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  const later = { 4: monthsLater(date, 12), 6: monthsLater(date, 1) }[id.length] ?? date
  const secondsAt = ({ year, month, day }: CivilDate): number =>
    daysFromCivil(year, month, day) * DAY + Number(hour) * HOUR
  const length = id.length === 10 ? HOUR : id.length === 8 ? DAY : 0
  return { times: { least: secondsAt(date), greatest: secondsAt(later) + length - 1 } }
}

const HOUR = 3_600
const DAY = 24 * HOUR
