import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkManifests } from '../../authoring/check/check-manifests.js'
import { addToken, ensureToken, listTokens } from '../../authoring/token/token-writer.js'
import { RESULT_FORMATS } from '../../runner/formats/index.js'
import { LoadError, type RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { systemClock } from '../../runner/platform/clock.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { tokensPath } from '../../runner/serve/tokens.js'
import { DEFAULT_SETTINGS, readSettings, type Settings } from '../../runner/settings/settings.js'

const ID = '6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a01'
const MANIFEST = `
id: ${ID}
name: logs.latest
description: The latest entries of a project.
parameters:
  project: { type: string, required: true, description: The project. }
  since: { type: timestamp, description: Only entries after this. }
settings:
  max_rows: 2
  cache: { ttl_seconds: 900 }
columns:
  - { name: id, type: STRING, description: The entry. }
  - { name: timestamp, type: TIMESTAMP, description: Its time. }
sql: |
  SELECT id, timestamp FROM \`logs.edge\`
  WHERE project = @project{{#if given.since}} AND timestamp > @since{{/if}}
  ORDER BY timestamp DESC
`
const SCHEMA = [
  { name: 'id', type: 'STRING' },
  { name: 'timestamp', type: 'TIMESTAMP' },
  { name: 'project', type: 'STRING' },
]
const ENTRIES = [1, 2, 3].flatMap(day => [
  { id: `a${day}`, timestamp: `2026-01-0${day}T12:00:00.5Z`, project: 'a' },
  { id: `b${day}`, timestamp: `2026-01-0${day}T12:00:00Z`, project: "b' OR '1'='1" },
])

describe('a runner', () => {
  let folder = ''
  let settings: Settings
  let runner: Runner
  const events: Event[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-runner-'))
    for (const name of ['endpoints', 'tables', 'data/logs']) mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'endpoints/logs.latest.yaml'), MANIFEST)
    writeFileSync(join(folder, 'tables/logs.edge.json'), JSON.stringify(SCHEMA))
    writeFileSync(join(folder, 'data/logs/edge.ndjson'), ENTRIES.map(entry => `${JSON.stringify(entry)}\n`).join(''))
    settings = readSettings(
      {
        port: '0',
        endpoints: join(folder, 'endpoints'),
        tables: join(folder, 'tables'),
        data: join(folder, 'data'),
        'engine-memory': '256',
        'engine-threads': '1',
      },
      { SLUICE_TOKEN: 'unrestricted-token-of-32-letters' },
    )
    runner = await createRunner(settings, { observe: event => void events.push(event) })
  })
  after(async () => {
    await runner.close()
    rmSync(folder, { recursive: true })
  })

  const text = async (args: Record<string, string>): Promise<string> =>
    Buffer.from((await runner.call('logs.latest', args)).body).toString()

  it('answers calls in the process', async () => {
    const result = await runner.call('logs.latest', { project: 'a' })
    expect(Buffer.from(result.body).toString()).to.equal(
      '{"result":[{"id":"a3","timestamp":"2026-01-03T12:00:00.500Z"},{"id":"a2","timestamp":"2026-01-02T12:00:00.500Z"}]}',
    )
    expect([result.rowCount, result.isTruncated]).to.deep.equal([2, true])
  })

  it('binds arguments, whatever they look like', async () => {
    const since = '2026-01-02T13:00:00+00:00'
    expect(await text({ project: "b' OR '1'='1", since })).to.equal(
      '{"result":[{"id":"b3","timestamp":"2026-01-03T12:00:00Z"}]}',
    )
    expect(await text({ project: "x' OR '1'='1" })).to.equal('{"result":[]}')
    const error = await runner.call('logs.latest', { since: 'x' }).catch((thrown: unknown) => thrown)
    expect((error as RunnerError).errors.map(one => one.parameter)).to.deep.equal(['project', 'since'])
  })

  it('runs one query for callers of every format at once, with the bytes of a call in the process', async () => {
    const queries = (): number => events.filter(event => event.kind === 'query.done').length
    const server = createServer(runner.listener).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const address = `${url}/api/endpoints/query/logs.latest?project=a&since=2026-01-01T06:00:00Z`
    const headers = { Authorization: 'Bearer unrestricted-token-of-32-letters' }
    const before = queries()
    const bodies = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const format = RESULT_FORMATS[i % RESULT_FORMATS.length]!
        const response = await fetch(`${address}&format=${format}`, { headers })
        return `${format} ${Buffer.from(await response.arrayBuffer()).toString('base64')}`
      }),
    )
    expect(queries() - before).to.equal(1)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).to.match(/^sluice_queries_total\{/m)
    const called = RESULT_FORMATS.map(async format => {
      const { body } = await runner.call('logs.latest', { project: 'a', since: '2026-01-01T06:00:00Z' }, { format })
      return `${format} ${Buffer.from(body).toString('base64')}`
    })
    expect([...new Set(bodies)].sort()).to.deep.equal((await Promise.all(called)).sort())
    expect(queries() - before).to.equal(1)
    server.close()
    server.closeAllConnections()
  })

  it('gives the same bytes over HTTP and in the process, from one query', async () => {
    const before = events.filter(event => event.kind === 'query.done').length
    const inProcess = await text({ project: 'a', since: '2026-01-01' })
    const server = await runner.listen()
    const address = `${server.url}/api/endpoints/query/${ID}?since=2026-01-01T00:00:00Z&project=a`
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(address, { headers: { Authorization: 'Bearer unrestricted-token-of-32-letters' } }),
      ),
    )
    const bodies = await Promise.all(responses.map(response => response.text()))
    await server.close()
    expect([...new Set(bodies)]).to.deep.equal([inProcess])
    expect(events.filter(event => event.kind === 'query.done').length - before).to.equal(1)
    expect(events.find(event => event.kind === 'server.ready')).to.include({ endpoints: 1, engine: 'duckdb' })
  })

  it('has a listener that mounts in any server', async () => {
    const other = await createRunner({ ...settings, token: null })
    const token = await addToken(settings, { name: 'mounted', allow: ['logs.*'] })
    const server = createServer(other.listener).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    // The token store checks its file ten times a second.
    await new Promise(resolve => setTimeout(resolve, 110))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/endpoints`
    const response = await fetch(url, { headers: { 'X-API-KEY': token } })
    expect(await response.json()).to.have.nested.property('endpoints[0].name', 'logs.latest')
    server.close()
    server.closeAllConnections()
    await other.close()
  })

  it('freezes @now on request, without the cache', async () => {
    const kinds = (): number => events.filter(event => event.kind === 'query.done').length
    const before = kinds()
    for (let i = 0; i < 2; i += 1) await runner.call('logs.latest', { project: 'a' }, { nowMicros: 0n })
    expect(kinds() - before).to.equal(2)
  })

  it('gives other formats in the process', async () => {
    const { body } = await runner.call('logs.latest', { project: 'a', since: '2026-01-03' }, { format: 'ndjson' })
    expect(Buffer.from(body).toString()).to.equal('{"id":"a3","timestamp":"2026-01-03T12:00:00.500Z"}\n')
  })

  it('explains a call: its variant, its query and how the engine runs it', async () => {
    const explained = await runner.explain('logs.latest', { project: 'a' }, { nowMicros: 5n })
    expect(explained.sql).to.include('@project').and.not.include('@since')
    expect(explained.variant).to.equal('since absent')
    expect(explained.parameters['project']).to.deep.equal({ type: 'STRING', value: 'a' })
    expect(explained.engineSql).to.include('$1')
    expect(explained.plan).to.not.equal('')
    expect(Object.keys(explained.timingsMs)).to.deep.equal(['render', 'explain'])
  })

  it('checks manifests without serving them', async () => {
    const { diagnostics, manifests, variants } = await checkManifests(settings, [])
    expect([diagnostics, manifests, variants]).to.deep.equal([[], 1, 2])
  })

  it('checks manifests without regard to the contents of data files', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-data-'))
    mkdirSync(join(dataDir, 'logs'))
    writeFileSync(join(dataDir, 'logs/edge.ndjson'), '{"id": "a", "timestamp": "never"}\n')
    const { diagnostics, variants } = await checkManifests({ ...settings, dataDir }, [])
    expect([diagnostics, variants]).to.deep.equal([[], 2])
    rmSync(dataDir, { recursive: true })
  })

  it('is not created from manifests with errors, and leaves nothing open', async () => {
    const endpointsDir = join(folder, 'broken')
    mkdirSync(endpointsDir)
    writeFileSync(join(endpointsDir, 'logs.latest.yaml'), MANIFEST.replace('SELECT id', 'SELECT idd'))
    const error = await createRunner({ ...settings, endpointsDir, strict: true }).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(LoadError)
    expect((error as LoadError).diagnostics[0]?.message).to.include('Unrecognized name: idd')
  })

  it('creates a first token once; the file has only its hash', async () => {
    const fresh = { ...settings, token: null, tokensFile: join(folder, 'first', 'tokens.json') }
    expect(await ensureToken({ ...fresh, token: 'unrestricted-token-of-32-letters' })).to.equal(null)
    const token = await ensureToken(fresh)
    expect(Buffer.from(token ?? '', 'base64url')).to.have.length(32)
    expect(await ensureToken(fresh)).to.equal(null)
    expect(readFileSync(fresh.tokensFile, 'utf8')).to.not.include(token)
    expect(await listTokens(tokensPath(fresh)), 'it may call the endpoints of tenants').to.have.nested.property(
      '[0].allTenants',
      true,
    )
  })
})

describe('a first token of two servers that start at once', () => {
  it('is created once, and one of them shows it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-first-'))
    const settings = { ...DEFAULT_SETTINGS, token: null, tokensFile: join(folder, 'tokens.json') }
    const made = await Promise.all([ensureToken(settings), ensureToken(settings)])
    const shown = made.filter(token => token !== null)
    expect(shown).to.have.length(1)
    const { tokens } = JSON.parse(readFileSync(settings.tokensFile, 'utf8'))
    expect(tokens).to.have.length(1)
    expect(tokens[0].sha256).to.equal(createHash('sha256').update(shown[0]!).digest('hex'))
    rmSync(folder, { recursive: true })
  })
})

describe("the system's clock", () => {
  it('agrees with itself and never lags the time of day by much', () => {
    const clock = systemClock()
    for (let i = 0; i < 1_000; i += 1) {
      const before = Date.now()
      const told = Number(clock.nowMicros() / 1000n)
      expect(told).to.be.within(before - 3, Date.now() + 3)
    }
  })
})
