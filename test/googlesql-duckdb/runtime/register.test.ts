/** The time and the size of what a scalar function computes for one chunk of rows. */
import { expect } from 'chai'
import { registerScalarFunction } from '../../../googlesql-duckdb/runtime/register.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

const ROWS = 40

describe('a scalar function in JavaScript', () => {
  let session: SqlSession
  let calls = 0
  let computedMs = 0
  const reports: number[] = []
  let isEnded = true
  before(async () => {
    session = await openSqlSession([], ['SET threads = 1'])
    const onComputed = (id: number, ms: number): boolean => {
      reports.push(id)
      computedMs += ms
      return isEnded && computedMs > 50
    }
    for (const [name, rowMicros] of [
      ['bq_slow', 10_000],
      ['bq_brief', 200],
    ] as const) {
      const compute = (text: string): bigint => {
        calls++
        const started = process.cpuUsage()
        for (let micros = 0; micros < rowMicros; ) {
          const { user, system } = process.cpuUsage(started)
          micros = user + system
        }
        return BigInt(text)
      }
      const scalarFunction = { name, parameters: ['VARCHAR'], returns: 'BIGINT', handlesNull: false, compute } as const
      registerScalarFunction(session.connection, scalarFunction, onComputed)
    }
    registerScalarFunction(session.connection, {
      name: 'bq_large',
      parameters: ['BIGINT'],
      returns: 'VARCHAR',
      handlesNull: false,
      compute: (size: bigint) => 'x'.repeat(Number(size)),
    })
  })
  beforeEach(() => {
    calls = 0
    computedMs = 0
    reports.length = 0
    isEnded = true
  })
  after(() => session.close())

  const message = (sql: string): Promise<string> =>
    session.rows(sql).then(
      () => 'it succeeded',
      (error: Error) => error.message,
    )

  for (const sql of ['bq_slow(i::VARCHAR)', 'TRY(list_extract([bq_slow(i::VARCHAR)], 1))'])
    it(`is not computed any more once its query has been ended, and tells whose query it is: ${sql}`, async () => {
      const ended = await session.rows(`SELECT sum(${sql}), count(${sql}) FROM range(${ROWS}) t(i)`)
      expect(Number(ended[0]![1])).to.be.below(ROWS)
      expect(calls).to.be.within(2, ROWS / 2)
      expect(new Set(reports)).to.deep.equal(new Set([session.connection.clientContext.connectionId]))
      expect(computedMs).to.be.within(50, ROWS * 10)
    })

  it('reports all that it computes where each row is a chunk of its own, since one of them fails', async () => {
    isEnded = false
    const texts = `CASE WHEN i = 0 THEN 'no number' ELSE i::VARCHAR END`
    await session.rows(`SELECT sum(TRY(list_extract([bq_brief(${texts})], 1))) FROM range(2048) t(i)`)
    expect(calls).to.be.above(2048)
    expect(computedMs).to.be.above(calls * 0.1)
  })

  it('goes on where its query is not to be ended', async () => {
    isEnded = false
    expect(await session.rows(`SELECT sum(bq_slow(i::VARCHAR)) FROM range(${ROWS}) t(i)`)).to.deep.equal([['780']])
    expect(calls).to.equal(ROWS)
    expect(computedMs).to.be.above(ROWS * 5)
  })

  it('is refused when the results of a chunk are too large together, and not when one row is large', async () => {
    const sql = 'SELECT sum(length(bq_large(1000000 + i))) FROM range'
    expect(await session.rows(`${sql}(16) t(i)`)).to.deep.equal([['16000120']])
    expect(await message(`${sql}(2048) t(i)`)).to.include('Resources exceeded during query execution')
    expect(await session.rows('SELECT length(bq_large(40000000))')).to.deep.equal([['40000000']])
    expect(await session.rows('SELECT count(TRY(bq_large(1000000 + i))) FROM range(64) t(i)')).to.deep.equal([['64']])
  })

  it('fails with the reason of DuckDB where it has no memory for a result', async () => {
    await session.rows("SET memory_limit = '16MB'")
    expect(await message('SELECT count(DISTINCT bq_large(300000 + i)) FROM range(100) t(i)')).to.include(
      'failed to allocate',
    )
    await session.rows("SET memory_limit = '1GB'")
  })
})
