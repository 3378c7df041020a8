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

/** The tables that temporary views of a connection hide. */
const hiding = new WeakMap<DuckDBConnection, Set<string>>()

/** What one query needs: views, and the files that it reads. */
export class QueryNeeds {
  /** The SQL of the temporary views that the query reads, by name. */
  readonly views = new Map<string, string>()
  /** The SQL of the temporary views that the query reads in place of tables with these names. */
  readonly hidden = new Map<string, string>()
  /** Whether the parts that these views read are there still. */
  hasParts: () => boolean = () => true
  /** The `parts` of the result, to be asked for after the query. */
  partsRead: () => ResultSet['parts'] = () => ({})
  /** How many shards are read, as texts for people: `logs.events_*: 3 of 1000 shards`. */
  readonly summary: string[] = []
  readonly reads: RefreshedTable[] = []
  /** What it reads of its tables. */
  readonly parts: TableParts[] = []

  /**
   * Creates the views on this connection, and replaces the views of earlier queries. Those that hide a table are dropped before: the
   * next query on the connection, whatever it is, must call this.
   */
  async makeViews(connection: DuckDBConnection): Promise<void> {
    for (const name of hiding.get(connection) ?? []) {
      if (this.hidden.has(name)) continue
      await connection.run(`DROP VIEW IF EXISTS temp.${quoteName(name)}`)
      hiding.get(connection)!.delete(name)
    }
    hiding.set(connection, new Set(this.hidden.keys()))
    for (const [name, select] of [...this.views, ...this.hidden])
      await connection.run(`CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS ${select}`)
  }
}
