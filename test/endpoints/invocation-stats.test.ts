import { expect } from 'chai'
import { type Entry, edge, invoked, type LogRunner, liveMicros, openLogRunner, time } from './log-runner.js'

const ID = '46c0fe13-0752-493c-926b-b4bded3358ea'
const NAME = 'functions.invocation-stats'

const micros = (text: string, distance: string): string => time(distance, BigInt(Date.parse(text)) * 1000n)

/** For each interval: the start of its series, its second bucket and the bucket of NOW, 2026-03-15T12:34:56.789012Z. */
const INTERVALS = [
  { interval: '5min', start: '2026-03-15T12:29:56Z', second: '2026-03-15T12:29:57Z', current: '2026-03-15T12:34:56Z' },
  { interval: '15min', start: '2026-03-15T12:19:00Z', second: '2026-03-15T12:20:00Z', current: '2026-03-15T12:34:00Z' },
  { interval: '1hr', start: '2026-03-15T11:34:00Z', second: '2026-03-15T11:35:00Z', current: '2026-03-15T12:34:00Z' },
  { interval: '1day', start: '2026-03-14T12:00:00Z', second: '2026-03-14T13:00:00Z', current: '2026-03-15T12:00:00Z' },
  { interval: '7day', start: '2026-03-08T00:00:00Z', second: '2026-03-09T00:00:00Z', current: '2026-03-15T00:00:00Z' },
] as const

const DAY = INTERVALS[3]

/** Entries around the start of a series and around the end of its first bucket, and one at NOW; not in the order of time. */
const aroundStart = ({ interval, start, second }: (typeof INTERVALS)[number]): readonly Entry[] =>
  [
    { at: time('-0us'), ms: 5 },
    { at: micros(second, '-1us'), ms: 3 },
    { at: micros(start, '-1us'), ms: 1 },
    { at: micros(second, '+0us'), ms: 4 },
    { at: micros(start, '+0us'), ms: 2 },
  ].map(({ at, ms }) => invoked(`around-${interval}`, at, { execution_time_ms: ms }))

const now = time('-1min')
const statuses = (project: string, ...codes: readonly (number | null)[]): readonly Entry[] =>
  codes.map(code => invoked(project, now, { response: [{ status_code: code }] }))
const durations = (project: string, values: readonly (number | null)[]): readonly Entry[] =>
  values.map(value => invoked(project, now, { execution_time_ms: value }))

/** The numbers 0 to 100, each once, shuffled: 37 and 101 have no common divisor. */
const SHUFFLED = Array.from({ length: 101 }, (_, i) => (i * 37) % 101)

const INVOCATIONS: readonly Entry[] = [
  ...INTERVALS.flatMap(aroundStart),
  // With 101 values, element n of the 101 boundaries is exactly the nth value, however an engine interpolates.
  ...durations(
    'quantiles',
    SHUFFLED.map(n => 1000 + n * n),
  ),
  ...durations('quantiles-and-nulls', [...SHUFFLED.map(n => 1000 + n * n), null, null, null, null, null, null]),
  ...durations('single', [7.25]),
  ...durations('fractions', [0.5, 0.25, 1.75]),
  ...durations('some-null', [null, 4, null, 8]),
  ...durations('all-null', [null, null]),
  ...statuses('errors', 100, 199, 200, 301, 399, 400, 404, 499, 500, 599, 600, null),
  ...statuses('null-status', null, null),
  invoked('two-responses', now, { execution_time_ms: 4, response: [{ status_code: 200 }, { status_code: 500 }] }),
  invoked('no-response', now, { execution_time_ms: 1, response: [] }),
  invoked('no-response', now, { execution_time_ms: 1, response: null }),
  { ...invoked('no-response', now), metadata: [{ project_ref: 'no-response', execution_time_ms: 1 }] },
  { ...invoked('no-metadata', now), metadata: [] },
  { ...invoked('no-metadata', now), metadata: null },
  { id: 'bare', timestamp: now, event_message: '' },
  invoked('partly', now, { execution_time_ms: 9 }),
  invoked('partly', now, { execution_time_ms: 1, response: [] }),
  {
    ...invoked('two-records', now),
    metadata: [
      { project_ref: 'two-records', execution_time_ms: 1, response: [{ status_code: 200 }] },
      { project_ref: 'another', execution_time_ms: 50, response: [{ status_code: 500 }] },
      { project_ref: 'two-records', execution_time_ms: 3, response: [{ status_code: 500 }] },
    ],
  },
  invoked('case', now, { execution_time_ms: 1 }),
  invoked('Case', now, { execution_time_ms: 2 }),
  invoked(null, now, { execution_time_ms: 3 }),
  invoked('by-function', now, { function_id: 'f1', execution_time_ms: 1 }),
  invoked('by-function', now, { function_id: 'f1', execution_time_ms: 2 }),
  invoked('by-function', now, { function_id: 'F1', execution_time_ms: 4 }),
  invoked('by-function', now, { function_id: 'f10', execution_time_ms: 8 }),
  invoked('by-function', now, { function_id: null, execution_time_ms: 16 }),
  invoked('by-function', now, { execution_time_ms: 32 }),
]

describe(NAME, () => {
  let logs: LogRunner
  const rows = (project: string, args: Readonly<Record<string, string>> = {}): Promise<readonly Entry[]> =>
    logs.rows(NAME, { project, interval: '1day', ...args })
  const only = async (project: string, args: Readonly<Record<string, string>> = {}): Promise<Entry> => {
    const all = await rows(project, args)
    expect(all).to.have.length(1)
    return all[0]!
  }

  before(async () => {
    logs = await openLogRunner({
      function_edge: INVOCATIONS,
      // Other streams that hold invocations are not read.
      function_runtime: [invoked('elsewhere', now)],
      edge: [
        edge('elsewhere', 'elsewhere', { metadata: [{ project_ref: 'elsewhere', response: [{ status_code: 200 }] }] }),
      ],
    })
  })
  after(() => logs.close())

  describe('looks back to where the series starts, and groups by its unit', () => {
    for (const { interval, start, second, current } of INTERVALS) {
      it(`${interval}: from ${start}`, async () => {
        const found = await rows(`around-${interval}`, { interval })
        // Rows ascend; the entry a microsecond before the start is not counted, and empty buckets give no rows.
        expect(found.map(row => [row['timestamp'], row['count']])).to.deep.equal([
          [start, 2],
          [second, 1],
          [current, 1],
        ])
        expect([found[0]?.['min_execution_time'], found[0]?.['max_execution_time']]).to.deep.equal([2, 3])
      })
    }

    for (const interval of ['other', '1DAY', '5MIN', '2hr', ' 5min', '0', 'constructor', '__proto__', 'default']) {
      it(`${JSON.stringify(interval)} counts as 1day`, async () => {
        const found = await rows('around-1day', { interval })
        expect(found.map(row => row['timestamp'])).to.deep.equal([DAY.start, DAY.second, DAY.current])
      })
    }

    it('an interval is required, and so is a project', async () => {
      for (const args of [{}, { project: '', interval: '' }]) {
        const { code, errors } = await logs.refusal(NAME, args)
        expect(code).to.equal('ARGUMENT_INVALID')
        expect(errors.map(error => error.parameter)).to.deep.equal(['project', 'interval'])
      }
    })
  })

  describe('reads p95 and p99 from elements 95 and 99 of the 101 boundaries', () => {
    it('of 101 values: the boundaries are the values', async () => {
      expect(await only('quantiles')).to.include({
        min_execution_time: 1000,
        max_execution_time: 11_000,
        p95_execution_time: 1000 + 95 ** 2,
        p99_execution_time: 1000 + 99 ** 2,
        count: 101,
      })
    })

    it('which NULLs do not change', async () => {
      expect(await only('quantiles-and-nulls')).to.include({
        p95_execution_time: 1000 + 95 ** 2,
        p99_execution_time: 1000 + 99 ** 2,
        count: 107,
      })
    })

    it('of a single value: that value', async () => {
      const expected = { min: 7.25, max: 7.25, avg: 7.25, p95: 7.25, p99: 7.25 }
      const row = await only('single')
      for (const [name, value] of Object.entries(expected)) expect(row[`${name}_execution_time`]).to.equal(value)
    })
  })

  describe('computes statistics of execution times', () => {
    it('that have fractions', async () => {
      const row = await only('fractions')
      expect(row).to.include({ min_execution_time: 0.25, max_execution_time: 1.75, count: 3 })
      expect(row['avg_execution_time']).to.be.closeTo(2.5 / 3, 1e-12)
    })

    it('without NULLs, whose responses are still counted', async () => {
      const row = { min_execution_time: 4, max_execution_time: 8, avg_execution_time: 6, count: 4, error_count: 0 }
      expect(await only('some-null')).to.include(row)
    })

    it('as NULL where all are NULL', async () => {
      expect(await logs.body(NAME, { project: 'all-null', interval: '1day' })).to.equal(
        '{"result":[{"timestamp":"2026-03-15T12:00:00Z","min_execution_time":null,"max_execution_time":null,' +
          '"avg_execution_time":null,"p95_execution_time":null,"p99_execution_time":null,"count":2,"error_count":0}]}',
      )
    })
  })

  it('counts a status of 400 and above as an error, and never a NULL status', async () => {
    expect(await only('errors')).to.include({ count: 12, error_count: 6 })
    expect(await only('null-status')).to.include({ count: 2, error_count: 0 })
  })

  describe('expands metadata and then responses', () => {
    it('so that two responses count twice', async () => {
      expect(await only('two-responses')).to.include({ count: 2, error_count: 1, min_execution_time: 4 })
    })

    it('so that an entry without a response is not counted', async () => {
      expect(await rows('no-response')).to.deep.equal([])
      expect(await only('partly')).to.include({ count: 1, min_execution_time: 9 })
    })

    it('so that an entry without metadata is not counted', async () => {
      expect(await rows('no-metadata')).to.deep.equal([])
    })

    it('so that each record is judged by its own project', async () => {
      const row = { count: 2, error_count: 1, min_execution_time: 1, max_execution_time: 3 }
      expect(await only('two-records')).to.include(row)
    })
  })

  describe('reads the invocations of the project alone', () => {
    const PROJECTS: Readonly<Record<string, number | null>> = {
      case: 1,
      Case: 2,
      CASE: null,
      cas: null,
      'c.se': null,
      null: null,
      elsewhere: null,
    }
    for (const [project, ms] of Object.entries(PROJECTS)) {
      it(`${project}: ${ms === null ? 'none' : 'its own'}`, async () => {
        const expected = ms === null ? [] : [ms]
        expect((await rows(project)).map(row => row['max_execution_time'])).to.deep.equal(expected)
      })
    }
  })

  describe('can be limited to one function', () => {
    const FUNCTIONS: readonly (readonly [args: Readonly<Record<string, string>>, count: number, max: number | null])[] =
      [
        [{ function_id: 'f1' }, 2, 2],
        [{ function_id: 'F1' }, 1, 4],
        [{ function_id: 'f10' }, 1, 8],
        [{ function_id: 'f' }, 0, null],
        [{ function_id: 'null' }, 0, null],
        [{ function_id: '' }, 6, 32],
        [{}, 6, 32],
      ]
    for (const [args, count, max] of FUNCTIONS) {
      it(`${JSON.stringify(args)}: ${count} of six`, async () => {
        const found = await rows('by-function', args)
        expect(found.map(row => [row['count'], row['max_execution_time']])).to.deep.equal(
          max === null ? [] : [[count, max]],
        )
      })
    }
  })

  it('gives its columns in order, and no others', async () => {
    expect(await logs.body(NAME, { project: 'two-responses', interval: '15min' })).to.equal(
      '{"result":[{"timestamp":"2026-03-15T12:33:00Z","min_execution_time":4,"max_execution_time":4,' +
        '"avg_execution_time":4,"p95_execution_time":4,"p99_execution_time":4,"count":2,"error_count":1}]}',
    )
  })

  it('gives no rows for a project without invocations', async () => {
    expect(await logs.body(NAME, { project: 'unknown', interval: '7day' })).to.equal('{"result":[]}')
  })

  describe('over HTTP', () => {
    it('answers to its name and to its id, in upper case too, from one cached result', async () => {
      const at = time('-30min', liveMicros())
      logs.write('function_edge', [...INVOCATIONS, invoked('live', at, { execution_time_ms: 12 })])
      const answers: { body: string; status: string | null }[] = []
      for (const ref of [NAME, ID, ID.toUpperCase()]) {
        const response = await logs.get(`query/${ref}?interval=1hr&project=live&function_id=`)
        expect(response.status).to.equal(200)
        expect(response.headers.get('Cache-Control')).to.equal('private, max-age=900')
        answers.push({ body: await response.text(), status: response.headers.get('Cache-Status') })
      }
      expect(new Set(answers.map(answer => answer.body)).size).to.equal(1)
      expect((JSON.parse(answers[0]!.body) as { result: readonly Entry[] }).result).to.deep.equal([
        {
          timestamp: `${at.slice(0, 16)}:00Z`,
          min_execution_time: 12,
          max_execution_time: 12,
          avg_execution_time: 12,
          p95_execution_time: 12,
          p99_execution_time: 12,
          count: 1,
          error_count: 0,
        },
      ])
      const outcomes = answers.map(answer => /^sluice; (hit|fwd=\w+)/.exec(answer.status ?? '')?.[1])
      expect(outcomes).to.deep.equal(['fwd=miss', 'hit', 'hit'])
    })

    it('describes its limits', async () => {
      const { settings } = (await (await logs.get(ID)).json()) as { settings: Entry }
      expect(settings).to.deep.include({
        max_rows: 1000,
        cache: { ttl_seconds: 900, warm_seconds: 300 },
        sandbox: 'disabled',
      })
    })
  })
})
