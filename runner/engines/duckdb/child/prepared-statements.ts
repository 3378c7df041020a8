/**
 * Keeps prepared statements, so that a text that comes again is not parsed and bound for nothing: with tables in it DuckDB
 * binds it once more with its values, whether it was prepared a moment ago or an hour.
 */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'

export interface Statements {
  /**
   * Lends `use` the statement of this text, with nothing bound. What `use` throws is thrown, and its statement is not
   * kept. A connection does one thing at a time.
   */
  readonly use: <T>(
    connection: DuckDBConnection,
    sql: string,
    use: (statement: DuckDBPreparedStatement) => Promise<T>,
  ) => Promise<T>
}

export type Prepare = (connection: DuckDBConnection, sql: string) => Promise<DuckDBPreparedStatement>

/** Of one connection, as many as endpoints that are busy at a time have variants. Each takes some 20 kB. */
const MAX_KEPT = 64

interface Kept {
  revision: number
  /** By text; who was used last stands last. */
  readonly statements: Map<string, DuckDBPreparedStatement>
}

/** @param revision of what the texts' names stand for; statements of another are forgotten */
export function keepStatements(prepare: Prepare, revision: () => number): Statements {
  const byConnection = new WeakMap<DuckDBConnection, Kept>()

  const keptOf = (connection: DuckDBConnection): Kept => {
    const kept = byConnection.get(connection) ?? { revision: revision(), statements: new Map() }
    byConnection.set(connection, kept)
    // DuckDB would not always notice: a view that reads no table may be replaced behind a statement's back.
    if (kept.revision !== revision()) {
      for (const statement of kept.statements.values()) statement.destroySync()
      kept.statements.clear()
      kept.revision = revision()
    }
    return kept
  }

  return {
    use: async (connection, sql, use) => {
      const kept = keptOf(connection)
      const { statements } = kept
      const begun = kept.revision
      const statement = statements.get(sql) ?? (await prepare(connection, sql))
      statements.delete(sql)
      let isSound = false
      try {
        const result = await use(statement)
        isSound = true
        return result
      } finally {
        if (isSound && begun === revision()) {
          // Callers' values are not kept.
          statement.clearBindings()
          statements.set(sql, statement)
          if (statements.size > MAX_KEPT) forgetOldest(statements)
        } else {
          statement.destroySync()
        }
      }
    },
  }
}

function forgetOldest(statements: Map<string, DuckDBPreparedStatement>): void {
  const [sql, statement] = statements.entries().next().value!
  statements.delete(sql)
  statement.destroySync()
}

/** Keeps none. */
export function prepareEach(prepare: Prepare): Statements {
  return {
    use: async (connection, sql, use) => {
      const statement = await prepare(connection, sql)
      try {
        return await use(statement)
      } finally {
        statement.destroySync()
      }
    },
  }
}
