import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api'
import { expect } from 'chai'
import { keepStatements } from '../../../../runner/engines/duckdb/child/prepared-statements.js'

describe('kept statements', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  let prepared: string[]
  let revision: number

  beforeEach(async () => {
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
    prepared = []
    revision = 1
  })
  afterEach(() => instance.closeSync())

  const create = () =>
    keepStatements(
      (on, sql) => {
        prepared.push(sql)
        return on.prepare(sql)
      },
      () => revision,
    )
  const rowsWith =
    (...values: readonly bigint[]) =>
    async (statement: DuckDBPreparedStatement): Promise<unknown> => {
      for (const [i, value] of values.entries()) statement.bindBigInt(i + 1, value)
      return (await statement.runAndReadAll()).getRows()
    }

  it('prepares a text once for a connection, whatever is bound', async () => {
    const statements = create()
    expect(await statements.use(connection, 'SELECT $1::BIGINT', rowsWith(1n))).to.deep.equal([[1n]])
    expect(await statements.use(connection, 'SELECT $1::BIGINT', rowsWith(2n))).to.deep.equal([[2n]])
    expect(prepared).to.deep.equal(['SELECT $1::BIGINT'])
    await statements.use(await instance.connect(), 'SELECT $1::BIGINT', rowsWith(3n))
    expect(prepared).to.have.length(2)
  })

  it('keeps no value that was bound', async () => {
    const statements = create()
    await statements.use(connection, 'SELECT $1::BIGINT', rowsWith(1n))
    const failure = await statements.use(connection, 'SELECT $1::BIGINT', rowsWith()).catch(error => error)
    expect(String(failure)).to.match(/values were not provided|expected 1 parameters/i)
  })

  it('prepares a statement anew after a failure', async () => {
    const statements = create()
    const sql = "SELECT CASE WHEN $1::BIGINT = 0 THEN error('zero') ELSE 'ok' END"
    for (const value of [0n, 1n, 2n]) await statements.use(connection, sql, rowsWith(value)).catch(() => null)
    expect(prepared).to.have.length(2)
  })

  it('sees the present meaning of a name', async () => {
    const statements = create()
    const other = await instance.connect()
    await other.run('CREATE VIEW entries AS SELECT 1::BIGINT AS x')
    expect(await statements.use(connection, 'SELECT x FROM entries', rowsWith())).to.deep.equal([[1n]])
    await other.run('CREATE OR REPLACE VIEW entries AS SELECT 2::BIGINT AS x')
    revision = 2
    expect(await statements.use(connection, 'SELECT x FROM entries', rowsWith())).to.deep.equal([[2n]])
  })

  it('does not keep statements prepared before the tables changed', async () => {
    const statements = create()
    await statements.use(connection, 'SELECT 1', async () => {
      revision = 2
    })
    await statements.use(connection, 'SELECT 1', rowsWith())
    expect(prepared).to.have.length(2)
  })

  it('drops the least recently used', async () => {
    const statements = create()
    for (let i = 0; i < 64; i += 1) await statements.use(connection, `SELECT ${i}`, rowsWith())
    await statements.use(connection, 'SELECT 0', rowsWith())
    await statements.use(connection, 'SELECT 64', rowsWith())
    prepared = []
    await statements.use(connection, 'SELECT 0', rowsWith())
    expect(prepared).to.deep.equal([])
    await statements.use(connection, 'SELECT 1', rowsWith())
    expect(prepared).to.deep.equal(['SELECT 1'])
  })
})
