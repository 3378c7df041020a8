import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Entry, edge, type LogRunner, liveMicros, NOW, NOW_MICROS, openLogRunner, time } from './log-runner.js'

const ID = '1d96f9e1-52c1-4f2a-8598-7dde1f6be295'

/** Entries of one project. `times` maps the id of each to its distance from NOW or to its time. */
const at = (project: string, times: Readonly<Record<string, string>>): readonly Entry[] =>
  Object.entries(times).map(([id, when]) => edge(id, project, { timestamp: /^[+-]/.test(when) ? time(when) : when }))

/** The other streams: the field that holds the project, and whether the query joins entries with their metadata. */
const OTHER_STREAMS = [
  { stream: 'postgres', field: 'project', expands: false },
  { stream: 'function_edge', field: 'metadata.project_ref', expands: true },
  { stream: 'function_runtime', field: 'metadata.project_ref', expands: true },
  { stream: 'auth', field: 'project', expands: true },
  { stream: 'realtime', field: 'metadata.project', expands: true },
  { stream: 'storage', field: 'metadata.project', expands: true },
  { stream: 'rest', field: 'project', expands: true },
  { stream: 'pooler', field: 'project', expands: true },
] as const

/**
 * An entry in the form of its stream: the project in the right field, and `decoy` in every other field that might hold one.
 */
function entryOf(stream: (typeof OTHER_STREAMS)[number], id: string, project: string | null, more: Entry = {}): Entry {
  const isTop = stream.field === 'project'
  const key = stream.field.slice('metadata.'.length)
  return {
    id,
    timestamp: time('-1min'),
    event_message: `${stream.stream} ${id}`,
    project: isTop ? project : 'decoy',
    metadata: [isTop ? { host: 'h', project: 'decoy' } : { [key]: project }],
    ...more,
  }
}

const EDGE = [
  ...at('retention', {
    '90 days': '-90d',
    '90 days less 1 us': '-90d +1us',
    '7 days': '-7d',
    '7 days less 1 us': '-7d +1us',
    '1 day': '-1d',
    '1 day less 1 us': '-1d +1us',
  }),
  ...at('bounds', {
    b0: '2026-03-15T12:00:00.000000Z',
    b1: '2026-03-15T12:00:00.000001Z',
    b2: '2026-03-15T12:00:00.000002Z',
  }),
  ...at('midnight', { 'on the day': '2026-03-15T00:00:00.000001Z', 'at midnight': '2026-03-15T00:00:00Z' }),
  ...at('future', { 'to come': '+3d', 'is now': '-0us' }),
  ...at('case', { lower: '-1h' }),
  ...at('Case', { upper: '-1h' }),
  edge('without a project', null, { timestamp: time('-1h') }),
  { id: 'without a project', timestamp: time('-1h'), event_message: '', metadata: [{}] },
  edge('empty list', 'metadata', { metadata: [] }),
  edge('null', 'metadata', { metadata: null }),
  { id: 'absent', project: 'metadata', timestamp: time('-1min'), event_message: '' },
  edge('one record', 'metadata', { timestamp: time('-2min') }),
  edge('two records', 'metadata', { metadata: [{ request: [{ method: 'GET' }] }, { request: [{ method: 'PUT' }] }] }),
  // Not in the order of time: 37 and 150 have no common divisor, so each number occurs once.
  ...Array.from({ length: 150 }, (_, i) => (i * 37) % 150).map(n =>
    edge(`n${n}`, 'many', { timestamp: time(`-${n + 1}s`) }),
  ),
  ...Array.from({ length: 60 }, (_, n) =>
    edge(`d${n}`, 'doubled', { timestamp: time(`-${n + 1}s`), metadata: [{}, {}] }),
  ),
  edge('whole', 'nested', { metadata: [repeated(sampleOf('edge')['metadata'])] }),
]

function sampleOf(stream: string): Entry {
  return JSON.parse(readFileSync(`test/cases/streams/${stream}.json`, 'utf8')) as Entry
}

/** The records of a sample in the form of the tables: each record is a list of one element. */
function repeated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const isRecord = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return [name, isRecord ? [repeated(inner)] : inner]
  })
  return Object.fromEntries(members)
}

/** The value without NULLs and empty lists: the fields of the schema that the entry does not have. */
function given(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(given)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([, inner]) => inner !== null && !(Array.isArray(inner) && inner.length === 0),
  )
  return Object.fromEntries(members.map(([name, inner]) => [name, given(inner)]))
}

describe('logs.all', () => {
  let logs: LogRunner
  const ids = async (args: Readonly<Record<string, string>>, name = 'logs.all'): Promise<readonly unknown[]> =>
    (await logs.rows(name, { project_tier: 'ENTERPRISE', ...args })).map(row => row['id'])

  before(async () => {
    // Only the edge stream has a file: the other streams have none until a test writes them.
    logs = await openLogRunner({ edge: EDGE }, copyForEachStream)
  })
  after(() => logs.close())

  describe('keeps entries strictly later than what the tier retains', () => {
    const within1Day = ['1 day less 1 us']
    const within7Days = [...within1Day, '1 day', '7 days less 1 us']
    const within90Days = [...within7Days, '7 days', '90 days less 1 us']
    const TIERS: Readonly<Record<string, readonly string[]>> = {
      FREE: within1Day,
      PRO: within7Days,
      PAYG: within90Days,
      ENTERPRISE: within90Days,
      pro: within1Day,
      Enterprise: within1Day,
      'PRO ': within1Day,
      GOLD: within1Day,
      ' ': within1Day,
      constructor: within1Day,
      "PRO'": within1Day,
    }
    // As a member of an object literal, `__proto__` would set the prototype.
    for (const [tier, expected] of [...Object.entries(TIERS), ['__proto__', within1Day] as const]) {
      it(`project_tier=${JSON.stringify(tier)}: ${expected.length} of six`, async () => {
        expect(await ids({ project: 'retention', project_tier: tier })).to.deep.equal(expected)
      })
    }

    it('however early the start is', async () => {
      const args = { project: 'retention', project_tier: 'PRO', iso_timestamp_start: '2020-01-01' }
      expect(await ids(args)).to.deep.equal(within7Days)
    })

    it('however late the end is', async () => {
      const args = { project: 'retention', project_tier: 'FREE', iso_timestamp_end: '2030-01-01' }
      expect(await ids(args)).to.deep.equal(within1Day)
    })
  })

  describe('keeps entries after the start and up to the end', () => {
    const CASES: readonly (readonly [
      what: string,
      args: Readonly<Record<string, string>>,
      expected: readonly string[],
    ])[] = [
      ['no bounds', {}, ['b2', 'b1', 'b0']],
      ['empty bounds are none', { iso_timestamp_start: '', iso_timestamp_end: '' }, ['b2', 'b1', 'b0']],
      ['the start itself is out', { iso_timestamp_start: '2026-03-15T12:00:00.000001Z' }, ['b2']],
      ['a microsecond before is enough', { iso_timestamp_start: '2026-03-15T12:00:00Z' }, ['b2', 'b1']],
      ['the end itself is in', { iso_timestamp_end: '2026-03-15T12:00:00.000001Z' }, ['b1', 'b0']],
      ['a microsecond after is too late', { iso_timestamp_end: '2026-03-15T12:00:00Z' }, ['b0']],
      [
        'both',
        { iso_timestamp_start: '2026-03-15T12:00:00Z', iso_timestamp_end: '2026-03-15T12:00:00.000001Z' },
        ['b1'],
      ],
      ['start = end', { iso_timestamp_start: '2026-03-15T12:00:00Z', iso_timestamp_end: '2026-03-15T12:00:00Z' }, []],
      [
        'start > end',
        { iso_timestamp_start: '2026-03-15T12:00:00.000002Z', iso_timestamp_end: '2026-03-15T12:00:00Z' },
        [],
      ],
      ['an offset east', { iso_timestamp_start: '2026-03-15T14:00:00.000001+02:00' }, ['b2']],
      ['an offset west', { iso_timestamp_end: '2026-03-15T06:30:00.000001-05:30' }, ['b1', 'b0']],
      ['no offset is UTC', { iso_timestamp_start: '2026-03-15T12:00:00.000001' }, ['b2']],
      ['a space instead of T', { iso_timestamp_start: '2026-03-15 12:00:00.000001Z' }, ['b2']],
    ]
    for (const [what, args, expected] of CASES) {
      it(what, async () => expect(await ids({ project: 'bounds', ...args })).to.deep.equal(expected))
    }

    it('a date alone is its midnight', async () => {
      expect(await ids({ project: 'midnight', iso_timestamp_start: '2026-03-15' })).to.deep.equal(['on the day'])
      expect(await ids({ project: 'midnight', iso_timestamp_end: '2026-03-15' })).to.deep.equal(['at midnight'])
    })

    it('entries in the future are included unless an end excludes them', async () => {
      expect(await ids({ project: 'future', project_tier: 'FREE' })).to.deep.equal(['to come', 'is now'])
      expect(await ids({ project: 'future', iso_timestamp_end: NOW })).to.deep.equal(['is now'])
    })
  })

  describe('refuses a time that it cannot read, and names the parameter', () => {
    for (const text of [
      'yesterday',
      '2026-02-30T00:00:00Z',
      '1773578096',
      '2026-03-15T25:00:00Z',
      '2026-03-15T12:00:00.0000001Z',
    ]) {
      it(text, async () => {
        for (const parameter of ['iso_timestamp_start', 'iso_timestamp_end']) {
          const { code, errors } = await logs.refusal('logs.all', {
            project: 'p',
            project_tier: 'PRO',
            [parameter]: text,
          })
          expect(code).to.equal('ARGUMENT_INVALID')
          expect(errors.map(error => error.parameter)).to.deep.equal([parameter])
          expect(errors[0]?.detail).to.not.include(text)
        }
      })
    }

    it('a + that was decoded as a space, with that as the reason', async () => {
      const response = await logs.get(
        'query/logs.all?project=p&project_tier=PRO&iso_timestamp_end=2026-03-15T12:00:00+01:00',
      )
      const problem = (await response.json()) as { errors: readonly { parameter: string; detail: string }[] }
      expect(response.status).to.equal(400)
      expect(problem.errors).to.have.length(1)
      expect(problem.errors[0]?.parameter).to.equal('iso_timestamp_end')
      expect(problem.errors[0]?.detail).to.match(/space/).and.include('%2B')
    })

    it('both at once, together with missing parameters', async () => {
      const args = { project: '', iso_timestamp_start: 'x', iso_timestamp_end: 'y' }
      const { errors } = await logs.refusal('logs.all', args)
      const named = errors.map(error => error.parameter)
      expect(named).to.deep.equal(['project', 'project_tier', 'iso_timestamp_start', 'iso_timestamp_end'])
    })
  })

  describe('keeps entries of the project alone', () => {
    const PROJECTS: Readonly<Record<string, readonly string[]>> = {
      case: ['lower'],
      Case: ['upper'],
      CASE: [],
      'case ': [],
      'cas%': [],
      '.*': [],
      null: [],
      NULL: [],
      unknown: [],
    }
    for (const [project, expected] of Object.entries(PROJECTS)) {
      it(`${JSON.stringify(project)}: ${expected.length}`, async () => {
        expect(await ids({ project })).to.deep.equal(expected)
      })
    }
  })

  it('drops entries without metadata, and gives one with two records twice', async () => {
    const rows = await logs.rows('logs.all', { project: 'metadata', project_tier: 'FREE' })
    expect(rows.map(row => row['id'])).to.deep.equal(['two records', 'two records', 'one record'])
    for (const row of rows.slice(0, 2)) expect(row['metadata']).to.have.length(2)
  })

  it('gives the hundred newest entries, newest first, and does not report the result as cut', async () => {
    const result = await logs.runner.call(
      'logs.all',
      { project: 'many', project_tier: 'FREE' },
      { nowMicros: NOW_MICROS },
    )
    expect(result.isTruncated).to.equal(false)
    expect(await ids({ project: 'many' })).to.deep.equal(Array.from({ length: 100 }, (_, n) => `n${n}`))
  })

  it('counts rows, not entries, towards the hundred', async () => {
    const newest = Array.from({ length: 100 }, (_, n) => `d${Math.floor(n / 2)}`)
    expect(await ids({ project: 'doubled' })).to.deep.equal(newest)
  })

  it('gives its four columns in order, with times to the microsecond', async () => {
    const body = await logs.body('logs.all', {
      project: 'bounds',
      project_tier: 'FREE',
      iso_timestamp_start: '2026-03-15T12:00:00.000001Z',
    })
    const start =
      '{"result":[{"id":"b2","timestamp":"2026-03-15T12:00:00.000002Z","event_message":"message of b2","metadata":[{'
    expect(body.slice(0, start.length)).to.equal(start)
    expect(Object.keys((JSON.parse(body) as { result: [Entry] }).result[0])).to.have.length(4)
  })

  it('gives every nested value of the metadata, in the order of the schema', async () => {
    const [row] = await logs.rows('logs.all', { project: 'nested', project_tier: 'FREE' })
    expect(given(row?.['metadata'])).to.deep.equal([repeated(sampleOf('edge')['metadata'])])
    const schema = JSON.parse(readFileSync('schemas/tables/logs.edge.json', 'utf8')).schema
      .fields as readonly SchemaField[]
    expect(namesOf(row?.['metadata'])).to.deep.equal(schemaNames(schema.find(field => field.name === 'metadata')!))
  })

  describe('over HTTP', () => {
    it('answers to its name and to its id, in upper case too, with the present entries', async () => {
      const now = liveMicros()
      const when = time('-1h', now)
      const entries = [
        edge('fresh', 'live', { timestamp: when }),
        edge('stale', 'live', { timestamp: time('-1d -1s', now) }),
      ]
      logs.write('edge', [...EDGE, ...entries])
      const bodies = await Promise.all(
        ['logs.all', ID, ID.toUpperCase()].map(async ref => {
          const response = await logs.get(`query/${ref}?project=live&project_tier=FREE`)
          expect(response.status).to.equal(200)
          expect(response.headers.get('Cache-Control')).to.equal('private, no-cache')
          return response.text()
        }),
      )
      expect(new Set(bodies)).to.have.property('size', 1)
      expect((JSON.parse(bodies[0]!) as { result: readonly Entry[] }).result.map(row => row['id'])).to.deep.equal([
        'fresh',
      ])
    })

    it('is not cached: new entries are in the next answer', async () => {
      const ask = async (): Promise<string> => (await logs.get(`query/${ID}?project=growing&project_tier=FREE`)).text()
      expect(await ask()).to.equal('{"result":[]}')
      logs.write('edge', [...EDGE, edge('new', 'growing', { timestamp: time('-1s', liveMicros()) })])
      expect(await ask()).to.include('"id":"new"')
    })

    it('accepts an encoded offset, and text as a browser encodes it', async () => {
      const start = encodeURIComponent(time('-2h', liveMicros()).replace('Z', '+00:00'))
      const response = await logs.get(
        `query/logs.all?project=growing&project_tier=FREE&iso_timestamp_start=${start}&iso_timestamp_end=`,
      )
      expect([response.status, response.headers.get('X-Row-Count')]).to.deep.equal([200, '1'])
    })

    it('describes its limits', async () => {
      const { settings } = (await (await logs.get('logs.all')).json()) as { settings: Entry }
      expect(settings).to.include({ max_rows: 1000, cache: 'disabled', sandbox: 'disabled' })
    })
  })

  describe('defines the other eight streams, and reads none of them', () => {
    it('where they are absent, empty or full', async () => {
      const expected = ['lower']
      expect(await ids({ project: 'case' })).to.deep.equal(expected)
      for (const { stream } of OTHER_STREAMS) logs.write(stream, [])
      expect(await ids({ project: 'case' })).to.deep.equal(expected)
      for (const stream of OTHER_STREAMS) {
        const full = Array.from({ length: 20 }, (_, i) =>
          entryOf(stream, `${stream.stream}-${i}`, 'case', { timestamp: time('-1s') }),
        )
        logs.write(stream.stream, full)
      }
      expect(await ids({ project: 'case' })).to.deep.equal(expected)
    })

    for (const stream of OTHER_STREAMS) {
      it(`${stream.stream}: the project in ${stream.field}, the same bounds, metadata ${stream.expands ? '' : 'not '}expanded`, async () => {
        const { field, expands } = stream
        const record = field === 'project' ? {} : { [field.slice('metadata.'.length)]: 'mine' }
        logs.write(stream.stream, [
          entryOf(stream, 'at the cutoff', 'mine', { timestamp: time('-7d') }),
          entryOf(stream, 'past the cutoff', 'mine', { timestamp: time('-7d +1us') }),
          entryOf(stream, 'at the start', 'mine', { timestamp: time('-3h') }),
          entryOf(stream, 'past the start', 'mine', { timestamp: time('-3h +1us') }),
          entryOf(stream, 'two records', 'mine', { timestamp: time('-3h +2us'), metadata: [record, record] }),
          entryOf(stream, 'no records', 'mine', { timestamp: time('-3h +3us'), metadata: [] }),
          entryOf(stream, 'at the end', 'mine', { timestamp: time('-2h') }),
          entryOf(stream, 'past the end', 'mine', { timestamp: time('-2h +1us') }),
          entryOf(stream, 'of another', 'yours', { timestamp: time('-3h +1us') }),
          entryOf(stream, 'of another in case', 'Mine', { timestamp: time('-3h +1us') }),
          entryOf(stream, 'without a project', null, { timestamp: time('-3h +1us') }),
        ])
        const between = {
          project: 'mine',
          project_tier: 'PRO',
          iso_timestamp_start: time('-3h'),
          iso_timestamp_end: time('-2h'),
        }
        const inside = expands
          ? ['at the end', 'two records', 'two records', 'past the start']
          : ['at the end', 'no records', 'two records', 'past the start']
        const name = `copies.${stream.stream.replace('_', '-')}`
        expect(await ids(between, name)).to.deep.equal(inside)
        const unbounded = await ids({ project: 'mine', project_tier: 'PRO' }, name)
        expect(unbounded).to.deep.equal(['past the end', ...inside, 'at the start', 'past the cutoff'])
      })
    }
  })
})

/** Adds eight copies of logs.all, whose last SELECT reads one of the other streams each, so that a test sees its filter. */
function copyForEachStream(endpointsDir: string): void {
  const text = readFileSync('endpoints/logs.all.yaml', 'utf8')
  OTHER_STREAMS.forEach(({ stream }, i) => {
    const name = `copies.${stream.replace('_', '-')}`
    const copy = text
      .replace(ID, `${ID.slice(0, -1)}${i === 5 ? 'f' : i}`)
      .replace('name: logs.all', `name: ${name}`)
      .replace('FROM edge_logs', `FROM ${stream}_logs`)
    writeFileSync(join(endpointsDir, `${name}.yaml`), copy)
  })
}

interface SchemaField {
  readonly name: string
  readonly fields?: readonly SchemaField[]
}

type Names = readonly (string | readonly [string, Names])[]

/** The names of a field's fields, at all depths. */
const schemaNames = (field: SchemaField): Names =>
  (field.fields ?? []).map(inner => (inner.fields ? [inner.name, schemaNames(inner)] : inner.name))

/** The names in a value, at all depths, taken from the first record of each list of records. */
function namesOf(records: unknown): Names {
  const [first] = records as readonly Entry[]
  return Object.entries(first ?? {}).map(([name, value]) =>
    Array.isArray(value) && typeof value[0] === 'object' ? [name, namesOf(value)] : name,
  )
}
