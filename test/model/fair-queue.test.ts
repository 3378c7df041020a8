import { expect } from 'chai'
import { memo } from '../../runner/model/bounded-map.js'
import { FairQueue, type Share } from '../../runner/model/fair-queue.js'
import { Waiters } from '../../runner/model/waiters.js'

/** By item, whose first letter is its caller, and whose second is its endpoint. */
const shares = new Map<string, Share>()
const shareOf = (item: string): Share => memo(shares, item, () => ({ caller: item[0]!, endpoint: item[1]! }))

describe('a fair queue', () => {
  const queueOf = (...items: readonly string[]) => {
    const queue = new FairQueue<string>({
      maxRunning: 4,
      maxOfCaller: 3,
      maxOfEndpoint: 2,
    })
    for (const item of items) queue.add(shareOf(item), item)
    return queue
  }
  const takeAll = (queue: ReturnType<typeof queueOf>) => {
    const taken: string[] = []
    for (let item = queue.take(); item !== null; item = queue.take()) taken.push(item)
    return taken
  }

  const TURNS: { name: string; waiting: string[]; taken: string[] }[] = [
    {
      name: 'of one caller, in order and up to its limit',
      waiting: ['aa1', 'ab2', 'ac3', 'ad4'],
      taken: ['aa1', 'ab2', 'ac3'],
    },
    { name: 'of one endpoint, up to its limit', waiting: ['aa1', 'aa2', 'aa3', 'ab4'], taken: ['aa1', 'ab4', 'aa2'] },
    {
      name: 'of several callers, first those of which fewer run',
      waiting: ['aa1', 'ab2', 'ac3', 'ba1'],
      taken: ['aa1', 'ba1', 'ab2', 'ac3'],
    },
    {
      name: 'of several endpoints of a caller, first those of which fewer run',
      waiting: ['aa1', 'aa2', 'ab3'],
      taken: ['aa1', 'ab3', 'aa2'],
    },
    {
      name: 'never more than there is room for',
      waiting: ['aa1', 'ba1', 'ca1', 'da1', 'ea1'],
      taken: ['aa1', 'ba1', 'ca1', 'da1'],
    },
  ]
  for (const { name, waiting, taken } of TURNS) {
    it(`gives turns ${name}`, () => {
      expect(takeAll(queueOf(...waiting))).to.deep.equal(taken)
    })
  }

  it('gives the place of an ended entry to another one', () => {
    const queue = queueOf('aa1', 'aa2', 'ab3', 'ab4', 'ba1', 'ba2')
    expect(takeAll(queue)).to.deep.equal(['aa1', 'ba1', 'ab3', 'ba2'])
    queue.release({ caller: 'b', endpoint: 'a' })
    queue.release(shareOf('ba1'))
    expect(takeAll(queue)).to.deep.equal(['aa2'])
    queue.releaseAll()
    expect(takeAll(queue)).to.deep.equal(['ab4'])
  })

  it('gives a caller who comes late every place that ends, until it has half of them', () => {
    const queue = queueOf('aa1', 'ab2', 'aa3', 'ab4', 'aa5', 'ab6', 'aa7', 'ab8')
    expect(takeAll(queue), 'one place is left to others').to.deep.equal(['aa1', 'ab2', 'aa3'])
    for (const item of ['ba1', 'ba2', 'bb3', 'bb4']) queue.add(shareOf(item), item)
    expect(takeAll(queue), 'at once').to.deep.equal(['ba1'])
    queue.release(shareOf('aa1'))
    expect(takeAll(queue)).to.deep.equal(['bb3'])
    queue.release(shareOf('ab2'))
    queue.release(shareOf('ba1'))
    expect(takeAll(queue)).to.deep.equal(['ab4', 'ba2'])
  })

  it('counts an entry for the caller who waits for it and has the fewest that run', () => {
    const queue = queueOf('aa1', 'ab2', 'ac3', 'ad4')
    const waiters = new Waiters()
    const shared: Share = { caller: 'a', endpoint: 'e', waiters }
    queue.add(shared, 'shared')
    expect(takeAll(queue)).to.deep.equal(['aa1', 'ab2', 'ac3'])
    waiters.join('b')
    expect(takeAll(queue), 'the first caller has no place, the second has').to.deep.equal(['shared'])
    queue.release(shared)
    expect(takeAll(queue), 'it did not take a place of the first').to.deep.equal([])
    queue.release(shareOf('aa1'))
    expect(takeAll(queue)).to.deep.equal(['ad4'])
  })

  it('forgets an entry that left', () => {
    const queue = queueOf('aa1', 'aa2')
    for (let i = 0; i < 2; i++) queue.remove('aa1')
    expect(queue.clear()).to.deep.equal(['aa2'])
    expect(queue.take()).to.equal(null)
  })
})
