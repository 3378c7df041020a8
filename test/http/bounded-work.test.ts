/** What one request may cost before it is refused, and what is made once for many. */
import { expect } from 'chai'
import { systemClock } from '../../runner/platform/clock.js'
import { rawRequest } from './raw-request.js'
import { type Serving, serving, TOKEN } from './serving.js'

const ECHO = '/api/endpoints/query/tests.echo?project=a'

describe('a header that is a list', () => {
  let s: Serving
  before(async () => {
    s = await serving()
  })
  after(() => s.close())

  for (const name of ['Accept', 'Accept-Encoding', 'Cache-Control', 'If-None-Match', 'If-Match']) {
    it(`may have 8,192 characters: ${name}`, async () => {
      const ask = (length: number) =>
        rawRequest(s.url + ECHO, 'GET', { 'X-API-KEY': TOKEN, [name]: '*/*, x'.padEnd(length, ',') })
      expect((await ask(8_192)).status).to.not.equal(431)
      const refused = await ask(8_193)
      expect([refused.status, JSON.parse(refused.body.toString()).detail]).to.deep.equal([
        431,
        `The header ${name.toLowerCase()} may have at most 8192 characters.`,
      ])
    })
  }

  it('is refused before a body is read: Content-Type', async () => {
    const headers = { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json'.padEnd(8_193, ';') }
    expect((await rawRequest(s.url + ECHO, 'POST', headers, '{}')).status).to.equal(431)
  })

  it('is not read by the fast path where it is longer', async () => {
    await (await s.get(ECHO)).text()
    const before = s.slowPathCalls()
    const headers = { 'X-API-KEY': TOKEN, Accept: 'a/b,'.repeat(2_049) }
    expect((await rawRequest(s.url + ECHO, 'GET', headers)).status).to.equal(431)
    expect(s.slowPathCalls()).to.equal(before + 1)
  })
})

describe('the metrics', () => {
  it('are rendered at most once in a second', async () => {
    let ticks = 0
    const s = await serving({ clock: { ...systemClock(), ticksMs: () => ticks } })
    const scrape = async (): Promise<number> => {
      const text = await (await fetch(`${s.url}/metrics`)).text()
      return Number(/^sluice_requests_total\{endpoint="",status="200"\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    const first = await scrape()
    await s.done()
    ticks = 999
    expect(await scrape()).to.equal(first)
    ticks = 1_000
    expect(await scrape()).to.be.greaterThan(first)
    await s.close()
  })
})
