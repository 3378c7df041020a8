/** The tables of served endpoints are read before the first call. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Event } from '../../runner/model/events.js'
import { createRunner } from '../../runner/serve/runner.js'
import { until } from '../until.js'
import { settingsOf } from './folder-settings.js'

describe('the tables of served endpoints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-read-ahead-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  const serve = (n: number, table: string): void =>
    write(
      `endpoints/e${n}.yaml`,
      `id: 0000000${n}-0000-4000-8000-000000000000\nname: e${n}\nsql: |\n  SELECT COUNT(*) AS n FROM ${table}\n`,
    )

  it('are read from the start and after a reload, and no others are', async () => {
    for (const name of ['endpoints', 'tables', 'data/shop']) mkdirSync(join(folder, name), { recursive: true })
    for (const table of ['bad', 'later', 'served', 'unused']) {
      write(`tables/shop.${table}.json`, '[{"name": "n", "type": "INT64"}]')
      write(`data/shop/${table}.ndjson`, table === 'bad' ? '{"n":"x"}\n' : '{"n":1}\n')
    }
    serve(1, 'shop.bad')
    serve(2, 'shop.served')
    const reads: string[] = []
    let starts = 0
    const observe = (event: Event): void => {
      if (event.kind === 'engine.table-read') reads.push(event.table)
      if (event.kind === 'engine.started') starts++
    }
    const runner = await createRunner(settingsOf(folder), { observe })
    try {
      expect(reads).to.deep.equal([])
      const server = await runner.listen()
      await until(() => reads.length > 0, 'a table is read')
      serve(3, 'shop.later')
      await runner.reload()
      await until(() => reads.length > 1, 'another table is read')
      for (const name of ['e2', 'e3']) await runner.call(name)
      expect(reads).to.deep.equal(['shop.served', 'shop.later'])
      const failure = await runner.call('e1').catch((error: { readonly code: string }) => error.code)
      expect(failure).to.equal('QUERY_FAILED')
      // A new dataset makes another process take over, which has read them before.
      mkdirSync(join(folder, 'data/extra'))
      write('data/extra/items.ndjson', '{"n":1}\n')
      serve(4, 'extra.items')
      await runner.reload()
      await until(() => starts > 1, 'another process has taken over')
      for (const name of ['e2', 'e3']) await runner.call(name)
      expect(reads).to.deep.equal(['shop.served', 'shop.later'])
      await server.close()
    } finally {
      await runner.close()
    }
  }).timeout(60_000)
})
