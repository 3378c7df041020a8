import { expect } from 'chai'
import { type Entry, edge, type LogRunner, liveMicros, openLogRunner, requested, time } from './log-runner.js'

const ID = '87bede9d-4b90-4348-84fe-5f3e6f08c018'
const NAME = 'usage.api-counts'
const COLUMNS = ['total_rest_requests', 'total_storage_requests', 'total_auth_requests', 'total_realtime_requests']

const url = (project: string): string => `https://${project}.example.test/`
/** An entry of the gateway with one request, a minute old unless a time is given. */
const request = (project: string, path: string | null, at = time('-1min')): Entry =>
  requested(at, { url: url(project), path })

/** Requests exactly at the start of a window and a microsecond before it; NOW is 2026-03-15T12:34:56.789012Z. */
const WINDOWS = [
  {
    interval: 'hourly',
    start: '2026-03-15T11:34:56.789012Z',
    before: '2026-03-15T11:34:56.789011Z',
    first: '2026-03-15T11:00:00',
    current: '2026-03-15T12:00:00',
  },
  {
    interval: 'daily',
    start: '2026-03-08T12:34:56.789012Z',
    before: '2026-03-08T12:34:56.789011Z',
    first: '2026-03-08T00:00:00',
    current: '2026-03-15T00:00:00',
  },
  {
    interval: 'minutely',
    start: '2026-03-15T11:34:56.789012Z',
    before: '2026-03-15T11:34:56.789011Z',
    first: '2026-03-15T11:34:00',
    current: '2026-03-15T12:34:00',
  },
] as const

/** A path, and the columns in which it is counted: REST, storage, authentication, realtime. */
const PATHS: readonly (readonly [path: string | null, counts: readonly number[]])[] = [
  ['/rest/v1/todos', [1, 0, 0, 0]],
  ['/storage/v1/object', [0, 1, 0, 0]],
  ['/auth/v1/token', [0, 0, 1, 0]],
  ['/realtime/v1/websocket', [0, 0, 0, 1]],
  ['/rest', [1, 0, 0, 0]],
  ['/v1/rest', [1, 0, 0, 0]],
  ['/restore', [1, 0, 0, 0]],
  ['/rest/auth', [1, 0, 1, 0]],
  ['/auth/storage/realtime/rest', [1, 1, 1, 1]],
  ['/rest/rest', [1, 0, 0, 0]],
  ['/REST/v1', [0, 0, 0, 0]],
  ['/Storage/v1', [0, 0, 0, 0]],
  ['/AUTH/v1', [0, 0, 0, 0]],
  ['/Realtime/v1', [0, 0, 0, 0]],
  ['rest', [0, 0, 0, 0]],
  ['/v1rest/', [0, 0, 0, 0]],
  ['/functions/v1/hello', [0, 0, 0, 0]],
  ['/', [0, 0, 0, 0]],
  ['', [0, 0, 0, 0]],
  [null, [0, 0, 0, 0]],
]

const EDGE: readonly Entry[] = [
  ...WINDOWS.flatMap(({ interval, start, before }) => [
    request(`window-${interval}`, '/rest', time('-0us')),
    request(`window-${interval}`, '/rest', before),
    request(`window-${interval}`, '/rest', start),
    request(`window-${interval}`, '/rest', time('-1us')),
  ]),
  ...PATHS.map(([path], i) => request(`path-${i}-`, path)),
  request('buckets', '/rest', '2026-03-15T12:20:00.000000Z'),
  request('buckets', '/auth', '2026-03-15T12:10:59.999999Z'),
  request('buckets', '/none', '2026-03-15T12:15:30Z'),
  request('buckets', '/rest', '2026-03-15T12:11:00Z'),
  request('buckets', '/rest', '2026-03-15T12:10:00Z'),
  request('alphabeta', '/rest'),
  request('alpha', '/rest'),
  request('ALPHA', '/rest'),
  requested(time('-1min'), { url: null, path: '/rest' }, { path: '/rest' }),
  requested(
    time('-1min'),
    { url: url('two-requests'), path: '/rest' },
    { url: url('another'), path: '/auth' },
    { url: url('two-requests'), path: '/storage' },
  ),
  edge('two records', 'ignored', {
    metadata: [
      { request: [{ url: url('two-records'), path: '/rest' }] },
      { request: [{ url: url('two-records'), path: '/rest' }] },
    ],
  }),
  edge('no request', 'x', { metadata: [{ request: [] }] }),
  edge('null request', 'x', { metadata: [{ request: null }] }),
  edge('no metadata', 'x', { metadata: [] }),
  edge('null metadata', 'x', { metadata: null }),
  request('a.b', '/rest'),
]

describe(NAME, () => {
  let logs: LogRunner
  const rows = (project: string, interval = 'minutely'): Promise<readonly Entry[]> =>
    logs.rows(NAME, { project, interval })
  const total = async (project: string): Promise<number> =>
    (await rows(project)).reduce((sum, row) => sum + Number(row['total_rest_requests']), 0)

  before(async () => {
    // Another stream that also holds requests is not read.
    const elsewhere = { ...request('elsewhere', '/rest'), metadata: [{ request: [{ url: url('elsewhere') }] }] }
    logs = await openLogRunner({ edge: EDGE, function_edge: [elsewhere] })
  })
  after(() => logs.close())

  describe('counts from the start of the window, itself included', () => {
    for (const { interval, first, current } of WINDOWS) {
      it(`${interval}: by buckets from ${first}`, async () => {
        const found = await rows(`window-${interval}`, interval)
        expect(found.map(row => [row['timestamp'], row['total_rest_requests']])).to.deep.equal([
          [first, 1],
          [current, 2],
        ])
      })
    }

    for (const interval of ['weekly', 'HOURLY', 'hour', ' hourly', '1day', 'constructor', '__proto__']) {
      it(`an interval ${JSON.stringify(interval)} is refused, and the three are named`, async () => {
        const { code, errors } = await logs.refusal(NAME, { project: 'x', interval })
        expect(code).to.equal('ARGUMENT_INVALID')
        expect(errors.map(error => error.parameter)).to.deep.equal(['interval'])
        for (const known of ['hourly', 'daily', 'minutely']) expect(errors[0]?.detail).to.include(known)
      })
    }

    it('without an interval or a project there is no window', async () => {
      const { errors } = await logs.refusal(NAME, { interval: '' })
      expect(errors.map(error => error.parameter)).to.deep.equal(['project', 'interval'])
    })
  })

  describe('counts a request in every area whose name its path contains', () => {
    PATHS.forEach(([path, counts], i) => {
      it(`${JSON.stringify(path)}: ${counts.join(' ')}`, async () => {
        const found = await rows(`path-${i}-`)
        expect(found.map(row => COLUMNS.map(column => row[column]))).to.deep.equal([counts])
      })
    })
  })

  it('gives a row for each bucket with a matching request, ascending, with zeros where no path names an area', async () => {
    expect(await logs.body(NAME, { project: 'buckets', interval: 'minutely' })).to.equal(
      '{"result":[' +
        [
          ['2026-03-15T12:10:00', 1, 0, 1, 0],
          ['2026-03-15T12:11:00', 1, 0, 0, 0],
          ['2026-03-15T12:15:00', 0, 0, 0, 0],
          ['2026-03-15T12:20:00', 1, 0, 0, 0],
        ]
          .map(
            ([at, ...counts]) =>
              `{"timestamp":"${at}",${COLUMNS.map((name, i) => `"${name}":${counts[i]}`).join(',')}}`,
          )
          .join(',') +
        ']}',
    )
  })

  it('gives an empty result where nothing matched, requests in other streams included', async () => {
    for (const interval of ['hourly', 'daily', 'minutely']) {
      for (const project of ['unknown', 'elsewhere']) {
        expect(await logs.body(NAME, { project, interval })).to.equal('{"result":[]}')
      }
    }
  })

  describe('reads the project as a regular expression, which may match anywhere in the URL', () => {
    const PATTERNS: Readonly<Record<string, number>> = {
      alphabeta: 1,
      alpha: 2,
      beta: 1,
      ALPHA: 1,
      Alpha: 0,
      '(?i)alpha': 3,
      '^alpha': 0,
      '^https://alpha\\.': 1,
      'alpha\\.example\\.test/$': 1,
      'alpha|ALPHA': 3,
      'al.habeta': 1,
      '//a\\.b\\.': 1,
      '//a.b\\.': 1,
      '[[:upper:]]{5}': 1,
      '\\bALPHA\\b': 1,
      '(a|a)*$%_': 0,
      null: 0,
    }
    for (const [project, expected] of Object.entries(PATTERNS)) {
      it(`${project}: ${expected}`, async () => expect(await total(project)).to.equal(expected))
    }

    for (const project of ['(', '[a', 'a**', '(?<=a)b', '(a)\\1', 'a{2,1}', '\\', '(?P<n', '\\p{Nope}', 'x{1001}']) {
      it(`${project} is invalid, which is the caller's fault`, async () => {
        const { code, errors } = await logs.refusal(NAME, { project, interval: 'hourly' })
        expect(code).to.equal('ARGUMENT_INVALID')
        expect(errors.map(error => error.parameter)).to.deep.equal(['project'])
      })
    }

    it('matches in linear time', async function () {
      this.timeout(600_000)
      expect(await total('(a+)+(b+)+(a|b|ab)*$!')).to.equal(0)
    })
  })

  describe('expands metadata and then requests', () => {
    it('so that each request is judged by its own URL and path', async () => {
      const [row] = await rows('two-requests')
      expect(COLUMNS.map(column => row?.[column])).to.deep.equal([1, 1, 0, 0])
    })

    it('so that requests of two records count both', async () => {
      expect(await total('two-records')).to.equal(2)
    })
  })

  describe('over HTTP', () => {
    it('answers to its name and to its id, in upper case too', async () => {
      const at = time('-10min', liveMicros())
      logs.write('edge', [...EDGE, request('live', '/auth/v1/user', at)])
      const bodies = await Promise.all(
        [NAME, ID, ID.toUpperCase()].map(async ref => {
          const response = await logs.get(`query/${ref}?project=live&interval=minutely`)
          expect([response.status, response.headers.get('X-Row-Count')]).to.deep.equal([200, '1'])
          expect(response.headers.get('Cache-Control')).to.equal('private, max-age=900')
          return response.text()
        }),
      )
      const row = `{"timestamp":"${at.slice(0, 16)}:00","total_rest_requests":0,"total_storage_requests":0,"total_auth_requests":1,"total_realtime_requests":0}`
      expect(bodies).to.deep.equal(Array(3).fill(`{"result":[${row}]}`))
    })

    it('reports the mistake in an expression or an interval, and nothing about the query', async () => {
      for (const [query, parameter] of [
        ['project=%28&interval=daily', 'project'],
        ['project=a&interval=yearly', 'interval'],
      ]) {
        const response = await logs.get(`query/${NAME}?${query}`)
        const text = await response.text()
        expect(response.status).to.equal(400)
        expect((JSON.parse(text) as { errors: readonly Entry[] }).errors[0]).to.include({ parameter })
        expect(text).to.not.match(/SELECT|REGEXP_CONTAINS|logs\.edge|DuckDB/i)
      }
    })

    it('describes its limits', async () => {
      const { settings } = (await (await logs.get(NAME)).json()) as { settings: Entry }
      expect(settings).to.deep.include({
        max_rows: 1000,
        cache: { ttl_seconds: 900, warm_seconds: 300 },
        sandbox: 'disabled',
      })
    })
  })
})
