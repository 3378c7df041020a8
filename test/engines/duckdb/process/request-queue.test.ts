import { expect } from 'chai'
import type { Failure, Request, ToChild } from '../../../../runner/engines/duckdb/process/messages.js'
import {
  RequestFailure,
  RequestQueue,
  type RequestQueueOptions,
} from '../../../../runner/engines/duckdb/process/request-queue.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import type { Share } from '../../../../runner/model/fair-queue.js'
import { Waiters } from '../../../../runner/model/waiters.js'
import { manualClock } from '../../../cache/manual-clock.js'
import { CLOCK } from '../raw-engine.js'

const sqlOf = (request: Request): string => ('sql' in request ? request.sql : request.kind)

/** A request queue whose child process is simulated by the test. Requests are identified by their SQL. */
function withChild({ connections = 4, clock = CLOCK, runsApart }: Partial<RequestQueueOptions> = {}) {
  const sent: ToChild[] = []
  const outcomes: Record<string, string> = {}
  const disruptive: string[] = []
  let killed = 0
  const work = new RequestQueue({
    connections,
    clock,
    post: message => sent.push(message),
    onStuck: () => killed++,
    onDisruptive: request => disruptive.push(sqlOf(request)),
    ...(runsApart && { runsApart }),
  })
  const ask = (sql: string, signal?: AbortSignal, share: Share = { caller: sql, endpoint: '' }): void => {
    work
      .ask(
        { kind: 'explain', sql, runsJavaScript: false, shardReads: [], parameters: [], tables: [] },
        { share, ...(signal && { signal }) },
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

  it('begins at once when a caller joins it who has a place, where the first caller has none', () => {
    const child = withChild({ connections: 2 })
    child.work.setReady(true)
    const waiters = new Waiters()
    child.ask('first', undefined, { caller: 'a', endpoint: '' })
    child.ask('second', undefined, { caller: 'a', endpoint: '', waiters })
    expect(child.sent()).to.deep.equal(['first'])
    waiters.join('b')
    expect(child.sent()).to.deep.equal(['second'])
  })

  it('is disruptive, each query of it, when the child died: a process of its own shows which one was the cause', async () => {
    const child = withChild()
    child.work.setReady(true)
    for (const name of ['killer', 'a', 'b']) child.ask(name)
    expect(child.sent()).to.deep.equal(['killer', 'a', 'b'])
    child.die()
    child.ask('new')
    expect(await child.outcomes()).to.deep.equal({ killer: 'disruptive', a: 'disruptive', b: 'disruptive' })
    expect(child.sent()).to.deep.equal(['new'])
    child.work.setReady(false)
    child.work.setReady(true)
    expect(child.sent()).to.deep.equal([])
  })

  it('is not sent to the child when its text has become disruptive while it waited', async () => {
    const apart = new Set<string>()
    const child = withChild({ connections: 2, runsApart: request => apart.has(sqlOf(request)) })
    child.work.setReady(true)
    for (const name of ['first', 'second', 'killer', 'other']) child.ask(name)
    expect(child.sent(false)).to.deep.equal(['first', 'second'])
    apart.add('killer')
    child.answer('first')
    expect(child.sent()).to.deep.equal(['first', 'second', 'other'])
    expect(await child.outcomes()).to.deep.equal({ first: 'plan of first', killer: 'disruptive' })
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
    leave('killer')
    child.die()
    expect(child.disruptive).to.deep.equal(['stuck', 'killer'])
    leave('slow')
    child.fail('slow', { kind: 'disruptive', cause: '', how: 'blocked' })
    leave('quick')
    child.fail('quick', { kind: 'interrupted' })
    expect(child.disruptive).to.deep.equal(['stuck', 'killer', 'slow'])
    expect(await child.outcomes()).to.include({ stuck: 'interrupted', quick: 'interrupted' })
  })

  it('fails when two children died during a request that is not a query', async () => {
    const child = withChild()
    child.work.setReady(true)
    const found = child.work.ask({ kind: 'discover' }).catch((error: RunnerError) => error.code)
    child.die()
    child.die()
    expect(await found).to.equal('ENGINE_UNAVAILABLE')
  })

  it('begins again, each time and in its order, when the child was ended for another reason', async () => {
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
    const work = new RequestQueue({ connections: 1, clock: CLOCK, post, onStuck: () => {}, onDisruptive: () => {} })
    const rest = { columns: [], parameters: [], tables: [], maxRows: 1, maxBytes: 1 } as const
    const run = { kind: 'run', sql: '', runsJavaScript: false, tellsParts: false, shardReads: [], ...rest } as const
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
