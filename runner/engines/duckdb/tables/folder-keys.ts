/** Reads the names of folders `key=value` below a table: each gives a column its value in all rows below the folder. */
import type { ScalarKind, StructField, TableDefinition, Type } from '../../../../googlesql/data.js'
import { duckdbType, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { QueryFault } from '../../../model/query-fault.js'
import { fromStaged, stagedType } from './file-column.js'
import { PARTITION_KEY } from './imports-file.js'
import { expectation, leafOfText } from './rows/leaf.js'
import { type GivenColumn, UNLIMITED } from './rows/row-schema.js'

export interface FolderKey {
  readonly name: string
  /** The value as it is written in the folder's name, such as `a%20b`. */
  readonly written: string
}

/** A column whose value is in the names of folders. */
export interface KeyColumn extends GivenColumn {
  readonly key: FolderKey
}

/** The value that stands for NULL in a folder's name. */
const NULL_FOLDER = '__HIVE_DEFAULT_PARTITION__'

/** A list with the key of a folder; an empty list for a name that is not `key=value`. */
export function keyOfFolder(name: string): readonly FolderKey[] {
  const at = name.indexOf('=')
  return at < 1 ? [] : [{ name: name.slice(0, at), written: name.slice(at + 1) }]
}

/** The keys of the folders in a file's path, except the partition of an import. */
export const keysInPath = (path: string): readonly FolderKey[] =>
  path
    .split('/')
    .slice(0, -1)
    .flatMap(keyOfFolder)
    .filter(({ name }) => name !== PARTITION_KEY)

const KEY_KINDS: ReadonlySet<Type['kind']> = new Set([
  'STRING',
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BIGNUMERIC',
  'BOOL',
  'DATE',
  'DATETIME',
  'TIMESTAMP',
])

/** The columns that the keys of a file give. @throws QueryFault for a key that is not a column, or whose value is not of its type. */
export function keyColumns(
  path: string,
  keys: readonly FolderKey[],
  table: Pick<TableDefinition, 'name' | 'columns' | 'required' | 'limits'>,
): readonly KeyColumn[] {
  return keys.map((key, i) => {
    const fault = (what: string): QueryFault => new QueryFault(`${path}: the folder ${key.name}=${key.written} ${what}`)
    const isSame = ({ name }: { readonly name?: string }): boolean => name?.toLowerCase() === key.name.toLowerCase()
    if (keys.findIndex(isSame) < i) throw fault(`gives ${key.name} a second time`)
    const column = table.columns.find(isSame)
    if (!column) throw fault(`gives a column ${key.name}, which the schema of ${table.name} lacks`)
    const { name, type } = column
    if (!KEY_KINDS.has(type.kind)) throw fault(`cannot give ${name}, which is ${type.kind} by its schema`)
    const limits = table.limits?.[name!] ?? UNLIMITED
    const json = jsonOf(key, type.kind as ScalarKind, limits)
    if (json === null)
      throw fault(`gives ${name} no value of its type: expected ${expectation(type.kind as ScalarKind, limits)}`)
    if (json === 'null' && table.required?.includes(name!)) throw fault(`gives NULL to ${name}, which is REQUIRED`)
    return { key, column, json }
  })
}

/** The end of a message that begins with the file's name. */
export const alsoInFile = (column: string): string =>
  `its folder gives the column ${column}, and the file has it as well. Rename the folder, or write the file without the column (in polars include_key = False)`

/** Spellings that DuckDB casts to the same value as `leafOfText` gives. */
const SAME_VALUE: Readonly<Partial<Record<ScalarKind, RegExp>>> = {
  INT64: /^-?\d+$/,
  DATETIME: /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:[0-5]\d(?:\.\d{1,6})?$/,
  TIMESTAMP: /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:[0-5]\d(?:\.\d{1,6})?Z?$/,
}

/** The value of a key as JSON; null where it is not of this type, or its bytes are not UTF-8. */
function jsonOf({ written }: FolderKey, kind: ScalarKind, limits: typeof UNLIMITED): string | null {
  if (written === NULL_FOLDER) return 'null'
  try {
    const text = written.replace(/(?:%[0-9a-fA-F]{2})+/g, decodeURIComponent)
    const json = leafOfText(kind, text, limits)
    return json === text || json === JSON.stringify(text) || SAME_VALUE[kind]?.test(text) ? json : null
  } catch {
    return null
  }
}

/** SQL of the column's value, read from the path of the file. @param file SQL of the path @param root the folder above the keys */
export function keySql({ key, column: { type } }: KeyColumn, file: string, root: string): string {
  const below = `substr(${file}, ${[...root].length + 1})`
  const written = `split_part(split_part(${below}, ${quoteText(`/${key.name}=`)}, 2), '/', 1)`
  const text = `url_decode(nullif(${written}, ${quoteText(NULL_FOLDER)}))`
  return type.kind === 'STRING' ? text : fromStaged(type, `CAST(${text} AS ${stagedType(type)})`)
}

/** SQL of the column's value as a constant. */
export const keyConstant = ({ column: { type }, json }: KeyColumn): string =>
  json === 'null'
    ? `NULL::${duckdbType(type)}`
    : fromStaged(
        type,
        `CAST(${quoteText(json.startsWith('"') ? (JSON.parse(json) as string) : json)} AS ${stagedType(type)})`,
      )

/** The columns of keys of a table without a schema. INT64 where all values are digits without a leading zero; else DATE or STRING. */
export function inferredKeys(files: readonly { readonly keys: readonly FolderKey[] }[]): readonly StructField[] {
  const values = new Map<string, { readonly name: string; readonly texts: Set<string> }>()
  for (const key of files.flatMap(({ keys }) => keys)) {
    const entry = values.get(key.name.toLowerCase()) ?? { name: key.name, texts: new Set<string>() }
    values.set(key.name.toLowerCase(), entry)
    if (key.written !== NULL_FOLDER) entry.texts.add(key.written)
  }
  return [...values.values()].map(({ name, texts }) => {
    const areAll = (kind: 'INT64' | 'DATE', form: RegExp): boolean =>
      texts.size > 0 && [...texts].every(text => form.test(text) && leafOfText(kind, text, UNLIMITED) !== null)
    const kind = areAll('INT64', /^(?:0|-?[1-9]\d*)$/)
      ? 'INT64'
      : areAll('DATE', /^\d{4}-\d\d-\d\d$/)
        ? 'DATE'
        : 'STRING'
    return { name, type: { kind } }
  })
}
