/** The formats of results. A new one is a file beside this one, and a line in the list. */
import { arrow } from './arrow.js'
import { csv } from './csv.js'
import { excel } from './excel.js'
import type { Format, MakeRows, WriteFormat } from './format.js'
import { json } from './json.js'
import { ndjson } from './ndjson.js'
import { parquet } from './parquet.js'
import { table } from './table.js'
import { xlsx } from './xlsx.js'

/** Best first: of two formats that a caller accepts with equal weight, the first is chosen. */
const LIST = [json, ndjson, csv, excel, table, arrow, parquet, xlsx] as const

export type ResultFormat = (typeof LIST)[number]['name']

/** A format of the list. */
export type ListedFormat = Format & { readonly name: ResultFormat }

export const FORMATS: readonly ListedFormat[] = LIST

export const RESULT_FORMATS: readonly ResultFormat[] = LIST.map(({ name }) => name)

/** The name as messages show it. A name that misleads is explained: `excel (CSV for Excel)`. */
export const displayName = ({ name, mediaTypes, download }: ListedFormat): string =>
  mediaTypes.length === 0 && download ? `${name} (${download.title})` : name

const BY_NAME: ReadonlyMap<string, ListedFormat> = new Map(FORMATS.map(format => [format.name, format]))

export const formatOf = (name: ResultFormat): ListedFormat => BY_NAME.get(name)!

/** The formats of exports, best first. */
export const EXPORT_FORMATS: readonly ListedFormat[] = FORMATS.filter(({ exportRows }) => exportRows !== undefined)

/** Loads the writer of an export's rows in the format that has this name, one of EXPORT_FORMATS. */
export const exportRows = async (name: string): Promise<MakeRows> => BY_NAME.get(name)!.exportRows!()

/** Writes a stored result in the format that has this name. @throws as `Format.write` does. */
export const derive = async (name: ResultFormat, ...result: Parameters<WriteFormat>): Promise<Uint8Array> =>
  formatOf(name).write(...result)
