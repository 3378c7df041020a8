/** The partitions of a table as its dataset lists them: https://cloud.google.com/bigquery/docs/information-schema-partitions. */
import { dateText, datetimeText, daysFromCivil, monthsLater } from '../../../googlesql/index.js'
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

/** @param type the type of the column that determines the partition of a row: TIMESTAMP, DATETIME or DATE */
export function partsOf({ body }: ResultSet, type: string): readonly TablePart[] {
  const { result } = readJson(Buffer.from(body).toString()) as { readonly result: readonly Partition[] }
  return result.map(({ partition_id: id, last_modified_time: changed, total_rows: rows }) => ({
    key: `${id} ${changed} ${rows}`,
    ...timesOf(id ?? '', type),
  }))
}

/** The partitions of rows without a time, and of those that are streamed and have no partition yet. */
const WITHOUT_TIME: readonly string[] = ['__NULL__', '__UNPARTITIONED__']

function timesOf(id: string, type: string): Pick<TablePart, 'times'> {
  if (WITHOUT_TIME.includes(id)) return { times: null }
  const [, year, month = '01', day = '01', hour = '00'] = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?$/.exec(id) ?? []
  if (year === undefined) return {}
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  const later = { 4: monthsLater(date, 12), 6: monthsLater(date, 1) }[id.length] ?? date
  const from = BigInt(daysFromCivil(date.year, date.month, date.day)) * DAY + BigInt(hour) * HOUR
  const length = id.length === 10 ? HOUR : id.length === 8 ? DAY : 0n
  const until = BigInt(daysFromCivil(later.year, later.month, later.day)) * DAY + BigInt(hour) * HOUR + length
  return { times: { least: textOf(from, type), greatest: textOf(until - 1n, type) } }
}

const HOUR = 3_600_000_000n
const DAY = 24n * HOUR

/** A time in microseconds as results write it. */
function textOf(micros: bigint, type: string): string {
  if (type === 'DATE') return dateText(Number(micros / DAY))!
  return `${datetimeText(micros)}${type === 'TIMESTAMP' ? 'Z' : ''}`
}
