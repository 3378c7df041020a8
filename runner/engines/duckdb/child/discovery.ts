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
import { parquetShape, type Shape, selectFrom, shapeOf } from '../tables/parquet-source.js'
import type { StoredTable, TableStore } from '../tables/table-store.js'

/** The name as which the session attaches the database. */
export const DATABASE = '~database'

/** A table of the attached database; its schemas are datasets, `dataset` or, in another project, `project.dataset`. */
interface DatabaseTable {
  readonly source: string
  readonly shape: Shape
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
    const tables: TableDefinition[] = []
    const unreadable: Discovery['unreadable'][number][] = []
    const take = async (
      name: string,
      describe: () => TableDefinition | Promise<TableDefinition>,
      storedAs: (definition: TableDefinition) => Omit<StoredTable, 'definition'>,
    ): Promise<void> => {
      let definition: TableDefinition
      try {
        definition = await describe()
      } catch (error) {
        if (!(error instanceof QueryFault)) throw error
        unreadable.push({ table: name, reason: error.message })
        return
      }
      this.#deps.tables.declare({ definition, ...storedAs(definition) })
      tables.push(definition)
    }
    for (const [name, { source, shape }] of this.#database) {
      if (this.#declared.has(name)) continue
      const wildcard = declaringOf(this.wildcards, name)
      const isInferred = wildcard === undefined
      await take(
        name,
        () => (wildcard ? { ...wildcard, name } : definitionOf(name, shape)),
        definition => ({
          isInferred,
          origin: { kind: 'select', sql: selectFrom(source, definition, shape, { isInferred }) },
        }),
      )
    }
    const ofFiles = { isInferred: true, origin: { kind: 'data-folder' } } as const
    let isOutgrown = false
    const listing = newListing()
    for (const name of dataDir === null ? [] : tablesInFolder(dataDir)) {
      if (this.#declared.has(name) || this.#database.has(name)) continue
      if (!this.#allowed.has(datasetOf(name))) isOutgrown = true
      // A shard of a declared wildcard table is not discovered here: it is found when a query reads it.
      else if (!declaringOf(this.wildcards, name))
        await take(
          name,
          () => this.#definitionOfFiles(name, listing),
          () => ofFiles,
        )
    }
    return { tables, unreadable, isOutgrown }
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

  /** @throws QueryFault that says why the files of the table are not used. */
  async #definitionOfFiles(name: string, listing: Listing): Promise<TableDefinition> {
    const files = filesOfTable(this.#deps.options.dataDir!, name, listing)
    const other = files.find(file => file.format !== 'parquet')
    if (other)
      throw new QueryFault(
        `there is a data file for it, but no table schema ${name}.json; \`sluice tables infer ${name} ${other.path}\` writes one`,
      )
    const shape = await this.#shapeOf(files[0]!.path).catch((cause: unknown) => {
      throw new QueryFault(`its data file is not used, since ${fileFault(cause, 'Parquet')}`, { cause })
    })
    return definitionOf(name, shape)
  }

  async #shapeOf(path: string): Promise<Shape> {
    const { admin, openFiles } = this.#deps
    const file = openFiles.open({ path, stamp: null, isGiven: false })
    return parquetShape(admin, file.path).finally(() => openFiles.close([file]))
  }
}

/** The datasets that have a folder now, and the datasets of the declared tables, whose folders may be created later. */
export function allowedDatasets({ dataDir, tables }: SessionOptions): readonly string[] {
  if (dataDir === null) return []
  const declared = tables.map(table => datasetOf(table.definition.name))
  return [...new Set([...datasetsInFolder(dataDir), ...declared])].filter(isFolderName)
}

const datasetOf = (table: string): string => table.slice(0, Math.max(0, table.lastIndexOf('.')))

/** The table definition inferred from a file's columns. @throws QueryFault for a table without a column that can be read. */
function definitionOf(name: string, shape: Shape): TableDefinition {
  const columns: StructField[] = []
  const unreadable: UnreadableColumn[] = []
  for (const [i, column] of shape.names.entries()) {
    const type = googlesqlType(shape.types[i]!)
    if (type) columns.push({ name: column, type })
    else unreadable.push({ name: column, reason: whyUnreadable(name, column, shape.types[i]!) })
  }
  const [first] = unreadable
  if (columns.length === 0)
    throw new QueryFault(
      first ? `none of its columns can be read; ${first.name}: ${first.reason}` : 'it has no columns',
    )
  return { name, columns, ...(first && { unreadable }) }
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
