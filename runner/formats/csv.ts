/** RFC 4180: CRLF, a header line, NULL as nothing and the empty string as `""`. Only quotes are escaped. */
import type { ResultColumn } from '../model/query.js'
import { TextRows } from '../result/body.js'
import type { Format, RowFacts } from './format.js'
import { stringOf, wordOf, writeRows } from './rows.js'

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

export const csv = {
  name: 'csv',
  mediaTypes: ['text/csv'],
  contentType: CSV_TYPE,
  extension: 'csv',
  isAttachment: true,
  content: 'text',
  download: { title: 'CSV', about: 'exact, for programs', place: 1 },
  write: (columns, body, facts) => writeRows(csvRows(columns, facts, EXACT), columns, body),
  exportRows: () => (columns, facts) => csvRows(columns, facts, EXACT),
} as const satisfies Format

/** What differs between the programs that read CSV. */
export interface CsvVariant {
  /** The text before the header line. */
  readonly head: string
  /** Changes the text of a cell. The cell is quoted where `mustQuote` matches the original text. */
  readonly changeText: (text: string) => string
  readonly mustQuote: RegExp
  /** Changes a cell of another type, such as a number: it has no comma and no quote. */
  readonly changeWord: (word: string, kind: string) => string
}

const EXACT: CsvVariant = { head: '', changeText: text => text, mustQuote: /[",\r\n]/, changeWord: word => word }

export function csvRows(columns: readonly ResultColumn[], { maxBytes }: RowFacts, variant: CsvVariant): TextRows {
  const names = columns.map(({ name }) => textCell(name, variant))
  const writers = columns.map(({ type }) => cellWriter(/^\w+/.exec(type)?.[0] ?? '', variant))
  const row = (cells: readonly string[]): string => {
    let line = ''
    for (let i = 0; i < writers.length; i++) {
      if (i > 0) line += ','
      if (cells[i] !== 'null') line += writers[i]!(cells[i]!)
    }
    return `${line}\r\n`
  }
  return new TextRows({ head: `${variant.head}${names.join()}\r\n`, row, tail: '' }, maxBytes)
}

/** The types whose cells are texts. A cell of BYTES may be empty, which is quoted, or begin with a plus; a range has a comma. */
const TEXTS: Readonly<Record<string, (cell: string) => string>> = {
  STRING: stringOf,
  BYTES: wordOf,
  RANGE: wordOf,
  ARRAY: cell => cell,
  STRUCT: cell => cell,
  JSON: cell => cell,
}

/** @param kind the first word of the column's type */
function cellWriter(kind: string, variant: CsvVariant): (cell: string) => string {
  const text = Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : undefined
  return text ? cell => textCell(text(cell), variant) : cell => variant.changeWord(wordOf(cell), kind)
}

function textCell(text: string, { changeText, mustQuote }: CsvVariant): string {
  const changed = changeText(text)
  return text === '' || mustQuote.test(text) ? `"${changed.replaceAll('"', '""')}"` : changed
}
