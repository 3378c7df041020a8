/** The formats of a result over HTTP: one query and one stored result for all of them, each with an ETag of its own. */
import { createHash } from 'node:crypto'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { RESULT_FORMATS } from '../../runner/formats/index.js'
import { openParquetReader, type ParquetReader } from '../formats/read-parquet.js'
import { readXlsx } from '../formats/read-xlsx.js'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'
import { type Serving, serving } from './serving.js'

const idOf = (first: string): string => first + ENDPOINT_ID.slice(2)
const fixed = (value: unknown) => () => ({ sql: 'SELECT', parameters: { text: { type: 'STRING', value } } })

/** A text that is long in every format and coding. */
const LONG = Array.from(
  { length: 100 },
  (_, i) => `é,"${createHash('sha512').update(String(i)).digest('base64')}`,
).join()

describe('a result over HTTP in other formats', () => {
  let s: Serving
  let parquet: ParquetReader
  before(async () => {
    parquet = await openParquetReader()
  })
  after(() => parquet.close())
  beforeEach(async () => {
    s = await serving({
      endpoints: [
        handMadeEndpoint({ render: fixed('=1+1') }),
        handMadeEndpoint({ id: idOf('1b'), name: 'tests.large', parameters: [], render: fixed(LONG) }),
        handMadeEndpoint({ id: idOf('2b'), name: 'tests.uncached', cache: null, render: fixed('=1+1') }),
        handMadeEndpoint({
          id: idOf('3b'),
          name: 'tests.own',
          parameters: [parameter('format')],
        }),
        handMadeEndpoint({ id: idOf('4b'), name: 'tests.cut', parameters: [], maxRows: 0, render: fixed('x') }),
        handMadeEndpoint({
          id: idOf('5b'),
          name: 'tests.bounded',
          parameters: [],
          maxResultBytes: 40,
          render: fixed('x'),
        }),
      ],
    })
  })
  afterEach(() => s.close())

  const path = (name: string, query: string): string => `/api/endpoints/query/tests.${name}?${query}`

  const EXPECTED = {
    json: ['application/json; charset=utf-8', null, '{"result":[{"text":"=1+1"}]}'],
    ndjson: ['application/x-ndjson', null, '{"text":"=1+1"}\n'],
    csv: ['text/csv; charset=utf-8; header=present', 'csv', 'text\r\n=1+1\r\n'],
    excel: ['text/csv; charset=utf-8; header=present', 'csv', "\ufefftext\r\n'=1+1\r\n"],
    table: [
      'application/vnd.sluice.table+json',
      null,
      '{"columns":[{"name":"text","type":"STRING"}],"rows":[["=1+1"]],"truncated":false,"next":null}',
    ],
    arrow: ['application/vnd.apache.arrow.stream', 'arrows', null],
    parquet: ['application/vnd.apache.parquet', 'parquet', null],
    xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx', null],
  } as const

  for (const format of RESULT_FORMATS) {
    const [contentType, extension, text] = EXPECTED[format]
    it(`is sent as ${format}, by the name in the address, to GET, HEAD and POST`, async () => {
      const address = `?project=a&format=${format}`
      const got = await s.get(address)
      const body = Buffer.from(await got.arrayBuffer())
      expect(got.status).to.equal(200)
      expect(got.headers.get('Content-Type')).to.equal(contentType)
      expect(got.headers.get('X-Row-Count')).to.equal('1')
      expect(got.headers.get('Content-Disposition')).to.equal(
        extension && `attachment; filename="tests.echo.${extension}"`,
      )
      if (format === 'arrow') expect(tableFromIPC(body).getChild('text')?.get(0)).to.equal('=1+1')
      else if (format === 'parquet') expect(await parquet.read(body, [{ kind: 'STRING' }])).to.deep.equal([['=1+1']])
      else if (format === 'xlsx') expect(readXlsx(body, [{ kind: 'STRING' }])).to.deep.equal([['=1+1']])
      else expect(body.toString()).to.equal(text)
      const head = await s.get(address, { method: 'HEAD' })
      for (const name of ['Content-Type', 'Content-Length', 'ETag', 'Content-Disposition']) {
        expect(head.headers.get(name), name).to.equal(got.headers.get(name))
      }
      const posted = await s.get(`?format=${format}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"project":"a"}',
      })
      expect(posted.headers.get('ETag')).to.equal(got.headers.get('ETag'))
      expect(Buffer.from(await posted.arrayBuffer()).equals(body)).to.equal(true)
      expect(s.engine.queries).to.have.length(1)
    })
  }

  it('has ETags that differ by format and coding, each of which is a 304', async () => {
    const tags = new Map<string, string>()
    for (const format of RESULT_FORMATS) {
      for (const coding of ['identity', 'br', 'gzip']) {
        const ask = (headers = {}) =>
          s.get(path('large', `format=${format}`), { headers: { 'Accept-Encoding': coding, ...headers } })
        const whole = await ask()
        expect(whole.headers.get('Content-Encoding')).to.equal(coding === 'identity' ? null : coding)
        const etag = whole.headers.get('ETag')!
        tags.set(`${format} ${coding}`, etag)
        await whole.arrayBuffer()
        for (const fresh of [false, true]) {
          // The first is answered by the fast path, the second by the app.
          const same = await ask({ 'If-None-Match': etag, ...(fresh && { 'If-Match': '*' }) })
          expect([same.status, await same.text(), same.headers.get('Content-Disposition')]).to.deep.equal([
            304,
            '',
            null,
          ])
        }
      }
    }
    const plain = tags.get('json identity')!.slice(0, -1)
    expect(tags.get('csv identity')).to.equal(`${plain}.csv"`)
    expect(tags.get('csv br')).to.equal(`${plain}.csv.br"`)
    expect(tags.get('json gzip')).to.equal(`${plain}.gzip"`)
    expect(new Set(tags.values()).size).to.equal(3 * RESULT_FORMATS.length)
    expect(s.engine.queries).to.have.length(1)
  })

  itInAll(
    'is one query for 200 callers of mixed formats at once, cold, and the same bytes for each format',
    async () => {
      const release = s.engine.hold()
      const calls = Array.from({ length: 200 }, async (_, i) => {
        const format = RESULT_FORMATS[i % RESULT_FORMATS.length]!
        const response = await s.get(path('large', `format=${format}`))
        return `${format} ${response.status} ${Buffer.from(await response.arrayBuffer()).toString('base64')}`
      })
      await until(() => s.engine.queries.length > 0, 'the query has begun')
      release()
      expect(new Set(await Promise.all(calls)).size).to.equal(RESULT_FORMATS.length)
      expect(s.engine.queries).to.have.length(1)
      const started = s.events.filter(event => event.kind === 'query.started')
      expect(started).to.have.length(1)
    },
  )

  it('is a hit of the fast path', async () => {
    for (const format of RESULT_FORMATS) {
      const first = await s.get(path('large', `format=${format}`))
      await first.arrayBuffer()
      const before = s.slowPathCalls()
      const hit = await s.get(path('large', `format=${format}`))
      await hit.arrayBuffer()
      expect([format, s.slowPathCalls() - before, hit.headers.get('ETag')]).to.deep.equal([
        format,
        0,
        first.headers.get('ETag'),
      ])
    }
  })

  it('is chosen by Accept where the address does not', async () => {
    const csv = await s.get('?project=a', { headers: { Accept: 'text/csv, */*;q=0.1' } })
    expect(csv.headers.get('Content-Type')).to.match(/^text\/csv/)
    const lines = await s.get('?project=a&format=ndjson', { headers: { Accept: 'text/csv' } })
    expect(lines.headers.get('Content-Type')).to.equal('application/x-ndjson')
  })

  it('is a 406 that lists all formats where there is no such one', async () => {
    for (const address of ['?project=a&format=orc', '?project=a&format=']) {
      const refused = await s.get(address)
      expect(refused.status).to.equal(406)
      expect(((await refused.json()) as { detail: string }).detail).to.match(
        /json.*ndjson.*csv.*excel.*table.*arrow.*parquet.*xlsx/,
      )
    }
    expect(s.engine.queries).to.have.length(0)
  })

  it('takes format for an argument where a parameter has this name, and in a body', async () => {
    const own = await s.get(path('own', 'format=csv'))
    expect(own.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    expect(await own.text()).to.include('"format":"csv"')
    const posted = await s.get('', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"project":"a","format":"csv"}',
    })
    expect(posted.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
  })

  it('says that it was cut', async () => {
    const cut = await s.get(path('cut', 'format=table'))
    expect(cut.headers.get('X-Truncated')).to.equal('true')
    expect(await cut.text()).to.include('"truncated":true')
  })

  it('is derived where it is not cached, too, and compressed only where it must be', async () => {
    const csv = await s.get(path('uncached', 'project=a&format=csv'))
    expect(await csv.text()).to.equal('text\r\n=1+1\r\n')
    expect(csv.headers.get('Cache-Status')).to.equal('sluice; fwd=bypass')
    const packed = await fetch(s.url + path('uncached', 'project=a&format=csv'), {
      headers: { 'X-API-KEY': 'unrestricted-token-of-32-letters', 'Accept-Encoding': 'gzip, identity;q=0' },
    })
    expect(packed.headers.get('Content-Encoding')).to.equal('gzip')
    expect(await packed.text()).to.equal('text\r\n=1+1\r\n')
  })

  it('is a 502 where it is more than twice as large as a result may be', async () => {
    const json = await s.get(path('bounded', ''))
    expect(json.status).to.equal(200)
    const csv = await s.get(path('bounded', 'format=csv'))
    expect(csv.status).to.equal(200)
    const arrow = await s.get(path('bounded', 'format=table'))
    expect(arrow.status).to.equal(502)
    expect(await arrow.json()).to.include({ code: 'RESULT_TOO_LARGE' })
  })
})
