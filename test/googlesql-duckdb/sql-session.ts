/** A DuckDB in memory, prepared like the engine's sessions, for tests of SQL text. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { type TableDefinition, tableCatalogue } from '../../googlesql/tables.js'
import type { Type } from '../../googlesql/types/types.js'
import { prepareSession } from '../../googlesql-duckdb/runtime/prepare-session.js'
import { translate } from '../../googlesql-duckdb/translate.js'

export interface SqlSession {
  /** Runs DuckDB SQL. In the rows, values are text or numbers: BIGINT is a string, a list an array, a struct an object. */
  readonly rows: (sql: string) => Promise<unknown[][]>
  /** Translates BigQuery SQL and runs it; rows as in `rows`. */
  readonly query: (
    source: string,
    types?: Readonly<Record<string, Type>>,
    values?: readonly never[],
  ) => Promise<unknown[][]>
  readonly translated: (source: string, types?: Readonly<Record<string, Type>>) => string
  readonly connection: DuckDBConnection
  readonly close: () => void
}

export async function openSqlSession(
  tables: readonly TableDefinition[] = [],
  setUp: readonly string[] = [],
): Promise<SqlSession> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await prepareSession(connection)
  for (const statement of setUp) await connection.run(statement)
  const rows = async (sql: string, values: readonly never[] = []): Promise<unknown[][]> =>
    (await connection.runAndReadAll(sql, [...values])).getRowsJson()
  const translated: SqlSession['translated'] = (source, types = {}) =>
    translate(source, tableCatalogue(tables), types).sql
  return {
    rows,
    translated,
    query: (source, types, values) => rows(translated(source, types), values),
    connection,
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
