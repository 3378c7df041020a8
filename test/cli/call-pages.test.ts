import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { command, type Finished, scratch } from './command.js'

const MANIFEST = `id: 9d0f4d0b-55a0-4b5c-9a38-2b1f0f7a6c12
name: shop.numbers
parameters:
  count: { type: int64, required: true }
settings: { max_rows: 7, cache: disabled, pages: { max_size: 4 } }
sql: |
  SELECT n FROM UNNEST(GENERATE_ARRAY(1, @count)) AS n ORDER BY n
`
const WHOLE = `id: 9d0f4d0b-55a0-4b5c-9a38-2b1f0f7a6c13
name: shop.whole
parameters:
  cursor: { type: int64, default: 1 }
sql: |
  SELECT @cursor AS n, CAST(@now AS STRING) AS now
`

describe('sluice call: pages', () => {
  const folder = scratch()
  const call = (...argv: readonly string[]): Promise<Finished> =>
    command(['call', ...argv, '--endpoints', folder.path('endpoints'), '--data', folder.path('data')])
  before(() => {
    for (const name of ['endpoints', 'data']) mkdirSync(folder.path(name))
    writeFileSync(folder.path('endpoints', 'shop.numbers.yaml'), MANIFEST)
    writeFileSync(folder.path('endpoints', 'shop.whole.yaml'), WHOLE)
  })
  after(() => folder.remove())

  const cursorOf = ({ err }: Finished): string | undefined => /^next: --cursor (\S+)$/m.exec(err)?.[1]

  it('are printed one after the other, by a process each', async () => {
    const first = await call('shop.numbers', 'count=5', '--page-size', '2')
    expect(first.out).to.match(/^n *\n-+\n1\n2\n$/m)
    expect(first.err).to.match(/^2 of 5 rows\nnext: --cursor \S+\n$/)
    const second = await call('shop.numbers', 'count=5', '--cursor', cursorOf(first)!, '--format', 'ndjson')
    expect(second.out).to.equal('{"n":3}\n{"n":4}\n')
    const third = await call(
      'shop.numbers',
      'count=5',
      '--cursor',
      cursorOf(second)!,
      '--page-size',
      '4',
      '--format',
      'json',
    )
    expect(third.out).to.equal('{"result":[{"n":5}],"next":null}')
    expect(third.err).to.equal('\n')
  })

  it('are all of the result, with --all in any format', async () => {
    const all = await call('shop.numbers', 'count=9', '--all', '--page-size', '2', '--format', 'csv')
    expect(all.out).to.equal('n\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n')
    expect(all.err).to.equal("cut after 7 rows, the endpoint's max_rows\n")
    const page = await call('shop.numbers', 'count=9', '--page-size', '2', '--format', 'csv')
    expect(page.err).to.match(/^cut after 7 rows, the endpoint's max_rows\nnext: --cursor/)
  })

  it('are refused by name where they cannot be', async () => {
    const refused = async (...argv: readonly string[]): Promise<string> => {
      const { code, out, err } = await call(...argv)
      expect(out).to.equal('')
      return `${code} ${err}`
    }
    const noPages = '2 sluice: shop.whole has no pages: its manifest has no settings.pages\n'
    for (const flags of [['--all'], ['--page-size', '2'], ['--cursor', 'x']])
      expect(await refused('shop.whole', ...flags)).to.equal(noPages)
    expect(await refused('shop.numbers', 'count=5', '--all', '--cursor', 'x')).to.equal(
      '2 sluice: --cursor or --all, not both\n',
    )
    expect(await refused('shop.numbers', 'count=5', '--now', '2026-01-31T12:00:00Z', '--cursor', 'x')).to.match(
      /^2 sluice: --cursor or --now, not both/,
    )
    expect(await refused('shop.numbers', 'count=5', 'page_size=2')).to.equal(
      '2 sluice: the page_size is a flag here: --page-size 2\n',
    )
    expect(await refused('shop.numbers', 'count=5', '--page-size', '5', '--cursor', 'x')).to.match(
      /^1 sluice: .*\n {2}page_size: must be a whole number from 1 to 4\n {2}cursor: must be one that this endpoint has given/,
    )
  })

  it('leave a parameter of their names alone where there are none', async () => {
    expect((await call('shop.whole', 'cursor=5', '--format', 'csv')).out).to.match(/^n,now\r\n5,/)
  })

  it('that are gone say so', async () => {
    const first = await call('shop.numbers', 'count=5', '--page-size', '2')
    writeFileSync(folder.path('endpoints', 'shop.numbers.yaml'), MANIFEST.replace('ORDER BY n', 'ORDER BY n DESC'))
    const gone = await call('shop.numbers', 'count=5', '--cursor', cursorOf(first)!)
    expect([gone.code, gone.err]).to.deep.equal([
      1,
      'sluice: The endpoint has changed since the first page was given; begin again without cursor.\n',
    ])
  })
})
