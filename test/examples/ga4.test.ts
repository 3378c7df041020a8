/** The example of Google Analytics 4: its endpoints, and the events that its generator writes. Its README runs as documents do. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { command, scratch } from '../cli/command.js'
import { itInAll } from '../sample-size.js'

const EXAMPLE = 'examples/ga4'
const DATASET = 'analytics_123456789'

describe('the example of Google Analytics 4', function () {
  this.timeout(120_000)
  const folder = scratch()
  const authored = ['--endpoints', `${EXAMPLE}/endpoints`, '--tables', `${EXAMPLE}/schemas/tables`]
  const call = (...argv: readonly string[]) =>
    command(['call', ...argv, ...authored, '--data', folder.path('data'), '--engine-memory', '256', '--format', 'json'])
  function sample(into: string, ...flags: readonly string[]): string {
    const argv = [
      `${EXAMPLE}/sample.mjs`,
      '--until',
      '2026-01-31',
      '--days',
      '9',
      '--data',
      folder.path(into),
      ...flags,
    ]
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
    expect(stderr).to.equal('')
    expect(status).to.equal(0)
    return stdout
  }
  const shard = (into: string, day: string): string =>
    readFileSync(folder.path(into, DATASET, `events_${day}.ndjson`), 'utf8')

  before(() => void sample('data', '--seed', '3'))
  after(() => folder.remove())

  itInAll('validates, and its tests pass and leave nothing out', async () => {
    const validated = await command(['validate', ...authored])
    expect(validated).to.deep.include({ code: 0, out: '6 manifests, 12 variants: no problems\n' })
    const { code, out } = await command(['test', '--min-coverage', '100', ...authored, '--engine-memory', '256'])
    expect(out).to.match(/\ncoverage 100 %\n\d+ passed, 0 failed in [\d.]+ s\n$/)
    expect(code).to.equal(0)
  })

  it('has two endpoints that group by a time, and their buckets are kept', async () => {
    const { err } = await command(['validate', '--explain', 'refresh', ...authored])
    const kept = err.split('\n').filter(line => line.includes('[refresh/kept]'))
    expect(kept.map(line => /ga4\.[\w-]+/.exec(line)![0])).to.deep.equal(['ga4.active-users', 'ga4.retention'])
  })

  itInAll('has the same events for the same flags, and others for another seed', () => {
    const said = sample('again', '--seed', '3')
    sample('other', '--seed', '4')
    const shards = readdirSync(folder.path('data', DATASET))
    expect(shards).to.have.length(9)
    const texts = shards.map(name => readFileSync(folder.path('data', DATASET, name), 'utf8'))
    expect(shards.map(name => readFileSync(folder.path('again', DATASET, name), 'utf8'))).to.deep.equal(texts)
    expect(said).to.contain(`wrote ${texts.join('').split('\n').length - 1} events into 9 shards`)
    expect(shard('other', '20260131')).not.to.equal(shard('data', '20260131'))
  })

  it('has events that fit the schema: an import, which refuses unknown fields and other types, takes them', async () => {
    const { code, out, err } = await command(
      ['import', `${DATASET}.events_20260131`, '-', '--input-format', 'ndjson'].concat([
        '--tables',
        `${EXAMPLE}/schemas/tables`,
        '--data',
        folder.path('imported'),
      ]),
      {},
      shard('data', '20260131'),
    )
    expect(code, out + err).to.equal(0)
    expect(out + err).to.contain(`imported ${shard('data', '20260131').split('\n').length - 1} rows`)
  })

  itInAll('counts in the endpoints what is in the events', async () => {
    const events = ['20260130', '20260131'].flatMap(day =>
      shard('data', day)
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as { event_name: string; user_pseudo_id: string; device: { category: string } }),
    )
    const starts = events.filter(event => event.event_name === 'session_start')
    const { out } = await call('ga4.sessions', 'from=2026-01-30', 'to=2026-01-31', 'by=device')
    const { result } = JSON.parse(out) as { result: readonly { dimension: string; sessions: number; users: number }[] }
    expect(result.length).to.be.at.least(2)
    for (const { dimension, sessions, users } of result) {
      const own = starts.filter(event => event.device.category === dimension)
      expect([sessions, users], dimension).to.deep.equal([own.length, new Set(own.map(one => one.user_pseudo_id)).size])
    }
    const views = events.filter(event => event.event_name === 'page_view').length
    const pages = await call('ga4.top-pages', 'from=2026-01-30', 'to=2026-01-31', 'top=100')
    const counted = (JSON.parse(pages.out) as { result: readonly { views: number }[] }).result
    expect(counted.reduce((sum, page) => sum + page.views, 0)).to.equal(views)
  })
})
