/** How long a server of ours keeps idle connections: node:http does it, we say for how long. */
import { expect } from 'chai'
import { type Serving, serving, TOKEN } from '../serving.js'

describe('a keep-alive connection', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving()
  })
  afterEach(() => s.close())

  for (const [name, path] of [
    ['a hit', '/api/endpoints/query/tests.echo?project=a'],
    ['an answer of the app', '/healthz'],
  ] as const) {
    it(`is told after ${name} that it may be idle for 65 seconds`, async () => {
      await (await s.get(path)).text()
      const { headers } = await fetch(s.url + path, { headers: { 'X-API-KEY': TOKEN } })
      expect([headers.get('Connection'), headers.get('Keep-Alive')]).to.deep.equal(['keep-alive', 'timeout=65'])
    })
  }
})
