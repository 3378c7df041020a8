/** The tests beside manifests on a warehouse: their tables are made in a dataset of their own, and queries read those. */

import {
  declaringOf,
  isShardOf,
  isWildcard,
  NO_FUNCTIONS,
  orMistake,
  prefixOf,
  type SchemaField,
  SqlError,
} from '../../googlesql/index.js'
import { checkedColumn } from '../../runner/engines/checked-column.js'
import type { DuckdbEngine } from '../../runner/engines/duckdb/index.js'
import { derive } from '../../runner/formats/index.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { causeText } from '../../runner/model/cause-text.js'
import { RunnerError, SetupError } from '../../runner/model/errors.js'
import type { CheckResult, Engine } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'
import { Closers } from '../../runner/serve/closers.js'
import { openServingEngineOver } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import type { TestCase, TestTable } from './files/test-file.js'
import type { RenamedSql } from './rename-tables.js'

/** Where tests run. */
export interface TestTarget {
  /** Checks a query of a manifest without asking a warehouse. */
  readonly compile: Engine['check']
  /** The engine over the tables of a test. */
  viewOf(test: TestCase): Engine
  /** The tables whose rows were refused, with the reasons. */
  refusals(): ReadonlyMap<TestTable, string>
  /** @throws the error that kept a table from being made, which is not the failure of a test. */
  throwIfBroken(): void
  close(): Promise<void>
}

const MAX_ROWS = 1_000_000
const READ_WITHIN_MS = 60_000

/**
 * Makes the dataset. The embedded engine reads the rows of tests, so that both engines get the same; it is not closed here.
 * @throws SetupError
 */
export async function openWarehouseTarget(
  settings: Settings,
  embedded: DuckdbEngine,
  signal: AbortSignal,
): Promise<TestTarget> {
  const { openAccess } = await import('../../runner/engines/bigquery/index.js')
  const { createScratchDataset, RefusedRowsError } = await import('./scratch-dataset.js')
  const { checkedQuery, renameTables, tableReferences } = await import('./rename-tables.js')
  const { tables } = await loadTableSchemas(settings.tablesDir)
  const fieldsOf = new Map(tables.map(({ name, fields }) => [name, fields]))
  const opened = new Closers()
  const access = await openAccess(settings)
  const definitions = tables.map(({ name, columns }) => ({ name, columns }))
  const engine = opened.add(
    await openServingEngineOver({ tables: definitions, functions: NO_FUNCTIONS, mistakes: [] }, settings, {
      observe: () => {},
      clock: systemClock(),
    }),
  )
  const dataset = await createScratchDataset(access, settings.location, signal).catch(async thrown => {
    await opened.close()
    throw thrown
  })
  opened.add({ close: () => dataset.remove() })

  const refused = new Map<TestTable, string>()
  const made = new Map<TestTable | string, Promise<string>>()
  const broken: unknown[] = []
  const once = (key: TestTable | string, make: () => Promise<string>): Promise<string> => {
    const known = made.get(key) ?? make()
    made.set(key, known)
    return known
  }

  const hasRows = (table: TestTable | undefined): table is TestTable => table !== undefined && table.rows?.length !== 0

  const addTable = (name: string, table: TestTable | undefined, named?: string): Promise<string> =>
    hasRows(table) ? addRows(table, fieldsFor(name), named) : dataset.addTable(fieldsFor(name), null, named)

  const numbers = new Map<TestTable, number>()
  let wildcards = 0
  function numberOf(table: TestTable): number {
    const number = numbers.get(table) ?? numbers.size
    numbers.set(table, number)
    return number
  }

  async function rowsOf({ standsFor, definition }: TestTable): Promise<Uint8Array> {
    const query = { sql: `SELECT * FROM \`${standsFor}\``, parameters: {} }
    const options = {
      maxRows: MAX_ROWS,
      timestamps: 'iso8601',
      endpoint: 'test',
      timeoutMs: READ_WITHIN_MS,
      signal,
    } as const
    const view = embedded.withTables(new Map([[standsFor, definition]]))
    const { columns, body, isTruncated } = await view.run(query, options)
    if (isTruncated) throw new RefusedRowsError(`a table of a test has at most ${MAX_ROWS} rows`)
    return derive('ndjson', columns, body, { endpoint: 'test', revision: '', isTruncated })
  }

  async function addRows(table: TestTable, fields: readonly SchemaField[], name?: string): Promise<string> {
    try {
      return await dataset.addTable(fields, await rowsOf(table), name)
    } catch (thrown) {
      const isRefusal = thrown instanceof RefusedRowsError || (thrown instanceof RunnerError && !signal.aborted)
      if (!isRefusal) throw thrown
      const reason = thrown instanceof RunnerError ? causeText(thrown.cause ?? thrown) : thrown.message
      refused.set(table, reason)
      throw new RunnerError('QUERY_FAILED', { cause: new QueryFault(reason) })
    }
  }

  /** The fields of a table: of its own schema, or of the one that declares all shards. */
  const fieldsFor = (name: string): readonly SchemaField[] =>
    fieldsOf.get(name) ??
    declaringOf(
      tables.filter(table => isWildcard(table.name)),
      name,
    )?.fields ??
    []

  /** Makes the shards of a wildcard table, under a prefix that no other has; resolves to its name, which ends in a star. */
  async function addShards(name: string, given: readonly TestTable[]): Promise<string> {
    const own = `w${++wildcards}_`
    const prefix = prefixOf(name)
    const newest = tables
      .map(table => table.name)
      .filter(known => !isWildcard(known) && isShardOf(known, prefix))
      .sort()
      .at(-1)
    const shards = new Set(given.map(table => table.standsFor))
    if (newest !== undefined) shards.add(newest)
    // BigQuery finds no wildcard table without a shard.
    if (shards.size === 0) shards.add(`${prefix}0`)
    // One after the other: BigQuery takes the columns from the shard that was made last.
    for (const shard of [...shards].sort()) {
      const table = given.find(({ standsFor }) => standsFor === shard)
      await addTable(shard, table, own + shard.slice(prefix.length))
    }
    return `${dataset.name}.${own}*`
  }

  function shardsFor(name: string, given: readonly TestTable[]): Promise<string> {
    const shards = given.filter(({ standsFor }) => isShardOf(standsFor, prefixOf(name)))
    return once([name, ...shards.map(numberOf)].join(' '), () => addShards(name, shards))
  }

  function nameFor(name: string, given: readonly TestTable[]): Promise<string> {
    if (isWildcard(name)) return shardsFor(name, given)
    const table = given.find(({ standsFor }) => standsFor === name)
    return once(hasRows(table) ? table : name, () => addTable(name, table))
  }

  async function renamed(query: Query, given: readonly TestTable[]): Promise<RenamedSql> {
    const references = tableReferences(query, embedded.tables())
    const names = new Map<string, string>()
    try {
      for (const { table } of references) names.set(table, await nameFor(table, given))
    } catch (thrown) {
      if (thrown instanceof SetupError) broken.push(thrown)
      throw thrown
    }
    return renameTables(query.sql, references, table => names.get(table)!)
  }

  return {
    async compile(sql, types): Promise<CheckResult> {
      const columns = orMistake(() => checkedQuery(sql, types, embedded.tables()))
      if (columns instanceof SqlError) return { ok: false, problem: columns.problem }
      return { ok: true, columns: columns.map(checkedColumn) }
    },
    viewOf: ({ tables: given }) => ({
      ...engine,
      async run(query, options) {
        const { sql, offsetBefore } = await renamed(query, given)
        try {
          return await engine.run({ ...query, sql }, options)
        } catch (thrown) {
          throw inText(thrown, offsetBefore)
        }
      },
    }),
    refusals: () => refused,
    throwIfBroken() {
      if (broken.length > 0) throw broken[0]
    },
    close: () => opened.close(),
  }
}

/** A failure of a renamed query, with the offset in the text before it was renamed. */
function inText(thrown: unknown, offsetBefore: RenamedSql['offsetBefore']): unknown {
  if (!(thrown instanceof RunnerError) || !(thrown.cause instanceof QueryFault) || thrown.cause.offset === null) {
    return thrown
  }
  const { message, cause, offset } = thrown.cause
  return thrown.withCause(new QueryFault(message, { cause, offset: offsetBefore(offset) }))
}
