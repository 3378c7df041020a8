/** An Arrow IPC stream. */
import type { Format } from './format.js'

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
  write: async (columns, body, facts) => (await import('./arrow-writer.js')).toArrow(columns, body, facts),
  async exportRows() {
    const { ArrowStream } = await import('./arrow-writer.js')
    return (columns, facts) => new ArrowStream(columns, facts)
  },
} as const satisfies Format
