/** An Arrow IPC stream. */
import type { Format, MakeRows } from './format.js'
import { writeRows } from './rows.js'

const MEDIA_TYPE = 'application/vnd.apache.arrow.stream'

export const arrow = {
  name: 'arrow',
  mediaTypes: [MEDIA_TYPE],
  contentType: MEDIA_TYPE,
  extension: 'arrows',
  isAttachment: true,
  content: 'binary',
  download: { title: 'Arrow', about: 'typed columns', place: 5 },
  hasLibrary: true,
  write: async (columns, body, facts) => writeRows((await loadRows())(columns, facts), columns, body),
  exportRows: loadRows,
} as const satisfies Format

async function loadRows(): Promise<MakeRows> {
  const { ArrowStream } = await import('./arrow-writer.js')
  return (columns, facts) => new ArrowStream(columns, facts)
}
