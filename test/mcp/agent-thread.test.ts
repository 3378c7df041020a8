/** The thread that speaks the protocol of agents, apart from any server. */
import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { AgentThread } from '../../runner/mcp/agent-thread.js'
import type { Session } from '../../runner/mcp/session.js'
import { AskedThread } from '../../runner/platform/asked-thread.js'

const LIST = { message: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, headers: {} }

/** The members of a session of which a list of no tools is made. */
const sessionOf = (signal: AbortSignal): Session =>
  ({
    caller: { pinned: {} },
    deps: { endpoints: () => ({ all: [] }), observe: () => {} },
    otherTools: [],
    signal,
  }) as unknown as Session

describe('mcp: the thread', () => {
  it('keeps nothing of a caller who has left', async () => {
    const ended = Object.getOwnPropertyDescriptor(AskedThread.prototype, 'ended')!
    const signals = new Set<AbortSignal>()
    Object.defineProperty(AskedThread.prototype, 'ended', {
      ...ended,
      get(this: AskedThread) {
        const signal = ended.get!.call(this) as AbortSignal
        signals.add(signal)
        return signal
      },
    })
    const thread = new AgentThread()
    try {
      expect((await thread.answer(LIST, sessionOf(new AbortController().signal))).status).to.equal(200)
      const [signal, ...others] = signals
      expect(others).to.deep.equal([])
      const listeners = getEventListeners(signal!, 'abort').length
      for (let i = 0; i < 10; i++) {
        const caller = new AbortController()
        const answering = thread.answer(LIST, sessionOf(caller.signal)).catch(thrown => thrown.code)
        setImmediate(() => caller.abort())
        expect(await answering).to.equal('CALL_ABANDONED')
      }
      expect(getEventListeners(signal!, 'abort')).to.have.length(listeners)
    } finally {
      thread.close()
      Object.defineProperty(AskedThread.prototype, 'ended', ended)
    }
  })

  it('works on a few requests of a token at once, so that those of others do not wait for all of them', async () => {
    const thread = new AgentThread()
    try {
      const order: string[] = []
      const ask = async (token: string): Promise<void> => {
        const session = sessionOf(new AbortController().signal)
        await thread.answer(LIST, { ...session, caller: { ...session.caller, token } })
        order.push(token)
      }
      await ask('a')
      const all = Array.from({ length: 200 }, () => ask('a'))
      all.push(ask('b'))
      await Promise.all(all)
      expect(order.indexOf('b')).to.be.below(60)
    } finally {
      thread.close()
    }
  })

  it('abandons what waits for it when it is closed: that is no bug', async () => {
    const thread = new AgentThread()
    const session = sessionOf(new AbortController().signal)
    const endpoints = () => {
      thread.close()
      return { all: [] }
    }
    const closing = { ...session, deps: { ...session.deps, endpoints } } as unknown as Session
    expect(await thread.answer(LIST, closing).catch(thrown => thrown.code)).to.equal('CALL_ABANDONED')
  })
})
