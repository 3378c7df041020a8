import { expect } from 'chai'
import { answerRequest } from '../../runner/mcp/answer-request.js'
import type { Session } from '../../runner/mcp/session.js'
import { indexEndpoints } from '../../runner/request/route.js'
import { handMadeEndpoint } from '../request/hand-made.js'

describe('mcp: requests that arrive together', () => {
  it('each begin in a turn of the event loop of their own', async () => {
    const index = indexEndpoints([handMadeEndpoint()])
    let turn = 0
    let isDone = false
    const count = (): void => {
      turn += 1
      if (!isDone) setImmediate(count)
    }
    const turns: number[] = []
    const endpoints = () => {
      turns.push(turn)
      return index
    }
    const caller = { name: 'agent', allow: ['*'], pinned: {}, isForAllTenants: true }
    const session = {
      caller,
      deps: { endpoints, observe: () => {} },
      otherTools: [],
      maxBytes: 10_000,
      onCall: () => {},
    }
    const given = { ...session, signal: new AbortController().signal } as unknown as Session
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    setImmediate(count)
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerRequest({ message, headers: {} }, given)))
    isDone = true
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200))
    expect(new Set(turns).size).to.equal(20)
  })
})
