/** A long row is decoded in a thread, and gives what it would give without one. */
import { expect } from 'chai'
import { LongRows } from '../../../runner/engines/bigquery/decode/long-rows.js'
import type { RunnerError } from '../../../runner/model/errors.js'
import { openTestEngine, type TestEngine } from './open-test-engine.js'

const PAIR = {
  name: 'pairs',
  type: 'RECORD',
  mode: 'REPEATED',
  fields: [
    { name: 'n', type: 'INTEGER' },
    { name: 't', type: 'TIMESTAMP' },
  ],
}
const FIELDS = [{ name: 'id', type: 'INTEGER' }, PAIR]
const COUNT = 20_000
const pairs = Array.from({ length: COUNT }, (_, i) => ({ v: { f: [{ v: `${i}` }, { v: '1700000000123456' }] } }))
const row = (id: string) => ({ f: [{ v: id }, { v: pairs }] })

describe('a long row of BigQuery', () => {
  let test: TestEngine
  beforeEach(async () => {
    test = await openTestEngine({ maxResultBytes: 10_000_000 })
  })
  afterEach(() => test.close())

  it('is decoded among others, each in its place', async () => {
    const rows = [{ f: [{ v: '1' }, { v: [] }] }, row('2'), row('3'), { f: [{ v: '4' }, { v: [] }] }]
    test.fake.plan = () => ({ fields: FIELDS, rows })
    const { body, rowCount } = await test.run('SELECT 1')
    const { result } = JSON.parse(Buffer.from(body).toString()) as { result: { id: number; pairs: unknown[] }[] }
    expect(rowCount).to.equal(4)
    expect(result.map(one => [one.id, one.pairs.length])).to.deep.equal([
      [1, 0],
      [2, COUNT],
      [3, COUNT],
      [4, 0],
    ])
    expect(result[2]!.pairs[7]).to.deep.equal({ n: 7, t: '2023-11-14T22:13:20.123456Z' })
  })

  it('with a wrong cell fails as a short one does', async () => {
    const rows = [row('1'), { f: [{ v: '2' }, { v: [...pairs, { v: { f: [{ v: 'x' }, { v: null }] } }] }] }]
    test.fake.plan = () => ({ fields: FIELDS, rows })
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown as RunnerError)
    expect(error).to.include({ code: 'QUERY_FAILED', status: 502 })
    expect(((error as RunnerError).cause as Error).message).to.match(/^row 2, column pairs.n, INT64 expected/)
  })

  it('is decoded by the thread', async () => {
    const longRows = new LongRows({ timestamps: 'unix_micros' })
    const text = JSON.stringify(row('1'))
    expect(await longRows.cellsOf({ fields: FIELDS }, `${text},${text}`)).to.have.length(2)
    expect((await longRows.cellsOf({ fields: FIELDS }, text))![0]![1]).to.match(/^\[\{"n":0,"t":1700000000123456\},/)
    expect(await longRows.cellsOf({ fields: FIELDS }, '{"f":[]}')).to.equal(null)
    longRows.close()
  })
})
