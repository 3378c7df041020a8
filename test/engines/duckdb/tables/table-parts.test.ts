/** The parts of a table, as those see them who keep results: keys that change with the rows, and the times in each part. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import type { DuckdbEngine } from '../../../../runner/engines/duckdb/duckdb-engine.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import type { TablePart } from '../../../../runner/model/query.js'
import { itInAll } from '../../../sample-size.js'
import { rowsFrom, rowsOf, runOptions } from '../../ask-engine.js'
import { openEngine, scratchFolder, source } from '../raw-engine.js'

const SCHEMA = [
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'local', type: 'DATETIME' },
  { name: 'day', type: 'DATE' },
  { name: 'n', type: 'INTEGER' },
]
const IMPORT = '20260131T120000000Z-0123abcd'

describe('the parts of a table', () => {
  const scratch = scratchFolder()
  const at = (name: string): string => join(scratch.path, 'data', name)
  let connection: DuckDBConnection
  let instance: DuckDBInstance
  let engine: DuckdbEngine

  const open = (): Promise<DuckdbEngine> => {
    const definition = { ...source('logs.cut', SCHEMA).definition, partitionedBy: 'at', partitionUnit: 'DAY' } as const
    const tables = [source('logs.edge', SCHEMA), source('logs.s_*', SCHEMA), { definition }]
    return openEngine({ dataDir: at(''), tables })
  }
  before(async () => {
    instance = await DuckDBInstance.create()
    connection = await instance.connect()
    await connection.run("SET TimeZone = 'UTC'")
    mkdirSync(at('logs'), { recursive: true })
    engine = await open()
  })
  beforeEach(() => {
    rmSync(at('logs'), { recursive: true, force: true })
    mkdirSync(at('logs'), { recursive: true })
  })
  after(async () => {
    await engine.close()
    instance.closeSync()
    scratch.remove()
  })

  const write = (name: string, text: string): void => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), text)
  }
  const row = (time: string | null): string => `${JSON.stringify({ at: time, n: 1 })}\n`
  const parquet = async (name: string, select: string): Promise<void> => {
    mkdirSync(dirname(at(name)), { recursive: true })
    await connection.run(`COPY (${select}) TO '${at(name)}' (FORMAT parquet)`)
  }
  const parts = async (table = 'logs.edge', column = 'at', withTimes = true): Promise<readonly TablePart[]> =>
    (await engine.tableParts(table, column, { withTimes, signal: new AbortController().signal }))!
  const timesOf = async (...of: readonly [table?: string, column?: string]): Promise<readonly unknown[]> =>
    (await parts(...of)).map(
      ({ times }) =>
        times &&
        [times.least, times.greatest].map(seconds => new Date(seconds * 1_000).toISOString().replace('.000', '')),
    )
  const keys = async (table = 'logs.edge'): Promise<readonly string[]> =>
    (await parts(table, 'at', false)).map(({ key }) => key)
  /** Asserts what of the keys stays when the files change, and that the keys are the same where times are asked for. */
  async function kept(change: () => unknown): Promise<readonly [number, number]> {
    const earlier = await keys()
    await change()
    const now = await keys()
    expect((await parts()).map(({ key }) => key)).to.deep.equal(now)
    return [now.filter(key => earlier.includes(key)).length, now.length]
  }

  it('of NDJSON change when a file grows, is replaced, or is gone', async () => {
    write('logs/edge/1.ndjson', row('2026-03-15T12:34:56.789012Z') + row('2026-03-15T10:00:00+02:00'))
    write('logs/edge/2.ndjson', row('2026-03-16T00:00:00Z'))
    expect(await timesOf()).to.deep.equal([
      ['2026-03-15T08:00:00Z', '2026-03-15T12:34:56Z'],
      ['2026-03-16T00:00:00Z', '2026-03-16T00:00:00Z'],
    ])
    expect(await kept(() => appendFileSync(at('logs/edge/2.ndjson'), row('2026-03-17T00:00:00Z')))).to.deep.equal([
      1, 2,
    ])
    expect((await timesOf())[1]).to.deep.equal(['2026-03-16T00:00:00Z', '2026-03-17T00:00:00Z'])
    const sameSizeAndTime = (): void => {
      const { atime, mtime } = statSync(at('logs/edge/2.ndjson'))
      const text = readFileSync(at('logs/edge/2.ndjson'), 'utf8').replace('-16T', '-11T')
      writeFileSync(at('logs/new'), text)
      renameSync(at('logs/new'), at('logs/edge/2.ndjson'))
      utimesSync(at('logs/edge/2.ndjson'), atime, mtime)
    }
    expect(await kept(sameSizeAndTime)).to.deep.equal([1, 2])
    expect((await timesOf())[1]).to.deep.equal(['2026-03-11T00:00:00Z', '2026-03-17T00:00:00Z'])
    expect(await kept(() => rmSync(at('logs/edge/1.ndjson')))).to.deep.equal([1, 1])
    expect(await kept(() => undefined)).to.deep.equal([1, 1])
  })

  it('of Parquet files are one for each, of which columns are read as queries read them', async () => {
    await parquet(
      'logs/edge/1.parquet',
      "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' + INTERVAL (i) HOUR AS at FROM range(48) AS t(i)",
    )
    // The order of texts and of times differ.
    await parquet('logs/edge/2.parquet', "SELECT unnest(['2026-01-02T00:00:00+03:00', '2026-01-01T22:00:00Z']) AS at")
    await parquet('logs/edge/3.parquet', 'SELECT unnest([1767225600, 1767225601]) AS at, 1 AS n')
    expect(await timesOf()).to.deep.equal([
      ['2026-01-01T00:00:00Z', '2026-01-02T23:00:00Z'],
      ['2026-01-01T21:00:00Z', '2026-01-01T22:00:00Z'],
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'],
    ])
    expect(await kept(() => parquet('logs/edge/0.parquet', 'SELECT NULL::TIMESTAMPTZ AS at'))).to.deep.equal([3, 4])
    expect((await timesOf())[0]).to.equal(null)
    expect(await kept(() => utimesSync(at('logs/edge/2.parquet'), 1, 1))).to.deep.equal([3, 4])
  })

  it('have times of the types DATE and DATETIME too', async () => {
    write('logs/edge.csv', 'local,day\n2026-01-31 10:00:00,2026-02-28\n2026-01-30T23:59:59.5,\n')
    expect(await timesOf('logs.edge', 'local')).to.deep.equal([['2026-01-30T23:59:59Z', '2026-01-31T10:00:00Z']])
    expect(await timesOf('logs.edge', 'day')).to.deep.equal([['2026-02-28T00:00:00Z', '2026-02-28T00:00:00Z']])
    expect(await timesOf('logs.edge', 'at')).to.deep.equal([null])
  })

  it('of an import are its files, and those of folders have the column of the folder', async () => {
    const files = ['2026-01-30', '2026-01-31'].map(day => `_partition=${day}/1.parquet`)
    for (const file of files)
      await parquet(`logs/cut/${IMPORT}/${file}`, `SELECT TIMESTAMPTZ '${file.slice(11, 21)} 12:00:00+00' AS at`)
    const imported = { id: IMPORT, rows: 2, partition: { column: 'at', unit: 'DAY' }, files }
    write('logs/cut/imports.json', JSON.stringify({ version: 1, imports: [imported], replaced: [], retired: [] }))
    const both = [
      ['2026-01-30T12:00:00Z', '2026-01-30T12:00:00Z'],
      ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
    ]
    expect(await timesOf('logs.cut')).to.deep.equal(both)
    expect((await parts('logs.cut')).map(({ key }) => key)).to.deep.equal(await keys('logs.cut'))
    write('logs/edge/day=2026-02-01/1.ndjson', row('2026-02-01T00:00:00Z'))
    await parquet('logs/edge/day=2026-02-02/1.parquet', 'SELECT 1 AS n')
    expect(await timesOf('logs.edge', 'day')).to.deep.equal([
      ['2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z'],
      ['2026-02-02T00:00:00Z', '2026-02-02T00:00:00Z'],
    ])
  })

  it('are none without files, and have no times where there are none, or none that can be written', async () => {
    expect(await parts()).to.deep.equal([])
    write('logs/edge/1.ndjson', '')
    write('logs/edge/2.csv', 'at,n\n')
    write('logs/edge/3.ndjson', row(null))
    expect(await timesOf()).to.deep.equal([null, null, null])
    rmSync(at('logs/edge'), { recursive: true })
    await parquet('logs/edge/1.parquet', "SELECT unnest([TIMESTAMPTZ '2026-01-01', 'infinity']) AS at")
    await parquet('logs/edge/2.parquet', "SELECT TIMESTAMPTZ '12026-01-01' AS at")
    expect((await parts()).map(part => Object.keys(part))).to.deep.equal([['key'], ['key']])
  })

  it('are not known of wildcard tables, and of shards they are', async () => {
    write('logs/s_20260101.ndjson', row('2026-01-01T00:00:00Z'))
    expect(await parts('logs.s_*')).to.equal(null)
    expect(await parts('logs.s_*', 'at', false)).to.equal(null)
    expect(await timesOf('logs.s_20260101')).to.deep.equal([['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z']])
    expect(await keys('logs.s_20260101')).to.deep.equal((await parts('logs.s_20260101')).map(({ key }) => key))
  })

  it('are not known of tables of a database and of INFORMATION_SCHEMA', async () => {
    const database = join(scratch.path, 'a.duckdb')
    const owner = await DuckDBInstance.create(database)
    const writing = await owner.connect()
    await writing.run('CREATE SCHEMA d; CREATE TABLE d.t AS SELECT current_date AS at')
    writing.closeSync()
    owner.closeSync()
    const over = await openEngine({ database })
    try {
      for (const table of ['d.t', 'd.INFORMATION_SCHEMA.TABLES', 'd.none'])
        for (const withTimes of [true, false])
          expect(await over.tableParts(table, 'at', { withTimes, signal: new AbortController().signal })).to.equal(null)
      const kept = over.keptQuery({ sql: 'SELECT at, COUNT(*) AS n FROM d.t GROUP BY at', parameters: {} })
      expect(kept).to.include({ reason: 'nothing tells which rows of an attached database have changed' })
    } finally {
      await over.close()
    }
  })

  it('are the same in another engine over the same files, and others where the files are read as other types', async () => {
    write('logs/edge/1.ndjson', row('2026-01-01T00:00:00Z'))
    await parquet('logs/edge/2.parquet', 'SELECT 1 AS n')
    const [same, other] = [
      await open(),
      await openEngine({ dataDir: at(''), tables: [source('logs.edge', SCHEMA.slice(0, 1))] }),
    ]
    const mine = engine
    try {
      const before = await keys()
      engine = same
      expect(await keys()).to.deep.equal(before)
      engine = other
      expect((await keys()).filter(key => before.includes(key))).to.deep.equal([])
    } finally {
      engine = mine
      await Promise.all([same.close(), other.close()])
    }
  })

  itInAll('of hundreds of files have the keys that queries make', async () => {
    for (let i = 0; i < 200; i++) write(`logs/edge/${i}.ndjson`, row('2026-01-01T00:00:00Z'))
    const before = await keys()
    expect(await rowsFrom(engine, 'SELECT COUNT(*) FROM `logs.edge`')).to.deep.equal([[200]])
    const now = await parts()
    expect(now.map(({ key }) => key)).to.deep.equal(before)
    expect(before.length).to.be.within(1, 20)
  })

  it('that a query names are all that it reads of the table, and later queries read all again', async () => {
    write('logs/edge/1.ndjson', row('2026-01-01T00:00:00Z'))
    await parquet('logs/edge/2.parquet', "SELECT TIMESTAMPTZ '2026-01-02' AS at, 2 AS n")
    await parquet('logs/edge/3.parquet', "SELECT TIMESTAMPTZ '2026-01-03' AS at, 3 AS n")
    const all = await keys()
    const days = async (chosen: readonly string[] | null): Promise<readonly unknown[]> => {
      const sql = `SELECT EXTRACT(DAY FROM e.at) AS d FROM logs.edge AS e ORDER BY d`
      const parts = chosen && { table: 'logs.edge', keys: chosen }
      return rowsOf(await engine.run({ sql, parameters: {} }, runOptions(parts ? { parts } : {}))).flat()
    }
    for (let round = 0; round < 3; round++) {
      expect(await Promise.all([...all.map(key => days([key])), days(null)])).to.deep.equal([[1], [2], [3], [1, 2, 3]])
      expect(await days([])).to.deep.equal([])
      expect(await days([all[0]!, all[2]!])).to.deep.equal([1, 3])
      for (let i = 0; i < 8; i++) expect(await days(null)).to.deep.equal([1, 2, 3])
    }
    await parquet('logs/edge/3.parquet', "SELECT TIMESTAMPTZ '2026-01-05' AS at, 3 AS n")
    // A part is read as it was when its key was told, until a query has read what is there now.
    expect(await days([all[2]!])).to.deep.equal([3])
    expect(await days(null)).to.deep.equal([1, 2, 5])
    expect(await days([all[1]!])).to.deep.equal([2])
    const lost = await days([all[2]!]).catch((error: RunnerError) => `${error.code} ${error.cause}`)
    expect(lost).to.match(/^QUERY_FAILED .*changed while it was read$/)
  })

  it('are told by the query that has read them, unless they may be others', async () => {
    write('logs/edge/1.ndjson', row('2026-01-01T00:00:00Z'))
    await parquet('logs/edge/2.parquet', "SELECT TIMESTAMPTZ '2026-01-02' AS at, 2 AS n")
    const told = async (sql: string, more = {}): Promise<unknown> =>
      (await engine.run({ sql, parameters: {} }, runOptions({ tellsParts: true, ...more }))).parts
    const [all, COUNT] = [await keys(), 'SELECT COUNT(*) FROM logs.edge']
    expect(await told(COUNT)).to.deep.equal({ 'logs.edge': all })
    expect(await told('SELECT 1 AS one')).to.deep.equal({})
    expect(await told(COUNT, { tellsParts: false })).to.equal(undefined)
    expect(await told(COUNT, { parts: { table: 'logs.edge', keys: all } })).to.deep.equal({})
    let isRunning = true
    const slow = told(`SELECT COUNTIF(SHA256(CAST(a + 2000 * b AS STRING)) < b'a') AS n, (${COUNT}) AS rows_of_all
      FROM UNNEST(GENERATE_ARRAY(1, 2000)) AS a, UNNEST(GENERATE_ARRAY(1, 300)) AS b`).finally(() => {
      isRunning = false
    })
    for (let change = 1; isRunning; change++) {
      write('logs/edge/3.ndjson', row('2026-01-03T00:00:00Z').repeat(change))
      expect(await told(COUNT)).to.not.deep.equal({ 'logs.edge': all })
    }
    rmSync(at('logs/edge/3.ndjson'))
    expect(await told(COUNT)).to.deep.equal({ 'logs.edge': all })
    // It has read neither what the table had before nor what it has now.
    expect(await slow).to.equal(undefined)
  })

  it('fail where a value of a file is bad, and where a file goes on changing', async () => {
    const failure = (): Promise<RunnerError | null> =>
      parts().then(
        () => null,
        (error: RunnerError) => error,
      )
    write('logs/edge.ndjson', '{"at":"x"}\n')
    expect(String((await failure())?.cause)).to.match(/edge\.ndjson:1:7: at: found "x"/)
    rmSync(at('logs/edge.ndjson'))
    await parquet(
      'logs/edge.parquet',
      "SELECT TIMESTAMPTZ '2026-01-01' + INTERVAL (i) SECOND AS at FROM range(200000) AS t(i)",
    )
    let touches = 0
    const timer = setInterval(() => utimesSync(at('logs/edge.parquet'), ++touches, touches), 1)
    const failed = await failure().finally(() => clearInterval(timer))
    expect(String(failed?.cause)).to.match(/changed while it was read$/)
    expect(await timesOf()).to.have.length(1)
    rmSync(at('logs/edge.parquet'))
    write('logs/edge.ndjson', row('2026-01-01T00:00:00Z').repeat(20_000))
    const growing = setInterval(() => appendFileSync(at('logs/edge.ndjson'), row('2026-01-02T00:00:00Z')), 1)
    const grown = await failure().finally(() => clearInterval(growing))
    expect(String(grown?.cause)).to.match(/logs\.edge changed while it was read$/)
    expect(await timesOf()).to.deep.equal([['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']])
  })
})
