import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import type { Engine } from '../../../../runner/model/ports.js'
import { systemClock } from '../../../../runner/platform/clock.js'
import { openEngine } from '../../../../runner/serve/engine.js'
import { DEFAULT_SETTINGS, type Settings } from '../../../../runner/settings/settings.js'
import { sampleOf } from '../../../sample-size.js'
import { rowsFrom } from '../../ask-engine.js'

describe('tables of other projects on the embedded engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-names-'))
  const [tablesDir, dataDir] = [join(folder, 'tables'), join(folder, 'data')]
  const database = join(folder, 'warehouse.duckdb')
  let engine: Engine

  async function open(settings: Partial<Settings>): Promise<void> {
    engine = await openEngine(
      { ...DEFAULT_SETTINGS, tablesDir, dataDir, engineMemoryMb: 256, engineThreads: 1, ...settings },
      { observe: () => {}, clock: systemClock() },
    )
  }

  before(async () => {
    const schema = JSON.stringify([{ name: 'whose', type: 'STRING' }])
    for (const dataset of ['shop', 'other-project.shop', 'other-project.stock']) {
      mkdirSync(join(dataDir, dataset), { recursive: true })
      mkdirSync(tablesDir, { recursive: true })
      writeFileSync(join(tablesDir, `${dataset}.orders.json`), schema)
      writeFileSync(join(dataDir, dataset, 'orders.ndjson'), JSON.stringify({ whose: dataset }))
    }
    const instance = await DuckDBInstance.create(database)
    const connection = await instance.connect()
    await connection.run(`CREATE SCHEMA shop; CREATE SCHEMA "other-project.shop";
      CREATE TABLE shop.orders AS SELECT 'shop' AS whose;
      CREATE TABLE "other-project.shop".orders AS SELECT 'other-project.shop' AS whose;
      CREATE TABLE "other-project.shop".found AS SELECT 'found' AS whose`)
    connection.closeSync()
    instance.closeSync()
  })
  afterEach(() => engine.close())
  after(() => rmSync(folder, { recursive: true }))

  const CASES: readonly (readonly [says: string, from: string, whose: string, settings?: Partial<Settings>])[] = [
    ['have a folder with the name of project and dataset', '`other-project.shop.orders`', 'other-project.shop'],
    ['may be written without quotes', 'other-project.shop.orders', 'other-project.shop'],
    ['may have quotes around each part', '`other-project`.`shop`.orders', 'other-project.shop'],
    ['are others than those of the same dataset', '`shop.orders`', 'shop'],
    ['need no project that --project names', 'stock.orders', 'other-project.stock', { project: 'other-project' }],
    ['may be those of --project', '`mine.shop.orders`', 'shop', { project: 'mine' }],
    ['need no dataset that --dataset names', 'orders', 'shop', { defaultDataset: 'shop' }],
    ['may be in a --dataset', 'orders', 'other-project.stock', { defaultDataset: 'other-project.stock' }],
    ['may be in a database, too', '`other-project.shop.orders`', 'other-project.shop', { database }],
    ['are found in a database without a schema', '`other-project.shop.found`', 'found', { database }],
  ]
  for (const [says, from, whose, settings = {}] of sampleOf(CASES)) {
    it(`${says}: ${from}`, async () => {
      await open(settings)
      expect(await rowsFrom(engine, `SELECT whose FROM ${from}`)).to.deep.equal([[whose]])
    })
  }

  it('are found by the last part of their name', async () => {
    await open({})
    expect(await rowsFrom(engine, 'SELECT orders.whose FROM `other-project.shop.orders`')).to.deep.equal([
      ['other-project.shop'],
    ])
  })

  it('are not found without their project', async () => {
    await open({})
    const checked = await engine.check('SELECT whose FROM stock.orders', {})
    expect(checked)
      .to.have.nested.property('problem.message')
      .that.matches(/^Table not found: stock\.orders/)
  })
})
