/** What is made ready before a query runs, collected from everything that it reads. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName } from '../../../../googlesql-duckdb/names-and-types.js'
import type { OpenFile } from './open-files.js'

/** A table whose files were new or changed. */
export interface RefreshedTable {
  readonly table: string
  /** The number of new and changed files; an import counts as one. */
  readonly files: number
}

/** What one query needs: views, and the files that it reads. */
export class QueryNeeds {
  /** The SQL of the temporary views that the query reads, by name. */
  readonly views = new Map<string, string>()
  /** How many shards are read, as texts for people: `logs.events_*: 3 of 1000 shards`. */
  readonly summary: string[] = []
  readonly reads: RefreshedTable[] = []
  /** The files that are read in place and may change. */
  readonly files: OpenFile[] = []

  /** Creates the views on this connection, and replaces the views of earlier queries. */
  async makeViews(connection: DuckDBConnection): Promise<void> {
    for (const [name, select] of this.views)
      await connection.run(`CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS ${select}`)
  }
}
