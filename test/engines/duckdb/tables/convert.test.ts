/** The SELECT that converts NDJSON reads it with all threads, and takes amounts without a second look. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StructField } from '../../../../googlesql/data.js'
import { convert } from '../../../../runner/engines/duckdb/tables/convert.js'
import { openSqlSession, type SqlSession } from '../../../googlesql-duckdb/sql-session.js'
import { scratchFolder } from '../raw-engine.js'

describe('the SELECT over NDJSON', () => {
  const scratch = scratchFolder()
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => {
    session.close()
    scratch.remove()
  })

  /** The first SELECT over these lines. */
  async function selectOf(lines: readonly string[], columns: readonly StructField[]): Promise<string> {
    const path = join(scratch.path, 'copy')
    writeFileSync(path, lines.map(line => `${line}\n`).join(''))
    const file = { path, name: path, format: 'ndjson', compression: 'uncompressed', keys: [] } as const
    const selects: string[] = []
    await convert(session.connection, file, { name: 'd.t', columns }, async select => void selects.push(select))
    return selects[0]!
  }

  it('reads one file, since DuckDB reads a file with one thread where it has as many files as threads', async () => {
    const select = await selectOf(['{"a":"x"}'], [{ name: 'a', type: { kind: 'STRING' } }])
    expect(JSON.stringify(await session.rows(`EXPLAIN ${select}`))).to.contain('Scanning Files: 1/3')
    expect(await session.rows(select)).to.deep.equal([['x']])
  })

  it('has no row of its own where a column has the name by which DuckDB chooses files', async () => {
    const select = await selectOf(['{"FileName":"x"}'], [{ name: 'filename', type: { kind: 'STRING' } }])
    expect(await session.rows(select)).to.deep.equal([['x']])
  })

  it('takes NUMERICs of any length as they are written', async () => {
    const numbers = ['1.5', '-0.5', '0.000001', '12345678', '123456.7', '-1234567', '123456.789012345', '"7.25"', '100']
    const lines = numbers.map(number => `{"n":${number}}`)
    const rows = await session.rows(await selectOf(lines, [{ name: 'n', type: { kind: 'NUMERIC' } }]))
    expect(rows.map(([n]) => Number(n))).to.deep.equal(numbers.map(number => Number(number.replaceAll('"', ''))))
  })

  it('is made without holding many rows, so that V8’s young generation, which a process keeps, stays small', () => {
    const path = join(scratch.path, 'many')
    writeFileSync(
      path,
      `${JSON.stringify({ a: 'x'.repeat(500), list: Array.from({ length: 50 }, (_, b) => ({ b })) })}\n`.repeat(1_000),
    )
    const script = `
      import { getHeapSpaceStatistics } from 'node:v8'
      import { DuckDBInstance } from '@duckdb/node-api'
      import { convert } from './dist/runner/engines/duckdb/tables/convert.js'
      const connection = await (await DuckDBInstance.create()).connect()
      const file = { path: ${JSON.stringify(path)}, name: 'many', format: 'ndjson', compression: 'uncompressed', keys: [] }
      const list = { kind: 'ARRAY', element: { kind: 'STRUCT', fields: [{ name: 'b', type: { kind: 'INT64' } }] } }
      const columns = [{ name: 'a', type: { kind: 'STRING' } }, { name: 'list', type: list }]
      for (let i = 0; i < 10; i++) await convert(connection, file, { name: 'd.t', columns }, async () => undefined)
      console.log(getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(Number(stdout)).to.be.within(1, 20_000_000)
  })
})
