/** Arguments that try an injection: each has no effect or is refused, and no answer shows SQL, tables or paths. */
import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import { sampleOf } from '../sample-size.js'
import { edge, invoked, type LogRunner, liveMicros, openLogRunner, TOKEN, time } from './log-runner.js'

/** What no body may show: SQL, tables, paths, engines, stack traces. */
const SECRETS =
  /\bSELECT\b|\bWHERE\b|\bUNNEST\b|TIMESTAMP_SUB|REGEXP_CONTAINS|logs\.(edge|auth|postgres|function_edge)|edge_logs|\/tmp\/|\/work|node_modules|\.ya?ml|\.ndjson|duckdb|bigquery|SqlError|\bat \S+ \(|\.[tj]s:\d/i

const ENDPOINTS = [
  { name: 'logs.all', field: 'project', others: { project_tier: 'ENTERPRISE' } },
  { name: 'logs.all', field: 'project_tier', others: { project: 'p1' } },
  { name: 'logs.all', field: 'iso_timestamp_start', others: { project: 'p1', project_tier: 'PRO' } },
  { name: 'functions.invocation-stats', field: 'project', others: { interval: '1day' } },
  { name: 'functions.invocation-stats', field: 'interval', others: { project: 'p1' } },
  { name: 'functions.invocation-stats', field: 'function_id', others: { project: 'p1', interval: '1day' } },
  { name: 'usage.api-counts', field: 'project', others: { interval: 'daily' } },
  { name: 'usage.api-counts', field: 'interval', others: { project: 'p1' } },
] as const

/**
 * Valid texts, which are treated as text: no entry holds one of them, and none of them, read as a regular expression, matches
 * a URL.
 */
const TEXTS: readonly string[] = [
  "p1' OR '1'='1",
  'p1" OR "1"="1',
  "p1'; DROP TABLE `logs.edge`; SELECT '",
  "p1'--",
  'p1 -- ',
  'p1 /*',
  'p1 #',
  '`logs.auth`',
  '``',
  '{{project}}',
  '{{{project}}}',
  '{{#each constants.streams}}{{this.table}}{{/each}}',
  '{{constructor.constructor "return process"}}',
  '@project',
  '@now',
  '@@version',
  '$1',
  '?',
  "\\'",
  "\\' OR 1=1 -- ",
  "'''",
  '%',
  '_',
  '../../etc/passwd',
  '$HOME $(id)',
  '__proto__',
  'constructor',
  'toString',
  '\r\nX-Injected: yes',
  '\u202e\u2028\ufeff',
  '𝔭1',
  "' UNION ALL SELECT table_name FROM information_schema.tables --",
  "read_csv('/etc/passwd')",
  "getenv('HOME')",
]

describe('hostile values', () => {
  let logs: LogRunner

  before(async () => {
    const recent = time('-1min', liveMicros())
    logs = await openLogRunner({
      edge: ['p1', 'p2'].map(project =>
        edge(`entry of ${project}`, project, {
          timestamp: recent,
          metadata: [{ request: [{ url: `https://${project}.example.test/`, path: '/rest' }] }],
        }),
      ),
      auth: [edge('entry of auth', 'p1', { timestamp: recent })],
      function_edge: [invoked('p1', recent, { function_id: 'f1' }), invoked('p2', recent, { function_id: 'f2' })],
    })
  })
  after(() => logs.close())

  const send = async (
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number; body: string; headers: Headers }> => {
    const response = await logs.get(`query/${path}`, init)
    return { status: response.status, body: await response.text(), headers: response.headers }
  }
  const json = (args: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof args === 'string' ? args : JSON.stringify(args),
  })
  /** Sends the path unchanged; fetch would normalise it first. */
  const sendRaw = (path: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(logs.url)
      const asked = httpRequest({ host: '127.0.0.1', port, path, headers: { 'X-API-KEY': TOKEN } }, response => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      })
      asked.on('error', reject)
      asked.end()
    })

  describe('that are text match nothing', () => {
    for (const text of sampleOf(TEXTS)) {
      it(JSON.stringify(text), async () => {
        for (const { name, field, others } of ENDPOINTS) {
          const args = { ...others, [field]: text }
          for (const { status, body, headers } of [
            await send(`${name}?${new URLSearchParams(args)}`),
            await send(name, json(args)),
          ]) {
            const where = `${name} ${field}: ${status} ${body}`
            expect(status, where).to.be.oneOf([200, 400])
            // A problem may describe what is wrong with a value; it never repeats the value.
            if (status === 400 && text.length > 3) expect(body).to.not.include(JSON.stringify(text).slice(1, -1))
            expect(body, where).to.not.match(SECRETS)
            expect(body, where).to.not.include('p2')
            expect(headers.has('X-Injected')).to.equal(false)
            if (status !== 200) continue
            const rows = (JSON.parse(body) as { result: readonly Record<string, unknown>[] }).result
            // A value that filters rows selects none; a tier or an interval of that value is replaced by the default.
            const isDefault = field === 'project_tier' || field === 'interval'
            expect(rows, where).to.have.length(isDefault ? 1 : 0)
          }
        }
      })
    }
  })

  it('do not match other projects, as a regular expression would', async () => {
    const { body } = await send('logs.all?project=.*&project_tier=PRO')
    expect(body).to.equal('{"result":[]}')
  })

  describe('that are not text are refused', () => {
    const NOT_TEXT: readonly (readonly [what: string, value: string])[] = [
      ['a NUL', 'p1%00'],
      ['a NUL alone', '%00'],
      ['a broken escape', '%zz'],
      ['half an escape', '%2'],
      ['a stray continuation byte', '%80'],
      ['an overlong slash', '%c0%af'],
      ['a lone high surrogate', '%ed%a0%80'],
      ['beyond Unicode', '%f4%90%80%80'],
    ]
    for (const [what, value] of sampleOf(NOT_TEXT)) {
      it(`${what} in an address and in a form`, async () => {
        for (const { name, field, others } of ENDPOINTS) {
          const query = `${new URLSearchParams(others)}&${field}=${value}`
          const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: query }
          for (const { status, body } of [
            await sendRaw(`/api/endpoints/query/${name}?${query}`),
            await send(name, form),
          ]) {
            expect(status, `${name} ${field}`).to.equal(400)
            expect(body).to.not.match(SECRETS)
          }
        }
      })
    }

    it('lone surrogates and values other than text in JSON', async () => {
      const bad = [
        '"\\ud800"',
        '"\\udc00p1"',
        '"p1\\u0000"',
        '1',
        'true',
        '{}',
        '["p1","p2"]',
        '{"$ne":null}',
        '[["p1"]]',
      ]
      for (const value of bad) {
        const { status, body } = await send('logs.all', json(`{"project":${value},"project_tier":"PRO"}`))
        expect(status, value).to.equal(400)
        expect(body).to.not.match(SECRETS)
      }
    })
  })

  describe('that are long', () => {
    const long = 'x'.repeat(100_000)
    it('are too long for an address: 414', async () => {
      for (const { name, field, others } of ENDPOINTS) {
        const { status, body } = await send(`${name}?${new URLSearchParams({ ...others, [field]: long })}`)
        expect(status, `${name} ${field}`).to.equal(414)
        expect(body.length).to.be.below(1_000)
        expect(body).to.not.match(SECRETS)
      }
    })

    it('are too long for a value in a body: 400, which names the parameter and does not repeat it', async () => {
      for (const { name, field, others } of ENDPOINTS) {
        const { status, body } = await send(name, json({ ...others, [field]: long }))
        expect(status, `${name} ${field}`).to.equal(400)
        expect((JSON.parse(body) as { errors: readonly { parameter: string }[] }).errors[0]?.parameter).to.equal(field)
        expect(body.length).to.be.below(1_000)
      }
    })

    it('are too long for a body: 413', async () => {
      const { status, body } = await send('logs.all', json({ project: 'x'.repeat(2_000_000), project_tier: 'PRO' }))
      expect(status).to.equal(413)
      expect(body).to.not.match(SECRETS)
    })

    it('have no effect just below these limits', async () => {
      for (const { name, field, others } of ENDPOINTS) {
        const { status, body } = await send(name, json({ ...others, [field]: 'x'.repeat(32_000) }))
        expect(status, `${name} ${field}: ${body.slice(0, 200)}`).to.be.oneOf([200, 400])
        expect(body.length).to.be.below(2_000)
        expect(body).to.not.match(SECRETS)
      }
    })

    it('as expressions, are refused before they cost anything', async () => {
      for (const project of [
        `${'('.repeat(5_000)}a${')'.repeat(5_000)}`,
        '(a{1,1000}){1,1000}',
        `${'a?'.repeat(9_000)}b`,
      ]) {
        const { status, body } = await send('usage.api-counts', json({ project, interval: 'daily' }))
        expect(status).to.be.oneOf([200, 400])
        expect(body).to.not.match(SECRETS)
      }
    })
  })

  describe('as names', () => {
    it('of parameters change nothing', async () => {
      const names = [
        '__proto__',
        'constructor',
        '__proto__[project]',
        'now',
        "project'",
        '@project',
        'sql',
        'lookups',
        '',
      ]
      const strange = names.map(name => `${encodeURIComponent(name)}=p2`).join('&')
      const { status, body } = await send(`logs.all?project=p1&project_tier=PRO&${strange}`)
      expect([status, body.includes('entry of p1'), body.includes('p2')]).to.deep.equal([200, true, false])
      const posted = await send(
        'logs.all',
        json('{"project":"p1","project_tier":"PRO","__proto__":{"project":"p2"},"now":"1"}'),
      )
      expect([posted.status, posted.body]).to.deep.equal([200, body])
    })

    it('of parameters given twice are refused', async () => {
      for (const query of ['project=p1&project=p2&project_tier=PRO', 'project=p1&%70roject=p2&project_tier=PRO']) {
        expect((await send(`logs.all?${query}`)).status).to.equal(400)
      }
      expect((await send('logs.all?project=p1&project_tier=PRO', json({ project: 'p2' }))).status).to.equal(400)
      expect((await send('logs.all', json('{"project":"p1","project":"p2","project_tier":"PRO"}'))).status).to.equal(
        400,
      )
    })

    it('of endpoints are unknown', async () => {
      const names = [
        '__proto__',
        'constructor',
        '..%2f..%2fetc%2fpasswd',
        'logs.all%00',
        "logs.all'--",
        '%zz',
        'logs.all%2f',
        '*',
        'logs.*',
      ]
      for (const name of names) {
        const { status, body } = await sendRaw(`/api/endpoints/query/${name}?project=p1&project_tier=PRO`)
        expect(status, name).to.be.oneOf([400, 404])
        expect(body).to.not.match(SECRETS)
      }
    })
  })

  describe('have no lasting effect', () => {
    it('every endpoint still answers', async () => {
      const first = await send('logs.all?project=p1&project_tier=PRO')
      expect(JSON.parse(first.body)).to.have.nested.property('result[0].id', 'entry of p1')
      expect((await send('functions.invocation-stats?project=p2&interval=1hr')).headers.get('X-Row-Count')).to.equal(
        '1',
      )
      expect((await send('usage.api-counts?project=p2&interval=daily')).headers.get('X-Row-Count')).to.equal('1')
    })
  })
})
