import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { prepareSession } from '../../../../googlesql-duckdb/runtime/prepare-session.js'

/** Without the bodies, which DuckDB prints in another form once it has read them from a file; the cases run on these. */
const DEFINITIONS =
  "SELECT function_name, function_type, parameters::VARCHAR FROM duckdb_functions() WHERE function_name LIKE 'bq\\_%' ESCAPE '\\' AND macro_definition IS NOT NULL ORDER BY ALL"

describe('the macros that the build has created', () => {
  it('are those that a session creates', async () => {
    const created = await macrosOf(prepareSession)
    const built = await macrosOf(async connection => {
      await connection.run("ATTACH 'dist/macros.duckdb' AS built (READ_ONLY)")
    })
    expect(created).to.have.length.above(200)
    expect(built).to.deep.equal(created)
  })
})

async function macrosOf(prepare: (connection: DuckDBConnection) => Promise<void>): Promise<unknown> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    await prepare(connection)
    return (await connection.runAndReadAll(DEFINITIONS)).getRows()
  } finally {
    instance.closeSync()
  }
}
