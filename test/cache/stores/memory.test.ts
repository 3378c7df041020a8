import { expect } from 'chai'
import { openMemoryStore } from '../../../runner/cache/stores/memory.js'
import { resultStoreContract, storedResult } from '../../contracts/result-store.js'

resultStoreContract('memory', async () => openMemoryStore({ maxBytes: 4_000_000 }))

describe('the memory store', () => {
  const keep = (keys: readonly string[], store: ReturnType<typeof openMemoryStore>) =>
    keys.filter(key => store.get(key))

  it('drops the least recently used entry when it is full', async () => {
    const store = openMemoryStore({ maxBytes: 3 * 2_100, maxEntryBytes: 5_000 })
    for (const key of ['a', 'b', 'c']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    store.get('a')
    store.set('d', storedResult('x'.repeat(1_000)), 60_000)
    expect(keep(['a', 'b', 'c', 'd'], store)).to.deep.equal(['a', 'c', 'd'])
    await store.close()
  })

  it('does not store a result that is larger than a quarter of its size', async () => {
    const store = openMemoryStore({ maxBytes: 20_000 })
    store.set('a', storedResult(), 60_000)
    expect(store.set('b', storedResult('x'.repeat(5_000)), 60_000)).to.equal(false)
    expect(store.set('c', storedResult('x'.repeat(3_900)), 60_000)).to.equal(true)
    expect(keep(['a', 'b', 'c'], store)).to.deep.equal(['a', 'c'])
    await store.close()
  })

  it('does not count an overwritten or expired entry any more', async () => {
    const store = openMemoryStore({ maxBytes: 2 * 2_100, maxEntryBytes: 5_000 })
    for (let i = 0; i < 10; i += 1) store.set('a', storedResult('x'.repeat(1_000)), 60_000)
    store.set('b', storedResult('x'.repeat(1_000)), 9_000)
    expect(keep(['a', 'b'], store)).to.deep.equal(['a', 'b'])
    const { now } = Date
    try {
      Date.now = () => now() + 10_000
      expect(store.get('b')).to.equal(undefined)
      store.set('c', storedResult('x'.repeat(1_000)), 60_000)
      expect(keep(['a', 'c'], store)).to.deep.equal(['a', 'c'])
    } finally {
      Date.now = now
    }
    await store.close()
  })

  it('counts the growth of an entry, and drops others for it', async () => {
    const store = openMemoryStore({ maxBytes: 3 * 2_100, maxEntryBytes: 5_000 })
    for (const key of ['a', 'b', 'c']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    store.grow?.('c', 2_000)
    store.grow?.('never there', 2_000)
    expect(keep(['a', 'b', 'c'], store)).to.deep.equal(['b', 'c'])
    store.purge('c')
    for (const key of ['d', 'e']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    expect(keep(['b', 'd', 'e'], store), 'it leaves whole').to.deep.equal(['b', 'd', 'e'])
    await store.close()
  })

  it('drops the entries of forgotten endpoints, and no others, whatever is requested meanwhile', async () => {
    const store = openMemoryStore({ maxBytes: 40_000_000 })
    const keys = (id: string) => Array.from({ length: 1_200 }, (_, i) => `${id}:${i}`)
    for (const key of [...keys('a'), ...keys('b'), ...keys('c')]) store.set(key, storedResult(), 60_000)
    const bytes = store.size!().bytes / 3
    const held = store.hold?.('a:1199')
    store.forget?.(['a', 'c', 'never there'])
    // Results of the new revision of the endpoints, stored after `forget`, must stay.
    store.set('a:new', storedResult(), 60_000)
    store.set('c:5', storedResult('again'), 60_000)
    store.forget?.(['never there'])
    for (let i = 0; i < 10; i += 1) await new Promise(resolve => setImmediate(resolve))
    expect(held?.result).to.equal(null)
    expect(keep([...keys('a'), ...keys('c'), 'a:new'], store)).to.deep.equal(['c:5', 'a:new'])
    expect(keep(keys('b'), store)).to.have.length(1_200)
    expect(store.size!().entries).to.equal(1_202)
    expect(store.size!().bytes).to.be.within(bytes, bytes + 3_000)
    store.purge('')
    expect(store.size!()).to.deep.equal({ entries: 0, bytes: 0 })
    await store.close()
  })

  it('gives a held entry again until it is dropped; a read of a held entry counts as a use of its key', async () => {
    const store = openMemoryStore({ maxBytes: 3 * 2_100, maxEntryBytes: 5_000 })
    for (const key of ['a', 'b', 'c']) store.set(key, storedResult('x'.repeat(1_000)), 60_000)
    const [a, b] = [store.hold?.('a'), store.hold?.('b')]
    expect(store.hold?.('a', a)).to.equal(a)
    expect(a?.result).to.equal(store.get('a'))
    store.hold?.('b', b)
    store.hold?.('a', a)
    store.set('d', storedResult('x'.repeat(1_000)), 60_000)
    expect(keep(['a', 'b', 'c', 'd'], store)).to.deep.equal(['a', 'b', 'd'])

    store.set('a', storedResult('y'), 60_000)
    expect(a?.result, 'another one').to.equal(null)
    expect(store.hold?.('a', a)?.result).to.equal(store.get('a'))
    store.purge('b')
    expect([b?.result, store.hold?.('b', b)]).to.deep.equal([null, undefined])
    const d = store.hold?.('d')
    await store.close()
    expect([d?.result, store.hold?.('d', d)]).to.deep.equal([null, undefined])
  })

  it('returns the same bytes, without a copy', async () => {
    const store = openMemoryStore({ maxBytes: 1_000_000 })
    const result = storedResult()
    store.set('a', result, 60_000)
    expect(store.get('a')).to.equal(result)
    await store.close()
  })
})
