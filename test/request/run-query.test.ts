/** The place that a call has among those that run, and who pays for it. */
import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'
import type { Budgets, Payer } from '../../runner/request/budget.js'
import { type RunDeps, runQuery } from '../../runner/request/run-query.js'
import { countingEngine, handMadeEndpoint } from './hand-made.js'

describe('a call that runs', () => {
  const { cache, ...rest } = handMadeEndpoint()
  const endpoint = { ...rest, cache: { ...cache!, settledMs: 0 } }
  const spent: unknown[] = []
  const budgets = {
    allow: async () => ({ maxBytesBilled: null, isBudget: false }),
    spend: async (...of: readonly unknown[]) => void spent.push(of),
  } as unknown as Budgets
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
  const run = (refresher: unknown, payer: Payer = null): Promise<unknown> => {
    const deps = { engine, clock: systemClock(), observe: () => undefined, budgets, refresher } as RunDeps
    const order = { endpoint, args: { project: 'a' }, nowMicros: 0n, keeping: 'keep' } as const
    return runQuery(order, payer, deps, new AbortController().signal)
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

  it('is paid by its token, also where its query was cancelled and its bill comes later', async () => {
    const bills: unknown[] = []
    const refresher: Pick<RunDeps['refresher'] & object, 'run'> = {
      run(query, options) {
        bills.push(options.job?.onBilledLater)
        options.job?.onBilledLater?.(5)
        return engine.run(query, options)
      },
    }
    const payer = { token: 't', bytesPerDay: 100 }
    await run(refresher, payer)
    for (const free of [null, { ...payer, bytesPerDay: null }]) await run(refresher, free)
    expect(spent).to.deep.equal([[payer, 5]])
    expect(bills.slice(1)).to.deep.equal([undefined, undefined])
  })

  it('leaves its place when it fails', async () => {
    counting.fail(new RunnerError('QUERY_FAILED'))
    expect(await run(undefined).catch((error: RunnerError) => error.code)).to.equal('QUERY_FAILED')
    expect(places).to.deep.equal([])
  })
})
