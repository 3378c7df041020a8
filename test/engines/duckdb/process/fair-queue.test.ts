import { expect } from 'chai'
import { fairQueue } from '../../../../runner/engines/duckdb/process/fair-queue.js'

describe('a fair queue', () => {
  const queueOf = (...items: readonly string[]) => {
    const queue = fairQueue<string>({ most: 4, mostOf: key => (key === 'x' ? 1 : 3) })
    for (const item of items) queue.add(item[0]!, item)
    return queue
  }
  const takeAll = (queue: ReturnType<typeof queueOf>) => {
    const taken: string[] = []
    for (let item = queue.take(); item !== null; item = queue.take()) taken.push(item)
    return taken
  }

  const TURNS: { name: string; waiting: string[]; taken: string[] }[] = [
    { name: 'of one key, in order and up to its limit', waiting: ['a1', 'a2', 'a3', 'a4'], taken: ['a1', 'a2', 'a3'] },
    {
      name: 'of several, first those of which fewer run',
      waiting: ['a1', 'a2', 'a3', 'b1'],
      taken: ['a1', 'b1', 'a2', 'a3'],
    },
    { name: 'of a key that runs alone, one', waiting: ['x1', 'x2', 'a1'], taken: ['x1', 'a1'] },
    {
      name: 'never more than there is room for',
      waiting: ['a1', 'b1', 'c1', 'd1', 'e1'],
      taken: ['a1', 'b1', 'c1', 'd1'],
    },
  ]
  for (const { name, waiting, taken } of TURNS) {
    it(`gives turns ${name}`, () => {
      expect(takeAll(queueOf(...waiting))).to.deep.equal(taken)
    })
  }

  it('gives the place of an ended entry to another one', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2')
    expect(takeAll(queue)).to.deep.equal(['a1', 'b1', 'a2', 'b2'])
    queue.release('b')
    expect(takeAll(queue)).to.deep.equal(['a3'])
    queue.releaseAll()
    expect(takeAll(queue)).to.deep.equal(['a4'])
  })

  it('forgets an entry that left, and lets a returning entry go first', () => {
    const queue = queueOf('a1', 'a2')
    expect([queue.remove('a', 'a1'), queue.remove('a', 'a1')]).to.deep.equal([true, false])
    queue.add('a', 'a0', 'head')
    expect(queue.clear()).to.deep.equal(['a0', 'a2'])
    expect(queue.take()).to.equal(null)
  })
})
