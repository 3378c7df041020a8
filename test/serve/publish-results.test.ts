import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect } from 'chai'
import { indexEndpoints } from '../../runner/request/route.js'
import { type EngineResult, publishResults } from '../../runner/serve/publish-results.js'
import { countingEngine, handMadeEndpoint } from '../request/hand-made.js'

describe('the diagnostics channel of results', () => {
  const published: EngineResult[] = []
  const listen = (message: unknown): void => void published.push(message as EngineResult)
  before(() => subscribe('sluice.result', listen))
  after(() => unsubscribe('sluice.result', listen))

  it('has each result with its endpoint, but for one that a reload has replaced', async () => {
    const endpoint = handMadeEndpoint()
    const engine = publishResults(countingEngine(), () => indexEndpoints([endpoint]))
    const query = { sql: '', parameters: endpoint.render({ project: 'a' }, 0n).parameters }
    const run = (revision: string) =>
      engine.run(query, {
        maxRows: 1,
        timestamps: 'iso8601',
        endpoint: endpoint.name,
        job: { maxBytesBilled: null, labels: {}, revision, token: null },
        timeoutMs: 1_000,
        signal: new AbortController().signal,
      })
    const result = await run('r1')
    await run('r0')
    expect(published).to.deep.equal([{ endpoint, result }])
  })
})
