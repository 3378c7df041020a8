/** What is made ready before a query runs, collected from everything that it reads. */
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

/** The temporary views of each connection: their SQL by name. */
const made = new WeakMap<DuckDBConnection, Map<string, string>>()

/** The views of earlier queries that a connection keeps: each is in memory. */
const MOST_VIEWS = 64

/** What one query needs: views, and the files that it reads. */
export class QueryNeeds {
  /** The SQL of the temporary views that the query reads, by name. */
  readonly views = new Map<string, string>()
  /** The `parts` of the result, to be asked for after the query. */
  partsRead: () => ResultSet['parts'] = () => ({})
  /** How many shards are read, as texts for people: `logs.events_*: 3 of 1000 shards`. */
  readonly summary: string[] = []
  readonly reads: RefreshedTable[] = []
  /** What it reads of its tables. */
  readonly parts: TableParts[] = []

  /** Makes these views of the connection. Each query has views of all tables that it reads, so that those of earlier ones may stay. */
  async makeViews(connection: DuckDBConnection): Promise<void> {
    const views = made.get(connection) ?? new Map<string, string>()
    made.set(connection, views)
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
