/** The project's endpoints over HTTP: over the same entries, both engines give the same bytes under the same headers. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { busiestProject, SAMPLE_STREAMS, sampleLines } from '../../authoring/sample/generate.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { readSettings } from '../../runner/settings/settings.js'
import { command } from '../cli/command.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

/** The entries of each stream in READ, from which the endpoints answer; their queries only name the other streams. */
const ENTRIES = 1_000
const READ: ReadonlySet<string> = new Set(['edge', 'function_edge'])
const SEED = 1
const TOKEN = 'unrestricted-token-of-32-letters'
const BUSIEST = busiestProject(SEED)

const MINUTE_MS = 60_000
/**
 * The lengths of the endpoints' windows. The engines are asked one after the other: no entry may leave a window in between.
 */
const WINDOWS_MS = [5, 15, 60, 24 * 60, 7 * 24 * 60].map(minutes => minutes * MINUTE_MS)

/** False for an entry that is about to leave one of the windows. `nowMs` is the time at which the entries end. */
function isSteady(line: string, nowMs: number): boolean {
  const agoMs = nowMs - Date.parse(/"timestamp":"([^"]+)"/.exec(line)![1]!)
  return !WINDOWS_MS.some(windowMs => agoMs > windowMs - 3 * MINUTE_MS && agoMs <= windowMs)
}

/** Each table of the project, with its sample rows as lines of JSON. */
async function sampleTables(): Promise<
  readonly { name: string; fields: readonly object[]; lines: readonly string[] }[]
> {
  const { tables } = await loadTableSchemas('schemas/tables')
  const nowMs = Date.now()
  const nowMicros = BigInt(nowMs) * 1000n
  return SAMPLE_STREAMS.map(stream => {
    const table = tables.find(({ name }) => name === `logs.${stream}`)!
    const wanted = READ.has(stream) ? ENTRIES : 20
    const all = [...sampleLines(stream, { seed: SEED, count: wanted + wanted / 50, nowMicros })]
    const lines = all.filter(line => isSteady(line, nowMs)).slice(-wanted)
    return { name: stream, fields: table.fields, lines }
  })
}

const EVERY_TYPE = `id: 5d1c8d0e-0f4f-4b62-9d5c-6a0b1f6c2a77
name: tests.types
parameters:
  n: { type: numeric }
  b: { type: bignumeric }
  t: { type: time }
  u: { type: uuid }
  z: { type: timezone, default: UTC }
  j: { type: json }
  ns: { type: array<numeric> }
  part: { type: string }
lookups:
  week: { by: part, default: thursday, rows: { thursday: { part: WEEK(THURSDAY) }, friday: { part: week(friday) } } }
sql: |
  SELECT @n AS n, @n + 1 AS more, @b < 0 AS b, @t AS t, @u AS u, @z AS z,
    JSON_VALUE(@j, '$.id') AS id, (SELECT SUM(n) FROM UNNEST(@ns) AS n) AS total,
    DATE_TRUNC(DATE '2026-01-31', {{week.part}}) AS week
`
const TYPED_ARGUMENTS = new URLSearchParams([
  ['n', '12345678901234567890.123456789'],
  ['b', `-0.${'0'.repeat(37)}1`],
  ['t', '09:30:00.5'],
  ['u', '5B3D9A52-8C1E-4F0A-9D67-2E4C1B7A9F30'],
  ['z', 'America/New_York'],
  ['j', '{"b":[1.50,null],"id":9007199254740993,"a":"ä"}'],
  ['ns', '0.1'],
  ['ns', '0.2'],
  ['part', 'friday'],
])

interface Served {
  readonly url: string
  close(): Promise<void>
}

async function serveFrom(
  engine: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Served> {
  const flags = {
    engine,
    endpoints: join(folder, 'served'),
    data: folder,
    'engine-memory': '512',
    'engine-threads': '1',
  }
  const runner: Runner = await createRunner(readSettings(flags, { ...environment, SLUICE_TOKEN: TOKEN }))
  const server: Server = createServer(runner.listener).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await runner.close()
    },
  }
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timing: string
}

/** The headers that differ between any two calls. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['date', 'server-timing', 'x-request-id'])

/** Hides the age: it is added to the remaining lifetime, since a second may pass while the test waits for an engine. */
function ageless([name, value]: [string, string], _: number, all: readonly [string, string][]): [string, string] {
  if (name === 'age') return [name, 'some']
  const age = Number(all.find(([other]) => other === 'age')?.[1] ?? 0)
  return [name, value.replace(/(?<=\bttl=)\d+/, seconds => String(Number(seconds) + age))]
}

async function ask({ url }: Served, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await fetch(`${url}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': TOKEN, ...headers } })
  const own = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name)).map(ageless)
  const body = (await response.text()).replace(/"instance":"[^"]*"/, '"instance":""')
  const timing = response.headers.get('Server-Timing') ?? ''
  return { status: response.status, headers: Object.fromEntries(own), body, timing }
}

describeOverEmulator('the endpoints from both engines', emulator => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-both-'))
  let embedded: Served
  let warehouse: Served

  before(async () => {
    mkdirSync(join(folder, 'logs'))
    for (const { name, fields, lines } of await sampleTables()) {
      writeFileSync(join(folder, 'logs', `${name}.ndjson`), lines.join(''))
      await emulator().addTable({ dataset: 'logs', table: name, fields, rows: lines.map(line => JSON.parse(line)) })
    }
    cpSync('endpoints', join(folder, 'served'), { recursive: true })
    writeFileSync(join(folder, 'served/tests.types.yaml'), EVERY_TYPE)
    embedded = await serveFrom('duckdb', folder, {})
    warehouse = await serveFrom('bigquery', folder, {
      BIGQUERY_EMULATOR_HOST: emulator().host,
      GOOGLE_CLOUD_PROJECT: PROJECT,
    })
  })
  after(async () => {
    await embedded?.close()
    await warehouse?.close()
    rmSync(folder, { recursive: true })
  })

  const day = (daysAgo: number): string => new Date(Date.now() - daysAgo * 86_400_000).toISOString()
  const CALLS: readonly { readonly path: string; readonly atLeast: number; readonly accept?: string }[] = [
    { path: `logs.all?project=${BUSIEST}&project_tier=PRO`, atLeast: 100 },
    { path: `logs.all?project=${BUSIEST}&project_tier=FREE`, atLeast: 1 },
    { path: `logs.all?project=${BUSIEST}&project_tier=ENTERPRISE&iso_timestamp_end=${day(1)}`, atLeast: 1 },
    {
      path: `logs.all?project=${BUSIEST}&project_tier=PAYG&iso_timestamp_start=${day(2)}&iso_timestamp_end=${day(1)}`,
      atLeast: 1,
    },
    { path: 'logs.all?project=nobody&project_tier=PRO', atLeast: 0 },
    { path: "logs.all?project='%20OR%20TRUE%20--&project_tier=PRO", atLeast: 0 },
    { path: `usage.api-counts?project=${BUSIEST}&interval=daily`, atLeast: 1 },
    { path: `usage.api-counts?project=${BUSIEST}&interval=hourly`, atLeast: 0 },
    { path: `usage.api-counts?project=${BUSIEST}&interval=minutely`, atLeast: 0 },
    { path: 'usage.api-counts?project=.&interval=daily', atLeast: 2 },
    { path: `functions.invocation-stats?project=${BUSIEST}&interval=7day`, atLeast: 2 },
    { path: `functions.invocation-stats?project=${BUSIEST}&interval=1day`, atLeast: 2 },
    { path: `functions.invocation-stats?project=${BUSIEST}&interval=1hr`, atLeast: 0 },
    { path: `functions.invocation-stats?project=${BUSIEST}&interval=5min&function_id=none`, atLeast: 0 },
    { path: 'tests.types', atLeast: 1 },
    { path: `tests.types?${TYPED_ARGUMENTS}`, atLeast: 1 },
  ]
  for (const { path, atLeast } of CALLS) {
    it(`${path.replace(/=\d{4}-[^&]+/g, '=…')}: the same bytes and headers`, async () => {
      const [ours, theirs] = [await ask(embedded, path), await ask(warehouse, path)]
      expect(ours.status, ours.body).to.equal(200)
      expect(Number(ours.headers['x-row-count'])).to.be.at.least(atLeast)
      expect(theirs.body).to.equal(ours.body)
      expect(theirs.headers).to.deep.equal(ours.headers)
      expect(ours.timing).to.match(/^engine;dur=[\d.]+, total;dur=[\d.]+$/)
      expect(theirs.timing).to.match(/^engine;dur=[\d.]+;desc="\d+ bytes billed", total;dur=[\d.]+$/)
    })
  }

  for (const path of [
    'logs.all?project_tier=PRO',
    'logs.all?project=a&project_tier=PRO&iso_timestamp_start=yesterday',
    'usage.api-counts?project=a&interval=weekly',
    'no.such',
  ]) {
    it(`${path}: the same refusal`, async () => {
      const [ours, theirs] = [await ask(embedded, path), await ask(warehouse, path)]
      expect(ours.status).to.be.within(400, 499)
      expect({ ...theirs, timing: '' }).to.deep.equal(ours)
    })
  }

  it('have no problems in the dry runs of every variant', async () => {
    const environment = { BIGQUERY_EMULATOR_HOST: emulator().host, GOOGLE_CLOUD_PROJECT: PROJECT }
    // The emulator runs one after another; by default, each may wait 30 seconds for its turn.
    const patient = join(folder, 'endpoints')
    cpSync('endpoints', patient, { recursive: true })
    for (const name of readdirSync(patient).filter(one => /(?<!\.test)\.yaml$/.test(one))) {
      const text = readFileSync(join(patient, name), 'utf8')
      writeFileSync(join(patient, name), text.replace(/^settings:$/m, '$&\n  timeout_seconds: 600'))
    }
    const { code, out, err } = await command(['validate', '--engine', 'bigquery', '--endpoints', patient], environment)
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.match(
      /^logs\.all \(project_tier=PRO, iso_timestamp_start absent, iso_timestamp_end given\): 0 B, 0\.0000 USD$/m,
    )
    expect(out).to.match(/^3 manifests, \d+ variants: no problems$/m)
  })

  it('usage.api-counts?project=(: a 400 that names the argument; only BigQuery itself gives the reason of RE2', async () => {
    const path = 'usage.api-counts?project=(&interval=daily'
    for (const { status, body } of [await ask(embedded, path), await ask(warehouse, path)]) {
      expect(status).to.equal(400)
      const { code, errors } = JSON.parse(body)
      expect([code, errors.length, errors[0].parameter]).to.deep.equal(['ARGUMENT_INVALID', 1, 'project'])
    }
  })
})
