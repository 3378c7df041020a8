/** `GET /api/endpoints/explain/<name>` and `GET /api/token`: what a token may see of queries, and of itself. */
import { expect } from 'chai'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'
import { type Serving, serving } from './serving.js'

const SQL = 'SELECT @project AS project'
const EXPLAIN = '/api/endpoints/explain/tests.echo'

const idOf = (first: string): string => first + ENDPOINT_ID.slice(2)

const ENDPOINTS = [
  handMadeEndpoint(),
  handMadeEndpoint({ id: idOf('1b'), name: 'other.echo' }),
  handMadeEndpoint({ id: idOf('2b'), name: 'tests.tenant', tenant: 'project' }),
  handMadeEndpoint({
    id: idOf('3b'),
    name: 'tests.pattern',
    parameters: [
      parameter('project', {
        format: 're2',
        pinnedAs: { source: '^https://{pin}/', textFor: (pin: string) => `^https://${pin}/` },
      }),
    ],
  }),
  handMadeEndpoint({ id: idOf('4b'), name: 'tests.plain', parameters: [parameter('size', { type: 'int64' })] }),
  handMadeEndpoint({ id: idOf('5b'), name: 'purge' }),
  handMadeEndpoint({ id: idOf('6b'), name: 'explain' }),
]

describe('explaining a call', () => {
  let s: Serving
  let author = ''
  before(async () => {
    s = await serving({ endpoints: ENDPOINTS })
    author = await s.token({ allow: ['*'], allTenants: true, explain: true })
  })
  after(() => s.close())

  const ask = (path: string, token: string, init: RequestInit = {}) =>
    s.get(path, { ...init, headers: { 'X-API-KEY': token } })
  const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code]

  it('shows the SQL, and the arguments beside it', async () => {
    const answer = await ask(`${EXPLAIN}?project=a&size=007`, author)
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('Cache-Control')).to.equal('private, no-cache')
    const { parameters, ...rest } = (await answer.json()) as { parameters: { name: string; value: unknown }[] }
    expect(rest).to.deep.equal({
      endpoint: 'tests.echo',
      revision: 'r1',
      sql: SQL,
      refresh: 'no buckets are kept: settings.cache has refresh: whole',
    })
    expect(parameters.map(({ name }) => name)).to.deep.equal(['project', 'size', 'now'])
    expect(parameters.map(({ value }) => value).slice(0, 2)).to.deep.equal(['a', '7'])
  })

  it('runs nothing', async () => {
    const before = s.engine.queries.length
    await ask(`${EXPLAIN}?project=never-run`, author)
    expect(s.engine.queries.length).to.equal(before)
  })

  it('is refused to every token that was not made for it', async () => {
    const plain = await s.token({ allow: ['*'], allTenants: true, purge: true, fresh: '10/min' })
    expect(await codeOf(await ask(`${EXPLAIN}?project=a`, plain))).to.deep.equal([403, 'TOKEN_NOT_ALLOWED'])
    // The unrestricted token.
    const answer = await s.get(`${EXPLAIN}?project=a`)
    const text = await answer.text()
    expect(answer.status).to.equal(403)
    expect(text).to.not.contain('SELECT')
    const done = await s.done(answer.headers.get('X-Request-Id')!)
    expect(done.error?.refusal).to.deep.equal({ rule: 'explain', reason: 'the token was made without --explain' })
    // With arguments that are wrong, too: nothing is said of them.
    expect(await codeOf(await ask(EXPLAIN, plain))).to.deep.equal([403, 'TOKEN_NOT_ALLOWED'])
  })

  it('needs a token, and tells an unknown endpoint from a known one to no other', async () => {
    expect((await fetch(`${s.url}${EXPLAIN}?project=a`)).status).to.equal(401)
    expect((await fetch(`${s.url}/api/endpoints/explain/no.such`)).status).to.equal(401)
    expect(await codeOf(await ask('/api/endpoints/explain/no.such', author))).to.deep.equal([404, 'ENDPOINT_UNKNOWN'])
  })

  it('goes no further than the scope and the tenant of the token', async () => {
    const narrow = await s.token({ allow: ['tests.*'], explain: true })
    expect((await ask(`${EXPLAIN}?project=a`, narrow)).status).to.equal(200)
    expect((await ask('/api/endpoints/explain/other.echo?project=a', narrow)).status).to.equal(403)
    expect((await ask('/api/endpoints/explain/tests.tenant?project=a', narrow)).status).to.equal(403)
  })

  it('binds what the token pins, and refuses any other value', async () => {
    const pinned = await s.token({ allow: ['*'], pin: { project: 'mine' }, explain: true })
    const boundTo = async (path: string) => {
      const { parameters } = (await (await ask(path, pinned)).json()) as {
        parameters: { name: string; value: unknown }[]
      }
      return parameters.find(({ name }) => name === 'project')?.value
    }
    expect(await boundTo(EXPLAIN)).to.equal('mine')
    expect(await boundTo(`${EXPLAIN}?project=mine`)).to.equal('mine')
    expect(await boundTo('/api/endpoints/explain/tests.pattern')).to.equal('^https://mine/')
    for (const path of [`${EXPLAIN}?project=theirs`, `${EXPLAIN}?project=mine&project=theirs`]) {
      const answer = await ask(path, pinned)
      expect(answer.status).to.be.oneOf([400, 403])
      expect(await answer.text()).to.not.contain('SELECT')
    }
    // An endpoint without the parameter would not be confined.
    expect((await ask('/api/endpoints/explain/tests.plain', pinned)).status).to.equal(403)
  })

  it('has no argument in the SQL, whatever it holds', async () => {
    const hostile = [
      `'; DROP TABLE x; --`,
      '{{project}}',
      '{{{project}}}',
      '@now',
      '`logs.edge`',
      '\u0000',
      '$1',
      '\\',
      '</script>',
    ]
    for (const text of hostile) {
      const answer = await ask(`${EXPLAIN}?project=${encodeURIComponent(text)}`, author)
      const body = (await answer.json()) as { sql?: string; parameters?: { value: unknown }[] }
      if (answer.status === 400) continue
      expect(body.sql).to.equal(SQL)
      expect(body.parameters?.[0]?.value).to.equal(text)
    }
  })

  it('names every wrong argument', async () => {
    const answer = await ask(`${EXPLAIN}?size=x`, author)
    expect(answer.status).to.equal(400)
    const { errors } = (await answer.json()) as { errors: { parameter: string }[] }
    expect(errors.map(({ parameter: name }) => name)).to.deep.equal(['project', 'size'])
  })

  it('counts against the rate of the token', async () => {
    const slow = await s.token({ allow: ['*'], explain: true, rate: '1/hour' })
    expect((await ask(`${EXPLAIN}?project=a`, slow)).status).to.equal(200)
    expect((await ask(`${EXPLAIN}?project=a`, slow)).status).to.equal(429)
  })

  it('answers HEAD without a body, and other methods with 405', async () => {
    const head = await ask(`${EXPLAIN}?project=a`, author, { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    expect((await ask(EXPLAIN, author, { method: 'POST' })).status).to.equal(405)
  })

  it('takes the address of no endpoint away', async () => {
    expect((await ask('/api/endpoints/explain/purge?project=a', author)).status).to.equal(200)
    expect((await ask('/api/endpoints/explain', author)).status).to.equal(200)
    const purging = await s.token({ allow: ['*'], purge: true })
    const purged = await ask('/api/endpoints/explain/purge', purging, { method: 'POST' })
    expect([purged.status, await purged.json()]).to.deep.equal([200, { purged: 'explain' }])
  })
})

describe('GET /api/token', () => {
  let s: Serving
  before(async () => {
    s = await serving()
  })
  after(() => s.close())

  const factsOf = async (token: string) =>
    (await s.get('/api/token', { headers: { 'X-API-KEY': token } })).json() as Promise<Record<string, unknown>>

  it('says what the token may do, and nothing of any other', async () => {
    const plain = await s.token({ allow: ['*'] })
    const able = await s.token({
      allow: ['*'],
      pin: { project: 'a' },
      fresh: '1/min',
      explain: true,
      purge: true,
      export: true,
    })
    const engine = { engine: 'duckdb', usd_per_tib: null, dev: false }
    expect(await factsOf(plain)).to.deep.equal({
      name: 'token-1',
      pinned: {},
      fresh: false,
      explain: false,
      purge: false,
      export: false,
      ...engine,
    })
    expect(await factsOf(able)).to.deep.equal({
      name: 'token-2',
      pinned: { project: 'a' },
      fresh: true,
      explain: true,
      purge: true,
      export: true,
      ...engine,
    })
  })

  it('needs one', async () => {
    expect((await fetch(`${s.url}/api/token`)).status).to.equal(401)
    expect((await s.get('/api/token', { method: 'POST' })).status).to.equal(405)
  })
})
