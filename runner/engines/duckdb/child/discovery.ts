/** Finds the tables that have no schema: Parquet files of the data folder, and tables of the attached database. */
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  declaringOf,
  isWildcard,
  type StructField,
  type TableDefinition,
  type UnreadableColumn,
} from '../../../../googlesql/data.js'
import { quoteName } from '../../../../googlesql-duckdb/data.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { Discovery, SessionOptions } from '../process/messages.js'
import {
  type DataFile,
  datasetsInFolder,
  filesOfTable,
  isFolderName,
  type Listing,
  newListing,
  tablesInFolder,
} from '../tables/data-folder.js'
import { fileFault } from '../tables/file-fault.js'
import { googlesqlType, whyUnreadable } from '../tables/file-types.js'
import type { OpenFiles } from '../tables/open-files.js'
import { type ParquetShape, parquetShape, selectFrom, shapeOf } from '../tables/parquet-source.js'
import type { TableStore } from '../tables/table-store.js'

/** The name as which the session attaches the database. */
export const DATABASE = '~database'

/** A table of the attached database; its schemas are datasets, `dataset` or, in another project, `project.dataset`. */
interface DatabaseTable {
  readonly source: string
  readonly shape: ParquetShape
}

export interface DiscovererDeps {
  readonly options: SessionOptions
  readonly admin: DuckDBConnection
  readonly tables: TableStore
  readonly openFiles: OpenFiles
}

/** Declares the tables of a session to its store. */
export class Discoverer {
  readonly #deps: DiscovererDeps
  readonly #database: ReadonlyMap<string, DatabaseTable>
  readonly #declared: ReadonlySet<string>
  readonly #allowed: ReadonlySet<string>
  /** The definitions of wildcard tables. */
  readonly wildcards: readonly TableDefinition[]

  private constructor(deps: DiscovererDeps, database: ReadonlyMap<string, DatabaseTable>) {
    const definitions = deps.options.tables.map(({ definition }) => definition)
    this.#deps = deps
    this.#database = database
    this.#declared = new Set(definitions.map(({ name }) => name))
    this.#allowed = new Set(allowedDatasets(deps.options))
    this.wildcards = definitions.filter(({ name }) => isWildcard(name))
  }

  /** Declares the tables that have a schema. */
  static async open(deps: DiscovererDeps): Promise<Discoverer> {
    const database = deps.options.database === null ? new Map() : await tablesOfDatabase(deps.admin)
    const discoverer = new Discoverer(deps, database)
    discoverer.#declareKnown()
    return discoverer
  }

  /** Declares the tables that have none, as they are now. */
  async discover(): Promise<Discovery> {
    const { dataDir } = this.#deps.options
    const findings = new Findings()
    for (const [name, table] of this.#database) {
      if (!this.#declared.has(name)) this.#takeDatabaseTable(name, table, findings)
    }
    const listing = newListing()
    for (const name of dataDir === null ? [] : tablesInFolder(dataDir)) {
      if (this.#declared.has(name) || this.#database.has(name)) continue
      if (!this.#allowed.has(datasetOf(name))) findings.isOutgrown = true
      // A shard of a declared wildcard table is not discovered here: it is found when a query reads it.
      else if (!declaringOf(this.wildcards, name)) await this.#takeFiles(name, listing, findings)
    }
    return findings.discovery()
  }

  #declareKnown(): void {
    for (const { definition, files } of this.#deps.options.tables) {
      if (isWildcard(definition.name)) continue
      const known = this.#database.get(definition.name)
      const origin = files
        ? ({ kind: 'files', files } as const)
        : known
          ? ({ kind: 'select', sql: selectFrom(known.source, definition, known.shape) } as const)
          : ({ kind: 'data-folder' } as const)
      this.#deps.tables.declare({ definition, origin })
    }
  }

  #takeDatabaseTable(name: string, { source, shape }: DatabaseTable, findings: Findings): void {
    const wildcard = declaringOf(this.wildcards, name)
    const definition = wildcard ? { ...wildcard, name } : definitionOf(name, shape)
    if (!findings.take(definition)) return
    const isInferred = wildcard === undefined
    const sql = selectFrom(source, definition, shape, { isInferred })
    this.#deps.tables.declare({ definition, isInferred, origin: { kind: 'select', sql } })
  }

  async #takeFiles(name: string, listing: Listing, findings: Findings): Promise<void> {
    const { options, tables } = this.#deps
    const files = tryFiles(() => filesOfTable(options.dataDir!, name, listing))
    if (typeof files === 'string') return findings.refuse(name, files, `${name}: ${files}`)
    const other = files.find(file => file.format !== 'parquet')
    if (other) {
      const remedy = `\`sluice tables infer ${name} ${other.path}\` writes one`
      const reason = `there is a data file for it, but no table schema ${name}.json; ${remedy}`
      return findings.refuse(name, reason, `${name} has no schema, so its ${other.format} files are not read`)
    }
    const { path } = files[0]!
    const shape = await this.#shapeOf(path).catch((error: unknown) => fileFault(error, 'Parquet'))
    if (typeof shape === 'string')
      return findings.refuse(name, `its data file is not used, since ${shape}`, `${name}: ${path}: ${shape}`)
    const definition = definitionOf(name, shape)
    if (findings.take(definition)) tables.declare({ definition, isInferred: true, origin: { kind: 'data-folder' } })
  }

  async #shapeOf(path: string): Promise<ParquetShape> {
    const { admin, openFiles } = this.#deps
    const file = openFiles.open({ path, stamp: null, isGiven: false })
    return parquetShape(admin, file.path).finally(() => openFiles.close([file]))
  }
}

class Findings {
  readonly #tables: TableDefinition[] = []
  readonly #notes: string[] = []
  readonly #unreadable: Discovery['unreadable'][number][] = []
  isOutgrown = false

  /** False for a table that has no columns, which is refused. */
  take(definition: TableDefinition): boolean {
    const { name, columns, unreadable = [] } = definition
    if (columns.length > 0) this.#tables.push(definition)
    else
      this.refuse(
        name,
        unreadable[0]
          ? `none of its columns can be read; ${unreadable[0].name}: ${unreadable[0].reason}`
          : 'it has no columns',
      )
    return columns.length > 0
  }

  refuse(table: string, reason: string, note?: string): void {
    if (note !== undefined) this.#notes.push(note)
    this.#unreadable.push({ table, reason })
  }

  discovery(): Discovery {
    const columns = this.#tables.flatMap(({ name, unreadable = [] }) =>
      unreadable.map(column => `${name}.${column.name} cannot be read: ${column.reason}`),
    )
    return {
      tables: this.#tables,
      notes: [...this.#notes, ...columns],
      unreadable: this.#unreadable,
      isOutgrown: this.isOutgrown,
    }
  }
}

/** The files; the reason where the table's place cannot be read. */
function tryFiles(find: () => readonly DataFile[]): readonly DataFile[] | string {
  try {
    return find()
  } catch (error) {
    if (error instanceof QueryFault) return error.message
    throw error
  }
}

/** The datasets that have a folder now, and the datasets of the declared tables, whose folders may be created later. */
export function allowedDatasets({ dataDir, tables }: SessionOptions): readonly string[] {
  if (dataDir === null) return []
  const declared = tables.map(table => datasetOf(table.definition.name))
  return [...new Set([...datasetsInFolder(dataDir), ...declared])].filter(isFolderName)
}

const datasetOf = (table: string): string => table.slice(0, Math.max(0, table.lastIndexOf('.')))

/** The table definition inferred from a file's columns. */
function definitionOf(name: string, shape: ParquetShape): TableDefinition {
  const columns: StructField[] = []
  const unreadable: UnreadableColumn[] = []
  for (const [i, column] of shape.names.entries()) {
    const type = googlesqlType(shape.types[i]!)
    if (type) columns.push({ name: column, type })
    else unreadable.push({ name: column, reason: whyUnreadable(name, column, shape.types[i]!) })
  }
  return { name, columns, ...(unreadable.length > 0 && { unreadable }) }
}

async function tablesOfDatabase(admin: DuckDBConnection): Promise<ReadonlyMap<string, DatabaseTable>> {
  const result = await admin.runAndReadAll(
    'SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal ' +
      'UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal ORDER BY 1, 2',
    [DATABASE],
  )
  const tables = new Map<string, DatabaseTable>()
  for (const [schema, table] of result.getRows()) {
    const source = [DATABASE, String(schema), String(table)].map(quoteName).join('.')
    tables.set(`${schema}.${table}`, { source, shape: await shapeOf(admin, source) })
  }
  return tables
}
