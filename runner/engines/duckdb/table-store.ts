/** Keeps the tables that queries read in step with their files. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { TableDefinition } from '../../googlesql/tables.js'
import { QueryFault } from '../../model/query-fault.js'
import { ColumnTypeError } from './adapt-column.js'
import { type DataFile, filesOfTable, isUnchanged, statFile } from './data-folder.js'
import { quoteName, quoteText } from './generate/quote.js'
import { duckdbType } from './generate/type.js'
import { type ParquetShape, parquetShape, parquetSource, rowReader, selectFrom, shapeKey } from './load-table.js'
import { NATIVE_ERROR_MARK } from './natives/native.js'

/** A table of files, or one that SQL of ours stands for (a table of an attached database). */
export interface StoredTable {
  readonly definition: TableDefinition
  readonly origin:
    | { readonly kind: 'files'; readonly files: readonly string[] }
    | { readonly kind: 'data-folder' }
    | { readonly kind: 'select'; readonly sql: string }
}

export interface TableRead {
  readonly table: string
  readonly files: number
}

export interface TableStore {
  /** Adds a table, or replaces one of this name when its definition is another. */
  readonly declare: (table: StoredTable) => void
  /**
   * Makes the tables of these names be as their files are now. Reads only files that are new or have changed; queries
   * that run meanwhile keep what they began with.
   * @throws QueryFault naming file and row when a file holds what its table's schema does not allow.
   */
  readonly refresh: (names: readonly string[]) => Promise<readonly TableRead[]>
  /** Makes these tables be there, with whatever rows: enough to compile a query. Reads no file. */
  readonly stand: (names: readonly string[]) => Promise<void>
}

interface Part {
  readonly file: DataFile
  /** In the rows' hidden column; null for a file that is read in place. */
  readonly id: number | null
  readonly shape: ParquetShape | null
}

interface Entry {
  readonly table: StoredTable
  /** By path; null before the first look. */
  parts: ReadonlyMap<string, Part> | null
  hasRowTable: boolean
  view: string
}

/** The hidden column of a row's file. */
const FILE_COLUMN = '"~file"'
const RETRY_AFTER_MS = 50

/** `connection` is for this store alone. */
export function tableStore(connection: DuckDBConnection, dataDir: string | null): TableStore {
  const entries = new Map<string, Entry>()
  let nextId = 1
  // Loads take turns: two transactions that change the catalogue would conflict.
  let turn: Promise<unknown> = Promise.resolve()

  const listFiles = ({ definition, origin }: StoredTable): readonly DataFile[] => {
    if (origin.kind === 'files') return origin.files.map(path => statFile(path) ?? missing(path))
    return origin.kind === 'data-folder' && dataDir !== null ? filesOfTable(dataDir, definition.name) : []
  }

  const isCurrent = (entry: Entry): boolean => {
    if (entry.parts === null) return false
    if (entry.table.origin.kind === 'select') return true
    const files = listFiles(entry.table)
    return (
      files.length === entry.parts.size &&
      files.every(file => isUnchanged(file, entry.parts!.get(file.path)?.file ?? null))
    )
  }

  /** The parts that the files make, reading those that changed into the row table; inside a transaction. */
  const readFiles = async (entry: Entry, files: readonly DataFile[]): Promise<ReadonlyMap<string, Part>> => {
    const before = entry.parts ?? new Map<string, Part>()
    const after = new Map<string, Part>()
    const outdated: number[] = []
    for (const part of before.values()) {
      const now = files.find(file => file.path === part.file.path)
      if (now && isUnchanged(now, part.file)) after.set(part.file.path, part)
      else if (part.id !== null) outdated.push(part.id)
    }
    const rowTable = quoteName(`${entry.table.definition.name}~rows`)
    if (outdated.length > 0)
      await connection.run(`DELETE FROM ${rowTable} WHERE ${FILE_COLUMN} IN (${outdated.join(', ')})`)
    for (const file of files) {
      if (after.has(file.path)) continue
      if (file.format === 'parquet') {
        after.set(file.path, { file, id: null, shape: await parquetShape(connection, file.path) })
      } else {
        const id = nextId++
        await insertRows(connection, entry.table.definition, rowTable, file, id)
        after.set(file.path, { file, id, shape: null })
      }
    }
    return after
  }

  const load = async (entry: Entry, files: readonly DataFile[]): Promise<void> => {
    const { definition, origin } = entry.table
    await connection.run('BEGIN')
    let { hasRowTable, view } = entry
    try {
      if (
        !hasRowTable &&
        origin.kind !== 'select' &&
        (files.length === 0 || files.some(file => file.format !== 'parquet'))
      ) {
        await connection.run(rowTableDdl(definition))
        hasRowTable = true
      }
      const parts = await readFiles(entry, files)
      const changed = files.find(file => !isUnchanged(file, statFile(file.path)))
      if (changed) throw new FileChangedError(changed.path)
      view = origin.kind === 'select' ? origin.sql : viewOver(definition, parts, hasRowTable)
      if (view !== entry.view) {
        await connection.run(`CREATE OR REPLACE VIEW ${quoteName(definition.name)} AS ${view}`)
      }
      await connection.run('COMMIT')
      entry.parts = parts
      entry.hasRowTable = hasRowTable
      entry.view = view
    } catch (error) {
      await connection.run('ROLLBACK')
      throw error
    }
  }

  /** The table without its rows; the first query that reads it loads them. */
  const standIn = async (entry: Entry): Promise<void> => {
    const { definition, origin } = entry.table
    const view = origin.kind === 'select' ? origin.sql : viewOver(definition, new Map(), true)
    await connection.run('BEGIN')
    try {
      if (origin.kind !== 'select') await connection.run(rowTableDdl(definition))
      await connection.run(`CREATE OR REPLACE VIEW ${quoteName(definition.name)} AS ${view}`)
      await connection.run('COMMIT')
      entry.hasRowTable = origin.kind !== 'select'
      entry.view = view
    } catch (error) {
      await connection.run('ROLLBACK')
      throw error
    }
  }

  const update = async (entry: Entry): Promise<TableRead | null> => {
    if (isCurrent(entry)) return null
    const { name } = entry.table.definition
    try {
      await load(entry, listFiles(entry.table))
    } catch (first) {
      // A file that is being written may end in half a row, or change while it is read: look once more.
      await new Promise(resolve => setTimeout(resolve, RETRY_AFTER_MS))
      const files = listFiles(entry.table)
      try {
        await load(entry, files)
      } catch (error) {
        if (!(error instanceof FileChangedError))
          throw await readFault(connection, entry.table.definition, files, error)
        throw new QueryFault(`${name}: ${error.message}`, { cause: first })
      }
    }
    // Compresses what was loaded, and frees what was replaced. Refused while another transaction writes; then it can wait.
    await connection.run('CHECKPOINT').catch(() => undefined)
    return { table: name, files: entry.parts?.size ?? 0 }
  }

  return {
    declare: table => {
      const { name } = table.definition
      const old = entries.get(name)
      if (old && JSON.stringify(old.table) === JSON.stringify(table)) return
      const clash = [...entries.keys()].find(other => other !== name && other.toLowerCase() === name.toLowerCase())
      if (clash !== undefined)
        throw new QueryFault(
          `Tables ${clash} and ${name} differ in case only, which the embedded engine cannot tell apart`,
        )
      entries.set(name, { table, parts: null, hasRowTable: false, view: '' })
    },
    refresh: names => {
      const wanted = names.flatMap(name => entries.get(name) ?? [])
      if (wanted.every(isCurrent)) return Promise.resolve([])
      const run = turn.then(async () => {
        const reads: TableRead[] = []
        for (const entry of wanted) {
          const read = await update(entry)
          if (read) reads.push(read)
        }
        return reads
      })
      turn = run.catch(() => undefined)
      return run
    },
    stand: names => {
      const unseen = names.flatMap(name => entries.get(name) ?? []).filter(entry => entry.view === '')
      if (unseen.length === 0) return Promise.resolve()
      const run = turn.then(async () => {
        for (const entry of unseen) if (entry.view === '') await standIn(entry)
      })
      turn = run.catch(() => undefined)
      return run
    },
  }
}

class FileChangedError extends Error {
  override readonly name = 'FileChangedError'
  constructor(path: string) {
    super(`${path} changed while it was read`)
  }
}

function missing(path: string): never {
  throw new QueryFault(`The file ${path} is not there, or is no Parquet, NDJSON or CSV file`)
}

function rowTableDdl({ name, columns }: TableDefinition): string {
  const list = columns.map(column => `${quoteName(column.name)} ${duckdbType(column.type)}`)
  return `CREATE OR REPLACE TABLE ${quoteName(`${name}~rows`)} (${[...list, `${FILE_COLUMN} INTEGER`].join(', ')})`
}

async function insertRows(
  connection: DuckDBConnection,
  table: TableDefinition,
  rowTable: string,
  file: DataFile,
  id: number,
): Promise<void> {
  // A file without a byte has neither rows nor, for CSV, a header.
  if (file.size === 0n) return
  const reader = await rowReader(connection, table, file)
  await connection.run(`INSERT INTO ${rowTable} SELECT *, ${id} FROM (${reader.select})`)
}

function viewOver(table: TableDefinition, parts: ReadonlyMap<string, Part>, hasRowTable: boolean): string {
  const byShape = new Map<string, { readonly shape: ParquetShape; readonly paths: string[] }>()
  for (const { file, shape } of parts.values()) {
    if (!shape) continue
    const key = shapeKey(shape)
    const group = byShape.get(key) ?? { shape, paths: [] }
    group.paths.push(file.path)
    byShape.set(key, group)
  }
  const names = table.columns.map(column => quoteName(column.name)).join(', ')
  const selects = [...byShape.values()].map(({ shape, paths }) => selectFrom(parquetSource(paths), table, shape))
  const hasRows = [...parts.values()].some(part => part.id !== null)
  if (hasRowTable && (hasRows || selects.length === 0))
    selects.unshift(`SELECT ${names} FROM ${quoteName(`${table.name}~rows`)}`)
  return selects.join(' UNION ALL ')
}

/** What a failed load means for the query that needed it: which file, and where in it. */
async function readFault(
  connection: DuckDBConnection,
  table: TableDefinition,
  files: readonly DataFile[],
  error: unknown,
): Promise<unknown> {
  if (error instanceof QueryFault) return error
  if (error instanceof ColumnTypeError) return new QueryFault(error.message)
  for (const file of files) {
    const reason = await reasonOf(connection, table, file)
    if (reason !== null) return new QueryFault(`${file.path}: ${reason}`, { cause: error })
  }
  return error
}

/** Reads the file once more for its error; null when there is none. */
async function reasonOf(connection: DuckDBConnection, table: TableDefinition, file: DataFile): Promise<string | null> {
  if (file.size === 0n && file.format !== 'parquet') return null
  try {
    if (file.format === 'parquet') {
      await connection.run(`SELECT count(*) FROM read_parquet(${quoteText(file.path)})`)
    } else {
      const reader = await rowReader(connection, table, file)
      await connection.run(`SELECT count(COLUMNS(*)) FROM (${reader.selectNumbered})`)
    }
    return null
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const own = text.indexOf(NATIVE_ERROR_MARK)
    return (own >= 0 ? text.slice(own + NATIVE_ERROR_MARK.length) : text).split('\n')[0]!
  }
}
