/** NDJSON: the unchanged JSON object of each row, followed by a line feed. */
import { BodyPieces, objectText, TextRows } from '../result/body.js'
import type { Format } from './format.js'
import { rowsOf } from './rows.js'

export const ndjson = {
  name: 'ndjson',
  mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  contentType: 'application/x-ndjson',
  extension: 'ndjson',
  content: 'text',
  download: { title: 'NDJSON', about: 'an object a line', place: 4 },
  write(_columns, body, { maxBytes }) {
    const pieces = new BodyPieces(maxBytes)
    for (const row of rowsOf(body)) pieces.add(`${row}\n`)
    return pieces.take()
  },
  exportRows: () => columns => {
    const object = objectText(columns.map(({ name }) => name))
    return new TextRows({ head: '', row: cells => `${object(cells)}\n`, tail: '' })
  },
} as const satisfies Format
