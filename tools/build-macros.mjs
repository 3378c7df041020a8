/**
 * Writes the macros that the SQL of googlesql-duckdb calls into a database, dist/macros.duckdb. A session that begins with a copy
 * of it starts in two thirds of the time: DuckDB parses and binds the macros for as long as all else takes.
 */
import { DuckDBInstance } from '@duckdb/node-api'

export async function buildMacros() {
  const { prepareSession } = await import('../dist/googlesql-duckdb/runtime/index.js')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("ATTACH 'dist/macros.duckdb' AS macros")
  await connection.run('USE macros')
  await prepareSession(connection)
  await connection.run('USE memory')
  // Takes what the log of the database holds into its file.
  await connection.run('DETACH macros')
  connection.closeSync()
  instance.closeSync()
}
