import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { type LogLevel, logObserver } from '../../runner/observe/log.js'

function lines(level: LogLevel, ...events: readonly Event[]): Record<string, unknown>[] {
  const written: string[] = []
  const observe = logObserver(level, { write: line => void written.push(line) })
  for (const event of events) observe(event)
  return written.map(line => JSON.parse(line))
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
  it('is one JSON object a line, named by what happened', () => {
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

  const levels: readonly (readonly [event: Event, level: string])[] = [
    [done, 'info'],
    [{ ...done, status: 400 }, 'info'],
    [{ ...done, status: 499 }, 'info'],
    [{ ...done, status: 502 }, 'error'],
    [{ kind: 'query.done', endpoint: 'e', engine: 'duckdb', durationMs: 1, rows: 1 }, 'debug'],
    [
      { kind: 'query.failed', endpoint: 'e', engine: 'duckdb', durationMs: 1, error: new RunnerError('QUERY_FAILED') },
      'warn',
    ],
    [
      {
        kind: 'query.failed',
        endpoint: 'e',
        engine: 'duckdb',
        durationMs: 1,
        error: new RunnerError('CALL_ABANDONED'),
      },
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

  it('leaves out what is below its level, and everything when silent', () => {
    expect(lines('warn', done)).to.deep.equal([])
    expect(lines('silent', { kind: 'bug', where: 'x', cause: null })).to.deep.equal([])
  })

  it('tells the cause of a failure', () => {
    const error = new RunnerError('QUERY_FAILED', { cause: new RangeError('division by zero') })
    const [line] = lines('debug', { kind: 'query.failed', endpoint: 'e', engine: 'duckdb', durationMs: 1, error })
    expect(line?.['error']).to.deep.equal({
      code: 'QUERY_FAILED',
      detail: 'The query failed',
      cause: 'division by zero',
    })
  })

  it('tells the stack of a bug', () => {
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
