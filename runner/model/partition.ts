/** Partitions of tables by their ids: https://cloud.google.com/bigquery/docs/partitioned-tables#partition_decorators. */
import type { TablePart } from './query.js'
import { typeScalar } from './typed-value.js'

/** The partitions of rows without a time, and of streamed rows that have no partition yet. */
const WITHOUT_TIME: readonly string[] = ['__NULL__', '__UNPARTITIONED__']

const ID = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?$/

/** The times of the partition of a year, month, day or hour; null for rows without a time, undefined for any other id. */
export function timesOfPartition(id: string): TablePart['times'] {
  if (WITHOUT_TIME.includes(id)) return null
  const [, year, month = '01', day = '01', hour = '00'] = ID.exec(id) ?? []
  const start = `${year}-${month}-${day}T${hour}:00:00Z`
  if (!typeScalar('timestamp', start).ok) return undefined
  const end = new Date(start)
  const least = end.getTime() / 1_000
  if (id.length === 4) end.setUTCFullYear(end.getUTCFullYear() + 1)
  else if (id.length === 6) end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCHours(end.getUTCHours() + (id.length === 8 ? 24 : 1))
  return { least, greatest: end.getTime() / 1_000 - 1 }
}
