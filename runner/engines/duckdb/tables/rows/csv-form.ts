/** Describes how a CSV file is written. */
import type { ScalarKind, TextEncoding, TextForm } from '../../../../../googlesql/data.js'
import type { FileFormat } from '../data-folder.js'

export interface CsvForm {
  /** The byte between cells. */
  readonly delimiter: number
  /** The byte before and after a cell in quotes; null where cells have no quotes. */
  readonly quote: number | null
  /** The number of the line with the header, from 1; lines above it are ignored. 0 for a file without a header. */
  readonly headerLine: number
  readonly encoding: TextEncoding
  /** The texts that mean NULL in a cell without quotes. */
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
 * Whether the header lacks the name of the first column: R writes files with tabs like this, with the names of rows first. Only for tabs:
 * with commas, the additional cell may come from a number such as 1,5. A tab at the end of a row has no cell after it.
 */
export const lacksFirstName = (names: number, cells: number, lastByte: number | undefined, form: CsvForm): boolean =>
  form.delimiter === TAB && form.headerLine > 0 && cells === names + 1 && lastByte !== TAB

const NUMBERS: ReadonlySet<string> = new Set<ScalarKind>(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'])

/** Whether a decimal comma changes how a value of this type is read. */
export const hasDecimals = (kind: string): boolean => NUMBERS.has(kind)

/** `1.234,50` and `12,5`. A number with groups of digits does not begin with a zero. */
const DECIMAL_COMMA = /^[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:[eE][+-]?\d+)?$/

/** A number with a decimal comma, rewritten with a point; a word such as `NaN` as it is; null for any other text. */
export function withPoint(text: string): string | null {
  if (DECIMAL_COMMA.test(text)) return text.replaceAll('.', '').replace(',', '.')
  return /^[+-]?[a-z]+$/i.test(text) ? text : null
}

/** The advice for a file that is not written as its table's schema says. */
export const formHint = (member: string, value: string, flag: string): string =>
  `"${member}": ${JSON.stringify(value)} in the csvOptions of its table, or ${flag}`
