/** The place that a call has among those that run. */
import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'
import type { Budgets } from '../../runner/request/budget.js'
import { type RunDeps, runQuery } from '../../runner/request/run-query.js'
import { countingEngine, handMadeEndpoint } from './hand-made.js'

describe('a call that runs', () => {
  const { cache, ...rest } = handMadeEndpoint()
  const endpoint = { ...rest, cache: { ...cache!, settledMs: 0 } }
  const budgets = { allow: async () => ({ maxBytesBilled: null, isBudget: false }) } as unknown as Budgets
  /** The places that are taken. */
  let places: string[]
  const counting = countingEngine()
  const engine = {
    ...counting,
    admit(token: string): () => void {
      places.push(token)
      return () => void places.pop()
    },
  }
  const run = (refresher: unknown): Promise<unknown> => {
    const deps = { engine, clock: systemClock(), observe: () => undefined, budgets, refresher } as RunDeps
    const order = { endpoint, args: { project: 'a' }, nowMicros: 0n, keeping: 'keep' } as const
    return runQuery(order, null, deps, new AbortController().signal)
  }
  beforeEach(() => {
    places = []
  })

  it('has one place from its begin to its answer, also while it works on kept rows', async () => {
    const seen: number[] = []
    const refresher: Pick<RunDeps['refresher'] & object, 'run'> = {
      async run(query, options) {
        seen.push(places.length)
        const set = await engine.run(query, options)
        seen.push(places.length)
        return set
      },
    }
    await run(refresher)
    expect([seen, places]).to.deep.equal([[1, 1], []])
  })

  it('leaves its place when it fails', async () => {
    counting.fail(new RunnerError('QUERY_FAILED'))
    expect(await run(undefined).catch((error: RunnerError) => error.code)).to.equal('QUERY_FAILED')
    expect(places).to.deep.equal([])
  })
})
