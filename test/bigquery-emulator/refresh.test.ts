/** Refreshes that read only what is new, on BigQuery: by the partitions that have changed, and what counts as settled. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { call, openReplica, type Replica, settingsOf, TOKEN } from '../serve/shop.js'
import { pause } from '../until.js'
import { describeOverEmulator, PROJECT } from './emulator.js'
import { startTellingProxy, type TellingProxy } from './telling-proxy.js'

const FIELDS = [
  { name: 'ts', type: 'TIMESTAMP' },
  { name: 'n', type: 'INT64' },
]
const manifest = (number: number, name: string, cache = ''): string => `id: 8c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2b0${number}
name: kept.${name}
description: Rows by the hour.
settings: { cache: { ttl_seconds: 0.2${cache} } }
sql: |
  SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, SUM(n) AS n
  FROM kept.${name}
  WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR)
  GROUP BY hour
  ORDER BY hour
`
/** The hours of a table, joined with their sums and put together with others. */
const TWICE = `id: 8c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2b0f
name: kept.twice
description: Rows and sums by the hour.
settings: { cache: { ttl_seconds: 0.2 } }
sql: |
  WITH sums AS (
    SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, SUM(n) AS n FROM kept.hours
    WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR) GROUP BY hour
  ),
  counts AS (
    SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS c FROM kept.hours AS h
    WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR) GROUP BY hour
  )
  SELECT hour, sums.n * 1000 + counts.c AS n FROM sums JOIN counts USING (hour)
  UNION ALL
  SELECT hour, c FROM counts
  ORDER BY hour, n
`
/** A running total, of which the last hours are given. */
const ABOVE = `id: 8c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2b0e
name: kept.above
description: Sums by the hour, and what they add up to.
settings: { cache: { ttl_seconds: 0.2 } }
sql: |
  SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, SUM(SUM(n)) OVER (ORDER BY TIMESTAMP_TRUNC(ts, HOUR)) AS n
  FROM kept.hours
  WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR)
  GROUP BY hour
  ORDER BY hour DESC
  LIMIT 4
`
/** A second is the shortest poll. */
const POLL_MS = 1_200

describeOverEmulator('a refresh on BigQuery', emulator => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-refresh-'))
  const began = Date.now()
  const hour = (ago: number): Date => new Date(Math.floor(began / 3_600_000 - ago) * 3_600_000)
  const idOf = (ago: number): string => hour(ago).toISOString().replace(/\D/g, '').slice(0, 10)
  let proxy: TellingProxy
  let replica: Replica
  let changes = 1_800_000_000

  before(async () => {
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(join(folder, name))
    for (const [i, [name, cache, layout]] of [
      ['hours', '', { timePartitioning: { type: 'HOUR', field: 'ts' } }],
      ['plain', '', {}],
      ['whole', ', refresh: whole', { timePartitioning: { type: 'HOUR', field: 'ts' } }],
    ].entries() as Iterable<[number, [string, string, object]]>) {
      writeFileSync(join(folder, `endpoints/kept.${name}.yaml`), manifest(i, name, cache))
      writeFileSync(join(folder, `tables/kept.${name}.json`), JSON.stringify({ schema: { fields: FIELDS }, ...layout }))
      await emulator().addTable({ dataset: 'kept', table: name, fields: FIELDS, rows: [] })
    }
    writeFileSync(join(folder, 'endpoints/kept.twice.yaml'), TWICE)
    writeFileSync(join(folder, 'endpoints/kept.above.yaml'), ABOVE)
    proxy = await startTellingProxy(emulator().host, PROJECT)
    for (const table of ['hours', 'plain', 'whole']) for (const ago of [6, 5, 4, 2, 0]) await insert(table, ago, 1)
    const environment = { BIGQUERY_EMULATOR_HOST: proxy.host, GOOGLE_CLOUD_PROJECT: PROJECT, SLUICE_ENGINE: 'bigquery' }
    replica = await openReplica(settingsOf(folder, { ...environment, SLUICE_DATA_POLL: '1' }))
  })
  after(async () => {
    await replica?.server.close()
    await replica?.runner.close()
    await proxy?.stop()
    rmSync(folder, { recursive: true })
  })

  async function insert(table: string, ago: number, n: number, isTold = true): Promise<void> {
    const ts = hour(ago).toISOString()
    await emulator().post('queries', {
      query: `INSERT INTO kept.${table} (ts, n) VALUES (TIMESTAMP '${ts}', ${n})`,
      useLegacySql: false,
    })
    const partition = proxy.partitions.find(({ table: of, id }) => of === table && id === idOf(ago))
    if (partition && isTold) partition.changed = changes++
    if (!partition) proxy.partitions.push({ table, id: idOf(ago), changed: changes++ })
  }

  /** The sums of the hours, and what the answer says of the cache, once the poll is over. */
  async function ask(name: string): Promise<readonly [readonly unknown[], string]> {
    await pause(POLL_MS)
    const { rows, cache } = await call(replica, `kept.${name}`)
    return [rows.map(({ n }) => n), /fwd=[^;]*|detail=.*/g[Symbol.match](cache)!.join(' ')]
  }

  it('reads what is not settled, and partitions that have changed', async () => {
    expect(await ask('hours')).to.deep.equal([[1, 1, 1, 1, 1], 'fwd=miss'])
    expect(await ask('hours')).to.deep.equal([[1, 1, 1, 1, 1], 'fwd=partial detail="kept 4 of 5 buckets; declared"'])
    await insert('hours', 5, 10)
    await insert('hours', 0, 100)
    expect(await ask('hours')).to.deep.equal([[1, 11, 1, 1, 101], 'fwd=partial detail="kept 3 of 5 buckets; declared"'])
    expect(await ask('hours')).to.deep.equal([[1, 11, 1, 1, 101], 'fwd=partial detail="kept 4 of 5 buckets; declared"'])
  })

  it('sees a late row once its partition is told to have changed', async () => {
    await ask('hours')
    await insert('hours', 6, 7, false)
    expect((await ask('hours'))[0]).to.deep.equal([1, 11, 1, 1, 101])
    proxy.partitions.find(({ table, id }) => table === 'hours' && id === idOf(6))!.changed = changes++
    expect((await ask('hours'))[0]).to.deep.equal([8, 11, 1, 1, 101])
  })

  it('sees it without that once its partition is purged, and reads no other', async () => {
    await insert('hours', 6, 3, false)
    expect((await ask('hours'))[0]).to.deep.equal([8, 11, 1, 1, 101])
    const path = `/api/tables/${PROJECT}.kept.hours/purge?partition=${idOf(6)}`
    const purged = await fetch(`${replica.server.url}${path}`, { method: 'POST', headers: { 'X-API-KEY': TOKEN } })
    expect(purged.status).to.equal(200)
    const partial = 'fwd=partial detail="kept 3 of 5 buckets; declared"'
    expect(await ask('hours')).to.deep.equal([[11, 11, 1, 1, 101], partial])
    await emulator().post('queries', {
      query: `DELETE FROM kept.hours WHERE n = 3`,
      useLegacySql: false,
    })
    proxy.partitions.find(({ table, id }) => table === 'hours' && id === idOf(6))!.changed = changes++
    expect(await ask('hours')).to.deep.equal([[8, 11, 1, 1, 101], partial])
  })

  it('keeps rows of a table that a query reads at several places', async () => {
    expect(await ask('twice')).to.deep.equal([[2, 8002, 2, 11002, 1, 1001, 1, 1001, 2, 101002], 'fwd=miss'])
    await insert('hours', 4, 5)
    expect(await ask('twice')).to.deep.equal([
      [2, 8002, 2, 11002, 2, 6002, 1, 1001, 2, 101002],
      'fwd=partial detail="kept 3 of 5 buckets; declared"',
    ])
  })

  it('keeps the groups below window functions, an order and a LIMIT', async () => {
    expect(await ask('above')).to.deep.equal([[127, 26, 25, 19], 'fwd=miss'])
    await insert('hours', 2, 50)
    expect(await ask('above')).to.deep.equal([[177, 76, 25, 19], 'fwd=partial detail="kept 3 of 5 buckets; declared"'])
  })

  it('reads all rows of a table that is not partitioned by its time, and where the manifest says so', async () => {
    for (const name of ['plain', 'whole']) {
      expect((await ask(name))[1]).to.equal('fwd=miss')
      expect((await ask(name))[1]).to.equal('fwd=miss')
    }
  })
})
