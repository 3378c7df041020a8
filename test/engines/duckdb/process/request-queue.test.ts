import { expect } from 'chai'
import type { Failure, Request, ToChild } from '../../../../runner/engines/duckdb/process/messages.js'
import { createWork, RequestFailure, type Work } from '../../../../runner/engines/duckdb/process/request-queue.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import type { Clock } from '../../../../runner/model/ports.js'
import { manualClock } from '../../../cache/manual-clock.js'
import { CLOCK } from '../raw-engine.js'

const sqlOf = (request: Request): string => ('sql' in request ? request.sql : request.kind)

/** A request queue whose child process is simulated by the test. Requests are identified by their SQL. */
function withChild({ connections = 4, clock = CLOCK }: { connections?: number; clock?: Clock } = {}) {
  const sent: ToChild[] = []
  const outcomes: Record<string, string> = {}
  const disruptive: string[] = []
  let killed = 0
  const work: Work = createWork({
    connections,
    clock,
    post: message => sent.push(message),
    onStuck: () => killed++,
    onDisruptive: request => disruptive.push(sqlOf(request)),
  })
  const ask = (sql: string, signal?: AbortSignal): void => {
    work
      .ask(
        { kind: 'explain', sql, quickSql: null, runsJavaScript: false, shardReads: [], parameters: [], tables: [] },
        { share: { caller: sql, endpoint: '' }, ...(signal && { signal }) },
      )
      .then(
        ({ plan }) => {
          outcomes[sql] = plan
        },
        error => {
          outcomes[sql] =
            error instanceof RunnerError ? error.code : error instanceof RequestFailure ? error.failure.kind : 'bug'
        },
      )
  }
  const requests = () =>
    sent.flatMap(message => (message.kind === 'request' && message.request.kind === 'explain' ? [message] : []))
  return {
    work,
    ask,
    /** The queries that the queue has reported after their callers had left. */
    disruptive,
    killed: () => killed,
    outcomes: async () => {
      await new Promise(resolve => setImmediate(resolve))
      return outcomes
    },
    /** The SQL of the requests sent to the child since the last call with `forget`. */
    sent: (forget = true) => {
      const names = requests().map(({ request }) => sqlOf(request))
      if (forget) sent.length = 0
      return names
    },
    answer: (sql: string) => {
      const message = requests().find(({ request }) => sqlOf(request) === sql)!
      work.settle(message.id, { answer: { sql, plan: `plan of ${sql}` } })
    },
    fail: (sql: string, failure: Failure) => {
      work.settle(requests().find(({ request }) => sqlOf(request) === sql)!.id, { failure })
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
    expect(await child.outcomes()).to.deep.equal({ a: 'plan of a', b: 'plan of b', killer: 'disruptive' })
    expect(child.sent()).to.deep.equal(['new'])
    child.work.setReady(false)
    child.work.setReady(true)
    expect(child.sent()).to.deep.equal([])
  })

  it('does not fail because others end the child, however often: it runs again, or apart', async () => {
    const child = withChild({ connections: 8 })
    child.work.setReady(true)
    child.ask('victim')
    for (let round = 0; round < 4; round++) {
      child.ask(`killer ${round}`)
      child.die()
      // The victim was tried beside the killer: it runs apart, or again, and does not fail.
      child.die()
      child.die()
    }
    const { victim, ...killers } = await child.outcomes()
    expect(victim).to.equal('disruptive')
    expect(Object.values(killers)).to.deep.equal(Array(4).fill('disruptive'))
  })

  it('is run again without suspicion beside a suspect that ends the child', async () => {
    const child = withChild()
    child.work.setReady(true)
    for (const name of ['killer', 'a']) child.ask(name)
    child.die()
    child.answer('a')
    child.ask('bystander')
    child.sent()
    child.die()
    expect(await child.outcomes()).to.deep.equal({ a: 'plan of a', killer: 'disruptive' })
    expect(child.sent()).to.deep.equal(['bystander'])
    // Nothing is known against it: beside another, it is a suspect only after the next death.
    child.ask('other')
    child.die()
    expect(await child.outcomes()).to.deep.equal({ a: 'plan of a', killer: 'disruptive' })
  })

  it('is disruptive at once when it was alone in a child that died', async () => {
    const child = withChild()
    child.work.setReady(true)
    child.ask('killer')
    child.die()
    expect(await child.outcomes()).to.deep.equal({ killer: 'disruptive' })
    expect(child.sent()).to.deep.equal(['killer'])
  })

  it('is reported as disruptive when its caller has left: because it does not stop, has ended the child, or held it up', async () => {
    const clock = manualClock()
    const child = withChild({ clock })
    child.work.setReady(true)
    const leave = (sql: string): void => {
      const controller = new AbortController()
      child.ask(sql, controller.signal)
      controller.abort()
    }
    leave('stuck')
    await clock.advance(1_900)
    expect([child.disruptive, child.killed()]).to.deep.equal([[], 0])
    await clock.advance(200)
    expect([child.disruptive, child.killed()]).to.deep.equal([['stuck'], 1])
    child.die(true)
    child.ask('bystander')
    leave('killer')
    child.die()
    expect(child.disruptive).to.deep.equal(['stuck', 'killer'])
    child.answer('bystander')
    leave('slow')
    child.fail('slow', { kind: 'disruptive', cause: '' })
    leave('quick')
    child.fail('quick', { kind: 'interrupted' })
    expect(child.disruptive).to.deep.equal(['stuck', 'killer', 'slow'])
    expect(await child.outcomes()).to.include({ bystander: 'plan of bystander', stuck: 'interrupted' })
  })

  it('fails when two children died during a request that is no query', async () => {
    const child = withChild()
    child.work.setReady(true)
    const found = child.work.ask({ kind: 'discover' }).catch((error: RunnerError) => error.code)
    child.die()
    child.die()
    expect(await found).to.equal('ENGINE_UNAVAILABLE')
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
    const work = createWork({ connections: 1, clock: CLOCK, post, onStuck: () => {}, onDisruptive: () => {} })
    const rest = { columns: [], parameters: [], tables: [], maxRows: 1, maxBytes: 1 } as const
    const run = { kind: 'run', sql: '', quickSql: null, runsJavaScript: false, shardReads: [], ...rest } as const
    const answer = work.ask({ ...run, timestamps: 'iso8601', contract: [] })
    work.setReady(true)
    const add = (...texts: readonly string[]): void => {
      for (const text of texts) work.addPart(1, Buffer.from(text))
    }
    add('lost')
    work.setReady(false)
    work.loseChild('it died', true)
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
