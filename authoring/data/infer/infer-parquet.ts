/**
 * Infers the columns of a table from Parquet files: from their types, and from their values if a type has no exact equivalent.
 */
import { type DuckDBConnection, DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import type { SchemaField, Type } from '../../../googlesql/index.js'
import { quoteName } from '../../../googlesql-duckdb/index.js'
import { fileFault } from '../../../runner/engines/duckdb/tables/file-fault.js'
import {
  asList,
  googlesqlType,
  isNearlyExact,
  whyUnreadable,
} from '../../../runner/engines/duckdb/tables/file-types.js'
import { parquetSource, shapeWithDurations } from '../../../runner/engines/duckdb/tables/parquet-source.js'
import { columnName, sameNameNote } from '../../../runner/engines/duckdb/tables/rows/column-name.js'
import {
  durationUnit,
  isCut,
  isTooWide,
  leavesOf,
  typeAsRead,
} from '../../../runner/engines/duckdb/tables/stored-types.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { plural } from '../../terminal/plural.js'
import type { ImportSource } from '../import/formats/source-file.js'
import { openDuckdb } from '../import/import-table.js'
import { needsBackticks, renamingDoubt, whyNoColumn } from './column-name.js'
import type { Doubt, Inference, InferredColumn, InferredTable } from './inferred-table.js'

const MEMORY_MB = 400

/** @throws QueryFault for a file that is not Parquet, and for a column whose types in two files have no common type. */
export async function inferFromParquet(sources: readonly ImportSource[]): Promise<InferredTable> {
  const duckdb = await openDuckdb(1, MEMORY_MB)
  try {
    return await new ParquetInference(await duckdb.connect(), sources).infer()
  } finally {
    duckdb.closeSync()
  }
}

/** A column in one of the files. */
interface ColumnInFile {
  readonly file: ImportSource
  readonly key: string
  readonly type: DuckDBType
}

/** The field that one file alone would give to a column. */
interface TypeInFile {
  readonly file: ImportSource
  readonly field: SchemaField
  /** The reason for the type, which follows the type's name in a doubt; null if the type is certain. */
  readonly why: string | null
}

class ParquetInference implements Inference {
  readonly columns: InferredColumn[] = []
  readonly doubts: Doubt[] = []
  readonly #connection: DuckDBConnection
  readonly #sources: readonly ImportSource[]

  constructor(connection: DuckDBConnection, sources: readonly ImportSource[]) {
    this.#connection = connection
    this.#sources = sources
  }

  async infer(): Promise<InferredTable> {
    const columns = await this.#readColumns()
    let rows = 0
    for (const file of this.#sources) rows += Number((await this.#firstRow(file, 'SELECT count(*)'))[0])
    const fields: SchemaField[] = []
    for (const [name, parts] of columns.values()) fields.push(...(await this.#inferColumn(name, parts, rows)))
    if (fields.length === 0) throw new QueryFault(`${this.#sources[0]!.name}: no column can be one of a table`)
    return { rows, fields, textForm: {}, columns: this.columns, doubts: this.doubts, badRows: [] }
  }

  /** Each column with its parts, by its name in lower case. */
  async #readColumns() {
    const columns = new Map<string, readonly [name: string, parts: readonly ColumnInFile[]]>()
    for (const file of this.#sources) {
      const { names, types } = await shapeWithDurations(this.#connection, file.path!).catch(cause => {
        throw new QueryFault(`${file.name}: ${fileFault(cause, 'Parquet')}`, { cause })
      })
      for (const [i, key] of names.entries()) {
        const name = columnName(key)
        const [first, parts] = columns.get(name.toLowerCase()) ?? [name, []]
        const other = parts.find(part => part.file === file)
        if (other) throw new QueryFault(`${file.name}: ${name} is in the file twice${sameNameNote(other.key, key)}`)
        columns.set(name.toLowerCase(), [first, [...parts, { file, key, type: types[i]! }]])
      }
    }
    return columns
  }

  /** @throws QueryFault for a file whose pages are damaged. */
  async #firstRow({ name, path }: ImportSource, select: string, where = 'TRUE'): Promise<readonly unknown[]> {
    try {
      const sql = `${select} FROM ${parquetSource([path!])} WHERE ${where}`
      return (await this.#connection.runAndReadAll(sql)).getRows()[0] ?? []
    } catch (cause) {
      throw new QueryFault(`${name}: ${fileFault(cause, 'Parquet')}`, { cause })
    }
  }

  async #inferColumn(name: string, parts: readonly ColumnInFile[], rows: number): Promise<readonly SchemaField[]> {
    const doubt = (message: string): void => {
      const isRepeated = this.doubts.some(other => other.path === name && other.message === message)
      if (!isRepeated) this.doubts.push({ path: name, message })
    }
    const reason = whyNoColumn(name)
    if (reason !== null) {
      doubt(`is left out: ${reason}`)
      return []
    }
    const renamed = parts.find(({ key }) => columnName(key) !== key)
    if (renamed) doubt(renamingDoubt(renamed.key))
    if (needsBackticks(name)) doubt(`is a name that SQL needs in backticks: \`${name}\``)
    let values = 0
    let example: string | null = null
    const types: TypeInFile[] = []
    for (const { file, key, type } of parts) {
      const column = quoteName(key)
      const select = `SELECT count(${column}), left(CAST(any_value(${column}) AS VARCHAR), 80)`
      const [count, first] = await this.#firstRow(file, select)
      values += Number(count)
      example ??= first === null ? null : String(first)
      if (leavesOf(type).some(isTooWide)) {
        doubt(`is left out: ${whyUnreadable('', name, type)}`)
        return []
      }
      types.push({ file, ...(await this.#inferField(name, { file, key, type }, doubt)) })
    }
    const field = types.map(one => one.field).reduce((a, b) => commonField(a, b, parts))
    const [first, ...others] = types
    const other = others.find(one => one.field.type !== first!.field.type)
    if (other) doubt(`is ${field.type}, since it is ${typeIn(first!)} and ${typeIn(other)}`)
    for (const one of types) if (one.why !== null && one.field.type === field.type) doubt(`is ${field.type}${one.why}`)
    this.columns.push({ path: name, field, nulls: rows - values, example })
    return [field]
  }

  /** The field for a column of one file, and why it has its type; reads the column's values if the type depends on them. */
  async #inferField(
    name: string,
    { file, key, type: stored }: ColumnInFile,
    doubt: (message: string) => void,
  ): Promise<Omit<TypeInFile, 'file'>> {
    const uncertain = (type: string, why: string) => ({ field: { name, type, mode: 'NULLABLE' }, why })
    const type = typeAsRead(stored)
    if (leavesOf(stored).some(isCut)) doubt('has nanoseconds in the file, which are cut to microseconds')
    for (const unit of new Set(leavesOf(stored).map(durationUnit)))
      if (unit !== null) doubt(`has durations, which are INTEGER here: their ${unit}`)
    const exact = googlesqlType(type)
    if (exact === undefined) return uncertain('JSON', `: ${whyUnreadable('', name, type).replace(/;.*/s, '')}`)
    const column = quoteName(key)
    const countMisfits = async (condition: string): Promise<number> =>
      Number((await this.#firstRow(file, 'SELECT count(*)', `${column} IS NOT NULL AND (${condition}) IS NOT TRUE`))[0])
    if (type.typeId === DuckDBTypeId.UBIGINT || WIDE.has(type.typeId)) {
      if ((await countMisfits(`TRY_CAST(${column} AS BIGINT) IS NOT NULL`)) === 0) {
        return uncertain('INTEGER', `, since every value of its type ${type} is an INT64; a later file may have others`)
      }
      return (await countMisfits(`TRY_CAST(${column} AS DECIMAL(38, 9)) IS NOT NULL`)) === 0
        ? uncertain('NUMERIC', `, since its type ${type} has values beyond INT64`)
        : uncertain('STRING', `, since its type ${type} has values that no type of numbers keeps`)
    }
    if (type instanceof DuckDBDecimalType && isNearlyExact(type)) {
      return (await countMisfits(`TRY_CAST(TRY_CAST(${column} AS DECIMAL(38, 9)) AS ${type}) = ${column}`)) === 0
        ? uncertain('NUMERIC', `, since every value of its type ${type} is one; a later file may have others`)
        : uncertain('BIGNUMERIC', `, since its type ${type} has values that NUMERIC would round`)
    }
    if (type.typeId === DuckDBTypeId.TIMESTAMP_NS) {
      const cut = await countMisfits(`epoch_ns(${column}) % 1000 = 0`)
      if (cut > 0) doubt(`has digits beyond microseconds in ${plural(cut, 'row')}, which are cut`)
    }
    if (type.typeId === DuckDBTypeId.BLOB && (await countMisfits(`TRY(decode(${column})) IS NOT NULL`)) === 0)
      doubt('is BYTES, and every value is UTF-8: STRING, if they are texts')
    const isList = asList(type) !== null
    if (isList && !String(type).endsWith(']')) doubt('is a map: its entries are records of key and value')
    else if (isList && (await countMisfits(`list_count(${column}) = len(${column})`)) > 0)
      doubt('has a list with NULL in it, which an array in BigQuery cannot hold: a query that returns it fails')
    return { field: fieldOf(name, exact), why: null }
  }
}

const typeIn = ({ field, file }: TypeInFile): string => `${field.type} in ${file.name}`

/** Types beyond 64 bits. */
const WIDE: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT])

/** The types whose name in BigQuery's schemas differs from the name in SQL. */
const SCHEMA_NAMES: Readonly<Record<string, string>> = {
  INT64: 'INTEGER',
  FLOAT64: 'FLOAT',
  BOOL: 'BOOLEAN',
  STRUCT: 'RECORD',
}

function fieldOf(name: string, type: Type): SchemaField {
  const element = type.kind === 'ARRAY' ? type.element : type
  const mode = type.kind === 'ARRAY' ? 'REPEATED' : 'NULLABLE'
  const kind = SCHEMA_NAMES[element.kind] ?? element.kind
  if (element.kind !== 'STRUCT') return { name, type: kind, mode }
  return { name, type: kind, mode, fields: element.fields.map(field => fieldOf(field.name, field.type)) }
}

/** The type that holds the values of two types, by the two names in alphabetical order. */
const WIDER: Readonly<Record<string, string>> = {
  'FLOAT INTEGER': 'FLOAT',
  'INTEGER NUMERIC': 'NUMERIC',
  'FLOAT NUMERIC': 'FLOAT',
  'BIGNUMERIC INTEGER': 'BIGNUMERIC',
  'BIGNUMERIC NUMERIC': 'BIGNUMERIC',
  'BIGNUMERIC FLOAT': 'FLOAT',
  'INTEGER STRING': 'STRING',
  'NUMERIC STRING': 'STRING',
  'BIGNUMERIC STRING': 'STRING',
  'DATE DATETIME': 'DATETIME',
  'DATE TIMESTAMP': 'TIMESTAMP',
  'DATETIME TIMESTAMP': 'TIMESTAMP',
}

function commonField(a: SchemaField, b: SchemaField, parts: readonly ColumnInFile[]): SchemaField {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  if (a.fields && b.fields && a.mode === b.mode) {
    const fieldIn = (fields: readonly SchemaField[], { name }: SchemaField): SchemaField | undefined =>
      fields.find(field => field.name.toLowerCase() === name.toLowerCase())
    // A field that a file lacks is NULL in its rows.
    const fields = a.fields.map(field => commonField(field, fieldIn(b.fields!, field) ?? field, parts))
    return { ...a, fields: [...fields, ...b.fields.filter(field => !fieldIn(a.fields!, field))] }
  }
  const wider = WIDER[[a.type, b.type].sort().join(' ')]
  if (wider !== undefined && a.mode === b.mode) return { ...a, type: wider }
  throw new QueryFault(
    `${a.name} is ${a.type} in one of ${parts.map(({ file }) => file.name).join(', ')}, and ${b.type} in another: no type holds both`,
  )
}
