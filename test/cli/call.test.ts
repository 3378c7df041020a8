import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { createRunner } from '../../runner/serve/runner.js'
import { itInAll } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

const NOW = '2026-03-15T12:00:00Z'
const ENTRIES = [
  { id: 'a', timestamp: '2026-03-15T11:00:00.5Z', event_message: 'comma, "quote"\nand a second line' },
  { id: 'ü', timestamp: '2026-03-14T12:00:00.000001Z', event_message: '' },
  { id: 'c', timestamp: '2026-03-14T12:00:00Z', event_message: null },
]

describe('sluice call', () => {
  const folder = scratch()
  const call = (...argv: readonly string[]): Promise<Finished> =>
    command(['call', ...argv, '--data', folder.path('data'), '--engine-memory', '256'])

  before(() => {
    mkdirSync(folder.path('data', 'logs'), { recursive: true })
    const live = {
      id: 'live',
      project: 'now',
      timestamp: new Date().toISOString(),
      event_message: 'a,b',
      metadata: [{}],
    }
    const rows = [...ENTRIES.map(entry => ({ project: 'p1', metadata: [{}], ...entry })), live]
    writeFileSync(folder.path('data', 'logs', 'edge.ndjson'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  })
  after(() => folder.remove())

  it('prints the same bytes that HTTP sends', async () => {
    const runner = await createRunner({
      port: 0,
      dataDir: folder.path('data'),
      token: 'unrestricted-token-of-32-letters',
      engineMemoryMb: 256,
    })
    const server = await runner.listen()
    const response = await fetch(`${server.url}/api/endpoints/query/logs.all?project=now&project_tier=FREE`, {
      headers: { 'X-API-KEY': 'unrestricted-token-of-32-letters' },
    })
    const { code, out } = await call('logs.all', 'project=now', 'project_tier=FREE', '--format', 'json')
    expect([response.status, code]).to.deep.equal([200, 0])
    expect(out)
      .to.equal(await response.text())
      .and.include('"id":"live"')
    await server.close()
    await runner.close()
  })

  it('names an argument or an endpoint that does not exist, and what was probably meant', async () => {
    const err = async (...argv: readonly string[]): Promise<string> => {
      const finished = await call(...argv)
      expect(finished.out).to.equal('')
      return `${finished.code} ${finished.err}`
    }
    expect(await err('logs.al', 'project=p1')).to.equal(
      '1 sluice: There is no endpoint of the name or id "logs.al"; did you mean "logs.all"?\n',
    )
    expect(await err('logs.all', 'projct=p1', 'project_tier=FREE')).to.equal(
      '1 sluice: These arguments are not valid: projct.\n  projct: is not an argument of this endpoint; did you mean "project"?\n',
    )
    expect(await err('logs.all', 'project=p1', 'project_tier=FREE', 'format=csv')).to.equal(
      '2 sluice: the format is a flag here: --format csv\n',
    )
  })

  itInAll('prints lines of JSON, and CSV by RFC 4180', async () => {
    const ask = async (format: string): Promise<string> =>
      (await call('logs.all', 'project=p1', 'project_tier=FREE', '--now', NOW, '--format', format)).out
    const lines = (await ask('ndjson')).split('\n')
    expect(lines).to.have.length(3)
    expect(lines[0]).to.match(
      /^\{"id":"a","timestamp":"2026-03-15T11:00:00\.500Z","event_message":"comma, \\"quote\\"\\nand/,
    )
    expect(lines[2]).to.equal('')
    const csv = await ask('csv')
    expect(
      csv.startsWith(
        'id,timestamp,event_message,metadata\r\na,2026-03-15T11:00:00.500Z,"comma, ""quote""\nand a second line",',
      ),
    ).to.equal(true)
  })

  itInAll('freezes the clock at --now, to the microsecond', async () => {
    const ids = async (now: string): Promise<readonly unknown[]> => {
      const { out } = await call('logs.all', 'project=p1', 'project_tier=FREE', '--format', 'ndjson', '--now', now)
      return out
        .split('\n')
        .filter(line => line !== '')
        .map(line => (JSON.parse(line) as { id: unknown }).id)
    }
    expect(await ids(NOW)).to.deep.equal(['a', 'ü'])
    expect(await ids('2026-03-15T13:00:00.000001+01:00')).to.deep.equal(['a'])
  })

  it('prints a table for people, in which control characters are escaped', async () => {
    const { code, out, err } = await call('logs.all', 'project=p1', 'project_tier=FREE', '--now', NOW)
    expect(code).to.equal(0)
    const [head, rule, first, second, ...more] = out.trimEnd().split('\n')
    expect(head).to.match(/^id +timestamp +event_message +metadata$/)
    expect(rule).to.match(/^-+ +-+ +-+ +-+$/)
    expect(first).to.match(/^a +2026-03-15T11:00:00\.500Z +comma, "quote"\\nand a second line +\[/)
    expect(second).to.match(/^ü +2026-03-14T12:00:00\.000001Z /)
    expect([more.length, err]).to.deep.equal([0, '2 rows\n'])
  })

  it('explains: the variant, both queries, the arguments, the plan and timings', async () => {
    const end = 'iso_timestamp_end=2026-03-15T12:00:00Z'
    const { code, out } = await call(
      'logs.all',
      "project=p' OR 1=1",
      'project_tier=PRO',
      end,
      '--explain',
      '--now',
      NOW,
    )
    expect(code).to.equal(0)
    const sections = new Map(
      out
        .split(/^== /m)
        .slice(1)
        .map(section => [section.split('\n')[0]!, section.slice(section.indexOf('\n') + 1).trim()] as const),
    )
    expect([...sections.keys()]).to.deep.equal([
      'Variant',
      'BigQuery SQL',
      'Arguments',
      'Engine SQL',
      'Plan',
      'Timings',
    ])
    expect(sections.get('Variant')).to.include('PRO').and.include('iso_timestamp_end given')
    expect(sections.get('BigQuery SQL')).to.include('INTERVAL 7 DAY').and.include('@project').and.not.include('OR 1=1')
    expect(sections.get('BigQuery SQL')).to.include('<= @iso_timestamp_end').and.not.include('@iso_timestamp_start')
    expect(sections.get('Arguments')).to.include('@project STRING = "p\' OR 1=1"').and.include('@now TIMESTAMP')
    expect(sections.get('Engine SQL')).to.not.include('OR 1=1')
    expect(sections.get('Plan')).to.not.equal('')
    expect(sections.get('Timings')).to.match(/^render \d+\.\d\d ms$/m)
  })

  itInAll('ends with 1 for a call that would be refused over HTTP', async () => {
    const bad: readonly (readonly [argv: readonly string[], told: RegExp])[] = [
      [['logs.none'], /endpoint/i],
      [
        ['logs.all', 'project=a', 'project=b', 'iso_timestamp_end=noon'],
        /project: .*\n.*project_tier: is required\n.*iso_timestamp_end: /,
      ],
      [['usage.api-counts', 'project=(', 'interval=daily'], /project/],
    ]
    for (const [argv, told] of bad) {
      const { code, out, err } = await call(...argv)
      expect([code, out], argv.join(' ')).to.deep.equal([1, ''])
      expect(err).to.match(told)
    }
  })

  it('ends with 2 for bad usage', async () => {
    const bad: readonly (readonly [argv: readonly string[], told: string])[] = [
      [['logs.all', 'project'], '"project"'],
      [['logs.all', '=a'], '"=a"'],
      [['logs.all', 'project=a', '--now', 'noon'], '--now'],
      [['logs.all', 'project=a', '--format', 'yaml'], '--format'],
    ]
    for (const [argv, told] of bad) {
      const { code, out, err } = await call(...argv)
      expect([code, out], argv.join(' ')).to.deep.equal([2, ''])
      expect(err).to.include(told)
    }
  })
})
