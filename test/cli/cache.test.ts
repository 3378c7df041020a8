/** `sluice cache purge --url`, sent to a running server. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type Serving, serving, TOKEN } from '../http/serving.js'
import { ENDPOINT_ID, handMadeEndpoint } from '../request/hand-made.js'
import { command } from './command.js'

describe('cache purge --url', () => {
  let s: Serving
  before(async () => {
    const named = (name: string, i: number) => handMadeEndpoint({ id: ENDPOINT_ID.replace('0b', `${i}b`), name })
    s = await serving({ endpoints: ['o.one', 'o.two', 'p.one'].map((name, i) => named(name, i + 1)) })
  })
  after(() => s.close())

  const purged = () => s.events.flatMap(event => (event.kind === 'cache.purged' ? [event.endpoint] : []))

  it('prints what it purged, where the token may call only some endpoints', async () => {
    const SLUICE_TOKEN = await s.token({ allow: ['o.*'], purge: true })
    const before = purged().length
    const { code, out } = await command(['cache', 'purge', '--url', s.url], { SLUICE_TOKEN })
    expect([code, out]).to.deep.equal([0, 'purged the 2 endpoints that the token may call: o.one, o.two\n'])
    expect(purged().slice(before)).to.deep.equal(['o.one', 'o.two'])
    const one = await command(['cache', 'purge', 'o.two', '--url', s.url], { SLUICE_TOKEN })
    expect([one.code, one.out]).to.deep.equal([0, 'purged o.two\n'])
  })

  it('ends with 1 where the token may call no endpoint', async () => {
    const SLUICE_TOKEN = await s.token({ allow: ['q.*'], purge: true })
    const { code, out, err } = await command(['cache', 'purge', '--url', s.url], { SLUICE_TOKEN })
    expect([code, out]).to.deep.equal([1, ''])
    expect(err).to.include('nothing was purged')
  })

  it('keeps the path of the address', async () => {
    const asked: string[] = []
    const proxy: Server = createServer((req, res) => {
      asked.push(req.url ?? '')
      res.end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => proxy.once('listening', resolve))
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/base/`
    await command(['cache', 'purge', 'o.one', '--url', url], { SLUICE_TOKEN: TOKEN })
    expect(asked).to.deep.equal(['/base/api/endpoints/o.one/purge'])
    proxy.close()
    proxy.closeAllConnections()
  })

  for (const url of ['http://user:hunter2@127.0.0.1:1', 'ftp://127.0.0.1', 'nonsense', 'http://127.0.0.1:1/?x=1']) {
    it(`refuses ${url} as bad usage, and repeats no password`, async () => {
      const { code, err } = await command(['cache', 'purge', '--url', url], { SLUICE_TOKEN: TOKEN })
      expect([code, err.includes('--url must be'), err.includes('hunter2')]).to.deep.equal([2, true, false])
    })
  }
})
