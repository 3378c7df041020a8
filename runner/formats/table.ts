/** JSON with the columns and their types beside the rows, each of which is an array in column order. */
import type { ResultColumn } from '../model/query.js'
import { TextRows } from '../result/body.js'
import type { Format, ResultFacts } from './format.js'
import { writeRows } from './rows.js'

const MEDIA_TYPE = 'application/vnd.sluice.table+json'

export const table = {
  name: 'table',
  mediaTypes: [MEDIA_TYPE],
  contentType: MEDIA_TYPE,
  extension: 'json',
  content: {
    type: 'object',
    required: ['columns', 'rows', 'truncated'],
    properties: {
      columns: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'type'],
          properties: { name: { type: 'string' }, type: { type: 'string' }, unit: { type: 'string' } },
        },
      },
      rows: { type: 'array', items: { type: 'array', items: {} } },
      truncated: { type: 'boolean' },
      // It has no type, since OpenAPI 3.0 and 3.1 spell "or null" differently.
      next: { description: 'The cursor of the next page; null on the last one.' },
    },
  },
  write: toTable,
} as const satisfies Format

/** @throws JsonTextError, BodyTooLargeError. */
export function toTable(columns: readonly ResultColumn[], body: Uint8Array, facts: ResultFacts): Uint8Array {
  const { contract, isTruncated, next = null, maxBytes } = facts
  const describedColumns = columns.map(({ name, type }, i) => {
    const unit = contract?.[i]?.unit ?? null
    return { name, type, ...(unit !== null && { unit }) }
  })
  const row = (cells: readonly string[]): string => `[${cells.join()}]`
  const head = `{"columns":${JSON.stringify(describedColumns)},"rows":[`
  const tail = `],"truncated":${isTruncated},"next":${JSON.stringify(next)}}`
  return writeRows(new TextRows({ head, row, separator: ',', tail }, maxBytes), columns, body)
}
