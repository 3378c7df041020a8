/** A Parquet file. */
import type { Format } from './format.js'

const MEDIA_TYPE = 'application/vnd.apache.parquet'

export const parquet = {
  name: 'parquet',
  mediaTypes: [MEDIA_TYPE],
  contentType: MEDIA_TYPE,
  extension: 'parquet',
  isAttachment: true,
  content: 'binary',
  download: { title: 'Parquet', about: 'typed columns', place: 6 },
  hasLibrary: true,
  write: async (columns, body, facts) => (await import('./parquet-writer.js')).toParquet(columns, body, facts),
  async exportRows() {
    const { ParquetStream } = await import('./parquet-writer.js')
    return (columns, facts) => new ParquetStream(columns, facts)
  },
} as const satisfies Format
