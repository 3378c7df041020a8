/** Prints the rows of a call or a query, and how an engine runs it. */

import { RESULT_FORMATS, type ResultFormat } from '../../runner/formats/index.js'
import { parseExact } from '../../runner/model/exact-json.js'
import type { ResultColumn } from '../../runner/model/query.js'
import type { Explained } from '../../runner/serve/runner.js'
import type { Io } from './io.js'
import { plural } from './plural.js'
import { textTable } from './table.js'

/** How rows are printed: as a table for people, or as the bytes that HTTP sends in one of its formats. */
export const SHOWN_FORMATS = ['text', ...RESULT_FORMATS] as const
export type ShownFormat = (typeof SHOWN_FORMATS)[number]

/** The format whose bytes `printRows` takes. */
export const encodedFormat = (format: ShownFormat): ResultFormat => (format === 'text' ? 'table' : format)

/**
 * Prints a result, or a page of a result that has `total` rows.
 * @param body its bytes in the format that `encodedFormat` names.
 */
export function printRows(
  columns: readonly ResultColumn[],
  body: Uint8Array,
  format: ShownFormat,
  io: Io,
  total?: number,
): void {
  if (format !== 'text') {
    io.print(body)
    if (format === 'json') io.printError('\n')
    return
  }
  const { rows } = parseExact(Buffer.from(body).toString()) as { readonly rows: readonly (readonly unknown[])[] }
  io.print(textTable(columns, rows))
  io.printError(`${total === undefined ? '' : `${rows.length} of `}${plural(total ?? rows.length, 'row')}\n`)
}

/** The explanation as text: sections with a heading each. */
export function explanationText(explained: Explained): string {
  const parameters = Object.entries(explained.parameters).map(
    ([name, { type, value }]) => `@${name} ${type} = ${JSON.stringify(value)}`,
  )
  const timings = Object.entries(explained.timingsMs).map(([what, ms]) => `${what} ${ms.toFixed(2)} ms`)
  const sections: readonly (readonly [string, string])[] = [
    ...(explained.variant === null ? [] : [['Variant', explained.variant] as const]),
    ['BigQuery SQL', explained.sql.trimEnd()],
    ['Arguments', parameters.length > 0 ? parameters.join('\n') : 'none'],
    ['Engine SQL', explained.engineSql],
    ['Plan', explained.plan.trimEnd()],
    ['Timings', timings.join('\n')],
  ]
  return sections.map(([heading, text]) => `== ${heading}\n${text}\n`).join('\n')
}
