import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeWalks, WALKED, WALKED_FIELDS, type WalkedService } from '../serve/page-walks.js'
import { openReplica, purge, type Replica, settingsOf, TOKEN } from '../serve/shop.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

describeOverEmulator('pages of results of BigQuery', emulator => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pages-'))
  let replica: Replica

  before(async () => {
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(join(folder, name))
    for (const { name, manifest } of WALKED) writeFileSync(join(folder, `endpoints/${name}.yaml`), manifest)
    writeFileSync(join(folder, 'tables/walks.rows.json'), JSON.stringify(WALKED_FIELDS))
    await emulator().addTable({ dataset: 'walks', table: 'rows', fields: WALKED_FIELDS, rows: [] })
    const environment = {
      BIGQUERY_EMULATOR_HOST: emulator().host,
      GOOGLE_CLOUD_PROJECT: PROJECT,
      SLUICE_ENGINE: 'bigquery',
    }
    replica = await openReplica(settingsOf(folder, environment))
  })
  after(async () => {
    await replica?.server.close()
    await replica?.runner.close()
    rmSync(folder, { recursive: true })
  })

  it('give each row of the first page’s moment once, in 450 random walks while the rows change', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const service: WalkedService = {
      call: (path, init = {}) =>
        fetch(`${replica.server.url}/api/endpoints/query/${path}`, { ...init, headers: { 'X-API-KEY': TOKEN } }),
      async write(rows) {
        const selects = rows.map(({ id, version }) => `SELECT ${id} AS id, ${version} AS version`)
        const query = `CREATE OR REPLACE TABLE walks.rows AS ${selects.join(' UNION ALL ')}`
        await emulator().post('queries', { query, useLegacySql: false })
      },
      async forget() {
        for (const { name } of WALKED) expect((await purge(replica, name)).status).to.equal(200)
      },
    }
    const { gone, pages } = await makeWalks(450, seed, service)
    expect(pages, `seed ${seed}`).to.be.greaterThan(800)
    expect(gone, `seed ${seed}`).to.be.greaterThan(0)
  })
})
