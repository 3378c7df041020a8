import { expect } from 'chai'
import { parseExact } from '../../runner/model/exact-json.js'
import { handMadeEndpoint } from '../request/hand-made.js'
import { type Serving, serving } from './serving.js'

// biome-ignore lint/suspicious/noExplicitAny: a document is JSON, and each test asserts what it reads
type Json = any

const pathsOf = async (response: Response): Promise<readonly string[]> =>
  Object.keys(((await response.json()) as Json).paths)

describe('http: GET /openapi.json', () => {
  const other = handMadeEndpoint({ name: 'other.thing', id: '11111111-1111-4111-8111-111111111111', parameters: [] })
  let http: Serving
  before(async () => {
    http = await serving({ endpoints: [handMadeEndpoint(), other] })
  })
  after(() => http.close())

  it('describes what the token may call, at the origin of the request', async () => {
    const response = await http.get('/openapi.json')
    expect(response.status).to.equal(200)
    expect(response.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    expect(response.headers.get('Cache-Control')).to.equal('private, no-cache')
    expect(response.headers.get('Vary')).to.equal('X-API-KEY, Authorization, Accept')
    const document = (await response.json()) as Json
    expect(document.openapi).to.equal('3.1.1')
    expect(document.servers).to.deep.equal([{ url: http.url }])
    expect(Object.keys(document.paths)).to.have.members([
      '/api/endpoints/query/other.thing',
      '/api/endpoints/query/tests.echo',
    ])
  })

  it('needs a token', async () => {
    const response = await fetch(`${http.url}/openapi.json`)
    expect(response.status).to.equal(401)
  })

  it('leaves out pins, and the endpoints that the token may not call; the revision is the same', async () => {
    const token = await http.token({ allow: ['*'], pin: { project: 'a' }, allTenants: true })
    const response = await http.get('/openapi.json', { headers: { 'X-API-KEY': token } })
    const document = (await response.json()) as Json
    expect(Object.keys(document.paths)).to.deep.equal(['/api/endpoints/query/tests.echo'])
    const { get } = document.paths['/api/endpoints/query/tests.echo']
    expect(get['x-sluice-pinned']).to.deep.equal(['project'])
    expect(get.parameters.map((one: Json) => one.name)).not.to.include('project')
    const whole = (await (await http.get('/openapi.json')).json()) as Json
    expect(document.info.version).to.equal(whole.info.version)
    const scoped = await http.token({ allow: ['other.*'] })
    const headers = { 'X-API-KEY': scoped }
    expect(await pathsOf(await http.get('/openapi.json', { headers }))).to.deep.equal([
      '/api/endpoints/query/other.thing',
    ])
  })

  it('is 3.0 by version, and any other version is a 400', async () => {
    const old = (await (await http.get('/openapi.json?version=3.0')).json()) as Json
    expect(old.openapi).to.equal('3.0.3')
    const refused = await http.get('/openapi.json?version=2.0&formats=some')
    expect(refused.status).to.equal(400)
    const { code, errors } = (await refused.json()) as Json
    expect(code).to.equal('ARGUMENT_INVALID')
    expect(errors.map(({ parameter }: Json) => parameter)).to.deep.equal(['version', 'formats'])
    expect((await http.get('/openapi.json?version=3.1&version=3.0')).status).to.equal(400)
  })

  it('has all media types of results with formats=all', async () => {
    const document = (await (await http.get('/openapi.json?formats=all')).json()) as Json
    const { content } = document.paths['/api/endpoints/query/tests.echo'].get.responses['200']
    expect(content).to.have.any.keys('text/csv')
  })

  it('has the type of OpenAPI for callers who ask for it, and a tag of its own', async () => {
    const json = await http.get('/openapi.json')
    const openapi = await http.get('/openapi.json', { headers: { Accept: 'application/openapi+json' } })
    expect(openapi.headers.get('Content-Type')).to.equal('application/openapi+json;version=3.1')
    expect(await openapi.text()).to.equal(await json.text())
    expect(openapi.headers.get('ETag')).not.to.equal(json.headers.get('ETag'))
    const old = await http.get('/openapi.json?version=3.0', {
      headers: { Accept: 'application/openapi+json;version=3.0' },
    })
    expect(old.headers.get('Content-Type')).to.equal('application/openapi+json;version=3.0')
    const versioned = async (Accept: string, path = '/openapi.json'): Promise<readonly unknown[]> => {
      const response = await http.get(path, { headers: { Accept } })
      return [response.headers.get('Content-Type'), ((await response.json()) as Json).openapi]
    }
    const OPENAPI = 'application/openapi+json'
    expect(await versioned(`${OPENAPI};version=3.0`)).to.deep.equal([`${OPENAPI};version=3.0`, '3.0.3'])
    expect(await versioned(`${OPENAPI};version=3.0.3, application/json;q=0.5`)).to.deep.equal([
      `${OPENAPI};version=3.0.3`,
      '3.0.3',
    ])
    expect(await versioned(`${OPENAPI};version=3.1`)).to.deep.equal([`${OPENAPI};version=3.1`, '3.1.1'])
    expect(await versioned(`${OPENAPI};version=2.0`)).to.deep.equal(['application/json; charset=utf-8', '3.1.1'])
    expect(await versioned(`${OPENAPI};version=3.0`, '/openapi.json?version=3.1')).to.deep.equal([
      'application/json; charset=utf-8',
      '3.1.1',
    ])
    const browser = await http.get('/openapi.json', { headers: { Accept: 'text/html,*/*;q=0.8' } })
    expect(browser.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
  })

  it('keeps the digits of numbers in examples', async () => {
    const rows = '[{"project":12345678901234567890.123}]'
    const exact = await serving({ endpoints: [handMadeEndpoint({ example: parseExact(rows) as unknown[] })] })
    const text = await (await exact.get('/openapi.json')).text()
    await exact.close()
    expect(text).to.include(`"example":{"result":${rows}}`)
  })

  it('is a 304 until an endpoint changes', async () => {
    const first = await http.get('/openapi.json')
    const headers = { 'If-None-Match': first.headers.get('ETag')! }
    const again = await http.get('/openapi.json', { headers })
    expect([again.status, await again.text()]).to.deep.equal([304, ''])
    http.replaceEndpoints([handMadeEndpoint({ revision: 'r2' }), other])
    const changed = await http.get('/openapi.json', { headers })
    expect(changed.status).to.equal(200)
    expect(changed.headers.get('ETag')).not.to.equal(first.headers.get('ETag'))
  })

  it('answers HEAD without a body, and no other method', async () => {
    const head = await http.get('/openapi.json', { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    expect(Number(head.headers.get('Content-Length'))).to.be.greaterThan(1000)
    expect((await http.get('/openapi.json', { method: 'POST' })).status).to.equal(405)
  })

  it('names the public address where there is one', async () => {
    const behind = await serving({ publicUrl: 'https://data.example.com/reports' })
    const document = (await (await behind.get('/openapi.json')).json()) as Json
    await behind.close()
    expect(document.servers).to.deep.equal([{ url: 'https://data.example.com/reports' }])
  })
})

describe('http: GET /api/endpoints', () => {
  it('says what the token pins', async () => {
    const http = await serving()
    const headers = { 'X-API-KEY': await http.token({ allow: ['*'], pin: { project: 'a' } }) }
    const all = (await (await http.get('/api/endpoints', { headers })).json()) as Json
    const one = (await (await http.get('/api/endpoints/tests.echo', { headers })).json()) as Json
    const free = (await (await http.get('/api/endpoints/tests.echo')).json()) as Json
    await http.close()
    expect([all.endpoints[0].pinned, one.pinned, free.pinned]).to.deep.equal([{ project: 'a' }, { project: 'a' }, {}])
  })
})
