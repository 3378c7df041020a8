/** A Parquet file. */
import type { Format, MakeRows } from './format.js'
import { writeRows } from './rows.js'

const MEDIA_TYPE = 'application/vnd.apache.parquet'

export const parquet = {
  name: 'parquet',
  mediaTypes: [MEDIA_TYPE],
  contentType: MEDIA_TYPE,
  extension: 'parquet',
  isAttachment: true,
  content: 'binary',
  download: { title: 'Parquet', about: 'typed columns', place: 6 },
  needsLibrary: true,
  write: async (columns, body, facts) => writeRows((await loadRowWriter())(columns, facts), columns, body),
  exportRows: loadRowWriter,
} as const satisfies Format

async function loadRowWriter(): Promise<MakeRows> {
  const { ParquetStream } = await import('./parquet-writer.js')
  return (columns, facts) => new ParquetStream(columns, facts)
}
