import { expect } from 'chai'
import { offerOf } from '../../runner/mcp/offer.js'
import type { Session } from '../../runner/mcp/session.js'
import { type EndpointIndex, indexEndpoints } from '../../runner/request/route.js'
import { handMadeEndpoint } from '../request/hand-made.js'

const idOf = (i: number): string => `0b7d7f0e-6f7a-4c55-9a0d-${String(i).padStart(12, '0')}`

const caller = { token: 'agent', pinned: {}, allTenants: true, mayCall: () => true }

/** What the work answers, and the turns of the event loop in which it asks for the endpoints. */
async function turnsOf<T>(index: EndpointIndex, work: (session: Session) => Promise<T>) {
  let turn = 0
  let isDone = false
  const count = (): void => {
    turn += 1
    if (!isDone) setImmediate(count)
  }
  const asked: number[] = []
  const endpoints = () => {
    asked.push(turn)
    return index
  }
  const session = { caller, deps: { endpoints, observe: () => {} }, otherTools: [] }
  setImmediate(count)
  const answer = await work(session as unknown as Session)
  isDone = true
  return { answer, asked, turns: turn }
}

describe('mcp: requests that arrive together', () => {
  it('each begin in a turn of the event loop of their own', async () => {
    const { answer, asked } = await turnsOf(indexEndpoints([handMadeEndpoint()]), session =>
      Promise.all(Array.from({ length: 20 }, () => offerOf(session).tools())),
    )
    expect(new Set(answer.map(String)).size).to.equal(1)
    expect(new Set(asked).size).to.equal(20)
  })
})

describe('mcp: the list of tools', () => {
  it('is made in turns, once for each caller and load', async () => {
    const all = Array.from({ length: 50 }, (_, i) => handMadeEndpoint({ name: `tests.echo-${i}`, id: idOf(i) }))
    const { answer, turns } = await turnsOf(indexEndpoints(all), session => offerOf(session).tools())
    expect(JSON.parse(`[${answer.join()}]`)).to.have.length(50)
    expect(turns).to.be.at.least(50)
    const { answer: again } = await turnsOf(indexEndpoints(all), async session => {
      await offerOf(session).tools()
      return (await turnsOf(session.deps.endpoints(), () => offerOf(session).tools())).turns
    })
    expect(again).to.be.at.most(5)
  })
})
