import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { type SchemaField, tableCatalogue } from '../../../../googlesql/tables.js'
import { translate } from '../../../../googlesql-duckdb/translate.js'
import { openSession } from '../../../../runner/engines/duckdb/child/session.js'
import type { DuckdbEngine } from '../../../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../../../runner/engines/duckdb/open-engine.js'
import type { TableSource } from '../../../../runner/engines/duckdb/process/messages.js'
import { QueryNeeds } from '../../../../runner/engines/duckdb/tables/query-needs.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import { itInAll } from '../../../sample-size.js'
import { rowsFrom } from '../../ask-engine.js'
import { CLOCK, scratchFolder, source } from '../raw-engine.js'

const SCHEMA: readonly SchemaField[] = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'platform', type: 'STRING' },
  {
    name: 'params',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      { name: 'key', type: 'STRING' },
      { name: 'n', type: 'INTEGER' },
    ],
  },
]

describe('wildcard tables over a data folder', () => {
  const scratch = scratchFolder()
  let connection: DuckDBConnection
  let instance: DuckDBInstance
  const opened: DuckdbEngine[] = []

  before(async () => {
    instance = await DuckDBInstance.create()
    connection = await instance.connect()
  })
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close()
    for (const name of readdirSync(scratch.path)) rmSync(join(scratch.path, name), { recursive: true })
  })
  after(() => {
    instance.closeSync()
    scratch.remove()
  })

  const write = (name: string, contents: string): void => {
    const path = join(scratch.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
  const parquet = async (name: string, select: string): Promise<void> => {
    const path = join(scratch.path, name)
    mkdirSync(dirname(path), { recursive: true })
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
  }
  const open = async (...tables: readonly TableSource[]): Promise<DuckdbEngine> => {
    const engine = await openDuckdbEngine({
      dataDir: scratch.path,
      database: null,
      tables,
      memoryLimitMb: 256,
      threads: 1,
      tempDir: scratch.path.replace(/[^/]+$/, ''),
      observe: () => {},
      clock: CLOCK,
    })
    opened.push(engine)
    return engine
  }
  const failure = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    return error instanceof RunnerError ? String((error.cause as Error).message) : String(error)
  }
  const ids = 'SELECT _TABLE_SUFFIX AS s, id, platform FROM `ga.events_*`'

  it('opens no shard that the bounds of the suffix leave out', async () => {
    await parquet('ga/events_20260101.parquet', 'SELECT 1 AS id')
    await parquet('ga/events_20260102.parquet', "SELECT 2 AS id, 'web' AS platform")
    write('ga/events_20260103.parquet', 'no Parquet')
    write('ga/events_20260104.ndjson', '{broken\n')
    const engine = await open(source('ga.events_*', SCHEMA))
    const bounds = [
      "_TABLE_SUFFIX BETWEEN '20260101' AND '20260102'",
      "_TABLE_SUFFIX IN ('20260101', '20260102', '20260109')",
      "PARSE_DATE('%Y%m%d', _TABLE_SUFFIX) <= @day",
      '_TABLE_SUFFIX < FORMAT_DATE("%Y%m%d", DATE_ADD(@day, INTERVAL 1 DAY))',
      "REGEXP_CONTAINS(_TABLE_SUFFIX, r'0[12]$')",
      "'20260103' > _TABLE_SUFFIX AND _TABLE_SUFFIX < FORMAT_DATE('%Y%m%d', CURRENT_DATE())",
    ]
    for (const bound of bounds) {
      const parameters = bound.includes('@day') ? { day: { type: 'DATE', value: '2026-01-02' } } : {}
      expect(await rowsFrom(engine, `${ids} WHERE ${bound} ORDER BY 1`, parameters), bound).to.deep.equal([
        ['20260101', 1, null],
        ['20260102', 2, 'web'],
      ])
    }
    const text = await failure(rowsFrom(engine, `${ids} WHERE _TABLE_SUFFIX = '20260103'`))
    expect(text).to.contain('events_20260103.parquet')
    expect(await failure(rowsFrom(engine, ids))).to.match(/events_2026010[34]/)
  })

  it('says in an explanation how many shards it reads', async () => {
    for (const day of [1, 2, 3]) await parquet(`ga/events_2026010${day}.parquet`, `SELECT ${day} AS id`)
    const engine = await open(source('ga.events_*', SCHEMA))
    const { plan } = await engine.explain({ sql: `${ids} WHERE _TABLE_SUFFIX > '20260101'`, parameters: {} })
    expect(plan.split('\n')[0]).to.equal('ga.events_*: 2 of 3 shards')
  })

  it('reads shards of every form: files, folders, NDJSON and CSV', async () => {
    await parquet('ga/events_20260101/a.parquet', 'SELECT 1 AS id')
    await parquet('ga/events_20260101/b.parquet', "SELECT 2 AS id, 'ios' AS platform")
    write('ga/events_20260102.ndjson', '{"id": 3, "params": [{"key": "k", "n": 7}]}\n')
    write('ga/events_20260103/rows.csv', 'id,platform\n4,web\n')
    await parquet('ga/events_20260104.parquet', "SELECT 5 AS id, [{'n': 8, 'key': 'l', 'more': 1}] AS params")
    const engine = await open(source('ga.events_*', SCHEMA))
    const sql = `SELECT id, _TABLE_SUFFIX AS s, platform, (SELECT SUM(n) FROM UNNEST(params)) AS n FROM \`ga.events_*\` ORDER BY id`
    expect(await rowsFrom(engine, sql)).to.deep.equal([
      [1, '20260101', null, null],
      [2, '20260101', 'ios', null],
      [3, '20260102', null, 7],
      [4, '20260103', 'web', null],
      [5, '20260104', null, 8],
    ])
    expect(await rowsFrom(engine, 'SELECT id FROM ga.events_20260102')).to.deep.equal([[3]])
    expect(await rowsFrom(engine, 'SELECT COUNT(*) FROM `ga.*` WHERE ENDS_WITH(_TABLE_SUFFIX, "1")')).to.deep.equal([
      [2],
    ])
  })

  it('finds new shards and new rows without a restart', async () => {
    const engine = await open(source('ga.events_*', SCHEMA))
    expect(await rowsFrom(engine, ids)).to.deep.equal([])
    write('ga/events_20260101.ndjson', '{"id": 1}\n')
    expect(await rowsFrom(engine, ids)).to.deep.equal([['20260101', 1, null]])
    write('ga/events_20260101.ndjson', '{"id": 1}\n{"id": 2}\n')
    await parquet('ga/events_20260102.parquet', 'SELECT 3 AS id')
    expect(await rowsFrom(engine, `${ids} ORDER BY id`)).to.have.length(3)
    rmSync(join(scratch.path, 'ga/events_20260101.ndjson'))
    expect(await rowsFrom(engine, ids)).to.deep.equal([['20260102', 3, null]])
  })

  itInAll('takes the columns of the newest schema, or of the newest file', async () => {
    await parquet('ga/a_20251231.parquet', "SELECT 1 AS id, 'old' AS gone")
    await parquet('ga/a_20260101.parquet', "SELECT 2::BIGINT AS id, 'new' AS come")
    const engine = await open(
      source('ga.b_20260101', SCHEMA.slice(0, 2), { rows: [{ id: 2, platform: 'p' }] }),
      source('ga.b_20251231', SCHEMA.slice(0, 1), { rows: [{ id: 1 }] }),
    )
    expect(await rowsFrom(engine, 'SELECT * FROM `ga.a_*` ORDER BY id')).to.deep.equal([
      [1, null],
      [2, 'new'],
    ])
    expect(await rowsFrom(engine, 'SELECT *, _TABLE_SUFFIX AS s FROM `ga.b_*` ORDER BY id')).to.deep.equal([
      [1, null, '20251231'],
      [2, 'p', '20260101'],
    ])
  })

  itInAll(
    'reads new shards of a table without a schema, which are no tables of INFORMATION_SCHEMA until they are found',
    async () => {
      await parquet('ga/a_1.parquet', 'SELECT 1::BIGINT AS id')
      const engine = await open()
      const all = 'SELECT _TABLE_SUFFIX AS s, id FROM `ga.a_*` ORDER BY 1'
      expect(await rowsFrom(engine, all)).to.deep.equal([['1', 1]])
      await parquet('ga/a_2.parquet', "SELECT 2::INTEGER AS id, 'x' AS more")
      await parquet('ga/a_3.parquet', 'SELECT [[1]] AS nested')
      expect(await rowsFrom(engine, all)).to.deep.equal([
        ['1', 1],
        ['2', 2],
        ['3', null],
      ])
      const names = 'SELECT table_name FROM ga.INFORMATION_SCHEMA.TABLES ORDER BY 1'
      expect(await rowsFrom(engine, names)).to.deep.equal([['a_1'], ['a_2']])
      expect(await rowsFrom(engine, 'SELECT id, more FROM ga.a_2')).to.deep.equal([[2, 'x']])
      write('ga/a_4.ndjson', '{"id": 4}\n')
      expect(await failure(rowsFrom(engine, all))).to.contain(
        'ga.a_4 has no schema, so its ndjson files cannot be read',
      )
    },
  )

  itInAll('are checked and read by their own names after they were read as shards', async () => {
    write('ga/events_20260101.ndjson', '{"id": 1}\n')
    await parquet('ga/events_20260102.parquet', 'SELECT 2 AS id')
    const engine = await open(source('ga.events_*', SCHEMA))
    expect(await rowsFrom(engine, `${ids} ORDER BY id`)).to.have.length(2)
    for (const [day, id] of [
      ['20260101', 1],
      ['20260102', 2],
    ]) {
      const sql = `SELECT id FROM ga.events_${day}`
      const running = [rowsFrom(engine, ids), engine.check(sql, {}), rowsFrom(engine, sql)] as const
      const [all, check, rows] = await Promise.all(running)
      expect(all).to.have.length(2)
      expect(check.ok).to.equal(true)
      expect(rows).to.deep.equal([[id]])
    }
    write('ga/events_20260101.ndjson', '{"id": 3}\n')
    expect(await rowsFrom(engine, `${ids} ORDER BY id`)).to.deep.equal([
      ['20260102', 2, null],
      ['20260101', 3, null],
    ])
    expect(await rowsFrom(engine, 'SELECT id FROM ga.events_20260101')).to.deep.equal([[3]])
  })

  it('changes the state of the data with each shard', async () => {
    write('ga/events_20260101.ndjson', '{"id": 1}\n')
    const engine = await open(source('ga.events_*', SCHEMA))
    const state = () => engine.dataState!({ sql: ids, parameters: {} })
    const before = state()
    await new Promise(resolve => setImmediate(resolve))
    expect(state()).to.equal(before).and.be.a('string')
    write('ga/events_20260102.ndjson', '{"id": 2}\n')
    await new Promise(resolve => setImmediate(resolve))
    expect(state()).not.to.equal(before)
  })

  itInAll('lists the shards that there are in INFORMATION_SCHEMA', async () => {
    write('ga/events_20260101.ndjson', '{"id": 1}\n')
    await parquet('ga/other.parquet', 'SELECT 1 AS x')
    const engine = await open(source('ga.events_*', SCHEMA), source('ga.empty', SCHEMA.slice(0, 1)))
    const names = 'SELECT table_name FROM ga.INFORMATION_SCHEMA.TABLES ORDER BY 1'
    expect(await rowsFrom(engine, names)).to.deep.equal([['empty'], ['events_20260101'], ['other']])
    write('ga/events_20260102/rows.ndjson', '{"id": 2}\n')
    expect(await rowsFrom(engine, names)).to.deep.equal([
      ['empty'],
      ['events_20260101'],
      ['events_20260102'],
      ['other'],
    ])
    const columns = "SELECT column_name FROM ga.INFORMATION_SCHEMA.COLUMNS WHERE table_name LIKE '%0102' ORDER BY 1"
    expect(await rowsFrom(engine, columns)).to.deep.equal([['id'], ['params'], ['platform']])
    const rows = 'SELECT table_name, total_rows FROM ga.INFORMATION_SCHEMA.PARTITIONS ORDER BY 1'
    const counted = [
      ['empty', 0],
      ['events_20260101', 1],
      ['events_20260102', 1],
      ['other', 1],
    ]
    expect(await rowsFrom(engine, rows)).to.deep.equal(counted)
    write('ga/events_20260102/more.ndjson', '{"id": 3}\n')
    expect((await rowsFrom(engine, rows))[2]).to.deep.equal(['events_20260102', 2])
    expect((await engine.check(rows, {})).ok).to.equal(true)
    expect(engine.dataState!({ sql: names, parameters: {} })).to.equal(null)
    expect((await engine.check(names, {})).ok).to.equal(true)
  })

  it('reaches no file by a name that leads out of the dataset', async () => {
    await parquet('secret/t_1.parquet', 'SELECT 1 AS id')
    const engine = await open(source('ga.events_*', SCHEMA))
    for (const name of ['../secret/t_*', 'ga/../secret.t_*', '..secret.t_*', 'ga.../secret/t_*']) {
      expect(await failure(rowsFrom(engine, `SELECT 1 FROM \`${name}\``)), name).to.contain('does not match any table')
    }
  })

  // Twice the goal and more, for a slow machine.
  const MOST_CPU_MS = 1_000

  itInAll('plans 1,000 shards, of which a few are read, without opening the others', async () => {
    await parquet('ga/events_20240101.parquet', 'SELECT 1 AS id')
    for (let day = 0; day < 1_000; day++) write(`ga/events_${20250000 + day}.parquet`, 'no Parquet')
    const table = source('ga.events_*', SCHEMA)
    const session = await openSession({
      folder: join(scratch.path, 'engine'),
      dataDir: scratch.path,
      database: null,
      tables: [table],
      memoryLimitMb: 256,
      tempLimitMb: 100,
      threads: 1,
      connections: 1,
      isShared: false,
    })
    const { shardReads } = translate(`${ids} WHERE _TABLE_SUFFIX < '2025'`, tableCatalogue([table.definition]), {})
    const began = process.cpuUsage()
    const prepared = new QueryNeeds()
    const deps = { parameters: [], guard: async () => {}, evaluate: <T>(work: () => Promise<T>) => work() }
    await session.borrow(connection => session.shards.prepare(shardReads, { connection, ...deps }, prepared))
    const { user, system } = process.cpuUsage(began)
    expect(prepared.summary).to.deep.equal(['ga.events_*: 1 of 1001 shards'])
    expect((user + system) / 1_000).to.be.lessThan(MOST_CPU_MS)
  })
})
