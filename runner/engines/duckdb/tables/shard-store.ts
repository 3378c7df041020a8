/**
 * The shards of wildcard tables. A query reads them through temporary views, which are made for each run: only shards whose suffix meets
 * the query's conditions are opened or loaded.
 */
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  definitionCovering,
  isShardOf,
  isWildcard,
  prefixOf,
  type Shard,
  type StructField,
  TABLE_SUFFIX,
  type TableDefinition,
} from '../../../../googlesql/data.js'
import { quoteName, quoteText, SHARD_SUFFIX, type ShardRead } from '../../../../googlesql-duckdb/names-and-types.js'
import type { PartChoice } from '../../../model/query.js'
import { type ChooseDeps, chooseParts } from './choose-parts.js'
import { shardsInFolder } from './data-folder.js'
import type { OpenFiles } from './open-files.js'
import { selectFrom, selectKeyed, shapeOf } from './parquet-source.js'
import type { QueryNeeds } from './query-needs.js'
import { FileChangedError } from './steady-copy.js'
import type { TableStore } from './table-store.js'
import { emptySelect, scansOf } from './table-view.js'

/** The SQL of a view without rows, which is enough to compile a query. */
export const emptyShards = ({ columns }: ShardRead): string => emptySelect(withSuffix(columns))

export interface ShardStoreOptions {
  readonly tables: TableStore
  readonly openFiles: OpenFiles
  readonly dataDir: string | null
  /** The definitions of wildcard tables. */
  readonly declared: readonly TableDefinition[]
}

export class ShardStore {
  readonly #options: ShardStoreOptions

  constructor(options: ShardStoreOptions) {
    this.#options = options
  }

  /** Declares the tables that are shards: of a wildcard definition, or of `read`, a wildcard table without a schema. */
  declare(names: readonly string[], read: ShardRead | null = null): void {
    const { tables, declared } = this.#options
    const origin = { kind: 'data-folder' } as const
    for (const name of names.filter(table => !isWildcard(table) && !tables.has(table))) {
      const definition = definitionCovering(declared, name)
      if (definition) tables.declare({ definition: { ...definition, name }, origin })
      else if (read)
        tables.declare({ definition: { name, columns: read.columns }, isInferred: true, isShard: true, origin })
    }
  }

  /** The definitions of all shards in the data folder that belong to a wildcard definition. */
  definitions(): readonly TableDefinition[] {
    const { tables, declared, dataDir } = this.#options
    if (dataDir === null) return []
    return declared.flatMap(definition =>
      shardsInFolder(dataDir, prefixOf(definition.name))
        .filter(name => !tables.has(name) && definitionCovering(declared, name) === definition)
        .map(name => ({ ...definition, name })),
    )
  }

  /**
   * Chooses the shards of a read without opening them: of all that match the wildcard, those whose suffix meets all conditions. A
   * condition that fails excludes no shards: the query itself decides.
   */
  async choose(read: ShardRead, deps: ChooseDeps) {
    const all = this.#shardsOf(read)
    const rowsOf = (shards: readonly Shard[]): string =>
      `SELECT ${SHARD_SUFFIX} FROM (SELECT unnest([${shards.map(({ suffix }) => quoteText(suffix)).join(', ')}]) AS ${SHARD_SUFFIX}) AS s`
    return { all, chosen: await chooseParts({ all, keyOf: ({ suffix }) => suffix, rowsOf }, read.conditions, deps) }
  }

  /**
   * Chooses the shards of each read, and brings them up to date with their files. With `parts`, only these parts of one table are read.
   * @throws QueryFault for a shard that cannot be read; FileChangedError where the table does not have these parts any more.
   */
  async prepare(reads: readonly ShardRead[], deps: ChooseDeps, needs: QueryNeeds, parts?: PartChoice): Promise<void> {
    for (const read of reads) {
      const { all, chosen } = await this.choose(read, deps)
      const keys = parts?.table === read.table ? new Set(parts.keys) : null
      needs.views.set(read.view, await this.#viewOver(read, chosen, { connection: deps.connection, needs, keys }))
      needs.summary.push(`${read.table}: ${chosen.length} of ${all.length} shards`)
    }
    if (parts === undefined || !isWildcard(parts.table)) return
    const keysRead = new Set(needs.partsRead()?.[parts.table])
    if (!parts.keys.every(key => keysRead.has(key))) throw new FileChangedError(parts.table)
  }

  /** The shards that any of these reads chooses, declared as tables. */
  async chooseShards(reads: readonly ShardRead[], deps: ChooseDeps): Promise<readonly Shard[]> {
    const all = new Map<string, Shard>()
    for (const read of reads) {
      const { chosen } = await this.choose(read, deps)
      this.declare(
        chosen.map(({ table }) => table),
        read,
      )
      for (const shard of chosen) all.set(shard.table, shard)
    }
    return [...all.values()]
  }

  #shardsOf({ prefix, shards }: ShardRead): readonly Shard[] {
    if (shards !== null) return shards
    const { tables, dataDir } = this.#options
    const names = new Set(tables.givenNames().filter(name => isShardOf(name, prefix)))
    if (dataDir !== null) for (const name of shardsInFolder(dataDir, prefix)) names.add(name)
    return [...names].sort().map(table => ({ table, suffix: table.slice(prefix.length) }))
  }

  /** The SQL of the view over these shards: one scan reads the Parquet files of all of them that have the same shape. */
  async #viewOver(
    read: ShardRead,
    chosen: readonly Shard[],
    { connection, needs, keys: only }: ViewDeps,
  ): Promise<string> {
    const { tables, openFiles, declared } = this.#options
    const names = chosen.map(({ table }) => table)
    this.declare(names, read)
    const before = needs.partsRead
    await tables.prepare(names, needs, false)
    needs.partsRead = addShards(read.table, before, needs.partsRead)
    const isInferred = definitionCovering(declared, read.prefix) === undefined
    const definition = { name: read.table, columns: read.columns }
    const parts = chosen.map(({ table, suffix }) => ({ ...tables.partsOf(table, only), suffix }))
    const { root } = openFiles
    const more = (file: string): string => suffixOfFile(file, root, read.prefix)
    const selects = scansOf(parts.flatMap(({ parquet }) => parquet)).map(({ shape, paths, keys }) =>
      selectKeyed(paths, definition, shape, { keys, root, more, isInferred }),
    )
    for (const { sources, suffix } of parts) {
      const sql = `, ${quoteText(suffix)} AS ${quoteName(TABLE_SUFFIX)}`
      for (const source of sources)
        selects.push(selectFrom(source, definition, await shapeOf(connection, source), { more: sql, isInferred }))
    }
    return selects.length === 0 ? emptyShards(read) : selects.join(' UNION ALL ')
  }
}

interface ViewDeps {
  readonly connection: DuckDBConnection
  readonly needs: QueryNeeds
  /** The keys of the parts that are read; null for all. */
  readonly keys: ReadonlySet<string> | null
}

/** The parts that were read. The parts of shards count as parts of their wildcard table. */
const addShards =
  (table: string, before: QueryNeeds['partsRead'], ofShards: QueryNeeds['partsRead']): QueryNeeds['partsRead'] =>
  () => {
    const [others, shards] = [before(), ofShards()]
    if (!others || !shards) return undefined
    return { ...others, [table]: [...new Set([...(others[table] ?? []), ...Object.values(shards).flat()])] }
  }

const withSuffix = (columns: readonly StructField[]): readonly StructField[] => [
  ...columns,
  { name: TABLE_SUFFIX, type: { kind: 'STRING' } },
]

/**
 * SQL that extracts the suffix from the path of a file: `20260131` of `<root>/logs/events_20260131.parquet` and
 * `…_20260131/1.parquet`.
 */
function suffixOfFile(file: string, root: string, prefix: string): string {
  const dot = prefix.lastIndexOf('.')
  const beginning = `${join(root, prefix.slice(0, dot))}/${prefix.slice(dot + 1)}`
  const rest = `substr(${file}, ${[...beginning].length + 1})`
  return `, split_part(split_part(${rest}, '/', 1), '.', 1) AS ${quoteName(TABLE_SUFFIX)}`
}
