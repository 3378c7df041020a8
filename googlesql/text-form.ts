/** How text files are written, in the words of a table resource. */
import type { TextEncoding, TextForm } from './table-definition.js'

/** `TextForm` as a table resource has it, in the words of BigQuery's REST resource `ExternalDataConfiguration`. */
export interface ExternalDataConfiguration {
  readonly ignoreUnknownValues?: boolean
  readonly decimalComma?: boolean
  readonly rows?: string
  readonly csvOptions?: {
    readonly fieldDelimiter?: string
    readonly skipLeadingRows?: number | string
    readonly quote?: string
    readonly encoding?: TextEncoding
    readonly nullMarker?: string
    readonly nullMarkers?: readonly string[]
    readonly allowJaggedRows?: boolean
  }
}

/** The TextForm of a table resource that has no mistakes. */
export function textFormOf({
  ignoreUnknownValues,
  decimalComma,
  rows,
  csvOptions = {},
}: ExternalDataConfiguration): TextForm {
  const { fieldDelimiter, skipLeadingRows, quote, encoding, nullMarker, nullMarkers, allowJaggedRows } = csvOptions
  const nulls = [...(nullMarker === undefined ? [] : [nullMarker]), ...(nullMarkers ?? [])]
  return withoutUndefined<TextForm>({
    ignoresUnknown: ignoreUnknownValues,
    delimiter: fieldDelimiter === '\\t' ? '\t' : fieldDelimiter,
    quote,
    skipLeadingRows: skipLeadingRows === undefined ? undefined : Number(skipLeadingRows),
    encoding,
    nullMarkers: nulls.length > 0 ? nulls : undefined,
    allowsJaggedRows: allowJaggedRows,
    decimalComma,
    rows,
  })
}

/** The reverse of `textFormOf`; undefined for files that are written in the usual way. */
export function externalConfiguration(form: TextForm): ExternalDataConfiguration | undefined {
  const csvOptions = withoutUndefined({
    fieldDelimiter: form.delimiter,
    skipLeadingRows: form.skipLeadingRows,
    quote: form.quote,
    encoding: form.encoding,
    nullMarkers: form.nullMarkers,
    allowJaggedRows: form.allowsJaggedRows,
  })
  const configuration = withoutUndefined({
    ignoreUnknownValues: form.ignoresUnknown,
    decimalComma: form.decimalComma,
    rows: form.rows,
    csvOptions: Object.keys(csvOptions).length > 0 ? csvOptions : undefined,
  })
  return Object.keys(configuration).length > 0 ? configuration : undefined
}

type Maybe<T> = { readonly [Name in keyof T]: T[Name] | undefined }

const withoutUndefined = <T extends object>(members: Maybe<T>): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as Partial<T>
