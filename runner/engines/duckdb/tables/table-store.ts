/** Keeps DuckDB's tables and views in step with the files of the tables. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { PARTITION_DATE, PARTITION_TIME, type PartitionUnit, type TableDefinition } from '../../../../googlesql/data.js'
import {
  duckdbType,
  FROM_COLUMN,
  quoteName,
  quotePath,
  quoteText,
  UNTIL_COLUMN,
} from '../../../../googlesql-duckdb/data.js'
import { QueryFault } from '../../../model/query-fault.js'
import {
  type DataFile,
  folderReader,
  type ImportedFiles,
  isUnchanged,
  type Listing,
  newListing,
  statFile,
  type TableContents,
} from './data-folder.js'
import { expectWhole } from './decompress.js'
import { PARTITION_KEY } from './imports-file.js'
import { type ParquetShape, parquetShape, parquetSource, rowReader, selectFrom, shapeKey } from './load-table.js'
import type { OpenFile, OpenFiles } from './open-files.js'
import { readFault } from './read-fault.js'
import { FileChangedError } from './steady-copy.js'

/** A table of files, or a table that is defined by SQL of this project (a table of an attached database). */
export interface StoredTable {
  readonly definition: TableDefinition
  /** Whether the definition was inferred from its files. */
  readonly isInferred?: boolean
  readonly origin:
    | { readonly kind: 'files'; readonly files: readonly string[] }
    | { readonly kind: 'data-folder' }
    | { readonly kind: 'select'; readonly sql: string }
}

export interface TableRead {
  readonly table: string
  /** The number of new and changed files; an import counts as one. */
  readonly files: number
}

export interface TableStore {
  /** Adds a table, or replaces the table with this name when its definition differs. */
  readonly declare: (table: StoredTable) => void
  /** Whether a table has this name. With `given`, only tables whose rows are not in the data folder count. */
  readonly has: (name: string, origin?: 'given') => boolean
  readonly definitions: () => readonly TableDefinition[]
  /** The names of the tables whose rows are not in the data folder. */
  readonly names: (origin: 'given') => readonly string[]
  /**
   * Brings these tables up to date with their files. Loads only new and changed files; running queries keep the rows that they
   * began with.
   * @throws QueryFault that names the file and row when a file holds a value that its table's schema does not allow.
   */
  readonly refresh: (names: readonly string[]) => Promise<readonly TableRead[]>
  /** Creates the missing views of these tables, without rows, which is enough to compile a query. Reads no file. */
  readonly stand: (names: readonly string[]) => Promise<void>
  /**
   * Remembers the state of the files that queries on these tables read in place. The returned function returns the path of a
   * file that has changed since then, or null.
   */
  readonly lookAtFiles: (names: readonly string[]) => () => string | null
  /** The total size of the files of these tables that queries read in place. */
  readonly bytesInPlace: (names: readonly string[]) => bigint
  /**
   * The files of a table as they are now, without reading them; null for a table of the attached database.
   * @throws QueryFault as FolderReader does.
   */
  readonly contents: (name: string) => TableContents | null
  /** Increases whenever a view or table may have been replaced. */
  readonly revision: () => number
}

interface Part {
  readonly file: DataFile
  /** The file's id in the hidden column of rows; null for a file that is read in place. */
  readonly id: number | null
  /** For a file that is read in place. */
  readonly inPlace: { readonly shape: ParquetShape; readonly open: OpenFile } | null
}

/** The files of an import. They are read in place, and all have the same shape. */
interface ImportPart {
  readonly imported: ImportedFiles
  readonly shape: ParquetShape
  readonly open: readonly OpenFile[]
}

/** The state of a table in DuckDB. */
interface Holding {
  /** The loaded files by path; null before the first load. */
  readonly parts: ReadonlyMap<string, Part> | null
  /** The imports, by the path of their folders. */
  readonly imports: ReadonlyMap<string, ImportPart>
  readonly hasRowTable: boolean
  /** The SQL of the view; '' until the view exists. */
  readonly view: string
}

interface Entry {
  readonly table: StoredTable
  holding: Holding
  /** Whether the files of the table were changing during the last load. */
  isUnsteady: boolean
}

/** The hidden column with the id of a row's file. */
const FILE_COLUMN = '"~file"'
/**
 * The wait after which a file that ends in half a row counts as broken, in milliseconds: a file that is being written has
 * changed by then.
 */
const HALF_ROW_MS = 50
/** How long a load or a query is repeated while files change during it, in milliseconds. */
export const UNSTEADY_FOR_MS = 2_000
const UNSTEADY_PAUSE_MS = 5
const NOTHING: TableContents = { files: [], imports: [] }
const NOT_HELD: Holding = { parts: null, imports: new Map(), hasRowTable: false, view: '' }
/**
 * The bytes of loaded or replaced files after which a checkpoint pays off. A checkpoint writes the metadata of every column
 * of every table, which takes a second for hundreds of wide tables; during loads it happens only after many more bytes.
 */
const CHECKPOINT_BYTES = 1_000_000n
const CHECKPOINT_AMID_BYTES = 64_000_000n

/** Creates the store. Only the store may use `connection`. */
export function tableStore(connection: DuckDBConnection, dataDir: string | null, openFiles: OpenFiles): TableStore {
  const entries = new Map<string, Entry>()
  let nextId = 1
  let revision = 0
  /** The bytes of files whose rows were inserted or deleted since the last checkpoint. */
  let uncheckpointed = 0n
  // The last load; loads run one after another, since two transactions that change the catalogue would conflict.
  let turn: Promise<unknown> = Promise.resolve()

  const folder = dataDir === null ? null : folderReader(dataDir)

  const contentsOf = ({ definition, origin }: StoredTable, listing?: Listing): TableContents => {
    if (origin.kind === 'files')
      return { files: origin.files.map(path => statFile(path) ?? missing(path)), imports: [] }
    return origin.kind === 'data-folder' && folder !== null ? folder.contents(definition.name, listing) : NOTHING
  }

  const isCurrent = ({ table, holding: { parts, imports: held } }: Entry, listing?: Listing): boolean => {
    if (parts === null) return false
    if (table.origin.kind === 'select') return true
    const { files, imports } = contentsOf(table, listing)
    return (
      files.length === parts.size &&
      imports.length === held.size &&
      imports.every(imported => held.has(imported.path)) &&
      files.every(file => isUnchanged(file, parts.get(file.path)?.file ?? null))
    )
  }

  /** The empty tables by their columns. Views share them, since creating a table costs more than creating many views. */
  const emptyTables = new Map<string, string>()
  let nextEmpty = 1
  const emptySelect = async (definition: TableDefinition): Promise<string> => {
    const columns = columnList(definition)
    const known = emptyTables.get(columns)
    if (known !== undefined) return selectRows(definition, known)
    const made = `~empty${nextEmpty++}`
    await connection.run(`CREATE TABLE ${quoteName(made)} (${columns})`)
    emptyTables.set(columns, made)
    return selectRows(definition, made)
  }

  /** Runs `work` in a transaction. */
  const transact = async <T>(work: () => Promise<T>): Promise<T> => {
    await connection.run('BEGIN')
    try {
      const result = await work()
      await connection.run('COMMIT')
      revision++
      return result
    } catch (error) {
      await connection.run('ROLLBACK')
      emptyTables.clear()
      throw error
    }
  }

  /**
   * Loads changed files into the row table and returns the parts of the table; adds the files that it opens to `opened`. Must be
   * called inside a transaction.
   */
  const readFiles = async (
    entry: Entry,
    files: readonly DataFile[],
    opened: OpenFile[],
  ): Promise<ReadonlyMap<string, Part>> => {
    const before = entry.holding.parts ?? new Map<string, Part>()
    const after = new Map<string, Part>()
    const outdated: number[] = []
    for (const part of before.values()) {
      const now = files.find(file => file.path === part.file.path)
      if (now && isUnchanged(now, part.file)) {
        after.set(part.file.path, part)
      } else if (part.id !== null) {
        outdated.push(part.id)
        uncheckpointed += part.file.size
      }
    }
    const rowTable = quoteName(`${entry.table.definition.name}~rows`)
    if (outdated.length > 0)
      await connection.run(`DELETE FROM ${rowTable} WHERE ${FILE_COLUMN} IN (${outdated.join(', ')})`)
    for (const file of files) {
      if (after.has(file.path)) continue
      if (file.format === 'parquet') {
        const open = openFiles.open({ ...file, isGiven: isOfFiles(entry) })
        opened.push(open)
        const inPlace = { open, shape: await parquetShape(connection, open.path) }
        after.set(file.path, { file, id: null, inPlace })
      } else {
        const id = nextId++
        after.set(file.path, { file: await insertFile(entry, rowTable, file, id), id, inPlace: null })
        uncheckpointed += file.size
      }
    }
    return after
  }

  /** Loads the file; returns the state that was loaded. */
  const insertFile = (entry: Entry, rowTable: string, file: DataFile, id: number): Promise<DataFile> =>
    openFiles.withCopy(file, isOfFiles(entry), async (copy, original) => {
      await expectWhole(file.path, copy)
      // An empty file has no rows and, for CSV, no header.
      if (copy.size === 0n) return original
      const reader = await rowReader(connection, entry.table.definition, copy, file.path)
      await connection.run(`INSERT INTO ${rowTable} SELECT *, ${id} FROM (${reader.select})`)
      return original
    })

  /** Reads new imports; imports never change, so known ones are not read again. */
  const readImports = async (
    entry: Entry,
    imports: readonly ImportedFiles[],
    opened: OpenFile[],
  ): Promise<ReadonlyMap<string, ImportPart>> => {
    const parts = new Map<string, ImportPart>()
    for (const imported of imports) {
      const before = entry.holding.imports.get(imported.path)
      parts.set(imported.path, before ?? (await openImport(imported, opened)))
    }
    return parts
  }

  const openImport = async (imported: ImportedFiles, opened: OpenFile[]): Promise<ImportPart> => {
    const open = imported.files.map(path => {
      const file = openFiles.open({ path, stamp: null, isGiven: false })
      opened.push(file)
      return file
    })
    return { imported, open, shape: await parquetShape(connection, open[0]!.path) }
  }

  const load = async (entry: Entry, { files, imports }: TableContents): Promise<void> => {
    const { definition } = entry.table
    const opened: OpenFile[] = []
    const holding = await transact(async () => {
      let { hasRowTable } = entry.holding
      if (!hasRowTable && files.some(file => file.format !== 'parquet')) {
        await connection.run(rowTableDdl(definition))
        hasRowTable = true
      }
      const parts = await readFiles(entry, files, opened)
      // The files of a steady table must be of one moment.
      const changed = entry.isUnsteady ? undefined : changedFile(files)
      if (changed) throw new FileChangedError(changed.path)
      const importParts = await readImports(entry, imports, opened)
      const view = viewOver(entry.table, parts, importParts) || (await emptySelect(definition))
      if (view !== entry.holding.view) await connection.run(viewDdl(definition, view))
      return { parts, imports: importParts, hasRowTable, view }
    }).catch(error => {
      openFiles.close(opened)
      throw error
    })
    entry.isUnsteady &&= changedFile([...holding.parts.values()].map(part => part.file)) !== undefined
    const kept = new Set(openIn(holding))
    openFiles.close(openIn(entry.holding).filter(file => !kept.has(file)))
    entry.holding = holding
  }

  /**
   * Creates the tables without rows in one transaction; otherwise, each of hundreds of tables would need its own commit, which
   * writes to the disk.
   */
  const standIn = async (unseen: readonly Entry[], parts: Holding['parts']): Promise<void> => {
    if (unseen.length === 0) return
    const holdings = await transact(async () => {
      const made: (readonly [Entry, Holding])[] = []
      for (const entry of unseen) {
        const { definition } = entry.table
        const view = viewOver(entry.table, new Map(), new Map()) || (await emptySelect(definition))
        await connection.run(viewDdl(definition, view))
        made.push([entry, { parts, imports: new Map(), hasRowTable: false, view }])
      }
      return made
    })
    for (const [entry, holding] of holdings) entry.holding = holding
  }

  /** Loads the table from its files, again while they change. @throws QueryFault. */
  const loadSteady = async (entry: Entry): Promise<void> => {
    const { definition } = entry.table
    const began = performance.now()
    for (let attempt = 1, failures = 0; ; attempt++) {
      const contents = contentsOf(entry.table)
      try {
        return await load(entry, contents)
      } catch (error) {
        const hasChanged = (): boolean => changedFile(contents.files) !== undefined
        entry.isUnsteady = hasChanged()
        if (!entry.isUnsteady) {
          await pause(HALF_ROW_MS)
          entry.isUnsteady = hasChanged()
        }
        const isLast = entry.isUnsteady ? attempt > 1 && performance.now() - began > UNSTEADY_FOR_MS : ++failures > 1
        if (isLast && error instanceof FileChangedError)
          throw new QueryFault(`${definition.name}: ${error.message}`, { cause: error })
        const read = { connection, table: definition, files: allFiles(contents), isGiven: isOfFiles(entry) }
        if (isLast) throw await readFault(openFiles, read, error)
        if (entry.isUnsteady) await pause(UNSTEADY_PAUSE_MS)
      }
    }
  }

  const update = async (entry: Entry): Promise<TableRead | null> => {
    if (isCurrent(entry)) return null
    const { parts, imports } = entry.holding
    await loadSteady(entry)
    await checkpointFrom(CHECKPOINT_AMID_BYTES)
    const newParts = [...entry.holding.parts!].filter(([path, part]) => parts?.get(path) !== part)
    const newImports = [...entry.holding.imports.keys()].filter(path => !imports.has(path))
    return { table: entry.table.definition.name, files: newParts.length + newImports.length }
  }

  /**
   * Makes a checkpoint, which compresses loaded rows and frees replaced ones. DuckDB refuses a checkpoint while another
   * transaction writes; a later load then makes it.
   */
  const checkpointFrom = async (bytes: bigint): Promise<void> => {
    if (uncheckpointed < bytes) return
    uncheckpointed = 0n
    await connection.run('CHECKPOINT').catch(() => undefined)
  }

  const isNew = ({ holding }: Entry): boolean => holding.view === ''
  /** Whether the table has no files. Errors are reported when it is loaded. */
  const isEmpty = ({ table }: Entry, listing: Listing): boolean => {
    try {
      const { files, imports } = contentsOf(table, listing)
      return files.length + imports.length === 0
    } catch {
      return false
    }
  }

  return {
    declare: declared => {
      const table = { ...declared, definition: storedDefinition(declared.definition) }
      const { name } = table.definition
      const old = entries.get(name)
      if (old && JSON.stringify(old.table) === JSON.stringify(table)) return
      const clash = [...entries.keys()].find(other => other !== name && other.toLowerCase() === name.toLowerCase())
      if (clash !== undefined)
        throw new QueryFault(
          `Tables ${clash} and ${name} differ in case only, which the embedded engine cannot tell apart`,
        )
      if (old) openFiles.close(openIn(old.holding))
      entries.set(name, { table, holding: NOT_HELD, isUnsteady: false })
    },
    has: (name, origin) => {
      const entry = entries.get(name)
      return entry !== undefined && (origin !== 'given' || isGiven(entry))
    },
    definitions: () => [...entries.values()].map(({ table }) => table.definition),
    names: () => [...entries.values()].filter(isGiven).map(({ table }) => table.definition.name),
    refresh: names => {
      const wanted = names.flatMap(name => entries.get(name) ?? [])
      const before = newListing()
      if (wanted.every(entry => isCurrent(entry, before))) return Promise.resolve([])
      const run = turn.then(async () => {
        const reads: TableRead[] = []
        const now = newListing()
        const empty = wanted.filter(entry => isNew(entry) && isEmpty(entry, now))
        // A failure is ignored here: the tables are loaded one by one below, which reports the table at fault.
        await standIn(empty, new Map()).catch(() => undefined)
        for (const entry of wanted) {
          const read = await update(entry)
          if (read) reads.push(read)
        }
        await checkpointFrom(CHECKPOINT_BYTES)
        return reads
      })
      turn = run.catch(() => undefined)
      return run
    },
    stand: names => {
      const unseen = names.flatMap(name => entries.get(name) ?? []).filter(isNew)
      if (unseen.length === 0) return Promise.resolve()
      // The first query that reads one of these tables loads its rows.
      const run = turn.then(() => standIn(unseen.filter(isNew), null))
      turn = run.catch(() => undefined)
      return run
    },
    lookAtFiles: names => {
      const parts = names.flatMap(name => [...(entries.get(name)?.holding.parts?.values() ?? [])])
      const files = parts.filter(part => part.id === null).map(part => part.file)
      return () => changedFile(files)?.path ?? null
    },
    bytesInPlace: names => {
      const found = names.flatMap(name => entries.get(name) ?? [])
      const sizes = found.flatMap(({ holding }) => openIn(holding).map(file => file.size))
      return sizes.reduce((sum, size) => sum + size, 0n)
    },
    contents: name => {
      const entry = entries.get(name)
      if (!entry) return folder?.contents(name) ?? NOTHING
      return entry.table.origin.kind === 'select' ? null : contentsOf(entry.table)
    },
    revision: () => revision,
  }
}

const isGiven = ({ table }: Entry): boolean => table.origin.kind !== 'data-folder'
const isOfFiles = ({ table }: Entry): boolean => table.origin.kind === 'files'

/** The definition of the stored table, in which the pseudo column with the time of a row's partition is an ordinary column. */
function storedDefinition(definition: TableDefinition): TableDefinition {
  const time = definition.pseudoColumns?.find(({ name }) => name === PARTITION_TIME)
  return time ? { ...definition, columns: [...definition.columns, time] } : definition
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The files that are read in place. */
const openIn = ({ parts, imports }: Holding): readonly OpenFile[] => [
  ...[...(parts?.values() ?? [])].flatMap(({ inPlace }) => inPlace?.open ?? []),
  ...[...imports.values()].flatMap(({ open }) => open),
]

/** The first of the files that has changed since its state was recorded. */
export const changedFile = (files: readonly DataFile[]): DataFile | undefined =>
  files.find(file => !isUnchanged(file, statFile(file.path)))

function missing(path: string): never {
  throw new QueryFault(`The file ${path} is missing, or is not a Parquet, NDJSON or CSV file`)
}

const columnList = ({ columns }: TableDefinition): string =>
  columns.map(column => `${quoteName(column.name)} ${duckdbType(column.type)}`).join(', ')

function rowTableDdl(table: TableDefinition): string {
  return `CREATE OR REPLACE TABLE ${quoteName(`${table.name}~rows`)} (${columnList(table)}, ${FILE_COLUMN} INTEGER)`
}

const viewDdl = ({ name }: TableDefinition, view: string): string =>
  `CREATE OR REPLACE VIEW ${quoteName(name)} AS ${view}`

/**
 * The SQL of the table's view; '' for a table without files. A partitioned table has two hidden columns: the start and the end
 * of the row's partition, or NULL if they are not known. Filters on them keep DuckDB from opening files
 * (scans/partition-filter.ts).
 */
function viewOver(
  { definition, origin, isInferred = false }: StoredTable,
  parts: ReadonlyMap<string, Part>,
  imports: ReadonlyMap<string, ImportPart>,
): string {
  const bounds = unknownBounds(definition) + partitionDate(definition)
  if (origin.kind === 'select') return bounds === '' ? origin.sql : `SELECT *${bounds} FROM (${origin.sql})`
  const loose = [...parts.values()].flatMap(({ inPlace }) =>
    inPlace ? [{ key: shapeKey(inPlace.shape), shape: inPlace.shape, paths: [inPlace.open.path] }] : [],
  )
  const selects = [
    ...inGroups(loose).map(({ shape, paths }) =>
      selectFrom(parquetSource(paths), definition, shape, { more: bounds, isInferred }),
    ),
    ...inGroups(
      [...imports.values()].map(({ imported: { partition }, shape, open }) => {
        const isFit = partition !== null && partition.column === definition.partitionedBy
        const unit = isFit ? partition.unit : null
        return { key: `${unit} ${shapeKey(shape)}`, shape, paths: open.map(({ path }) => path), unit }
      }),
    ).map(({ shape, paths, unit }) => importSelect(definition, shape, paths, unit, bounds)),
  ]
  const hasRows = [...parts.values()].some(part => part.id !== null)
  if (hasRows) selects.unshift(selectRows(definition, `${definition.name}~rows`))
  return selects.join(' UNION ALL ')
}

/** A SELECT of the table's columns over a DuckDB table whose columns have the same names. */
function selectRows(table: TableDefinition, source: string): string {
  const names = table.columns.map(column => quoteName(column.name)).join(', ')
  return `SELECT ${names}${unknownBounds(table)}${partitionDate(table)} FROM ${quoteName(source)}`
}

/** Groups the files that one scan can read: entries with the same key are merged. */
export function inGroups<T extends { readonly key: string; readonly paths: readonly string[] }>(
  all: readonly T[],
): T[] {
  const groups = new Map<string, T>()
  for (const one of all) {
    const group = groups.get(one.key)
    groups.set(one.key, group ? { ...group, paths: [...group.paths, ...one.paths] } : one)
  }
  return [...groups.values()]
}

function importSelect(
  table: TableDefinition,
  shape: ParquetShape,
  paths: readonly string[],
  unit: PartitionUnit | null,
  bounds: string,
): string {
  if (unit === null) return selectFrom(parquetSource(paths), table, shape, { more: bounds })
  const source =
    `read_parquet([${paths.map(quotePath).join(', ')}], hive_partitioning = true, ` +
    `hive_types = {${quoteText(PARTITION_KEY)}: TIMESTAMP})`
  const isIngested = table.partitionedBy === PARTITION_TIME
  const type = duckdbType(table.columns.find(column => column.name === table.partitionedBy)!.type)
  const hidden = `, CAST(${PARTITION_KEY} AS ${type}) AS ${FROM_COLUMN}, CAST(${PARTITION_KEY} + INTERVAL 1 ${unit} AS ${type}) AS ${UNTIL_COLUMN}`
  if (!isIngested) return selectFrom(source, table, shape, { more: hidden })
  const columns = table.columns.filter(({ name }) => name !== PARTITION_TIME)
  const time = `, CAST(${PARTITION_KEY} AS ${type}) AS ${quoteName(PARTITION_TIME)}`
  return selectFrom(source, { ...table, columns }, shape, { more: time + hidden + partitionDate(table, PARTITION_KEY) })
}

/** SQL of the pseudo column with the date of the partition, with a comma before it; '' if the table has no such column. */
function partitionDate({ pseudoColumns = [] }: TableDefinition, time = PARTITION_TIME): string {
  const hasDate = pseudoColumns.some(({ name }) => name === PARTITION_DATE)
  return hasDate ? `, CAST(${quoteName(time)} AS DATE) AS ${quoteName(PARTITION_DATE)}` : ''
}

function unknownBounds(table: TableDefinition): string {
  const column = table.columns.find(({ name }) => name === table.partitionedBy)
  if (!column) return ''
  const type = duckdbType(column.type)
  return `, NULL::${type} AS ${FROM_COLUMN}, NULL::${type} AS ${UNTIL_COLUMN}`
}

function allFiles({ files, imports }: TableContents): readonly DataFile[] {
  return [...files, ...imports.flatMap(imported => imported.files).flatMap(path => statFile(path) ?? [])]
}
