/** Collects the views and files that a query needs, before it runs. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import type { ResultSet } from '../../../model/query.js'
import type { TableParts } from './table-view.js'

/** A table whose files were new or changed. */
export interface RefreshedTable {
  readonly table: string
  /** The number of new and changed files; an import counts as one. */
  readonly files: number
}

/** The temporary views that each connection has: their SQL by name. */
const connectionViews = new WeakMap<DuckDBConnection, Map<string, string>>()

/** The most views that a connection keeps from earlier queries, since each takes memory. */
const MOST_VIEWS = 64

/** What one query needs: views, and the files that it reads. */
export class QueryNeeds {
  /** The SQL of the temporary views that the query reads, by name. */
  readonly views = new Map<string, string>()
  /** The `parts` of the result; to be called after the query. */
  partsRead: () => ResultSet['parts'] = () => ({})
  /** How many shards are read, as texts for people: `logs.events_*: 3 of 1000 shards`. */
  readonly summary: string[] = []
  readonly reads: RefreshedTable[] = []
  /** The parts of tables that the query reads. */
  readonly parts: TableParts[] = []

  /** Makes the views on the connection. Views of earlier queries may stay: each query makes the views of all tables that it reads. */
  async makeViews(connection: DuckDBConnection): Promise<void> {
    const views = connectionViews.get(connection) ?? new Map<string, string>()
    connectionViews.set(connection, views)
    for (const name of views.keys()) {
      if (views.size <= MOST_VIEWS) break
      if (this.views.has(name)) continue
      await connection.run(`DROP VIEW IF EXISTS temp.${quoteName(name)}`)
      views.delete(name)
    }
    for (const [name, select] of this.views) {
      if (views.get(name) === select) continue
      await connection.run(`CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS ${select}`)
      views.set(name, select)
    }
  }
}
