/** Runs the tests beside manifests on a warehouse: their tables are made in a temporary dataset, and queries read those tables. */

import {
  definitionCovering,
  isShardOf,
  isWildcard,
  NO_FUNCTIONS,
  orMistake,
  prefixOf,
  type SchemaField,
  SqlError,
} from '../../googlesql/index.js'
import { openAccess } from '../../runner/engines/bigquery/index.js'
import { checkedColumn } from '../../runner/engines/checked-column.js'
import type { DuckdbEngine } from '../../runner/engines/duckdb/index.js'
import { derive } from '../../runner/formats/index.js'
import { type LoadedTable, loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { memo } from '../../runner/model/bounded-map.js'
import { causeText } from '../../runner/model/cause-text.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { CheckResult, Engine } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'
import { openServingEngineOver } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import type { TestCase, TestTable } from './files/test-file.js'
import { queryColumns, type RenamedSql, renameTables, tableReferences } from './rename-tables.js'
import { createScratchDataset, RefusedRowsError } from './scratch-dataset.js'

/** Where tests run. */
export interface TestTarget {
  /** Checks a query of a manifest without asking a warehouse. */
  readonly compile: Engine['check']
  /** The engine over the tables of a test. */
  viewOf(test: TestCase): Engine
  close(): Promise<void>
}

const MAX_ROWS = 1_000_000
const READ_TIMEOUT_MS = 60_000

/**
 * Makes the dataset. The embedded engine reads the rows of tests, so that both engines get the same; it is not closed here.
 * @throws SetupError
 */
export async function openWarehouseTarget(
  settings: Settings,
  embedded: DuckdbEngine,
  signal: AbortSignal,
): Promise<TestTarget> {
  const { tables } = await loadTableSchemas(settings.tablesDir)
  const definitions = tables.map(({ name, columns }) => ({ name, columns }))
  const deps = { observe: () => {}, clock: systemClock() }
  const access = await openAccess(settings)
  const engine = await openServingEngineOver(
    { tables: definitions, functions: NO_FUNCTIONS, mistakes: [] },
    settings,
    deps,
  )
  try {
    const dataset = await createScratchDataset(access, settings.location, signal)
    return new WarehouseTarget({ tables, embedded, engine, dataset, signal })
  } catch (thrown) {
    await engine.close()
    throw thrown
  }
}

interface WarehouseParts {
  readonly tables: readonly LoadedTable[]
  readonly embedded: DuckdbEngine
  readonly engine: Engine
  readonly dataset: Awaited<ReturnType<typeof createScratchDataset>>
  readonly signal: AbortSignal
}

class WarehouseTarget implements TestTarget {
  readonly #parts: WarehouseParts
  /** The names of tables that were made, by the rows of a test, the name of an empty table, or a key of shards. */
  readonly #tableNames = new Map<TestTable | string, Promise<string>>()
  #wildcards = 0

  constructor(parts: WarehouseParts) {
    this.#parts = parts
  }

  async compile(sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> {
    const columns = orMistake(() => queryColumns(sql, types, this.#parts.embedded.tables()))
    if (columns instanceof SqlError) return { ok: false, problem: columns.problem }
    return { ok: true, columns: columns.map(checkedColumn) }
  }

  viewOf({ tables }: TestCase): Engine {
    const { engine } = this.#parts
    const run: Engine['run'] = async (query, options) => {
      const { sql, originalOffset } = await this.#rename(query, tables)
      try {
        return await engine.run({ ...query, sql }, options)
      } catch (thrown) {
        throw withOriginalOffset(thrown, originalOffset)
      }
    }
    return { ...engine, run }
  }

  async close(): Promise<void> {
    const { engine, dataset } = this.#parts
    await dataset.close().finally(() => engine.close())
  }

  async #rename(query: Query, testTables: readonly TestTable[]): Promise<RenamedSql> {
    const references = tableReferences(query, this.#parts.embedded.tables())
    const names = new Map<string, string>()
    for (const { table } of references) names.set(table, await this.#nameFor(table, testTables))
    return renameTables(query.sql, references, table => names.get(table)!)
  }

  #nameFor(name: string, testTables: readonly TestTable[]): Promise<string> {
    if (isWildcard(name)) {
      const shards = testTables.filter(({ standsFor }) => isShardOf(standsFor, prefixOf(name)))
      const key = JSON.stringify([name, ...shards.map(({ definition }) => definition.name)])
      return memo(this.#tableNames, key, () => this.#addShards(name, shards))
    }
    const table = testTables.find(({ standsFor }) => standsFor === name)
    return memo(this.#tableNames, hasRows(table) ? table : name, () => this.#addTable(name, table))
  }

  /** Makes the shards of a wildcard table under a prefix of their own; resolves to the table's name, which ends in a star. */
  async #addShards(name: string, testTables: readonly TestTable[]): Promise<string> {
    const ownPrefix = `w${++this.#wildcards}_`
    const prefix = prefixOf(name)
    const declared = this.#parts.tables.map(table => table.name)
    const newest = declared
      .filter(table => !isWildcard(table) && isShardOf(table, prefix))
      .sort()
      .at(-1)
    const shards = new Set([...testTables.map(table => table.standsFor), ...(newest === undefined ? [] : [newest])])
    // BigQuery finds no wildcard table without a shard.
    if (shards.size === 0) shards.add(`${prefix}0`)
    // One after the other: BigQuery takes the columns from the shard that was made last.
    for (const shard of [...shards].sort()) {
      const table = testTables.find(({ standsFor }) => standsFor === shard)
      await this.#addTable(shard, table, ownPrefix + shard.slice(prefix.length))
    }
    return `${this.#parts.dataset.name}.${ownPrefix}*`
  }

  async #addTable(name: string, table: TestTable | undefined, tableName?: string): Promise<string> {
    const { dataset, signal } = this.#parts
    const fields = this.#fieldsOf(name)
    if (!hasRows(table)) return dataset.addTable(fields, null, tableName)
    try {
      return await dataset.addTable(fields, await this.#rowsOf(table), tableName)
    } catch (thrown) {
      const isRefusal = thrown instanceof RefusedRowsError || (thrown instanceof RunnerError && !signal.aborted)
      if (!isRefusal) throw thrown
      const reason = thrown instanceof RunnerError ? causeText(thrown.cause ?? thrown) : thrown.message
      throw new RunnerError('QUERY_FAILED', {
        cause: new QueryFault(`the rows of ${table.standsFor} cannot be loaded: ${reason}`),
      })
    }
  }

  /** The fields of a table: of its own schema, or of the wildcard table whose shard it is. */
  #fieldsOf(name: string): readonly SchemaField[] {
    const { tables } = this.#parts
    const wildcards = tables.filter(table => isWildcard(table.name))
    return (tables.find(table => table.name === name) ?? definitionCovering(wildcards, name))?.fields ?? []
  }

  async #rowsOf({ standsFor, definition }: TestTable): Promise<Uint8Array> {
    const { embedded, signal } = this.#parts
    const query = { sql: `SELECT * FROM \`${standsFor}\``, parameters: {} }
    const view = embedded.withTables(new Map([[standsFor, definition]]))
    const options = { maxRows: MAX_ROWS, timestamps: 'iso8601', endpoint: 'test', timeoutMs: READ_TIMEOUT_MS } as const
    const { columns, body, isTruncated } = await view.run(query, { ...options, signal })
    if (isTruncated) throw new RefusedRowsError(`a table of a test has at most ${MAX_ROWS} rows`)
    return derive('ndjson', columns, body, { endpoint: 'test', revision: '', isTruncated })
  }
}

const hasRows = (table: TestTable | undefined): table is TestTable => table !== undefined && table.rows?.length !== 0

/** A failure of a renamed query, with the offset in the text before it was renamed. */
function withOriginalOffset(thrown: unknown, originalOffset: RenamedSql['originalOffset']): unknown {
  if (!(thrown instanceof RunnerError) || !(thrown.cause instanceof QueryFault) || thrown.cause.offset === null) {
    return thrown
  }
  const { message, cause, offset } = thrown.cause
  return thrown.withCause(new QueryFault(message, { cause, offset: originalOffset(offset) }))
}
