import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DataState, dataCopyReader, dataStateReader } from '../../../../runner/engines/duckdb/tables/data-state.js'
import { readImports } from '../../../../runner/engines/duckdb/tables/imports-file.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'
import { makePipe } from '../../../pipe.js'

describe('the state of the data', () => {
  let folder = ''
  let state: DataState
  const at = (name: string): string => join(folder, name)
  /** Waits for the next turn of the event loop: calls in the same turn share one look at the files. */
  const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-state-'))
    mkdirSync(at('shop'))
    writeFileSync(at('shop/orders.ndjson'), '{}\n')
    writeFileSync(at('shop/items.csv'), 'a\n')
    state = dataStateReader({ dataDir: folder, database: null })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const CHANGES: readonly (readonly [string, () => void])[] = [
    ['a file that grows', () => appendFileSync(at('shop/orders.ndjson'), '{}\n')],
    ['a file that was touched', () => utimesSync(at('shop/orders.ndjson'), 1, 1)],
    [
      'a copy of the same size and time of change',
      () => {
        const { atime, mtime } = statSync(at('shop/orders.ndjson'))
        writeFileSync(at('shop/orders.ndjson'), '[]\n')
        utimesSync(at('shop/orders.ndjson'), atime, mtime)
      },
    ],
    ['another file of the table', () => writeFileSync(at('shop/orders.parquet'), '')],
    ['a file that is gone', () => rmSync(at('shop/orders.ndjson'))],
    [
      'a file in the folder of the table',
      () => {
        mkdirSync(at('shop/orders'))
        writeFileSync(at('shop/orders/1.csv'), '')
      },
    ],
  ]
  for (const [what, change] of CHANGES) {
    it(`changes after ${what}, and does not change for other tables`, async () => {
      const tables = [['shop.orders'], ['shop.orders', 'shop.items'], ['shop.items']]
      const before = tables.map(state)
      await turn()
      change()
      const after = tables.map(state)
      expect(after.map((one, i) => one === before[i])).to.deep.equal([false, false, true])
    })
  }

  it('is the same for the same files, in whatever order they are named and wherever the folder is', async () => {
    const before = state(['shop.orders', 'shop.items'])
    await turn()
    expect(state(['shop.items', 'shop.orders'])).to.equal(before)
    expect(before).to.be.a('string')
  })

  it('of a table without files changes when there is one', async () => {
    const before = state(['shop.new'])
    await turn()
    writeFileSync(at('shop/new.csv'), 'a\n')
    expect(state(['shop.new'])).to.not.equal(before)
  })

  it('is unknown where imports are broken, and where there is no folder', () => {
    mkdirSync(at('shop/orders'))
    writeFileSync(at('shop/orders/imports.json'), 'broken')
    expect(state(['shop.orders'])).to.equal(null)
    expect(dataStateReader({ dataDir: null, database: null })(['shop.orders'])).to.equal(null)
  })

  it('is unknown where imports are a pipe, which is not read', () => {
    mkdirSync(at('shop/orders'))
    const path = at('shop/orders/imports.json')
    const remove = makePipe(path, '{"version":1,"imports":[]}')
    try {
      expect(state(['shop.orders'])).to.equal(null)
      expect(() => readImports(at('shop/orders'))).to.throw(
        QueryFault,
        `${path} cannot be read: it is not an ordinary file`,
      )
    } finally {
      remove()
    }
  })

  it('of a database file is that of the file', () => {
    writeFileSync(at('a.duckdb'), 'x')
    const ofFile = dataStateReader({ dataDir: null, database: at('a.duckdb') })
    const before = ofFile(['shop.orders'])
    expect(ofFile([])).to.equal(before)
    appendFileSync(at('a.duckdb'), 'y')
    expect(ofFile(['shop.orders'])).to.not.equal(before)
  })
})

describe('the copy of the data', () => {
  let folder = ''
  const at = (name: string): string => join(folder, name)
  const copyOf = (name: string): string => dataCopyReader({ dataDir: at(name), database: null })()

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-copy-'))
    mkdirSync(at('a/shop'), { recursive: true })
    writeFileSync(at('a/shop/orders.ndjson'), '{}\n')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('stays the same, whatever changes in it and by whatever path it is reached', () => {
    const before = copyOf('a')
    expect(before).to.match(/^[\w-]{16}$/)
    appendFileSync(at('a/shop/orders.ndjson'), '{}\n')
    mkdirSync(at('a/more'))
    expect([copyOf('a'), copyOf('a/../a')]).to.deep.equal([before, before])
  })

  it('differs from another copy with the same contents, times and owners', () => {
    cpSync(at('a'), at('b'), { recursive: true, preserveTimestamps: true })
    expect(copyOf('b')).to.not.equal(copyOf('a'))
  })

  it('of a database file is that of its folder, and is looked up until the folder exists', () => {
    const ofFile = dataCopyReader({ dataDir: null, database: at('a/shop.duckdb') })
    expect(ofFile()).to.equal(copyOf('a'))
    const late = dataCopyReader({ dataDir: at('late'), database: null })
    expect(late()).to.equal('')
    mkdirSync(at('late'))
    expect(late()).to.equal(copyOf('late'))
    expect(dataCopyReader({ dataDir: null, database: null })()).to.equal('')
  })
})
