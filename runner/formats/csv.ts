/** RFC 4180: CRLF, a header line, NULL as nothing and the empty string as `""`. Only quotes are escaped. */
import type { ResultColumn } from '../model/query.js'
import { encodeTexts, type RowTexts, TextRows } from '../result/body.js'
import type { Format, ResultFacts } from './format.js'
import { rowsOf, stringOf, wordOf } from './rows.js'

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

export const csv = {
  name: 'csv',
  mediaTypes: ['text/csv'],
  contentType: CSV_TYPE,
  extension: 'csv',
  isAttachment: true,
  content: 'text',
  download: { title: 'CSV', about: 'exact, for programs', place: 1 },
  write: (columns, body, facts) => writeCsv(columns, body, facts, EXACT),
  exportRows: () => columns => new TextRows(csvTexts(columns, EXACT)),
} as const satisfies Format

/** How programs differ that read CSV. */
export interface CsvVariant {
  /** The text before the header line. */
  readonly head: string
  /** A cell of any text, which is quoted where this pattern matches it. */
  readonly text: (text: string) => string
  readonly mustQuote: RegExp
  /** A cell of another kind: it holds no comma and no quote. */
  readonly word: (word: string, kind: string) => string
}

const EXACT: CsvVariant = { head: '', text: text => text, mustQuote: /[",\r\n]/, word: word => word }

/** @throws JsonTextError, BodyTooLargeError. */
export const writeCsv = (
  columns: readonly ResultColumn[],
  body: Uint8Array,
  { maxBytes }: ResultFacts,
  variant: CsvVariant,
): Uint8Array => encodeTexts(lines(columns, body, variant), maxBytes)

function* lines(columns: readonly ResultColumn[], body: Uint8Array, variant: CsvVariant): Generator<string> {
  const { head, row: line } = csvTexts(columns, variant)
  yield head
  const cells: string[] = []
  for (const row of rowsOf(body)) {
    for (let i = 0; i < columns.length; i++) {
      row.toMember(i)
      cells[i] = row.value()
    }
    row.leaveObject(columns.length)
    yield line(cells)
  }
}

function csvTexts(columns: readonly ResultColumn[], variant: CsvVariant): RowTexts {
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
  return { head: `${variant.head}${names.join()}\r\n`, row, tail: '' }
}

/** The kinds of types whose cells are texts: empty BYTES are quoted, base64 may begin with a plus sign, and a range has a comma. */
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
  return text ? cell => textCell(text(cell), variant) : cell => variant.word(wordOf(cell), kind)
}

function textCell(text: string, { text: guard, mustQuote }: CsvVariant): string {
  const guarded = guard(text)
  return text === '' || mustQuote.test(text) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
