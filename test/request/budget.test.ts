import { expect } from 'chai'
import { MemoryCounters } from '../../runner/cache/stores/counters.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import type { CounterStore } from '../../runner/model/ports.js'
import { Budgets, type Payer } from '../../runner/request/budget.js'
import { type ManualClock, manualClock } from '../cache/manual-clock.js'

const HOUR_MS = 3_600_000
const GB = 1_000_000_000
const payer = (bytesPerDay: number | null, token = 'reports'): Payer => ({ token, bytesPerDay })

function open(options: { counters?: CounterStore; clock?: ManualClock; maxBytesBilled?: number } = {}) {
  const { clock = manualClock(Date.UTC(2026, 0, 31, 22)), maxBytesBilled = null } = options
  const events: Event[] = []
  const counters = options.counters ?? new MemoryCounters()
  const observe = (event: Event): void => void events.push(event)
  return { budgets: new Budgets({ counters, clock, observe, maxBytesBilled }), clock, events }
}

async function refusal(work: Promise<unknown>): Promise<RunnerError> {
  try {
    await work
  } catch (thrown) {
    expect(thrown).to.be.instanceOf(RunnerError)
    return thrown as RunnerError
  }
  expect.fail('it was allowed')
}

describe('budgets', () => {
  const LIMITS: readonly {
    readonly name: string
    readonly server?: number
    readonly endpoint: number | null
    readonly budget: number | null
    readonly spent?: number
    readonly allowed: Awaited<ReturnType<Budgets['allow']>>
  }[] = [
    { name: 'no limit at all', endpoint: null, budget: null, allowed: { maxBytesBilled: null, isBudget: false } },
    {
      name: "the server's limit where the endpoint has none",
      server: 5 * GB,
      endpoint: null,
      budget: null,
      allowed: { maxBytesBilled: 5 * GB, isBudget: false },
    },
    {
      name: "the endpoint's limit, also above the server's",
      server: GB,
      endpoint: 2 * GB,
      budget: null,
      allowed: { maxBytesBilled: 2 * GB, isBudget: false },
    },
    {
      name: 'what is left of the day where that is less',
      endpoint: 2 * GB,
      budget: 3 * GB,
      spent: 2 * GB,
      allowed: { maxBytesBilled: GB, isBudget: true },
    },
    {
      name: "the endpoint's limit where more is left",
      endpoint: 2 * GB,
      budget: 9 * GB,
      spent: 2 * GB,
      allowed: { maxBytesBilled: 2 * GB, isBudget: false },
    },
    {
      name: 'what is left where nothing else limits',
      endpoint: null,
      budget: 3 * GB,
      allowed: { maxBytesBilled: 3 * GB, isBudget: true },
    },
  ]
  for (const { name, server, endpoint, budget, spent = 0, allowed } of LIMITS) {
    it(`allow ${name}`, async () => {
      const { budgets } = open(server === undefined ? {} : { maxBytesBilled: server })
      await budgets.spend(payer(budget), spent)
      expect(await budgets.allow(payer(budget), endpoint)).to.deep.equal(allowed)
    })
  }

  it('are refused once they are used up, until midnight in UTC', async () => {
    const { budgets, clock } = open()
    await budgets.spend(payer(GB), GB)
    const { code, status, headers } = await refusal(budgets.allow(payer(GB), null))
    expect([code, status, headers['Retry-After']]).to.deep.equal(['BUDGET_EXCEEDED', 429, '7200'])
    await clock.advance(2 * HOUR_MS - 1)
    expect((await refusal(budgets.allow(payer(GB), null))).headers['Retry-After']).to.equal('1')
    await clock.advance(1)
    expect(await budgets.allow(payer(GB), null)).to.deep.equal({ maxBytesBilled: GB, isBudget: true })
  })

  it('are separate for each token, and do not apply to background refreshes', async () => {
    const { budgets } = open()
    await budgets.spend(payer(GB), GB)
    expect((await budgets.allow(payer(GB, 'another'), null)).maxBytesBilled).to.equal(GB)
    expect((await budgets.allow(null, null)).maxBytesBilled).to.equal(null)
  })

  it('are shared by replicas that share the counters', async () => {
    const clock = manualClock()
    const counters = new MemoryCounters()
    const [one, another] = [open({ counters, clock }), open({ counters, clock })]
    await one.budgets.spend(payer(3 * GB), GB)
    await another.budgets.spend(payer(3 * GB), GB)
    expect((await one.budgets.allow(payer(3 * GB), null)).maxBytesBilled).to.equal(GB)
  })

  it('go on with the counts of this process while the counters fail', async () => {
    const clock = manualClock()
    const memory = new MemoryCounters()
    let isDown = false
    const counters: CounterStore = {
      add: async (...given) => {
        if (isDown) throw new TypeError('down')
        return memory.add(...given)
      },
    }
    const { budgets, events } = open({ counters, clock })
    await budgets.spend(payer(3 * GB), GB)
    isDown = true
    await budgets.spend(payer(3 * GB), GB)
    expect((await budgets.allow(payer(3 * GB), null)).maxBytesBilled).to.equal(GB)
    expect(events.map(event => event.kind)).to.deep.equal(['store.failed', 'store.failed'])
  })
})
