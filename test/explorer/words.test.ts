/** What the page says in words: of headers, times, amounts, settings and addresses. */
import { expect } from 'chai'
import { ExactNumber } from '../../explorer/api/exact-json.js'
import { cacheInWords, factsOf, priceOf } from '../../explorer/api/facts.js'
import { addressOf, argumentsOf, readAddress, wantsRun } from '../../explorer/state/address.js'
import { earlierArguments } from '../../explorer/state/earlier.js'
import { orderOf } from '../../explorer/table/order.js'
import { jsonText, nestedSummary } from '../../explorer/value/cell.js'
import { secondsOf, timeText } from '../../explorer/value/times.js'
import { amountText, bytesText, durationText, spanText, usdText } from '../../explorer/value/units.js'
import { cachePolicyInWords } from '../../explorer/view/cache-policy.js'

const received = { bodyBytes: 100, elapsedMs: 50, at: 0 }
const facts = (headers: Record<string, string>) => factsOf(new Headers(headers), received)

describe('the words of the explorer', () => {
  it('tell what the cache did, for each state', () => {
    const CASES = [
      ['sluice; hit; ttl=588', '312', 'hit, 312 s old, fresh for 588 s more'],
      ['sluice; hit; ttl=0', '5', 'hit, 5 s old'],
      ['sluice; fwd=miss; stored', '0', 'miss: the query ran, and the result is stored'],
      ['sluice; fwd=miss', '0', 'miss: the query ran'],
      ['sluice; fwd=miss; collapsed', '0', 'miss: joined a query that another call had begun'],
      ['sluice; fwd=request; stored', '0', 'new result as asked: the query ran, and the result is stored'],
      ['sluice; fwd=stale', '950', 'stale, 950 s old: a new result is on its way, or could not be had'],
    ] as const
    for (const [status, age, words] of CASES) {
      expect(cacheInWords(facts({ 'Cache-Status': status, Age: age }))).to.equal(words)
    }
    expect(cacheInWords(facts({ 'Cache-Status': 'sluice; fwd=bypass' }))).to.equal(
      'not cached: the query runs on every call',
    )
  })

  it('tell where the time went, and what it cost', () => {
    const bigquery = facts({ 'Server-Timing': 'engine;dur=812.5;desc="1099511627776 bytes billed", total;dur=820.0' })
    expect([bigquery.engineMs, bigquery.serverMs, bigquery.bytesBilled]).to.deep.equal([812.5, 820, 2 ** 40])
    expect(priceOf(bigquery, 6.25)).to.equal(6.25)
    expect(facts({ 'Server-Timing': 'engine;dur=1.0;desc="cache hit", total;dur=2.0' }).bytesBilled).to.equal(0)
    const hit = facts({ 'Server-Timing': 'total;dur=0.1' })
    expect([hit.engineMs, hit.serverMs, priceOf(hit, 6.25)]).to.deep.equal([null, 0.1, null])
    expect([usdText(0), usdText(0.0031), usdText(12), usdText(1e-9)]).to.deep.equal([
      '$0',
      '$0.0031',
      '$12.00',
      'below $0.00001',
    ])
  })

  it('shorten amounts', () => {
    expect([bytesText(0), bytesText(999), bytesText(1_234), bytesText(191_400), bytesText(2e9)]).to.deep.equal([
      '0 B',
      '999 B',
      '1.2 kB',
      '191 kB',
      '2 GB',
    ])
    expect([durationText(0.84), durationText(12.4), durationText(1_440), durationText(125_000)]).to.deep.equal([
      '0.8 ms',
      '12 ms',
      '1.4 s',
      '2 min 5 s',
    ])
    expect([spanText(900), spanText(3_600), spanText(90), spanText(604_800)]).to.deep.equal([
      '15 min',
      '1 h',
      '90 s',
      '7 d',
    ])
    expect([amountText(12_300, null), amountText(0.5, 'percent'), amountText(3, 'items')]).to.deep.equal([
      '12.3k',
      '0.5 %',
      '3 items',
    ])
  })

  it('read times to the microsecond, before 1970 too', () => {
    expect(timeText('TIMESTAMP', '1969-12-31T23:59:59.999999Z', 'utc')).to.equal('1969-12-31 23:59:59.999999')
    expect(timeText('TIMESTAMP', -1, 'utc')).to.equal('1969-12-31 23:59:59.999999')
    expect(timeText('DATETIME', '2026-01-31T12:00:00', 'local')).to.equal('2026-01-31 12:00:00')
    expect(secondsOf('TIMESTAMP', '2026-01-31T00:00:00.5Z')).to.equal(Date.UTC(2026, 0, 31) / 1000 + 0.5)
    expect(secondsOf('DATE', 'never')).to.equal(null)
  })

  it('move times among arguments, each in its own form', () => {
    const parameter = (name: string, type: 'timestamp' | 'datetime' | 'date' | 'string') => ({
      name,
      type,
      required: false,
      description: '',
    })
    const parameters = [
      parameter('a', 'timestamp'),
      parameter('b', 'datetime'),
      parameter('c', 'date'),
      parameter('d', 'string'),
    ]
    const args = { a: '2026-01-31T12:00:00+01:00', b: '2026-01-31T00:30:00', c: '2026-01-01', d: '2026-01-01' }
    expect(earlierArguments(parameters, args, 86_400)).to.deep.equal({
      a: '2026-01-30T11:00:00Z',
      b: '2026-01-30T00:30:00',
      c: '2025-12-31',
      d: '2026-01-01',
    })
    // A date has no hours to move by.
    expect(earlierArguments(parameters, args, 3_600)).to.equal(null)
    expect(earlierArguments(parameters, { a: args.a, b: args.b }, 3_600)).to.deep.equal({
      a: '2026-01-31T10:00:00Z',
      b: '2026-01-30T23:30:00',
    })
    // Without an offset it is UTC; a date alone is its midnight.
    expect(earlierArguments(parameters, { a: '2026-01-31 12:00:00' }, 60)).to.deep.equal({ a: '2026-01-31T11:59:00Z' })
    expect(earlierArguments(parameters, { a: '2026-01-31' }, 60)).to.deep.equal({ a: '2026-01-30T23:59:00Z' })
    expect(earlierArguments(parameters, { a: 'now', d: 'x' }, 60)).to.equal(null)
  })

  it('tell the policy of a cache', () => {
    expect(cachePolicyInWords({ cache: 'disabled', max_rows: 100, timeout_seconds: 30 })).to.deep.equal([
      'Results are not cached: every call runs the query.',
      'A result has at most 100 rows; a longer one is cut, and says so.',
      'A query that takes longer than 30 s fails.',
    ])
    expect(cachePolicyInWords({ cache: 'disabled', pages: { max_size: 50 } })).to.include(
      'It can be asked for page by page, of at most 50 rows each.',
    )
    const cache = { ttl_seconds: 900, warm_seconds: 300, stale_if_error_seconds: 3600, until: 'data_changes' }
    expect(cachePolicyInWords({ cache })).to.deep.equal([
      'A result is served for up to 15 min.',
      'It is dropped as soon as the data that it was computed from changes.',
      'While it is in use, it is queried again every 5 min in the background.',
      'If the query fails, an old result is served for 1 h more.',
    ])
  })

  it('sum nested values up', () => {
    expect(nestedSummary([])).to.equal('[0 items]')
    expect(nestedSummary([{ a: 1, b: 2 }])).to.equal('[{a, b}]')
    expect(nestedSummary({ a: 1, b: 2, c: 3, d: 4 })).to.equal('{a, b, c, 1 more}')
    expect(JSON.parse(jsonText({ a: [1, { b: 'x' }], c: null, d: {} }))).to.deep.equal({
      a: [1, { b: 'x' }],
      c: null,
      d: {},
    })
  })
})

describe('an address of the explorer', () => {
  const parameter = (name: string, type: 'string' | 'array<string>' = 'string') => ({
    name,
    type,
    required: false,
    description: '',
  })

  it('is read as it is written', () => {
    const parameters = [parameter('project'), parameter('tags', 'array<string>')]
    const args = { project: 'a b&c=d#e', tags: ['x', 'ü'] }
    const hash = addressOf('logs.all', args, parameters)
    const address = readAddress(hash)
    expect(address.ref).to.equal('logs.all')
    expect(argumentsOf(address, parameters)).to.deep.equal(args)
    expect(wantsRun(address, parameters)).to.equal(true)
  })

  it('leaves `run` to an endpoint that declares it', () => {
    const parameters = [parameter('run')]
    expect(wantsRun(readAddress('#/x?run=1'), parameters)).to.equal(false)
    expect(argumentsOf(readAddress('#/x?run=1'), parameters)).to.deep.equal({ run: '1' })
    expect(addressOf('x', { run: '2' }, parameters)).to.equal('#/x?run=2')
  })

  it('may be anything', () => {
    for (const hash of ['', '#', '#/', '#%', '#/%E0%A4%A?%', '#//x', '#/a?b?c']) {
      expect(() => readAddress(hash), hash).to.not.throw()
    }
    expect(readAddress('#/').ref).to.equal('')
  })
})

describe('the order of rows', () => {
  const sorted = (type: string, values: readonly unknown[], isDescending = false) =>
    orderOf(
      values.map(value => [value]),
      type,
      { column: 0, isDescending },
    ).map(i => values[i])

  it('is that of numbers, whatever their form', () => {
    expect(sorted('INT64', [10, '9223372036854775807', '9223372036854775806', -1, null])).to.deep.equal([
      -1,
      10,
      '9223372036854775806',
      '9223372036854775807',
      null,
    ])
    expect(sorted('FLOAT64', ['NaN', 2, '-Infinity'])).to.deep.equal(['NaN', '-Infinity', 2])
    expect(sorted('NUMERIC', ['10.5', '9.25', '-3'])).to.deep.equal(['-3', '9.25', '10.5'])
    const long = ['12345678901234567890.2', '12345678901234567890.15', '-12345678901234567890.15']
    expect(sorted('NUMERIC', long)).to.deep.equal([...long].reverse())
    const exact = long.map(text => new ExactNumber(text))
    expect(sorted('NUMERIC', [...exact, null])).to.deep.equal([...exact.reverse(), null])
  })

  it('has NULL last either way, and keeps what is equal in place', () => {
    expect(sorted('STRING', ['b', null, 'a'], true)).to.deep.equal(['b', 'a', null])
    const rows = [['x'], ['x'], ['x']]
    expect(orderOf(rows, 'STRING', { column: 0, isDescending: true })).to.deep.equal([0, 1, 2])
  })
})
