import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { readTimestamp } from '../../runner/model/typed-value.js'
import { createRunner } from '../../runner/serve/runner.js'
import { itInAll } from '../sample-size.js'
import { command, scratch } from './command.js'

const NOW = '2026-02-03T04:05:06.789012Z'
const STREAMS = [
  'auth',
  'edge',
  'function_edge',
  'function_runtime',
  'pooler',
  'postgres',
  'realtime',
  'rest',
  'storage',
]
const COUNT = 3_000

interface SchemaField {
  readonly name: string
  readonly type: string
  readonly mode?: string
  readonly fields?: readonly SchemaField[]
}

type Row = Readonly<Record<string, unknown>>

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  STRING: value => typeof value === 'string',
  INTEGER: value => Number.isSafeInteger(value),
  FLOAT: value => typeof value === 'number' && Number.isFinite(value),
  BOOLEAN: value => typeof value === 'boolean',
  TIMESTAMP: value => typeof value === 'string' && /T.*Z$/.test(value) && readTimestamp(value) !== null,
}

/** The paths in this value that do not fit the schema, each with the reason. */
function misfits(value: unknown, field: SchemaField, path: string, isElement = false): readonly string[] {
  if (field.mode === 'REPEATED' && !isElement) {
    if (!Array.isArray(value)) return [`${path}: no list`]
    return value.flatMap((element, i) => misfits(element, field, `${path}[${i}]`, true))
  }
  if (value === null) return field.mode === 'REQUIRED' || isElement ? [`${path}: null`] : []
  if (field.type === 'RECORD') {
    if (typeof value !== 'object' || Array.isArray(value)) return [`${path}: no record`]
    return rowMisfits(value as Row, field.fields ?? [], path)
  }
  const fits = SCALARS[field.type]
  if (!fits) return [`${path}: ${field.type} is not checked here`]
  return fits(value) ? [] : [`${path}: no ${field.type}: ${JSON.stringify(value)}`]
}

function rowMisfits(row: Row, fields: readonly SchemaField[], path: string): readonly string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const field = fields.find(known => known.name === name)
    return field ? misfits(value, field, `${path}.${name}`) : [`${path}.${name}: unknown`]
  })
}

const schemaOf = (stream: string): readonly SchemaField[] =>
  JSON.parse(readFileSync(`schemas/tables/logs.${stream}.json`, 'utf8')).schema.fields as readonly SchemaField[]

describe('sluice sample', () => {
  const folder = scratch()
  const sample = (into: string, ...argv: readonly string[]) => command(['sample', '--data', folder.path(into), ...argv])
  const textOf = (into: string, stream: string): string =>
    readFileSync(folder.path(into, 'logs', `${stream}.ndjson`), 'utf8')
  const rowsOf = (stream: string): readonly Row[] =>
    textOf('seven', stream)
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Row)
  /** The first record of an entry's metadata. */
  const record = (row: Row): Row => (row['metadata'] as readonly Row[])[0]!
  const inner = (row: Row, name: string): Row => (record(row)[name] as readonly Row[])[0]!
  let project = ''

  before(async () => {
    const { code, out } = await sample('seven', '--seed', '7', '--count', String(COUNT), '--now', NOW)
    expect(code).to.equal(0)
    project = /busiest project is ([a-z]{20})\n$/.exec(out)?.[1] ?? ''
  })
  after(() => folder.remove())

  it('writes this many entries of each of the nine streams, and nothing else', () => {
    expect(readdirSync(folder.path('seven', 'logs')).sort()).to.deep.equal(STREAMS.map(stream => `${stream}.ndjson`))
    for (const stream of STREAMS) expect(rowsOf(stream), stream).to.have.length(COUNT)
  })

  it('writes the same bytes for the same seed and time, and others for another seed', async () => {
    await sample('again', '--seed', '7', '--count', String(COUNT), '--now', NOW)
    await sample('other', '--seed', '8', '--count', '50', '--now', NOW)
    for (const stream of STREAMS) {
      expect(textOf('again', stream) === textOf('seven', stream), stream).to.equal(true)
      expect(textOf('seven', stream)).to.not.include(textOf('other', stream).split('\n')[0])
    }
  })

  for (const stream of STREAMS) {
    it(`${stream}: entries fit the schema, oldest first, over eight days up to the time given`, () => {
      const rows = rowsOf(stream)
      const fields = schemaOf(stream)
      expect(rows.flatMap((row, i) => rowMisfits(row, fields, `row ${i}`)).slice(0, 5)).to.deep.equal([])
      for (const name of ['id', 'timestamp', 'event_message', 'metadata']) {
        expect(
          rows.filter(row => row[name] === undefined || row[name] === null),
          name,
        ).to.have.length(0)
      }
      expect(new Set(rows.map(row => row['id'])).size).to.equal(COUNT)
      const times = rows.map(row => row['timestamp'] as string)
      expect(times).to.deep.equal([...times].sort())
      expect(times.at(-1)).to.equal(NOW)
      const first = readTimestamp(times[0]!)!
      const days = Number(readTimestamp(NOW)! - first) / 86_400_000_000
      expect(days).to.be.within(7, 8)
      // Every window of the endpoints has entries: the last five minutes, the last hour, the last day.
      for (const minutes of [5, 60, 1440]) {
        const since = readTimestamp(NOW)! - BigInt(minutes) * 60_000_000n
        expect(times.filter(time => readTimestamp(time)! > since).length, `${minutes} minutes`).to.be.above(COUNT / 50)
      }
    })
  }

  it('is of many projects, a few of which make most of the traffic', () => {
    const counts = new Map<unknown, number>()
    for (const row of rowsOf('edge')) counts.set(row['project'], (counts.get(row['project']) ?? 0) + 1)
    const sorted = [...counts.entries()].sort((a, b) => b[1] - a[1])
    expect(sorted.length).to.be.above(15)
    expect(sorted[0]?.[0]).to.equal(project)
    expect(sorted[0]![1]).to.be.above(4 * sorted[9]![1])
  })

  it('holds errors at a rate that looks real, in every area and stream that has some', () => {
    const share = (rows: readonly Row[], isOne: (row: Row) => boolean): number =>
      rows.filter(isOne).length / rows.length
    const edge = rowsOf('edge')
    expect(share(edge, row => Number(inner(row, 'response')['status_code']) >= 400)).to.be.within(0.02, 0.25)
    expect(share(edge, row => Number(inner(row, 'response')['status_code']) >= 500)).to.be.within(0.001, 0.05)
    const functions = rowsOf('function_edge')
    expect(share(functions, row => Number(inner(row, 'response')['status_code']) >= 400)).to.be.within(0.01, 0.3)
    for (const [stream, level] of [
      ['realtime', 'error'],
      ['storage', 'error'],
      ['auth', 'error'],
      ['function_runtime', 'error'],
    ] as const) {
      expect(
        share(rowsOf(stream), row => record(row)['level'] === level),
        stream,
      ).to.be.within(0.005, 0.3)
    }
    for (const area of ['/rest', '/storage', '/auth', '/realtime']) {
      expect(
        share(edge, row => String(inner(row, 'request')['path']).includes(area)),
        area,
      ).to.be.above(0.02)
    }
  })

  it('has execution times with a long tail', () => {
    const times = rowsOf('function_edge')
      .map(row => Number(record(row)['execution_time_ms']))
      .sort((a, b) => a - b)
    expect(times[0]).to.be.at.least(0)
    expect(times[Math.floor(COUNT * 0.99)]! / times[Math.floor(COUNT * 0.5)]!).to.be.above(4)
  })

  itInAll('gives the endpoints rows to answer with', async () => {
    const runner = await createRunner({ dataDir: folder.path('seven'), engineMemoryMb: 256, engineThreads: 1 })
    const count = async (name: string, args: Readonly<Record<string, string>>): Promise<number> =>
      (await runner.call(name, { project, ...args }, { nowMicros: readTimestamp(NOW)! })).rowCount
    expect(await count('logs.all', { project_tier: 'PRO' })).to.equal(100)
    expect(await count('functions.invocation-stats', { interval: '7day' })).to.be.within(7, 8)
    expect(await count('usage.api-counts', { interval: 'daily' })).to.be.within(7, 8)
    await runner.close()
  })

  itInAll('has the project and the function that the endpoints name as examples', async () => {
    await sample('default', '--count', String(COUNT), '--now', NOW)
    const runner = await createRunner({ dataDir: folder.path('default'), engineMemoryMb: 256, engineThreads: 1 })
    for (const { name, parameters } of runner.endpoints()) {
      const named = parameters.filter(({ type, examples = [] }) => type === 'string' && examples.length > 0)
      const args = {
        interval: 'daily',
        ...Object.fromEntries(named.map(({ name: one, examples }) => [one, examples![0]])),
      }
      const { rowCount } = await runner.call(name, { ...args }, { nowMicros: readTimestamp(NOW)! })
      expect(rowCount, name).to.be.above(0)
    }
    await runner.close()
  })

  it('--if-empty does nothing where there are log files, otherwise it writes all', async () => {
    mkdirSync(folder.path('once', 'logs'), { recursive: true })
    writeFileSync(folder.path('once', 'logs', '.hidden'), '')
    const began = `writing sample entries into ${folder.path('once', 'logs')}…\n`
    expect(await sample('once', '--if-empty', '--count', '5')).to.include({ code: 0, err: began })
    const file = folder.path('once', 'logs', 'edge.ndjson')
    const first = [readFileSync(file, 'utf8'), statSync(file).mtimeMs]
    expect(first[0]).to.match(/^(.+\n){5}$/)
    expect(await sample('once', '--if-empty', '--count', '9')).to.deep.equal({ code: 0, out: '', err: '' })
    expect([readFileSync(file, 'utf8'), statSync(file).mtimeMs]).to.deep.equal(first)
    expect((await sample('once', '--count', '9')).code).to.equal(0)
    expect(readFileSync(file, 'utf8')).to.match(/^(.+\n){9}$/)
  })

  it('ends with the present time when no time is given', async () => {
    const began = Date.now()
    await sample('now', '--count', '1')
    const { timestamp } = JSON.parse(textOf('now', 'rest')) as { timestamp: string }
    expect(Date.parse(timestamp)).to.be.within(began - 5, Date.now() + 5)
  })

  it('refuses invalid values', async () => {
    for (const argv of [
      ['--count', '0'],
      ['--count', '1e3'],
      ['--seed', '-1'],
      ['--now', 'noon'],
      ['--count', '99999999999'],
    ]) {
      const { code, err } = await sample('bad', ...argv)
      expect(code, argv.join(' ')).to.equal(2)
      expect(err).to.include(argv[0])
    }
    writeFileSync(folder.path('file'), '')
    expect((await sample('file', '--count', '1')).code).to.equal(3)
  })
})
