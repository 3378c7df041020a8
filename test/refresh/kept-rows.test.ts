/** Kept rows that another program has written to a shared store: they are used only where they can be right, and never crash. */
import { expect } from 'chai'
import { type KeptQuery, keptQuery, parseTypeName, resolveQuery, tableCatalogue } from '../../googlesql/index.js'
import { TIMED_OUT } from '../../runner/model/deadline.js'
import type { RunnerError } from '../../runner/model/errors.js'
import type { StoredResult } from '../../runner/model/ports.js'
import type { KeptFacts, TablePart } from '../../runner/model/query.js'
import { decodeParts, encodeParts, partsText } from '../../runner/refresh/kept-parts.js'
import { decodeKept, encodeKept } from '../../runner/refresh/kept-rows.js'
import { readRows } from '../../runner/refresh/rows.js'
import { validSpans } from '../../runner/refresh/valid-spans.js'

const SQL = 'SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS c FROM logs.edge GROUP BY hour ORDER BY hour'
const HOUR = 3_600_000_000n
const PARTS = [{ key: 'p', times: { least: 600, greatest: 7_800 } }]
const ROWS = [0, 1, 2].map(hour => `{"hour":"1970-01-01T0${hour}:00:00Z","c":1}`)
const SPANS = [
  { from: '0', until: String(2n * HOUR), rows: 2 },
  { from: String(2n * HOUR), until: String(9n * HOUR), rows: 1 },
]

function queryOf(): KeptQuery {
  const columns = [{ name: 'ts', type: parseTypeName('TIMESTAMP')! }]
  const catalogue = tableCatalogue([{ name: 'logs.edge', columns }])
  return keptQuery(SQL, resolveQuery(SQL, catalogue, {}), {
    clock: 'now',
    isRequired: () => true,
    resolve: null,
  }) as KeptQuery
}

const storedWith = (
  kept: Partial<KeptFacts>,
  rows: readonly string[] = ROWS,
  rowCount = rows.length,
): StoredResult => ({
  body: Buffer.from(`{"result":[${rows.join(',')}]}`),
  rowCount,
  columns: [],
  isTruncated: false,
  now: '0',
  etag: '',
  storedAt: 0,
  freshUntil: 0,
  kept: { spans: SPANS, parts: encodeParts(PARTS), ...kept },
})

const { signal: SIGNAL } = new AbortController()

describe('kept rows', () => {
  const kept = queryOf()

  it('are read as they were written', async () => {
    const spans = await decodeKept(storedWith({}), kept, SIGNAL)
    expect(spans.map(({ from, until, rows }) => [from, until, rows.map(({ bucket }) => bucket)])).to.deep.equal([
      [0n, 2n * HOUR, [0n, HOUR]],
      [2n * HOUR, 9n * HOUR, [2n * HOUR]],
    ])
    const { body, ...rest } = await encodeKept(spans, encodeParts(PARTS), SIGNAL)
    expect(Buffer.from(body).toString()).to.equal(Buffer.from(storedWith({}).body).toString())
    expect(rest).to.deep.equal({ rowCount: 3, spans: SPANS, parts: encodeParts(PARTS) })
    expect(await validSpans(kept, spans, PARTS, PARTS)).to.deep.equal(spans)
  })

  it('are worked on no longer when their call has ended', async () => {
    const many = Array.from({ length: 5_000 }, () => ROWS[2]!)
    const ended = async (reason: unknown): Promise<unknown> => {
      const controller = new AbortController()
      const read = readRows(storedWith({}, many), kept, controller.signal)
      controller.abort(reason)
      return read.catch((error: RunnerError) => error.code)
    }
    expect(await ended(TIMED_OUT)).to.equal('QUERY_TIMEOUT')
    expect(await ended(undefined)).to.equal('CALL_ABANDONED')
  })

  it('name the parts of the table, with or without their times', () => {
    const parts = [
      ...PARTS,
      { key: 'q' },
      { key: 'r', times: null },
      { key: 's', times: { least: -62_135_596_800, greatest: 253_402_300_799 } },
    ]
    expect(encodeParts(parts)).to.equal('p.go.5k0,q,r.,s.-sjlxhc0.40yf47zz')
    for (const some of [parts, [], [{ key: 'q' }]]) expect(decodeParts(encodeParts(some))).to.deep.equal(some)
  })

  it('name the parts with times in one cell as one, which changes with any of them', async () => {
    const hour = (key: string, least: number) => ({ key, times: { least, greatest: least + 60 } })
    const [a, b, c] = [hour('a', 3_600), hour('b', 7_000), hour('c', 7_200)]
    const spans = await decodeKept(storedWith({}), kept, SIGNAL)
    const isTrue = async (before: readonly TablePart[], now: readonly TablePart[]): Promise<readonly number[]> => {
      const left = await validSpans(kept, spans, decodeParts(await partsText(kept, spans, before)), now)
      return [0, 1, 2].filter(time =>
        left.some(({ from, until }) => from <= BigInt(time) * HOUR && until > BigInt(time) * HOUR),
      )
    }
    expect(await partsText(kept, spans, [a, b, c])).to.match(/^[\w-]{12}\.2s0\.2o4,c\.5k0\.1o$/)
    expect(await partsText(kept, spans, [c, b, a])).to.equal(`c.5k0.1o,${await partsText(kept, spans, [a, b])}`)
    expect(await isTrue([a, b, c], [c, b, a])).to.deep.equal([0, 1, 2])
    expect(await isTrue([a, b, c], [a, c])).to.deep.equal([0, 2])
    expect(await isTrue([a, c], [a, b, c])).to.deep.equal([0, 2])
    expect(await isTrue([a, b, c], [a, { ...b, key: 'other' }, c])).to.deep.equal([0, 2])
    // The times of the first were not known yet.
    expect(await isTrue([{ key: 'a' }, { key: 'b' }], [a, b])).to.deep.equal([0, 1, 2])
    expect(await isTrue([{ key: 'a' }], [a, b])).to.deep.equal([0, 2])
  })

  it('name no part that has no rows between their spans, which may change', async () => {
    const spans = await decodeKept(storedWith({}), kept, SIGNAL)
    const elsewhere = [
      { key: 'before', times: { least: -7_200, greatest: -1 } },
      { key: 'after', times: { least: 32_401, greatest: 40_000 } },
      { key: 'none', times: null },
    ]
    const unknown = { key: 'unknown' }
    const parts = await partsText(kept, spans, [...elsewhere, ...PARTS, unknown])
    expect(parts).to.equal(encodeParts([...PARTS, unknown]))
    expect(await validSpans(kept, spans, PARTS, [...elsewhere, ...PARTS])).to.deep.equal(spans)
    const edges = [
      { key: 'first', times: { least: -7_200, greatest: 0 } },
      { key: 'last', times: { least: 32_399, greatest: 40_000 } },
    ]
    const left = await validSpans(kept, spans, PARTS, [...PARTS, ...edges])
    expect(left.map(({ from, until }) => [from, until])).to.deep.equal([
      [HOUR, 2n * HOUR],
      [2n * HOUR, 8n * HOUR],
    ])
  })

  const [first, second] = SPANS as [(typeof SPANS)[0], (typeof SPANS)[0]]
  const WRONG: readonly (readonly [what: string, stored: StoredResult])[] = [
    ['too few rows in the spans', storedWith({ spans: [first] })],
    ['too many rows in the spans', storedWith({ spans: [first, { ...second, rows: 2 }] })],
    ['another number of rows than its body', storedWith({}, ROWS.slice(1), 3)],
    [
      'spans out of order',
      storedWith({
        spans: [
          { ...second, rows: 2 },
          { ...first, rows: 1 },
        ],
      }),
    ],
    ['spans that overlap', storedWith({ spans: [first, { ...second, from: String(HOUR) }] })],
    ['a span that ends before it begins', storedWith({ spans: [first, { ...second, until: '0' }] })],
    ['a bucket that is null', storedWith({}, [...ROWS.slice(1), '{"hour":null,"c":1}'])],
    ['a bucket that is no time', storedWith({}, [...ROWS.slice(1), '{"hour":"noon","c":1}'])],
    ['a bucket of a month that is not', storedWith({}, [...ROWS.slice(1), '{"hour":"1970-13-01T00:00:00Z","c":1}'])],
    ['a bucket that is a list', storedWith({}, [...ROWS.slice(1), '{"hour":[[1]],"c":1}'])],
    ['a bucket of another span', storedWith({}, [...ROWS.slice(1), '{"hour":"1970-01-01T00:00:00Z","c":1}'])],
    ['rows that are no objects', storedWith({}, ['1', '2', '3'])],
    ['no rows where there should be three', { ...storedWith({}), body: new Uint8Array() }],
    ['no spans', storedWith({ spans: [] })],
  ]
  for (const [what, stored] of WRONG) {
    it(`are not used with ${what}`, async () => {
      expect(await decodeKept(stored, kept, SIGNAL)).to.deep.equal([])
    })
  }

  it('are not used where the times of a part that has changed are not known, or no times', async () => {
    const spans = await decodeKept(storedWith({}), kept, SIGNAL)
    for (const text of ['q', 'q.x', 'q.!.!', 'q..1', 'q.zzzzzzzzzzz.1', 'q.1.-1', 'q.1.zzzzzzzzzzz'])
      expect(await validSpans(kept, spans, decodeParts(text), PARTS)).to.deep.equal([])
    const many = Array.from({ length: 1_001 }, (_, i) => ({ key: `q${i}`, times: null }))
    expect(await validSpans(kept, spans, [...PARTS, ...many], PARTS)).to.deep.equal([])
  })
})
