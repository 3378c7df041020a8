import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { call, openReplica, queries, type Replica, settingsOf } from '../serve/shop.js'
import { pause, until } from '../until.js'
import { describeOverEmulator, PROJECT } from './emulator.js'
import { startTellingProxy, type TellingProxy } from './telling-proxy.js'

const FIELDS = [{ name: 'id', type: 'INT64' }]
/** A second is the shortest poll, and an answer may be a second older. */
const STALE_MS = 2_500
const manifest = (
  number: number,
  name: string,
  table: string,
): string => `id: 8c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a0${number}
name: kept.${name}
description: The rows of a table.
settings: { cache: { until: data_changes } }
sql: |
  SELECT COUNT(*) AS n FROM kept.${table}
`

describeOverEmulator('results of BigQuery that are kept until the data changes', emulator => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-changes-'))
  let proxy: TellingProxy
  let replica: Replica
  let changes = 0

  before(async () => {
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(join(folder, name))
    for (const [i, name] of ['rows', 'seen', 'streamed', 'external', 'refused'].entries()) {
      writeFileSync(join(folder, `endpoints/kept.${name}.yaml`), manifest(i, name, name))
      writeFileSync(join(folder, `tables/kept.${name}.json`), JSON.stringify(FIELDS))
      if (name !== 'seen')
        await emulator().addTable({ dataset: 'kept', table: name, fields: FIELDS, rows: [{ id: 1 }] })
    }
    await query('CREATE VIEW kept.seen AS SELECT * FROM kept.rows')
    proxy = await startTellingProxy(emulator().host, PROJECT)
    proxy.listed.set('kept.seen', ['kept.rows'])
    const environment = { BIGQUERY_EMULATOR_HOST: proxy.host, GOOGLE_CLOUD_PROJECT: PROJECT, SLUICE_ENGINE: 'bigquery' }
    replica = await openReplica(settingsOf(folder, { ...environment, SLUICE_DATA_POLL: '1' }))
  })
  after(async () => {
    await replica?.server.close()
    await replica?.runner.close()
    await proxy?.stop()
    rmSync(folder, { recursive: true })
  })

  const query = (text: string) => emulator().post('queries', { query: text, useLegacySql: false })
  const ask = async (path: string) => {
    const { rows, cache } = await call(replica, path)
    return [rows[0]?.n, /hit|miss/.exec(cache)?.[0]]
  }
  async function insert(table: string): Promise<void> {
    await query(`INSERT INTO kept.${table} (id) VALUES (2)`)
    proxy.tables.set(`kept.${table}`, { lastModifiedTime: String(1_800_000_000_000 + changes++) })
  }

  it('cost no query while the data stays as it is, and one request a table and poll for all endpoints', async () => {
    expect(await ask('kept.rows')).to.deep.equal([1, 'miss'])
    const [before, askedBefore, began] = [queries(replica), proxy.asked.get('kept.rows')!, performance.now()]
    while (performance.now() - began < 3_000) {
      for (const path of ['kept.rows', 'kept.seen']) await ask(path)
      await pause(5)
    }
    const polls = Math.ceil((performance.now() - began) / 1_000)
    expect(queries(replica) - before).to.equal(1)
    expect(proxy.asked.get('kept.rows')! - askedBefore).to.be.within(2, polls + 1)
    expect(await ask('kept.rows')).to.deep.equal([1, 'hit'])
  })

  it('are new within the poll and a second after a change, also behind a view', async () => {
    for (const path of ['kept.rows', 'kept.seen']) await ask(path)
    for (let count = 2; count < 5; count++) {
      await insert('rows')
      await pause(STALE_MS)
      expect(await ask('kept.rows')).to.deep.equal([count, 'miss'])
      expect(await ask('kept.seen')).to.deep.equal([count, 'miss'])
      expect([await ask('kept.rows'), await ask('kept.seen')]).to.deep.equal([
        [count, 'hit'],
        [count, 'hit'],
      ])
    }
  })

  it('are dropped when a view is replaced, also by one of other tables', async () => {
    await ask('kept.seen')
    await query('CREATE OR REPLACE VIEW kept.seen AS SELECT * FROM kept.streamed')
    proxy.tables.set('kept.seen', { lastModifiedTime: '1900000000000' })
    proxy.listed.set('kept.seen', ['kept.streamed'])
    await pause(STALE_MS)
    expect(await ask('kept.seen')).to.deep.equal([1, 'miss'])
    await insert('streamed')
    await pause(STALE_MS)
    expect(await ask('kept.seen')).to.deep.equal([2, 'miss'])
  })

  it('are not kept where a table does not tell, or cannot be asked; then they are again', async () => {
    for (const [name, told] of [
      ['external', { type: 'EXTERNAL' }],
      ['refused', 403],
    ] as const) {
      proxy.tables.set(`kept.${name}`, told)
      expect(await ask(`kept.${name}`)).to.deep.equal([1, 'miss'])
      expect(await ask(`kept.${name}`)).to.deep.equal([1, 'miss'])
      const unknown = replica.events.flatMap(event => (event.kind === 'engine.data-unknown' ? [event.what] : []))
      expect(unknown).to.include(`${PROJECT}.kept.${name}`)
      // BigQuery is not asked again for each call.
      expect(proxy.asked.get(`kept.${name}`)).to.be.at.most(3)
      proxy.tables.set(`kept.${name}`, {})
      await until(async () => (await ask(`kept.${name}`))[1] === 'hit', 'a hit')
    }
  })

  it('of a table to which rows are streamed are kept, and dropped when it says more', async () => {
    proxy.tables.set('kept.streamed', { streamingBuffer: { estimatedRows: '10', oldestEntryTime: '1' } })
    await pause(STALE_MS)
    await until(async () => (await ask('kept.streamed'))[1] === 'hit', 'a hit')
    proxy.tables.set('kept.streamed', { streamingBuffer: { estimatedRows: '20', oldestEntryTime: '1' } })
    await pause(STALE_MS)
    expect((await ask('kept.streamed'))[1]).to.equal('miss')
  })
})
