/** How a CSV file is written, as the readers of its bytes need it. */
import type { ScalarKind, TextEncoding, TextForm } from '../../../../../googlesql/data.js'
import type { FileFormat } from '../data-folder.js'

export interface CsvForm {
  /** The byte between cells. */
  readonly delimiter: number
  /** The byte around a cell; null for none. */
  readonly quote: number | null
  /** The number of the line with the header, or 0 for a file without one; the lines above it are passed over. */
  readonly headerLine: number
  readonly encoding: TextEncoding
  /** The cells without quotes that are NULL. */
  readonly nulls: ReadonlySet<string>
  /** Whether cells may be missing at the end of a row. */
  readonly isJagged: boolean
  readonly hasDecimalComma: boolean
}

/** The form of a file of this format. */
export function csvForm(form: TextForm | undefined, format: FileFormat): CsvForm {
  const quote = form?.quote ?? '"'
  return {
    delimiter: (form?.delimiter ?? (format === 'tsv' ? '\t' : ',')).charCodeAt(0),
    quote: quote === '' ? null : quote.charCodeAt(0),
    headerLine: form?.skipLeadingRows ?? 1,
    encoding: form?.encoding ?? 'UTF-8',
    nulls: new Set(form?.nullMarkers ?? ['']),
    isJagged: form?.allowsJaggedRows === true,
    hasDecimalComma: form?.decimalComma === true,
  }
}

const TAB = 0x09

/**
 * Whether a header with this many names lacks that of the first column: R writes the names of rows so, into files with tabs. In a file
 * with commas the further cell may come from a number such as 1,5, and behind a tab at the end of a row is no cell.
 */
export const lacksFirstName = (names: number, cells: number, lastByte: number | undefined, form: CsvForm): boolean =>
  form.delimiter === TAB && form.headerLine > 0 && cells === names + 1 && lastByte !== TAB

const NUMBERS: ReadonlySet<string> = new Set<ScalarKind>(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'])

/** Whether a decimal comma changes how a value of this type is read. */
export const hasDecimals = (kind: string): boolean => NUMBERS.has(kind)

/** `1.234,50` and `12,5`; no group of digits begins with a zero. */
const DECIMAL_COMMA = /^[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:[eE][+-]?\d+)?$/

/** A number with a decimal comma, as it is written with a point; null for another text. */
export function withPoint(text: string): string | null {
  if (DECIMAL_COMMA.test(text)) return text.replaceAll('.', '').replace(',', '.')
  return /^[+-]?[a-z]+$/i.test(text) ? text : null
}

/** What a file of another kind than its table's needs. */
export const formHint = (member: string, value: string, flag: string): string =>
  `"${member}": ${JSON.stringify(value)} in the csvOptions of its table, or ${flag}`
