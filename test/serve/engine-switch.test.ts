import { expect } from 'chai'
import type { RunnerError } from '../../runner/model/errors.js'
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import { createEngineRelay } from '../../runner/serve/engine-switch.js'
import { countingEngine } from '../request/hand-made.js'

describe('an engine relay', () => {
  const closed: string[] = []
  const failures: unknown[] = []
  beforeEach(() => {
    closed.length = 0
    failures.length = 0
  })
  const named = (name: string, close = async (): Promise<void> => void closed.push(name)) => ({
    ...countingEngine(),
    close,
  })
  function relayOf() {
    return createEngineRelay<Engine>({
      name: 'bigquery',
      onFailure: cause => void failures.push(cause),
    })
  }
  const options = (revision: string): RunOptions => ({
    maxRows: 1,
    timestamps: 'iso8601',
    endpoint: 'one',
    job: { maxBytesBilled: null, labels: {}, revision, token: null },
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  })
  const query = { sql: 'SELECT 1', parameters: {} }

  it('runs a query on the newest engine that knows its revision', async () => {
    const relay = relayOf()
    const [first, second] = [named('first'), named('second')]
    relay.serve(first, ['old', 'kept'])
    const end = relay.begin()
    relay.serve(second, ['new', 'kept'])
    await relay.engine.run(query, options('old'))
    await relay.engine.run(query, options('new'))
    await relay.engine.run(query, options('kept'))
    expect([first.queries.length, second.queries.length]).to.deep.equal([1, 2])
    expect(relay.current()).to.equal(second)
    end()
  })

  it('closes an old engine when its last call and its last query have ended, and never the present one', async () => {
    const relay = relayOf()
    const first = named('first')
    relay.serve(first, ['old'])
    const ends = [relay.begin(), relay.begin()]
    const release = first.hold()
    const running = relay.engine.run(query, options('old'))
    relay.serve(first, ['other'])
    relay.serve(named('second'), ['new'])
    const later = relay.begin()
    for (const end of ends) end()
    expect(closed).to.deep.equal([])
    release()
    await running
    expect(closed).to.deep.equal(['first'])
    later()
    expect(closed).to.deep.equal(['first'])
    await relay.close()
    expect(closed).to.deep.equal(['first', 'second'])
  })

  it('refuses a query of a revision that no engine knows any more', async () => {
    const relay = relayOf()
    relay.serve(named('first'), ['old'])
    relay.serve(named('second'), ['new'])
    expect(closed).to.deep.equal(['first'])
    const refused = await relay.engine.run(query, options('old')).catch((error: RunnerError) => error.code)
    expect(refused).to.equal('ENGINE_UNAVAILABLE')
  })

  it('drops the revisions of an engine that no call can use any more', async () => {
    const relay = relayOf()
    const engine = named('first')
    relay.serve(engine, ['old'])
    const end = relay.begin()
    relay.serve(engine, ['new'])
    await relay.engine.run(query, options('old'))
    end()
    relay.serve(engine, ['newer'])
    const refused = await relay.engine.run(query, options('new')).catch((error: RunnerError) => error.code)
    expect(refused).to.equal('ENGINE_UNAVAILABLE')
    await relay.engine.run(query, options('newer'))
  })

  it('forgets an old revision with its last call, although there are always other calls', async () => {
    const relay = relayOf()
    const engine = named('first')
    relay.serve(engine, ['one'])
    let end = relay.begin()
    for (const [before, now] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      relay.serve(engine, [now])
      const later = relay.begin()
      await relay.engine.run(query, options(before))
      end()
      end = later
      const refused = await relay.engine.run(query, options(before)).catch((error: RunnerError) => error.code)
      expect(refused).to.equal('ENGINE_UNAVAILABLE')
    }
    await relay.engine.run(query, options('three'))
    expect(closed).to.deep.equal([])
  })

  it('reports an engine that fails to close; the last one’s failure goes to the caller of close', async () => {
    const relay = relayOf()
    const cause = new TypeError('it will not')
    relay.serve(
      named('first', () => Promise.reject(cause)),
      [],
    )
    relay.serve(
      named('second', () => Promise.reject(cause)),
      [],
    )
    await new Promise(resolve => setImmediate(resolve))
    expect(failures).to.deep.equal([cause])
    expect(await relay.close().catch(error => error)).to.equal(cause)
  })
})
