/**
 * Caches prepared statements, so that a repeated text is not parsed and bound again. DuckDB nevertheless binds a statement that
 * reads tables again for each execution, with the values of its parameters.
 */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'

export interface Statements {
  /**
   * Calls `use` with the prepared statement of this text, without bound values. If `use` throws, the statement is removed from
   * the cache. A connection must run only one statement at a time.
   */
  readonly use: <T>(
    connection: DuckDBConnection,
    sql: string,
    use: (statement: DuckDBPreparedStatement) => Promise<T>,
  ) => Promise<T>
}

export type Prepare = (connection: DuckDBConnection, sql: string) => Promise<DuckDBPreparedStatement>

/**
 * The most statements of one connection: about the number of query variants of the endpoints that are busy at the same time.
 * Each takes some 20 kB.
 */
const MAX_KEPT = 64

interface Kept {
  revision: number
  /** Statements by text, in the order of their last use. */
  readonly statements: Map<string, DuckDBPreparedStatement>
}

/** @param revision the revision of the tables and views; statements of another revision are removed */
export function keepStatements(prepare: Prepare, revision: () => number): Statements {
  const byConnection = new WeakMap<DuckDBConnection, Kept>()

  const keptOf = (connection: DuckDBConnection): Kept => {
    const kept = byConnection.get(connection) ?? { revision: revision(), statements: new Map() }
    byConnection.set(connection, kept)
    // DuckDB does not always notice a replaced view: replacing a view that reads no table does not invalidate a statement.
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
          // The bound values of callers must not stay in memory.
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

/** Prepares each statement anew, without a cache. */
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
