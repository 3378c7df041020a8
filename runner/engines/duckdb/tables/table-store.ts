/** Keeps DuckDB's tables in step with the files of the tables that queries name, and makes the views by which queries read both. */
import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { PARTITION_TIME, type TableDefinition } from '../../../../googlesql/data.js'
import { duckdbType, quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import { partKey } from '../../../model/file-stamp.js'
import type { PartChoice } from '../../../model/query.js'
import { QueryFault } from '../../../model/query-fault.js'
import { convert } from './convert.js'
import {
  type DataFile,
  FolderReader,
  keyOf,
  keysOf,
  type Listing,
  newListing,
  statFile,
  type TableContents,
  type TextFile,
} from './data-folder.js'
import { expectWhole } from './decompress.js'
import { fileFault } from './file-fault.js'
import { alsoInFile, keyColumns } from './folder-keys.js'
import type { OpenFile, OpenFiles } from './open-files.js'
import { type ParquetShape, shapeOfFile, shapeWith } from './parquet-source.js'
import type { QueryNeeds, RefreshedTable } from './query-needs.js'
import { keysOfFields } from './rows/column-name.js'
import { FileChangedError } from './steady-copy.js'
import { openIn, type ParquetPart, type TableParts, unknownColumns, viewOver } from './table-view.js'
import { hasCut, withWholeMicroseconds } from './whole-microseconds.js'

/** A table of files, or a table that is defined by SQL of this project (a table of an attached database). */
export interface StoredTable {
  readonly definition: TableDefinition
  /** Whether the definition was inferred from its files. */
  readonly isInferred?: boolean
  /** Whether it is only known as a shard of a wildcard table without a schema: then INFORMATION_SCHEMA does not list it. */
  readonly isShard?: boolean
  readonly origin:
    | { readonly kind: 'files'; readonly files: readonly string[] }
    | { readonly kind: 'data-folder' }
    | { readonly kind: 'select'; readonly sql: string }
}

/** The parts that the view of a table reads. */
export interface ShownParts {
  readonly definition: TableDefinition
  /** The parts by their keys. */
  readonly parts: ReadonlyMap<string, TableParts>
  /** The SQL by which the view reads a part. */
  readonly select: (part: TableParts) => string
}

/** The state of a table's files that queries see. */
interface ShownFiles {
  /** The keys of the files and imports, as `keysOf` gives them. */
  readonly keys: readonly string[]
  readonly parts: TableParts
  /** The same parts one by one, by the key of a TablePart. */
  readonly byKey: ReadonlyMap<string, TableParts>
  /** The SQL that reads all parts; absent until a query needs it. */
  view?: string
}

interface Entry {
  readonly table: StoredTable
  /** A hash of the definition by which the files are read. It is a part of the keys of the table's parts. */
  readonly definitionHash: string
  /** DuckDB's tables with rows of its text files. Each has the rows of some files in one state, and never changes. */
  readonly converted: Set<string>
  /** Null until a query needs the table. */
  shown: ShownFiles | null
}

const NO_CONTENTS: TableContents = { files: [], imports: [] }
const NO_PARTS: TableParts = { tables: [], parquet: [] }

export class TableStore {
  readonly #connection: DuckDBConnection
  readonly #openFiles: OpenFiles
  readonly #folder: FolderReader
  readonly #entries = new Map<string, Entry>()
  /** The names of the tables, by the names in lower case. */
  readonly #names = new Map<string, string>()
  /** The shapes of files by key: files with equal shapes share one object. */
  readonly #shapes = new Map<string, ParquetShape>()
  /** DuckDB's tables that will be dropped when no query reads them any more, unless their files come back first. */
  readonly #tablesToDrop = new Map<string, symbol>()
  /** The last change; changes run one after another, since two transactions that change the catalogue would conflict. */
  #turn: Promise<unknown> = Promise.resolve()

  /** Only the store may use `connection`. */
  constructor(connection: DuckDBConnection, dataDir: string | null, openFiles: OpenFiles) {
    this.#connection = connection
    this.#openFiles = openFiles
    this.#folder = new FolderReader(dataDir)
  }

  /** Adds a table, or replaces the table with this name when its definition differs. */
  declare(declared: StoredTable): void {
    const table = { ...declared, definition: storedDefinition(declared.definition) }
    const { name } = table.definition
    const old = this.#entries.get(name)
    if (old && JSON.stringify(old.table) === JSON.stringify(table)) return
    const clash = this.#names.get(name.toLowerCase()) ?? name
    if (clash !== name)
      throw new QueryFault(
        `Tables ${clash} and ${name} differ in case only, which the embedded engine cannot tell apart`,
      )
    this.#names.set(name.toLowerCase(), name)
    const definitionHash = hashOf([JSON.stringify([table.definition, table.isInferred])]).slice(0, 16)
    this.#entries.set(name, { table, definitionHash, converted: old?.converted ?? new Set(), shown: null })
    if (old?.shown) this.#openFiles.close(openIn(old.shown.parts))
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  definitions(): readonly TableDefinition[] {
    return [...this.#entries.values()].filter(({ table }) => !table.isShard).map(({ table }) => table.definition)
  }

  /** The names of the tables whose rows are not in the data folder. */
  givenNames(): readonly string[] {
    return [...this.#entries.values()].filter(isGiven).map(({ table }) => table.definition.name)
  }

  /**
   * Brings these tables up to date for a query, and adds views over them to its needs. With `withViews: false`, the query reads them by
   * `partsOf` instead. With `chosen`, the query reads only these parts of one of the tables.
   * @throws FileChangedError where the table does not have these parts any more.
   */
  async prepare(names: readonly string[], needs: QueryNeeds, withViews = true, chosen?: PartChoice): Promise<void> {
    const hasParts = (): boolean => !chosen || this.#hasParts(chosen)
    const others = names.filter(name => name !== chosen?.table)
    // A part never changes under its key: if all chosen parts are here, the table's files need not be looked at.
    needs.reads.push(...(await this.refresh(chosen && hasParts() ? others : names)))
    if (!hasParts()) throw new FileChangedError(chosen!.table)
    const entries = this.#entriesOf(others)
    for (const entry of entries) {
      const { shown, table } = entry
      if (shown === null) throw new FileChangedError(table.definition.name)
      needs.parts.push(shown.parts)
      if (!withViews) continue
      shown.view ??= this.#viewOver(entry, shown.parts)
      needs.views.set(table.definition.name, shown.view)
    }
    needs.partsRead = this.#partsRead(entries, needs.reads.length > 0)
    if (chosen) {
      const entry = this.#entries.get(chosen.table)!
      const chosenParts = joinParts(chosen.keys.map(key => entry.shown!.byKey.get(key)!))
      needs.views.set(chosen.table, this.#viewOver(entry, chosenParts))
      needs.parts.push(chosenParts)
    }
  }

  /**
   * Brings these tables up to date with their files. Reads only new and changed files; running queries keep the rows that they
   * began with.
   * @throws QueryFault that names the file and row when a file holds a value that its table's schema does not allow.
   */
  async refresh(names: readonly string[]): Promise<readonly RefreshedTable[]> {
    const wanted = this.#entriesOf(names)
    const contentsOf = this.#listContents(wanted)
    if (wanted.every(entry => isCurrent(entry, contentsOf.get(entry)!))) return []
    return this.#inTurn(async () => {
      // The files are listed again, since changes that came first may have read newer ones.
      const now = this.#listContents(wanted)
      const reads: RefreshedTable[] = []
      const loaded = new Map<Entry, ShownFiles>()
      try {
        for (const entry of wanted) {
          const contents = now.get(entry)!
          if (isCurrent(entry, contents)) continue
          const shown = await this.#load(entry, contents)
          const before = new Set(entry.shown?.keys)
          const files = shown.keys.filter(key => !before.has(key)).length
          reads.push({ table: entry.table.definition.name, files })
          loaded.set(entry, shown)
        }
      } finally {
        this.#show(loaded)
      }
      return reads
    })
  }

  /** Adds views without rows of these tables, which are enough to compile a query. Reads no file. */
  addEmptyViews(names: readonly string[], { views }: QueryNeeds): void {
    for (const entry of this.#entriesOf(names)) views.set(entry.table.definition.name, this.#viewOver(entry, NO_PARTS))
  }

  /**
   * The sources from which a wildcard table reads a shard that was prepared without a view. @param keys of the parts; null for all
   * @throws FileChangedError where the shard was declared anew meanwhile.
   */
  partsOf(
    name: string,
    keys: ReadonlySet<string> | null,
  ): { readonly sources: readonly string[]; readonly parquet: TableParts['parquet'] } {
    const entry = this.#entries.get(name)
    if (!entry?.shown) throw new FileChangedError(name)
    const { parts, byKey } = entry.shown
    const chosen = keys ? joinParts([...byKey].flatMap(([key, part]) => (keys.has(key) ? [part] : []))) : parts
    if (isGiven(entry)) return { sources: [`(${this.#viewOver(entry, chosen)})`], parquet: [] }
    const { tables, parquet } = chosen
    return { sources: tables.map(quoteName), parquet }
  }

  /**
   * The files of a table as they are now, without reading them; null for a table of the attached database.
   * @throws QueryFault as FolderReader does.
   */
  contents(name: string): TableContents | null {
    const entry = this.#entries.get(name)
    if (!entry) return this.#folder.contents(name)
    return entry.table.origin.kind === 'select' ? null : this.#contentsOf(entry)
  }

  /**
   * The keys of the parts that a query of the table would read now, without reading them. Null for a table of the attached database, and
   * for one that is not declared.
   * @param listing shared by the calls for many tables
   * @throws QueryFault as FolderReader does.
   */
  partKeys(name: string, listing?: Listing): readonly string[] | null {
    const entry = this.#entries.get(name)
    if (!entry || entry.table.origin.kind === 'select') return null
    const contents = this.#contentsOf(entry, listing)
    const { files, imports } = contents
    if (entry.shown && isCurrent(entry, contents)) return [...entry.shown.byKey.keys()]
    const keys = [
      ...groupsOf(files.filter(isText)).map(group => rowTableOf(entry, group)),
      ...files.filter(isParquet).map(({ path, stamp }) => keyOf(path, stamp)),
      ...imports.flatMap(imported => imported.files).map(path => keyOf(path, null)),
    ]
    return keys.map(key => partKeyOf(entry, key))
  }

  /**
   * The parts of a table that was prepared; null as for `partKeys`.
   * @throws FileChangedError where the table was declared anew meanwhile.
   */
  shownParts(name: string): ShownParts | null {
    const entry = this.#entries.get(name)
    if (!entry || entry.table.origin.kind === 'select') return null
    if (!entry.shown) throw new FileChangedError(name)
    const { definition } = entry.table
    return { definition, parts: entry.shown.byKey, select: part => this.#viewOver(entry, part) }
  }

  /**
   * The keys of the parts that a query has read; undefined where they are not certain. With `hasLoaded`, files were read for this query,
   * and a text file may have grown between the look at its state and the copy of its rows.
   */
  #partsRead(entries: readonly Entry[], hasLoaded: boolean): QueryNeeds['partsRead'] {
    const ofFiles = entries.filter(({ table }) => table.origin.kind !== 'select')
    const parts = ofFiles.map(({ table, shown }) => [table.definition.name, [...shown!.byKey.keys()]] as const)
    return () => {
      const listing = newListing()
      const hasGrown = ([name, keys]: (typeof parts)[number]): boolean =>
        keys.join() !== this.partKeys(name, listing)?.join()
      return hasLoaded && parts.some(hasGrown) ? undefined : Object.fromEntries(parts)
    }
  }

  #hasParts({ table, keys }: PartChoice): boolean {
    const parts = this.#entries.get(table)?.shown?.byKey
    return parts !== undefined && keys.every(key => parts.has(key))
  }

  /** The SQL that reads these parts of the table; for a table of the attached database, the SQL that reads all of it. */
  #viewOver({ table: { definition, origin, isInferred = false } }: Entry, parts: TableParts): string {
    if (origin.kind !== 'select') return viewOver(definition, parts, { isInferred, root: this.#openFiles.root })
    const more = unknownColumns(definition)
    return more === '' ? origin.sql : `SELECT *${more} FROM (${origin.sql})`
  }

  #entriesOf(names: readonly string[]): readonly Entry[] {
    return names.flatMap(name => this.#entries.get(name) ?? [])
  }

  #contentsOf({ table: { definition, origin } }: Entry, listing?: Listing): TableContents {
    if (origin.kind === 'files')
      return { files: origin.files.map(path => statFile(path) ?? failMissing(path)), imports: [] }
    return origin.kind === 'select' ? NO_CONTENTS : this.#folder.contents(definition.name, listing)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work)
    this.#turn = run.catch(() => undefined)
    return run
  }

  /** The files that the tables have now. The folders are listed once for all of them. */
  #listContents(entries: readonly Entry[]): ReadonlyMap<Entry, TableContents> {
    const listing = newListing()
    return new Map(entries.map(entry => [entry, this.#contentsOf(entry, listing)]))
  }

  /** Converts the text files of the table that are new or have changed, and opens its Parquet files. @throws QueryFault. */
  async #load(entry: Entry, contents: TableContents): Promise<ShownFiles> {
    const opened: OpenFile[] = []
    const tables: string[] = []
    try {
      const texts = contents.files.filter(isText)
      const { isShard, definition } = entry.table
      if (isShard && texts[0])
        throw new QueryFault(`${definition.name} has no schema, so its ${texts[0].format} files cannot be read`)
      for (const group of groupsOf(texts)) tables.push(await this.#convertFiles(entry, group))
      const sources = [
        ...contents.files.filter(isParquet).map(file => ({ ...file, paths: [file.path], imported: null })),
        ...contents.imports.map(imported => ({ ...imported, stamp: null, keys: [], paths: imported.files, imported })),
      ]
      const parquet: ParquetPart[] = []
      const shown = new Map(entry.shown?.parts.parquet.map(part => [part.key, part]))
      for (const { path, stamp, paths, keys, imported } of sources) {
        const key = keyOf(path, stamp)
        const before = shown.get(key)
        if (before) {
          parquet.push(before)
          continue
        }
        const open = paths.map(name => this.#openFiles.open({ path: name, stamp, isGiven: hasOwnFiles(entry) }))
        opened.push(...open)
        const shape = await this.#shapeOf(open[0]!, entry.table)
        const columns = keyColumns(path, keys, definition)
        const inFile = keysOfFields(definition.columns, shape.names).keyOf
        const duplicate = columns.find(({ column }) => inFile.has(column))
        if (duplicate) throw new QueryFault(`${path}: ${alsoInFile(duplicate.column.name!)}`)
        const partKeys = open.map(({ name }) => partKeyOf(entry, imported ? keyOf(name, null) : key))
        parquet.push({ key, open, partKeys, shape, keys: columns, imported })
      }
      const parts = { tables, parquet }
      return { keys: keysOf(contents), parts, byKey: byKeyOf(entry, parts) }
    } catch (error) {
      this.#openFiles.close(opened)
      this.#dropOthers(entry, [...tables, ...(entry.shown?.parts.tables ?? [])])
      throw error
    }
  }

  /** The name of the table with the rows of these files, which is made if it is missing. */
  async #convertFiles(entry: Entry, files: readonly DataFile[]): Promise<string> {
    const { definition } = entry.table
    const name = rowTableOf(entry, files)
    if (entry.converted.has(name)) return name
    const insert = (select: string): Promise<unknown> =>
      this.#connection.run(`INSERT INTO ${quoteName(name)} ${select}`)
    try {
      await this.#connection.run(`CREATE OR REPLACE TABLE ${quoteName(name)} (${columnList(definition)})`)
      for (const file of files)
        await this.#read(entry, file, copy => convert(this.#connection, copy, definition, insert)).catch(cause => {
          if (cause instanceof QueryFault) throw cause
          throw new QueryFault(`${file.path}: ${fileFault(cause, file.format.toUpperCase())}`, { cause })
        })
    } catch (error) {
      await this.#connection.run(`DROP TABLE IF EXISTS ${quoteName(name)}`)
      throw error
    }
    entry.converted.add(name)
    return name
  }

  /** Calls `use` with a copy of the file, if it has any bytes. @throws QueryFault that names the file. */
  async #read(entry: Entry, file: DataFile, use: (copy: TextFile) => Promise<unknown>): Promise<void> {
    const { path: name, format, compression } = file
    const keys = keyColumns(name, file.keys, entry.table.definition)
    await this.#openFiles.withCopy(file, hasOwnFiles(entry), async (path, size) => {
      await expectWhole(name, { path, compression })
      // An empty file has no rows and, for CSV, no header.
      if (size === 0 || format === 'parquet') return
      await use({ path, name, format, compression, keys })
    })
  }

  async #shapeOf(file: OpenFile, { isInferred = false }: StoredTable): Promise<ParquetShape> {
    const read = await shapeOfFile(this.#connection, file)
    const check = (copy: string) => withWholeMicroseconds(this.#connection, file.path, read, copy)
    // Times of a file that cannot be checked are refused by the queries that read them.
    const isChecked = isInferred && read.types.some(hasCut)
    const types = isChecked ? await this.#openFiles.withPlace(check).catch(() => read.types) : read.types
    const shape = types === read.types ? read : shapeWith(read.names, types)
    return memo(this.#shapes, shape.key, () => shape)
  }

  /** Makes later queries see these states of the tables, and gives up files and rows that only earlier queries read. */
  #show(loaded: ReadonlyMap<Entry, ShownFiles>): void {
    for (const [entry, shown] of loaded) {
      const open = new Set(openIn(shown.parts))
      const isDeclared = this.#entries.get(entry.table.definition.name) === entry
      // A table that was declared anew meanwhile is read again.
      const closed = isDeclared ? openIn(entry.shown?.parts ?? NO_PARTS).filter(file => !open.has(file)) : open
      this.#openFiles.close(closed)
      if (!isDeclared) continue
      entry.shown = shown
      this.#dropOthers(entry, shown.parts.tables)
    }
  }

  /** Drops DuckDB's tables that are not among `kept`, when no query reads them any more. */
  #dropOthers({ converted }: Entry, kept: readonly string[]): void {
    for (const name of kept) this.#tablesToDrop.delete(name)
    for (const name of [...converted].filter(other => !kept.includes(other) && !this.#tablesToDrop.has(other))) {
      const mark = Symbol(name)
      const drop = async (): Promise<void> => {
        if (this.#tablesToDrop.get(name) !== mark) return
        this.#tablesToDrop.delete(name)
        converted.delete(name)
        await this.#connection.run(`DROP TABLE ${quoteName(name)}`)
      }
      this.#tablesToDrop.set(name, mark)
      this.#openFiles.afterQueries(() => void this.#inTurn(drop).catch(() => undefined))
    }
  }
}

const isGiven = ({ table }: Entry): boolean => table.origin.kind !== 'data-folder'
const hasOwnFiles = ({ table }: Entry): boolean => table.origin.kind === 'files'

/** The definition of the stored table, in which the pseudo column with the time of a row's partition is an ordinary column. */
function storedDefinition(definition: TableDefinition): TableDefinition {
  const time = definition.pseudoColumns?.find(({ name }) => name === PARTITION_TIME)
  return time ? { ...definition, columns: [...definition.columns, time] } : definition
}

const isCurrent = ({ shown }: Entry, contents: TableContents): boolean =>
  shown?.keys.join('\n') === keysOf(contents).join('\n')

/** The key of a TablePart, from the key of a file, an import's file or a table of DuckDB. */
const partKeyOf = ({ definitionHash: form }: Entry, key: string): string => partKey(`${form} ${key}`)

/** The parts one by one, by the key of a TablePart. */
function byKeyOf(entry: Entry, { tables, parquet }: TableParts): ReadonlyMap<string, TableParts> {
  const ofTable = (table: string) => [partKeyOf(entry, table), { tables: [table], parquet: [] }] as const
  const ofFiles = (part: ParquetPart) =>
    part.open.map((file, i) => [part.partKeys[i]!, { tables: [], parquet: [{ ...part, open: [file] }] }] as const)
  return new Map<string, TableParts>([...tables.map(ofTable), ...parquet.flatMap(ofFiles)])
}

const joinParts = (parts: readonly TableParts[]): TableParts => ({
  tables: parts.flatMap(({ tables }) => tables),
  parquet: parts.flatMap(({ parquet }) => parquet),
})

function failMissing(path: string): never {
  throw new QueryFault(`The file ${path} is missing, or is not a Parquet, JSON or CSV file`)
}

const columnList = ({ columns }: TableDefinition): string =>
  columns.map(column => `${quoteName(column.name)} ${duckdbType(column.type)}`).join(', ')

const hashOf = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex')

/** The name of DuckDB's table with the rows of these files. No query can name such a table. */
function rowTableOf({ table: { definition } }: Entry, files: readonly DataFile[]): string {
  const textForm = JSON.stringify(definition.textForm ?? {})
  const keys = files.map(({ path, stamp }) => keyOf(path, stamp))
  return `~${hashOf([definition.name, columnList(definition), textForm, ...keys]).slice(0, 32)}`
}

const isParquet = ({ format }: DataFile): boolean => format === 'parquet'
const isText = (file: DataFile): boolean => !isParquet(file)

/**
 * Up to this many text files of a table have a table of DuckDB each. Planning a query takes some 0.3 ms for each table of a UNION ALL.
 */
const MOST_UNGROUPED = 16
/** On average, one of this many files is the last of its group. */
const GROUP_FILES = 64
/** The bytes of files after which a group ends. */
const GROUP_BYTES = 4_000_000n

/**
 * The groups of text files whose rows are in one table of DuckDB. Many small files are grouped. A file's own path decides whether a group
 * ends with it; so a new file mostly changes only its own group. A group also ends when it has GROUP_BYTES.
 */
export function groupsOf(files: readonly DataFile[]): readonly (readonly DataFile[])[] {
  if (files.length <= MOST_UNGROUPED) return files.map(file => [file])
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
