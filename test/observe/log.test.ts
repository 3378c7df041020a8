import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { Log } from '../../runner/observe/log.js'
import type { LogLevel } from '../../runner/observe/log-levels.js'
import { manualClock } from '../cache/manual-clock.js'

function lines(level: LogLevel, ...events: readonly Event[]): Record<string, unknown>[] {
  const written: string[] = []
  const log = new Log(level, manualClock(), { write: text => void written.push(text) })
  for (const event of events) log.observe(event)
  log.end()
  return written.flatMap(text => text.trimEnd().split('\n')).map(line => JSON.parse(line))
}

const done: Extract<Event, { kind: 'request.done' }> = {
  kind: 'request.done',
  requestId: 'id-1',
  method: 'GET',
  path: '/api/endpoints/query/logs.all',
  endpoint: 'logs.all',
  token: 'dashboard',
  status: 200,
  durationMs: 1.5,
  cache: 'hit',
  rows: 3,
  error: null,
}

describe('the log', () => {
  it('reports once a minute that a store fails, and how often it has failed', async () => {
    const clock = manualClock()
    const written: string[] = []
    const log = new Log('info', clock, { write: text => void written.push(text) })
    const fail = (): void => log.observe({ kind: 'store.failed', operation: 'get', cause: new RunnerError('INTERNAL') })
    for (let i = 0; i < 5; i += 1) fail()
    expect(written.length).to.equal(1)
    await clock.advance(59_999)
    fail()
    expect(written.length).to.equal(1)
    await clock.advance(1)
    fail()
    expect(written.length).to.equal(2)
    const { unwritten, level, operation } = JSON.parse(written[1]!)
    expect([unwritten, level, operation]).to.deep.equal([5, 'warn', 'get'])
  })

  it('reports refused manifests with file, line and column, the first twenty', () => {
    const diagnostic = {
      file: 'a.yaml',
      line: 2,
      column: 3,
      rule: 'sql/error',
      severity: 'error',
      message: 'no',
    } as const
    const [line] = lines('error', {
      kind: 'manifests.refused',
      reason: 'the manifests hold 22 errors',
      diagnostics: Array.from({ length: 22 }, () => diagnostic),
    })
    expect(line).to.include({ level: 'error', msg: 'manifests.refused', reason: 'the manifests hold 22 errors' })
    const told = line?.['diagnostics'] as string[]
    expect([told.length, told[0], told[20]]).to.deep.equal([21, 'a.yaml:2:3: no [sql/error]', 'and 2 more'])
  })

  it('is one JSON object a line, named after the event', () => {
    const [line] = lines('info', done)
    expect(line?.['time']).to.match(/^\d{4}-\d\d-\d\dT/)
    delete line?.['time']
    expect(line).to.deep.equal({
      level: 'info',
      requestId: 'id-1',
      method: 'GET',
      path: '/api/endpoints/query/logs.all',
      endpoint: 'logs.all',
      token: 'dashboard',
      status: 200,
      durationMs: 1.5,
      cache: 'hit',
      rows: 3,
      msg: 'request.done',
    })
  })

  it('reports the bytes billed for calls and for all other queries', () => {
    const cost = { bytesProcessed: 5, bytesBilled: 10, isCacheHit: false, jobId: 'job_1' }
    const about = { endpoint: 'logs.all', engine: 'bigquery', durationMs: 1 }
    const written = lines('info', { ...done, cost }, { kind: 'query.done', ...about, rows: 1, cost })
    expect(written.map(line => line['cost'])).to.deep.equal([cost, cost])
    expect(lines('info', { kind: 'query.done', ...about, rows: 1 })).to.deep.equal([])
  })

  it('names the rule that refused a token', () => {
    const refusal = { rule: 'scope', reason: 'the token allows no endpoint of this name' } as const
    const error = new RunnerError('TOKEN_NOT_ALLOWED', { detail: 'No.', refusal })
    const [line] = lines('info', { ...done, status: 403, error })
    expect(line?.['error']).to.deep.equal({ code: 'TOKEN_NOT_ALLOWED', ...refusal })
  })

  const levels: readonly (readonly [event: Event, level: string])[] = [
    [done, 'info'],
    [{ ...done, status: 400 }, 'info'],
    [{ ...done, status: 499 }, 'info'],
    [{ ...done, status: 502 }, 'error'],
    [{ kind: 'query.done', endpoint: 'e', engine: 'duckdb', durationMs: 1, rows: 1 }, 'debug'],
    [
      { kind: 'query.failed', endpoint: 'e', engine: 'duckdb', durationMs: 1, error: new RunnerError('QUERY_FAILED') },
      'debug',
    ],
    [{ kind: 'store.failed', operation: 'get', cause: new RangeError('down') }, 'warn'],
    [{ kind: 'bug', where: 'request', cause: new TypeError('x') }, 'error'],
  ]
  for (const [event, level] of levels) {
    it(`has ${event.kind}${'status' in event ? ` ${event.status}` : ''} at level ${level}`, () => {
      expect(lines('debug', event)[0]?.['level']).to.equal(level)
    })
  }

  it('writes the line of a request like any other, whatever its contents', () => {
    const odd = {
      ...done,
      path: '/a"b\\\u2028é',
      token: null,
      endpoint: null,
      cache: null,
      rows: null,
      durationMs: 12.0306,
    }
    for (const event of [odd, { ...odd, path: done.path }, { ...odd, path: done.path, token: 't' }]) {
      const [line] = lines('info', event)
      const { requestId, method, path, token, status } = event
      expect(line).to.deep.include({ requestId, method, path, status, durationMs: 12.031, msg: 'request.done' })
      expect(line).to.not.have.any.keys('endpoint', 'cache', 'rows', ...(token === null ? ['token'] : []))
    }
  })

  it('reports the rows and the bytes billed of each request', () => {
    const cost = { bytesProcessed: 9, bytesBilled: 7, isCacheHit: false, jobId: 'j' }
    const rows = [3, 0, 1_000_000, null, 3]
    const written = lines('info', ...rows.map(count => ({ ...done, rows: count })), { ...done, cost }, done)
    expect(written.map(line => line['rows'] ?? null)).to.deep.equal([...rows, 3, 3])
    expect(written.map(line => line['cost'] ?? null)).to.deep.equal([null, null, null, null, null, cost, null])
  })

  it('omits events below its level, and all events when silent', () => {
    expect(lines('warn', done)).to.deep.equal([])
    expect(lines('silent', { kind: 'bug', where: 'x', cause: null })).to.deep.equal([])
  })

  it('reports the cause of a failure', () => {
    const error = new RunnerError('QUERY_FAILED', { cause: new RangeError('division by zero') })
    const [line] = lines('debug', { kind: 'query.failed', endpoint: 'e', engine: 'duckdb', durationMs: 1, error })
    expect(line?.['error']).to.deep.equal({
      code: 'QUERY_FAILED',
      detail: 'The query failed',
      cause: 'division by zero',
    })
  })

  it('has the reason of a failed query once, also where the query was billed', () => {
    const error = new RunnerError('QUERY_FAILED', { cause: new QueryFault('endpoints/a.yaml:4:2: division by zero') })
    const cost = { bytesProcessed: 1, bytesBilled: 2, isCacheHit: false, jobId: 'j' }
    const failed = { kind: 'query.failed', endpoint: 'e', engine: 'bigquery', durationMs: 1, error } as const
    const request = { ...done, status: 502, error } as const
    expect(lines('info', failed, request)).to.have.length(1)
    const [billed, answered] = lines('info', { ...failed, cost }, request)
    expect(billed).to.include({ msg: 'query.failed', level: 'info', error: 'QUERY_FAILED' }).and.deep.include({ cost })
    expect(answered).to.include({ msg: 'request.done', level: 'error', requestId: done.requestId })
    expect(answered).to.have.nested.property('error.cause', 'endpoints/a.yaml:4:2: division by zero')
  })

  it('reports the causes of the cause too, four levels deep, and none of them twice', () => {
    const failed = (cause: unknown) => {
      const error = new RunnerError('QUERY_FAILED', { cause })
      const [line] = lines('debug', { kind: 'query.failed', endpoint: 'e', engine: 'duckdb', durationMs: 1, error })
      const { cause: told } = line!['error'] as { cause?: unknown }
      return told
    }
    const chain = (...messages: readonly string[]): unknown =>
      messages.reduceRight<unknown>((cause, message) => new RangeError(message, { cause }), undefined)
    expect(failed(chain('no', 'bad page', 'EIO'))).to.equal('no; caused by: bad page; caused by: EIO')
    expect(failed(chain('1', '2', '3', '4', '5'))).to.equal(['1', '2', '3', '4'].join('; caused by: '))
    expect(failed(chain('edge.ndjson: bad', 'bad'))).to.equal('edge.ndjson: bad')
    expect(failed(new QueryFault('The query failed', { cause: 'Invalid Error: bad page' }))).to.equal(
      'The query failed; caused by: Invalid Error: bad page',
    )
    expect(failed(new QueryFault('The query failed', { cause: '' }))).to.equal('The query failed')
    const endless = new RangeError('round')
    endless.cause = endless
    expect(failed(endless)).to.equal('round')
  })

  it('reports the causes of the cause of a bug and of a failing store', () => {
    const cause = new TypeError('x is undefined', { cause: new RangeError('the bottom') })
    const error = new RunnerError('INTERNAL', { cause })
    const [failed, bug, store] = lines(
      'debug',
      { ...done, status: 500, error },
      { kind: 'bug', where: 'request', cause },
      { kind: 'store.failed', operation: 'get', cause },
    )
    expect(failed)
      .to.have.nested.property('error.cause')
      .that.matches(/log\.test[\s\S]*; caused by: the bottom$/)
    for (const line of [bug, store]) expect(line).to.have.nested.property('cause.cause', 'the bottom')
  })

  it('contains only the beginning of a long text, such as a bad row of a file', () => {
    const row = `${'r'.repeat(1_000_000)}`
    const cause = new QueryFault(`line 3: ${row}`, { cause: new RangeError(`Malformed JSON: ${row}`) })
    const error = new RunnerError('QUERY_FAILED', { cause })
    const internal = new RunnerError('INTERNAL', { cause: new TypeError(row, { cause: new TypeError(`${row}!`) }) })
    const diagnostic = { file: 'a', line: 1, column: 1, rule: 'sql/error', severity: 'error', message: row } as const
    const events: readonly Event[] = [
      { kind: 'query.failed', endpoint: 'e', engine: 'duckdb', durationMs: 1, error },
      { ...done, status: 500, error: internal },
      { kind: 'bug', where: 'request', cause: internal.cause },
      { kind: 'bug', where: 'request', cause: row },
      { kind: 'engine.died', engine: 'duckdb', reason: row },
      { kind: 'manifests.refused', reason: row, diagnostics: [diagnostic, diagnostic] },
    ]
    for (const event of events) expect(JSON.stringify(lines('debug', event)).length, event.kind).to.be.below(15_000)
    expect(lines('debug', events[0]!)[0])
      .to.have.nested.property('error.cause')
      .that.matches(
        /^line 3: r+… \(998008 more characters\); caused by: Malformed JSON: r+… \(998016 more characters\)$/,
      )
  })

  it('reports the stack of a bug', () => {
    const [line] = lines('debug', { kind: 'bug', where: 'request', cause: new TypeError('x is undefined') })
    expect(line).to.have.nested.property('cause.message', 'x is undefined')
    expect(line).to.have.nested.property('cause.stack').that.includes('log.test')
  })

  it('never repeats arguments, nor secrets that a cause may carry', () => {
    const error = new RunnerError('ARGUMENT_INVALID', {
      detail: 'hunter2',
      errors: [{ parameter: 'project', detail: 'hunter2' }],
      cause: new TypeError('hunter2'),
    })
    const cause = { authorization: 'hunter2', 'x-api-key': 'hunter2', password: 'hunter2', host: 'cache' }
    const text = JSON.stringify(
      lines('debug', { ...done, status: 400, error }, { kind: 'store.failed', operation: 'get', cause }),
    )
    expect(text).to.include('ARGUMENT_INVALID').and.include('cache')
    expect(text).to.not.include('hunter2')
  })
})
