/** `--hosts`, and `--metrics-port`. */
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { makeFolder, openReplica, TOKEN as SHOP_TOKEN, settingsOf } from '../serve/shop.js'
import { rawRequest } from './raw-request.js'
import { type Serving, serving, TOKEN } from './serving.js'

const PATH = '/api/endpoints/query/tests.echo?project=a'

describe('--hosts', () => {
  let s: Serving
  before(async () => {
    s = await serving({ hosts: ['Data.example.com', '[::1]'] })
  })
  after(() => s.close())

  for (const [host, status] of [
    ['data.example.com', 200],
    ['DATA.example.com:8080', 200],
    ['[::1]:8080', 200],
    ['example.com', 421],
    ['data.example.com.evil.example', 421],
    ['evil.example', 421],
    ['127.0.0.1:8080', 421],
    ['', 421],
  ] as const) {
    it(`answers ${status} to ${host || 'no name'}, on both ways`, async () => {
      const headers = { 'X-API-KEY': TOKEN, Host: host }
      await rawRequest(s.url + PATH, 'GET', { ...headers, Host: 'data.example.com' })
      const before = s.slowPathCalls()
      const answer = await rawRequest(s.url + PATH, 'GET', headers)
      expect([answer.status, s.slowPathCalls() - before]).to.deep.equal([status, status === 200 ? 0 : 1])
      expect((await rawRequest(`${s.url}/healthz`, 'GET', { Host: host })).status).to.equal(status)
      if (status === 421) expect(JSON.parse(answer.body.toString())).to.include({ code: 'HOST_NOT_SERVED' })
    })
  }
})

describe('--metrics-port', function () {
  this.timeout(120_000)

  it('moves metrics and health to a port of their own, for any Host, until the last call is answered', async () => {
    const folder = makeFolder()
    const settings = { ...settingsOf(folder, {}), metricsPort: 0, hosts: ['data.example.com'] }
    const { runner, server } = await openReplica(settings)
    try {
      const own = server.metricsUrl!
      expect(own)
        .to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
        .and.not.equal(server.url)
      const ask = async (path: string, headers: Record<string, string> = {}) =>
        (await rawRequest(path, 'GET', headers)).status
      const served = { Host: 'data.example.com', 'X-API-KEY': SHOP_TOKEN }
      for (const path of ['/metrics', '/healthz', '/readyz']) {
        expect([path, await ask(own + path)]).to.deep.equal([path, 200])
        expect([path, await ask(server.url + path, served)]).to.deep.equal([path, 404])
      }
      expect(await ask(`${own}/api/endpoints`, served)).to.equal(404)
      expect(await ask(`${own}/mcp`, served)).to.equal(404)
      expect(await ask(`${server.url}/api/endpoints`, served)).to.equal(200)
      const text = await (await fetch(`${own}/metrics`)).text()
      expect(text).to.include('sluice_manifests_loaded')
    } finally {
      await server.close()
      await runner.close()
      rmSync(folder, { recursive: true, force: true })
    }
    await fetch(`${server.metricsUrl}/healthz`).then(
      () => expect.fail('it still answers'),
      () => undefined,
    )
  })
})
