import { expect } from 'chai'
import { MemoryStore } from '../../../runner/cache/stores/memory.js'
import { resultStoreContract, storedResult } from '../../contracts/result-store.js'
import { pause } from '../../until.js'
import { inMemory } from './redis/replicas.js'

resultStoreContract('memory', async () => inMemory(new MemoryStore({ maxBytes: 4_000_000 })))

describe('the memory store', () => {
  const keep = (keys: readonly string[], store: MemoryStore) => keys.filter(key => store.entry(key))

  it('drops the least recently used entry when it is full', async () => {
    const store = new MemoryStore({ maxBytes: 4 * 4_100 })
    for (const key of ['a', 'b', 'c', 'd']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    store.entry('a')
    store.set('e', storedResult('x'.repeat(1_000)), 60_000)
    expect(keep(['a', 'b', 'c', 'd', 'e'], store)).to.deep.equal(['a', 'c', 'd', 'e'])
    await store.close()
  })

  it('does not store a result that is larger than a quarter of its size', async () => {
    const store = new MemoryStore({ maxBytes: 20_000 })
    store.set('a', storedResult(), 60_000)
    expect(store.set('b', storedResult('x'.repeat(5_000)), 60_000)).to.equal(false)
    expect(store.set('c', storedResult('x'.repeat(1_900)), 60_000)).to.equal(true)
    expect(keep(['a', 'b', 'c'], store)).to.deep.equal(['a', 'c'])
    await store.close()
  })

  it('does not count an overwritten or expired entry any more', async () => {
    const store = new MemoryStore({ maxBytes: 4 * 4_100 })
    for (let i = 0; i < 10; i += 1) store.set('a', storedResult('x'.repeat(1_000)), 60_000)
    for (const key of ['b', 'c']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    store.set('d', storedResult('x'.repeat(1_000)), 20)
    expect(keep(['a', 'b', 'c', 'd'], store)).to.deep.equal(['a', 'b', 'c', 'd'])
    await pause(30)
    expect(store.entry('d')).to.equal(undefined)
    store.set('e', storedResult('x'.repeat(1_000)), 60_000)
    expect(keep(['a', 'b', 'c', 'e'], store)).to.deep.equal(['a', 'b', 'c', 'e'])
    await store.close()
  })

  it('counts the growth of an entry, and drops others for it', async () => {
    const store = new MemoryStore({ maxBytes: 4 * 4_100 })
    for (const key of ['a', 'b', 'c', 'd']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    store.grow('d', 2_000)
    store.grow('never there', 2_000)
    expect(keep(['a', 'b', 'c', 'd'], store)).to.deep.equal(['b', 'c', 'd'])
    store.purge('d')
    for (const key of ['e', 'f']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    expect(keep(['b', 'c', 'e', 'f'], store), 'it leaves whole').to.deep.equal(['b', 'c', 'e', 'f'])
    await store.close()
  })

  it('drops the entries of forgotten endpoints, and no others', async () => {
    const store = new MemoryStore({ maxBytes: 40_000_000 })
    const keys = (id: string) => Array.from({ length: 1_200 }, (_, i) => `${id}:${i}`)
    for (const key of [...keys('a'), ...keys('b'), ...keys('c')]) store.set(key, storedResult(), 60_000)
    const bytes = store.size().bytes / 3
    store.forget(key => /^(a|c|never there):/.test(key))
    store.set('c:5', storedResult('again'), 60_000)
    expect(keep([...keys('a'), ...keys('c')], store)).to.deep.equal(['c:5'])
    expect(keep(keys('b'), store)).to.have.length(1_200)
    expect(store.size().entries).to.equal(1_201)
    expect(store.size().bytes).to.be.within(bytes, bytes + 4_000)
    store.purge('')
    expect(store.size()).to.deep.equal({ entries: 0, bytes: 0 })
    await store.close()
  })

  it('keeps of two results the one whose query began later, whichever comes last', () => {
    const store = new MemoryStore({ maxBytes: 1_000_000 })
    const now = Date.now()
    expect(store.set('k', storedResult('began later', now), 60_000)).to.equal(true)
    expect(store.set('k', storedResult('ended later', now - 1), 60_000)).to.equal(false)
    expect(Buffer.from(store.entry('k')!.body).toString()).to.equal('began later')
  })

  it('drops an entry that grows beyond the whole store, and keeps one that grows beyond a quarter', async () => {
    const store = new MemoryStore({ maxBytes: 20_000 })
    for (const key of ['a', 'b']) store.set(key, storedResult(), 60_000)
    store.grow('a', 6_000)
    store.grow('b', 30_000)
    expect(keep(['a', 'b'], store)).to.deep.equal(['a'])
    expect(store.size().entries).to.equal(1)
    await store.close()
  })

  it('returns the same bytes, without a copy', async () => {
    const store = new MemoryStore({ maxBytes: 1_000_000 })
    const result = storedResult()
    store.set('a', result, 60_000)
    expect(store.entry('a')).to.equal(result)
    await store.close()
  })
})
