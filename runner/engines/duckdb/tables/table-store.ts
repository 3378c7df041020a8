/** Keeps DuckDB's tables and views in step with the files of the tables. */
import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { PARTITION_TIME, type TableDefinition } from '../../../../googlesql/data.js'
import { duckdbType, quoteName } from '../../../../googlesql-duckdb/data.js'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'
import { type Conversion, convert } from './convert.js'
import {
  contentsKey,
  type DataFile,
  FolderReader,
  type ImportedFiles,
  type Listing,
  newListing,
  statFile,
  type TableContents,
} from './data-folder.js'
import { expectWhole } from './decompress.js'
import { fileFault } from './file-fault.js'
import type { OpenFile, OpenFiles } from './open-files.js'
import { shapeOfFile } from './parquet-source.js'
import { type ImportPart, type ParquetPart, type TableParts, unknownColumns, viewOver } from './table-view.js'

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

/** What a table's view shows. */
interface Shown {
  /** The files that it shows, as `contentsKey` gives them; null where it was made for a query that is only compiled. */
  readonly key: string | null
  readonly contents: TableContents
  readonly parts: TableParts
  readonly view: string
}

interface Entry {
  readonly table: StoredTable
  /** DuckDB's tables with rows of its text files. Each has the rows of some files in one state, and never changes. */
  readonly converted: Set<string>
  /** Null until the view exists. */
  shown: Shown | null
}

const NOTHING: TableContents = { files: [], imports: [] }
const NO_PARTS: TableParts = { tables: [], loose: [], imports: [] }

export class TableStore {
  readonly #connection: DuckDBConnection
  readonly #openFiles: OpenFiles
  readonly #folder: FolderReader | null
  readonly #entries = new Map<string, Entry>()
  /** The last change; changes run one after another, since two transactions that change the catalogue would conflict. */
  #turn: Promise<unknown> = Promise.resolve()

  /** Only the store may use `connection`. */
  constructor(connection: DuckDBConnection, dataDir: string | null, openFiles: OpenFiles) {
    this.#connection = connection
    this.#openFiles = openFiles
    this.#folder = dataDir === null ? null : new FolderReader(dataDir)
  }

  /** Adds a table, or replaces the table with this name when its definition differs. */
  declare(declared: StoredTable): void {
    const table = { ...declared, definition: storedDefinition(declared.definition) }
    const { name } = table.definition
    const old = this.#entries.get(name)
    if (old && JSON.stringify(old.table) === JSON.stringify(table)) return
    const clash = [...this.#entries.keys()].find(other => other !== name && other.toLowerCase() === name.toLowerCase())
    if (clash !== undefined)
      throw new QueryFault(
        `Tables ${clash} and ${name} differ in case only, which the embedded engine cannot tell apart`,
      )
    this.#entries.set(name, { table, converted: old?.converted ?? new Set(), shown: null })
    if (old?.shown) this.#openFiles.close(openIn(old.shown.parts))
  }

  /** Whether a table has this name. With `given`, only tables whose rows are not in the data folder count. */
  has(name: string, origin?: 'given'): boolean {
    const entry = this.#entries.get(name)
    return entry !== undefined && (origin !== 'given' || isGiven(entry))
  }

  definitions(): readonly TableDefinition[] {
    return [...this.#entries.values()].map(({ table }) => table.definition)
  }

  /** The names of the tables whose rows are not in the data folder. */
  givenNames(): readonly string[] {
    return [...this.#entries.values()].filter(isGiven).map(({ table }) => table.definition.name)
  }

  /**
   * Brings these tables up to date with their files. Reads only new and changed files; running queries keep the rows that they
   * began with.
   * @throws QueryFault that names the file and row when a file holds a value that its table's schema does not allow.
   */
  async refresh(names: readonly string[]): Promise<readonly TableRead[]> {
    const wanted = this.#entriesOf(names)
    const listing = newListing()
    if (wanted.every(entry => this.#isCurrent(entry, listing))) return []
    return this.#inTurn(async () => {
      const now = newListing()
      const reads: TableRead[] = []
      const loaded = new Map<Entry, Shown>()
      try {
        for (const entry of wanted) {
          if (this.#isCurrent(entry, now)) continue
          const shown = await this.#load(entry, now)
          reads.push({ table: entry.table.definition.name, files: newFiles(entry.shown, shown.contents) })
          loaded.set(entry, shown)
        }
      } finally {
        await this.#show(loaded)
      }
      return reads
    })
  }

  /** Creates the missing views of these tables, without rows, which is enough to compile a query. Reads no file. */
  async stand(names: readonly string[]): Promise<void> {
    const isMissing = ({ shown }: Entry): boolean => shown === null
    if (!this.#entriesOf(names).some(isMissing)) return
    await this.#inTurn(() => {
      const missing = this.#entriesOf(names).filter(isMissing)
      return this.#show(new Map(missing.map(entry => [entry, shownOf(entry, null, NOTHING, NO_PARTS)])))
    })
  }

  /** The files that queries on these tables read in place and that may change; files of imports never do. */
  filesInPlace(names: readonly string[]): readonly OpenFile[] {
    return this.#entriesOf(names).flatMap(({ shown }) => shown?.parts.loose.map(({ open }) => open) ?? [])
  }

  /**
   * The files of a table as they are now, without reading them; null for a table of the attached database.
   * @throws QueryFault as FolderReader does.
   */
  contents(name: string): TableContents | null {
    const entry = this.#entries.get(name)
    if (!entry) return this.#folder?.contents(name) ?? NOTHING
    return entry.table.origin.kind === 'select' ? null : this.#contentsOf(entry)
  }

  #entriesOf(names: readonly string[]): readonly Entry[] {
    return names.flatMap(name => this.#entries.get(name) ?? [])
  }

  #contentsOf({ table: { definition, origin } }: Entry, listing?: Listing): TableContents {
    if (origin.kind === 'files')
      return { files: origin.files.map(path => statFile(path) ?? missing(path)), imports: [] }
    return origin.kind === 'data-folder' && this.#folder !== null
      ? this.#folder.contents(definition.name, listing)
      : NOTHING
  }

  #isCurrent(entry: Entry, listing: Listing): boolean {
    const key = entry.shown?.key ?? null
    return key !== null && key === contentsKey(this.#contentsOf(entry, listing))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work)
    this.#turn = run.catch(() => undefined)
    return run
  }

  async #transact(work: () => Promise<void>): Promise<void> {
    await this.#connection.run('BEGIN')
    try {
      await work()
      await this.#connection.run('COMMIT')
    } catch (error) {
      await this.#connection.run('ROLLBACK')
      throw error
    }
  }

  /** Converts the text files of the table that are new or have changed, and opens its Parquet files. @throws QueryFault. */
  async #load(entry: Entry, listing: Listing): Promise<Shown> {
    const contents = this.#contentsOf(entry, listing)
    const opened: OpenFile[] = []
    const tables: string[] = []
    try {
      const texts = contents.files.filter(({ format }) => format !== 'parquet')
      for (const group of inGroups(texts)) tables.push(await this.#converted(entry, group))
      const loose: ParquetPart[] = []
      for (const file of contents.files)
        if (file.format === 'parquet') loose.push(await this.#openParquet(entry, file, opened))
      const imports: ImportPart[] = []
      for (const imported of contents.imports) imports.push(await this.#openImport(entry, imported, opened))
      return shownOf(entry, contentsKey(contents), contents, { tables, loose, imports })
    } catch (error) {
      this.#openFiles.close(opened)
      this.#dropOthers(entry, [...tables, ...(entry.shown?.parts.tables ?? [])])
      throw error
    }
  }

  /** The name of the table with the rows of these files, which is made if it is missing. */
  async #converted(entry: Entry, files: readonly DataFile[]): Promise<string> {
    const { definition } = entry.table
    const columns = columnList(definition)
    const name = rowTable([definition.name, columns, ...files.map(keyOfFile)])
    if (entry.converted.has(name)) return name
    let file = files[0]!
    try {
      await this.#transact(async () => {
        await this.#connection.run(`CREATE TABLE ${quoteName(name)} (${columns})`)
        for (file of files)
          await this.#withConversion(entry, file, ({ select }) => `INSERT INTO ${quoteName(name)} ${select}`)
      })
    } catch (error) {
      throw error instanceof QueryFault ? error : await this.#faultOf(entry, file, error)
    }
    entry.converted.add(name)
    return name
  }

  async #withConversion(entry: Entry, file: DataFile, sqlOf: (conversion: Conversion) => string): Promise<void> {
    const { path: name, format, compression } = file
    await this.#openFiles.withCopy(file, isOfFiles(entry), async (path, size) => {
      await expectWhole(name, { path, compression })
      // An empty file has no rows and, for CSV, no header.
      if (size === 0 || format === 'parquet') return
      const copy = { path, name, format, compression }
      await this.#connection.run(sqlOf(await convert(this.#connection, copy, entry.table.definition)))
    })
  }

  /** The fault for a file that cannot be converted: the conversion with row numbers names the row. */
  async #faultOf(entry: Entry, file: DataFile, error: unknown): Promise<QueryFault> {
    const counting = ({ selectNumbered }: Conversion): string => `SELECT count(COLUMNS(*)) FROM (${selectNumbered})`
    const [numbered] = await Promise.allSettled([this.#withConversion(entry, file, counting)])
    const reason = numbered.status === 'rejected' ? numbered.reason : error
    return new QueryFault(`${file.path}: ${fileFault(reason, file.format.toUpperCase())}`, { cause: error })
  }

  async #openParquet(entry: Entry, { path, stamp }: DataFile, opened: OpenFile[]): Promise<ParquetPart> {
    const known = entry.shown?.parts.loose.find(({ open }) => open.name === path && fileStamp(open.state) === stamp)
    if (known) return known
    const open = this.#openFiles.open({ path, stamp, isGiven: isOfFiles(entry) })
    opened.push(open)
    return { open, shape: await shapeOfFile(this.#connection, open) }
  }

  /** Opens the files of a new import; imports never change. */
  async #openImport(entry: Entry, imported: ImportedFiles, opened: OpenFile[]): Promise<ImportPart> {
    const known = entry.shown?.parts.imports.find(part => part.imported.path === imported.path)
    if (known) return known
    const open = imported.files.map(path => this.#openFiles.open({ path, stamp: null, isGiven: false }))
    opened.push(...open)
    return { imported, open, shape: await shapeOfFile(this.#connection, open[0]!) }
  }

  /** Makes the views of these tables in one commit, which writes to the disk, and drops what no query reads any more. */
  async #show(all: ReadonlyMap<Entry, Shown>): Promise<void> {
    const changed = [...all].filter(([{ shown }, { view }]) => view !== shown?.view)
    if (changed.length > 0) {
      await this.#transact(async () => {
        for (const [{ table }, { view }] of changed)
          await this.#connection.run(`CREATE OR REPLACE VIEW ${quoteName(table.definition.name)} AS ${view}`)
      })
    }
    for (const [entry, shown] of all) {
      const open = new Set(openIn(shown.parts))
      if (entry.shown) this.#openFiles.close(openIn(entry.shown.parts).filter(file => !open.has(file)))
      entry.shown = shown
      this.#dropOthers(entry, shown.parts.tables)
    }
  }

  /** Drops the tables of rows that are not among `kept`, once no query reads them. */
  #dropOthers({ converted }: Entry, kept: readonly string[]): void {
    for (const name of [...converted].filter(other => !kept.includes(other))) {
      converted.delete(name)
      const drop = (): Promise<unknown> => this.#connection.run(`DROP TABLE ${quoteName(name)}`)
      this.#openFiles.afterQueries(() => void this.#inTurn(drop).catch(() => undefined))
    }
  }
}

const isGiven = ({ table }: Entry): boolean => table.origin.kind !== 'data-folder'
const isOfFiles = ({ table }: Entry): boolean => table.origin.kind === 'files'

/** The definition of the stored table, in which the pseudo column with the time of a row's partition is an ordinary column. */
function storedDefinition(definition: TableDefinition): TableDefinition {
  const time = definition.pseudoColumns?.find(({ name }) => name === PARTITION_TIME)
  return time ? { ...definition, columns: [...definition.columns, time] } : definition
}

/** The files that are read in place. */
const openIn = ({ loose, imports }: TableParts): readonly OpenFile[] => [
  ...loose.map(({ open }) => open),
  ...imports.flatMap(({ open }) => open),
]

/** The number of files and imports that the view did not show before. */
function newFiles(before: Shown | null, { files, imports }: TableContents): number {
  const { contents } = before ?? { contents: NOTHING }
  const known = new Set([...contents.files.map(keyOfFile), ...contents.imports.map(({ path }) => path)])
  return [...files.map(keyOfFile), ...imports.map(({ path }) => path)].filter(key => !known.has(key)).length
}

const keyOfFile = ({ path, stamp }: DataFile): string => `${path} ${stamp}`

function shownOf({ table }: Entry, key: string | null, contents: TableContents, parts: TableParts): Shown {
  const { definition, origin, isInferred = false } = table
  if (origin.kind !== 'select') return { key, contents, parts, view: viewOver(definition, parts, isInferred) }
  const more = unknownColumns(definition)
  return { key, contents, parts, view: more === '' ? origin.sql : `SELECT *${more} FROM (${origin.sql})` }
}

function missing(path: string): never {
  throw new QueryFault(`The file ${path} is missing, or is not a Parquet, NDJSON or CSV file`)
}

const columnList = ({ columns }: TableDefinition): string =>
  columns.map(column => `${quoteName(column.name)} ${duckdbType(column.type)}`).join(', ')

const hashOf = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex')

/** The name of a table of DuckDB; no table of a query has such a name. */
const rowTable = (texts: readonly string[]): string => `~${hashOf(texts).slice(0, 32)}`

/**
 * The most text files of a table that have a table of DuckDB each. Planning a query takes some 0.3 ms for each table of a UNION ALL.
 */
const MOST_SINGLE = 16
/** One of this many files is the last of its group. */
const GROUP_FILES = 64
/** The bytes of files after which a group ends. */
const GROUP_BYTES = 4_000_000n

/**
 * The files that one table of DuckDB has the rows of. Many small files are grouped, and a file's own path decides whether a group
 * ends with it, so that a new file changes one group and no other.
 */
export function inGroups(files: readonly DataFile[]): readonly (readonly DataFile[])[] {
  if (files.length <= MOST_SINGLE) return files.map(file => [file])
  const groups: DataFile[][] = []
  let size = GROUP_BYTES
  for (const file of files) {
    if (size >= GROUP_BYTES) {
      groups.push([])
      size = 0n
    }
    groups.at(-1)!.push(file)
    size += file.size
    if (Number.parseInt(hashOf([file.path]).slice(0, 8), 16) % GROUP_FILES === 0) size = GROUP_BYTES
  }
  return groups
}
