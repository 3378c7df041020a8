/** An Excel workbook. `excel.ts` is CSV for the same programs: it has no types, and no limit on its size. */
import type { Format } from './format.js'

const MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const xlsx = {
  name: 'xlsx',
  mediaTypes: [MEDIA_TYPE],
  contentType: MEDIA_TYPE,
  extension: 'xlsx',
  isAttachment: true,
  content: 'binary',
  download: { title: 'Excel workbook', about: 'typed cells, at most 1,000,000', place: 2 },
  needsLibrary: true,
  write: async (columns, body, facts) => (await import('./xlsx-writer.js')).toXlsx(columns, body, facts),
} as const satisfies Format
