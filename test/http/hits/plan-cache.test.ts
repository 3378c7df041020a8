import { expect } from 'chai'
import { createPlanCache, type PlannedAddress } from '../../../runner/http/hits/plan-cache.js'
import type { Caller } from '../../../runner/model/ports.js'
import { indexEndpoints } from '../../../runner/request/route.js'

const caller = (token: string): Caller => ({
  token,
  mayCall: () => true,
  pinned: {},
  allTenants: false,
  admit: () => 0,
  admitFresh: null,
  bytesPerDay: null,
  mayPurge: false,
  mayExplain: false,
  beginWait: () => () => {},
})
const planned = (path: string): PlannedAddress => ({ path }) as PlannedAddress

describe('the plan cache', () => {
  const index = indexEndpoints([])
  const one = caller('one')

  it('distinguishes callers and the types that they accept', () => {
    const plans = createPlanCache()
    plans.find(index, one, '', '/a')
    plans.keep(one, '', '/a', planned('a'))
    expect(plans.find(index, one, '', '/a')?.path).to.equal('a')
    expect(plans.find(index, caller('one'), '', '/a')).to.equal(undefined)
    expect(plans.find(index, one, 'text/csv', '/a')).to.equal(undefined)
    expect(plans.find(index, one, '', '/b')).to.equal(undefined)
  })

  it('forgets all when the endpoints change', () => {
    const plans = createPlanCache()
    plans.find(index, one, '', '/a')
    plans.keep(one, '', '/a', planned('a'))
    expect(plans.find(indexEndpoints([]), one, '', '/a')).to.equal(undefined)
  })

  it('is bounded, and keeps the addresses that are requested in between', () => {
    const plans = createPlanCache()
    plans.find(index, one, '', '/')
    plans.keep(one, '', '/asked', planned('asked'))
    plans.keep(one, '', '/left', planned('left'))
    for (let i = 0; i < 100_000; i += 1) {
      plans.keep(one, '', `/${i}`, planned('x'))
      if (i % 10_000 === 0) expect(plans.find(index, one, '', '/asked')?.path).to.equal('asked')
    }
    expect(plans.find(index, one, '', '/left')).to.equal(undefined)
    let kept = 0
    for (let i = 0; i < 100_000; i += 1) if (plans.find(index, one, '', `/${i}`)) kept += 1
    expect(kept).to.be.within(20_000, 60_000)
  })
})
