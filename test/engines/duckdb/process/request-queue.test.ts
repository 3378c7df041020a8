import { expect } from 'chai'
import type { ToChild } from '../../../../runner/engines/duckdb/process/messages.js'
import { createWork, type Work } from '../../../../runner/engines/duckdb/process/request-queue.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import type { Clock } from '../../../../runner/model/ports.js'
import { manualClock } from '../../../cache/manual-clock.js'
import { CLOCK } from '../raw-engine.js'

/** A request queue whose child process is simulated by the test. Requests are identified by their SQL. */
function withChild({ connections = 4, clock = CLOCK }: { connections?: number; clock?: Clock } = {}) {
  const sent: ToChild[] = []
  const outcomes: Record<string, string> = {}
  const work: Work = createWork({ connections, clock, post: message => sent.push(message), onStuck: () => {} })
  const ask = (sql: string, caller = sql): void => {
    work
      .ask(
        { kind: 'explain', sql, quickSql: null, runsJavaScript: false, shardReads: [], parameters: [], tables: [] },
        { share: { caller, endpoint: '' } },
      )
      .then(
        ({ plan }) => {
          outcomes[sql] = plan
        },
        (error: RunnerError) => {
          outcomes[sql] = error.code
        },
      )
  }
  const requests = () =>
    sent.flatMap(message => (message.kind === 'request' && message.request.kind === 'explain' ? [message] : []))
  return {
    work,
    ask,
    outcomes: async () => {
      await new Promise(resolve => setImmediate(resolve))
      return outcomes
    },
    /** The SQL of the requests sent to the child since the last call with `forget`. */
    sent: (forget = true) => {
      const names = requests().map(({ request }) => 'sql' in request && request.sql)
      if (forget) sent.length = 0
      return names
    },
    answer: (sql: string) => {
      const message = requests().find(({ request }) => 'sql' in request && request.sql === sql)!
      work.settle(message.id, { answer: { sql, plan: `plan of ${sql}` } })
    },
    die: (isBlameless = false) => {
      work.setReady(false)
      work.loseChild('it died', isBlameless)
      work.setReady(true)
    },
  }
}

describe("the engine's work", () => {
  it('is kept until the child is ready', () => {
    const child = withChild()
    child.ask('a')
    expect(child.sent()).to.deep.equal([])
    child.work.setReady(true)
    expect(child.sent()).to.deep.equal(['a'])
  })

  it('is retried one request at a time when the child died, so that the guilty request fails alone', async () => {
    const child = withChild()
    child.work.setReady(true)
    for (const name of ['killer', 'a', 'b']) child.ask(name)
    expect(child.sent()).to.deep.equal(['killer', 'a', 'b'])
    child.die()
    child.ask('new')
    expect(child.sent(false)).to.deep.equal(['b', 'new'])
    for (const name of ['b', 'a']) child.answer(name)
    expect(child.sent()).to.deep.equal(['b', 'new', 'a', 'killer'])
    child.die()
    expect(await child.outcomes()).to.deep.equal({ a: 'plan of a', b: 'plan of b', killer: 'ENGINE_UNAVAILABLE' })
    expect(child.sent()).to.deep.equal(['new'])
    child.work.setReady(false)
    child.work.setReady(true)
    expect(child.sent()).to.deep.equal([])
  })

  it('does not wait for a slow suspect request that has caused no crash for a while', async () => {
    const clock = manualClock()
    const child = withChild({ clock })
    child.work.setReady(true)
    for (const name of ['a', 'slow']) child.ask(name)
    child.sent()
    child.die()
    expect(child.sent()).to.deep.equal(['slow'])
    await clock.advance(1_000)
    expect(child.sent()).to.deep.equal(['a'])
  })

  it('is not suspect when the child was ended for another reason: all requests begin again, each time', async () => {
    const child = withChild()
    child.work.setReady(true)
    for (const name of ['a', 'b', 'c']) child.ask(name)
    for (let ends = 0; ends < 3; ends++) {
      expect(child.sent()).to.deep.equal(['a', 'b', 'c'])
      child.die(true)
    }
    expect(await child.outcomes()).to.deep.equal({})
  })

  it('assembles the parts of a body, and drops the parts from a child that died', async () => {
    const sent: ToChild[] = []
    const post = (message: ToChild): void => void sent.push(message)
    const work = createWork({ connections: 1, clock: CLOCK, post, onStuck: () => {} })
    const rest = { columns: [], parameters: [], tables: [], maxRows: 1, maxBytes: 1 } as const
    const run = { kind: 'run', sql: '', quickSql: null, runsJavaScript: false, shardReads: [], ...rest } as const
    const answer = work.ask({ ...run, timestamps: 'iso8601', contract: [] })
    work.setReady(true)
    const add = (...texts: readonly string[]): void => {
      for (const text of texts) work.addPart(1, Buffer.from(text))
    }
    add('lost')
    work.setReady(false)
    work.loseChild('it died', false)
    work.setReady(true)
    expect(sent).to.have.length(2)
    add('a', 'b')
    work.settle(1, { answer: { body: Buffer.from('c'), rowCount: 1, isTruncated: false } })
    const { body, rowCount } = await answer
    expect([Buffer.from(body).toString(), rowCount]).to.deep.equal(['abc', 1])
  })

  it('fails when no child can be started', async () => {
    const child = withChild()
    child.ask('a')
    child.work.refuse('no such program')
    expect(await child.outcomes()).to.deep.equal({ a: 'ENGINE_UNAVAILABLE' })
  })
})
