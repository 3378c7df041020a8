/** Sluice beside ordinary Express middleware: in an app around it, behind it, and on a server with its message classes. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express, { type Express } from 'express'
import { type Serving, serving, TOKEN } from './serving.js'

const HIT = '/api/endpoints/query/tests.echo?project=a'

/** What an ordinary app does, with everything that Express gives to requests and responses. */
function addOwnRoutes(app: Express): void {
  app.get('/own/json', (req, res) => {
    res.json({ agent: req.get('User-Agent'), query: req.query, ip: typeof req.ip, accepts: req.accepts('json') })
  })
  app.get('/own/send', (_req, res) => void res.status(202).type('text').send('sent'))
  app.get('/own/redirect', (_req, res) => void res.redirect('/own/send'))
  app.get('/own/cookie', (_req, res) => void res.cookie('a', 'b').append('X-Own', 'c').sendStatus(200))
}

describe('an Express app', () => {
  let s: Serving
  let finished: string[]
  beforeEach(async () => {
    s = await serving()
    finished = []
    await s.get('?project=a')
  })
  afterEach(() => s.close())

  /** Sluice with a middleware in front of it and routes in front of it or behind it. */
  function around(placeRoutes: 'before' | 'behind'): Express {
    const app = express()
    app.use((req, res, next) => {
      res.set('X-Front', `${req.get('X-Ask')} ${req.path}`)
      res.vary('X-Ask')
      res.once('finish', () => finished.push(`${res.statusCode} ${res.get('X-Front')} ${typeof res.json}`))
      next()
    })
    if (placeRoutes === 'before') addOwnRoutes(app)
    app.use((req, res, next) => (req.path.startsWith('/own') ? next() : s.listener(req, res)))
    if (placeRoutes === 'behind') addOwnRoutes(app)
    return app
  }

  async function asking<T>(
    listener: RequestListener,
    ask: (get: (path: string) => Promise<Response>) => Promise<T>,
  ): Promise<T> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const headers = { 'X-API-KEY': TOKEN, 'X-Ask': 'asked', 'User-Agent': 'test' }
    try {
      return await ask(path => fetch(url + path, { headers, redirect: 'manual' }))
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }

  async function expectOwnRoutes(get: (path: string) => Promise<Response>): Promise<void> {
    const json = await get('/own/json?a=1')
    expect(json.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    expect(await json.json()).to.deep.equal({ agent: 'test', query: { a: '1' }, ip: 'string', accepts: 'json' })
    const sent = await get('/own/send')
    expect([sent.status, await sent.text()]).to.deep.equal([202, 'sent'])
    const redirected = await get('/own/redirect')
    expect([redirected.status, redirected.headers.get('Location')]).to.deep.equal([302, '/own/send'])
    const { headers } = await get('/own/cookie')
    expect([headers.get('Set-Cookie'), headers.get('X-Own')]).to.deep.equal(['a=b; Path=/', 'c'])
  }

  for (const placeRoutes of ['before', 'behind'] as const) {
    it(`is whole with routes ${placeRoutes} Sluice`, async () => {
      const app = around(placeRoutes)
      await asking(app, async get => {
        await expectOwnRoutes(get)
        const hit = await get(HIT)
        expect(hit.headers.get('Cache-Status')).to.include('hit')
        expect(hit.headers.get('X-Front')).to.equal(`asked ${HIT.replace(/\?.*/, '')}`)
        expect(hit.headers.get('Vary')).to.equal('X-Ask, X-API-KEY, Authorization, Accept, Accept-Encoding')
        const body = await hit.text()
        const miss = await get(`${HIT}&size=7`)
        expect([miss.status, miss.headers.get('X-Front')]).to.deep.equal([200, hit.headers.get('X-Front')])
        await miss.text()
        expect(await (await get('/api/endpoints/query/nope')).json()).to.include({ code: 'ENDPOINT_UNKNOWN' })
        expect(await (await get(HIT)).text()).to.equal(body)
        await expectOwnRoutes(get)
      })
      expect(finished).to.include('200 asked /api/endpoints/query/tests.echo function')
      expect(finished).to.have.length(12)
    })
  }
})
