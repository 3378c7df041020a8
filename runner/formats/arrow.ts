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
  needsLibrary: true,
  write: async (columns, body, facts) => writeRows((await loadRowWriter())(columns, facts), columns, body),
  exportRows: loadRowWriter,
} as const satisfies Format

async function loadRowWriter(): Promise<MakeRows> {
  const { ArrowStream } = await import('./arrow-writer.js')
  return (columns, facts) => new ArrowStream(columns, facts)
}
