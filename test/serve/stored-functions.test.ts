/** Functions that are kept in a dataset, while a server runs: edits, mistakes, and stored results. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createRunner, LoadError, type Runner } from '../../runner/index.js'
import { settingsOf } from './folder-settings.js'

const manifest = (id: string, name: string, sql: string): string =>
  `id: ${id}\nname: ${name}\nsettings: { cache: { ttl_seconds: 3600 } }\nsql: |\n  ${sql}\n`

describe('functions that are kept in a dataset, while a server runs', () => {
  let folder = ''
  let runner: Runner
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const rowsOf = async (name: string): Promise<unknown> => {
    const { body } = await runner.call(name)
    return (JSON.parse(Buffer.from(body).toString()) as { readonly result: unknown }).result
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-functions-'))
    mkdirSync(join(folder, 'data'))
    write('functions/shop.net.sql', 'CREATE FUNCTION shop.net(x INT64) AS (shop.less(x, 1))')
    write('functions/shop.less.sql', 'CREATE FUNCTION shop.less(x INT64, y INT64) AS (x - y)')
    write('endpoints/a.yaml', manifest('5b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b01', 'shop.a', 'SELECT `shop.net`(10) AS n'))
    write('endpoints/b.yaml', manifest('5b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b02', 'shop.b', 'SELECT 1 AS n'))
    runner = await createRunner(settingsOf(folder))
  })
  after(async () => {
    await runner.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('change every endpoint with an edit: those that call them, also through another function, give other rows', async () => {
    expect(await rowsOf('shop.a')).to.deep.equal([{ n: 9 }])
    write('functions/shop.less.sql', 'CREATE FUNCTION shop.less(x INT64, y INT64) AS (x - 2 * y)')
    expect(await runner.reload()).to.include({ endpoints: 2, changed: 2 })
    expect(await rowsOf('shop.a')).to.deep.equal([{ n: 8 }])
  })

  it('are not taken with a mistake that breaks a served endpoint', async () => {
    write('functions/shop.less.sql', 'CREATE FUNCTION shop.less(x INT64, y INT64) AS (x - z)')
    const outcome = await runner.reload().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(outcome).to.be.instanceOf(LoadError)
    const found = (outcome as LoadError).diagnostics.map(({ file, line, column, message }) => [
      file.slice(folder.length + 1),
      line,
      column,
      message,
    ])
    expect(found).to.deep.include(['functions/shop.less.sql', 1, 53, 'Unrecognized name: z'])
    expect(await rowsOf('shop.a')).to.deep.equal([{ n: 8 }])
  })
})
