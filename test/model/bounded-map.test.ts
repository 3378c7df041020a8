import { expect } from 'chai'
import { BoundedMap } from '../../runner/model/bounded-map.js'

describe('a bounded map', () => {
  it('drops the entry that was set the longest time ago', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2).set('c', 3)
    expect([...map]).to.deep.equal([
      ['b', 2],
      ['c', 3],
    ])
  })

  it('counts an entry that is set again as new, and as one', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
    expect([...map]).to.deep.equal([
      ['a', 3],
      ['c', 4],
    ])
  })

  it('counts a key of undefined like any other', () => {
    const map = new BoundedMap<string | undefined, number>(1)
    map.set(undefined, 1).set('a', 2)
    expect([...map]).to.deep.equal([['a', 2]])
  })
})
