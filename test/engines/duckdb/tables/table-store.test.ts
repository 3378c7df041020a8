/** Text files become tables of DuckDB that never change: a changed file is another table, and the old one goes. */
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import type { DataFile } from '../../../../runner/engines/duckdb/tables/data-folder.js'
import { OpenFiles } from '../../../../runner/engines/duckdb/tables/open-files.js'
import { QueryNeeds } from '../../../../runner/engines/duckdb/tables/query-needs.js'
import { FileChangedError } from '../../../../runner/engines/duckdb/tables/steady-copy.js'
import { groupsOf, TableStore } from '../../../../runner/engines/duckdb/tables/table-store.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import { itInAll } from '../../../sample-size.js'
import { until } from '../../../until.js'
import { openRawEngine, scratchFolder } from '../raw-engine.js'

const TABLE = { name: 'd.t', columns: [{ name: 'n', type: { kind: 'INT64' } }] } as const

describe('the tables of text files', () => {
  const scratch = scratchFolder()
  const at = (name: string): string => join(scratch.path, 'data/d/t', name)
  const write = (name: string, ...values: readonly unknown[]): void =>
    writeFileSync(at(name), values.map(n => `{"n":${JSON.stringify(n)}}\n`).join(''))
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  let openFiles: OpenFiles
  let store: TableStore

  beforeEach(async () => {
    rmSync(scratch.path, { recursive: true, force: true })
    mkdirSync(at(''), { recursive: true })
    const dataDir = join(scratch.path, 'data')
    instance = await DuckDBInstance.create()
    connection = await instance.connect()
    openFiles = new OpenFiles({ ownFolder: join(scratch.path, 'own'), dataDir, datasets: [join(dataDir, 'd')] })
    store = new TableStore(await instance.connect(), dataDir, openFiles)
    store.declare({ definition: TABLE, origin: { kind: 'data-folder' } })
  })
  afterEach(() => instance.closeSync())
  after(scratch.remove)

  const first = async (sql: string): Promise<unknown> => (await connection.runAndReadAll(sql)).getRows()[0]![0]
  const sum = (): Promise<unknown> => first('SELECT sum(n)::INTEGER FROM "d.t"')
  const tables = (): Promise<unknown> =>
    first("SELECT count(*)::INTEGER FROM duckdb_tables() WHERE table_name LIKE '~%'")
  const refresh = async (): Promise<number> => {
    const needs = new QueryNeeds()
    await store.prepare(['d.t'], needs)
    await needs.makeViews(connection)
    return needs.reads[0]?.files ?? 0
  }
  const haveLeft = (count: number): Promise<void> =>
    until(async () => (await tables()) === count, `only ${count} tables are left`)

  it('are one for each file, and another when the file changes', async () => {
    write('1.ndjson', 1)
    write('2.ndjson', 20)
    expect([await refresh(), await sum(), await tables()]).to.deep.equal([2, 21, 2])
    write('1.ndjson', 3)
    expect([await refresh(), await sum()]).to.deep.equal([1, 23])
    await haveLeft(2)
    rmSync(at('2.ndjson'))
    expect([await refresh(), await sum()]).to.deep.equal([0, 3])
  })

  it('are read anew where the table was declared with other columns while they were read', async () => {
    write('1.ndjson', 1)
    const columns = [...TABLE.columns, { name: 'm', type: { kind: 'INT64' } }] as const
    const prepared = store.prepare(['d.t'], new QueryNeeds())
    store.declare({ definition: { ...TABLE, columns }, origin: { kind: 'data-folder' } })
    expect(await prepared.catch((error: Error) => error)).to.be.instanceOf(FileChangedError)
    const needs = new QueryNeeds()
    await store.prepare(['d.t'], needs)
    await needs.makeViews(connection)
    expect(Object.keys(needs.partsRead()!)).to.deep.equal(['d.t'])
    expect(await first('SELECT count(m)::INTEGER FROM "d.t"')).to.equal(0)
  })

  it('are dropped once the queries that may read them have ended', async () => {
    write('1.ndjson', 1)
    await refresh()
    const end = openFiles.begin()
    write('1.ndjson', 2)
    await refresh()
    await store.refresh(['d.t'])
    expect(await tables()).to.equal(2)
    end()
    write('1.ndjson', 3)
    await refresh()
    expect(await sum()).to.equal(3)
    await haveLeft(1)
  })

  it('are kept where their files come back before the queries that may read them have ended', async () => {
    const move = (from: string, to: string): void =>
      renameSync(join(scratch.path, 'data/d', from), join(scratch.path, 'data/d', to))
    write('a.ndjson', 1, 2)
    const end = openFiles.begin()
    await refresh()
    move('t', 'aside')
    mkdirSync(at(''))
    write('a.ndjson', 4)
    await refresh()
    expect(await sum()).to.equal(4)
    move('t', 'other')
    move('aside', 't')
    await refresh()
    expect(await sum()).to.equal(3)
    end()
    await haveLeft(1)
    await refresh()
    expect(await sum()).to.equal(3)
  })

  it('are kept where another file of the table is bad, and not made again and again', async () => {
    write('1.ndjson', 1)
    write('2.ndjson', 'x')
    for (const n of [1, 2, 3]) {
      write('1.ndjson', n)
      const error = await store.refresh(['d.t']).catch((thrown: unknown) => thrown)
      expect(String(error)).to.match(/2\.ndjson:1:6: n: found "x", expected an INT64/)
    }
    write('2.ndjson', 20)
    expect([await refresh(), await sum()]).to.deep.equal([2, 23])
    await haveLeft(2)
  })

  itInAll('have the rows of many small files each, of which few are read again for a new file', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `${String(i).padStart(4, '0')}.ndjson`)
    for (const name of names) write(name, 1)
    expect([await refresh(), await sum()]).to.deep.equal([300, 300])
    expect(await tables()).to.be.within(2, 20)
    write('0000a.ndjson', 1)
    expect([await refresh(), await sum()]).to.deep.equal([1, 301])
  })

  it('are grouped so that a file more or less changes one group or two, and large files are alone', () => {
    const file = (name: string, size = 1_000n): DataFile => ({
      path: `/${name}`,
      format: 'ndjson',
      compression: 'uncompressed',
      size,
      mtimeNs: 0n,
      keys: [],
      stamp: name,
    })
    const all = Array.from({ length: 2_000 }, (_, i) => file(String(10_000 + i)))
    const texts = (files: readonly DataFile[]): readonly string[] =>
      groupsOf(files).map(group => JSON.stringify(group.map(({ path }) => path)))
    expect(texts(all.slice(0, 16))).to.have.length(16)
    const groups = texts(all)
    expect(groups.length).to.be.within(15, 80)
    expect(groupsOf(all).flat()).to.deep.equal(all)
    for (const i of [0, 500, 1_999]) {
      const rest = texts(all.toSpliced(i, 1))
      expect(groups.filter(group => !rest.includes(group)).length, String(i)).to.be.within(1, 2)
    }
    const large = all.map(({ path }) => file(path, 5_000_000n))
    expect(texts(large)).to.have.length(2_000)
  })
})

describe('a Parquet file that is overwritten in its place while a query reads it', () => {
  const scratch = scratchFolder()
  const path = join(scratch.path, 'd/t.parquet')
  after(scratch.remove)

  it('is read once more, and the query fails if it changes again', async () => {
    mkdirSync(join(scratch.path, 'd'))
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    await connection.run(`COPY (SELECT 1::BIGINT AS n FROM range(200)) TO '${path}' (FORMAT parquet)`)
    instance.closeSync()
    const raw = await openRawEngine({ dataDir: scratch.path })
    const columns = [{ name: 'n', type: { kind: 'INT64' } } as const]
    const sql =
      'SELECT count(*) FROM "d.t" AS a, "d.t" AS b, "d.t" AS c WHERE hash(a.n, b.n, c.n) >= 0 AND random() >= 0'
    const query = (): Promise<readonly (readonly unknown[])[]> => raw.rows({ sql, columns, tables: ['d.t'] })
    let touches = 0
    const touchAfter = (ms: number, times: number): NodeJS.Timeout =>
      setInterval(() => {
        if (touches < times) utimesSync(path, ++touches, touches)
      }, ms)
    try {
      expect(await query()).to.deep.equal([[8_000_000]])
      const once = touchAfter(30, 1)
      expect(await query().finally(() => clearInterval(once))).to.deep.equal([[8_000_000]])
      const always = touchAfter(5, Number.POSITIVE_INFINITY)
      const failure = await query().then(
        () => null,
        (error: RunnerError) => error,
      )
      clearInterval(always)
      expect(String(failure?.cause)).to.match(/t\.parquet changed while it was read$/)
    } finally {
      await raw.engine.close()
    }
  }).timeout(120_000)
})
