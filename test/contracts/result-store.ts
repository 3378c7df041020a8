/** The contract of every store of results; each store's tests run it. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { StoredResult } from '../../runner/model/ports.js'
import { until } from '../until.js'

/** A store of results, as the contract uses it. */
export interface ContractStore {
  get(key: string): Promise<StoredResult | undefined> | StoredResult | undefined
  set(key: string, result: StoredResult, keepMs: number): Promise<boolean> | boolean
  purge(prefix: string, part?: string): Promise<void> | void
  close(): Promise<void>
}

/** The tag that these bytes have as JSON. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`

export function storedResult(body = 'rows', storedAt = Date.now()): StoredResult {
  const bytes = Buffer.from(body)
  return {
    body: bytes,
    columns: [{ name: 'a', type: 'INT64' }],
    rowCount: 1,
    isTruncated: false,
    now: '0',
    etag: etagOf(bytes),
    storedAt,
    freshUntil: storedAt + 60_000,
  }
}

export function resultStoreContract(name: string, open: () => Promise<ContractStore>): void {
  describe(`the ${name} store`, () => {
    let store: ContractStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    it('gives back what was set, byte for byte', async () => {
      const result = storedResult('rows \u0000 \u00e9 😀')
      expect(await store.set('k', result, 60_000)).to.equal(true)
      const found = await store.get('k')
      expect(found && { ...found, body: Buffer.from(found.body).toString() }).to.deep.equal({
        ...result,
        body: 'rows \u0000 \u00e9 😀',
      })
    })

    it('knows nothing of other keys', async () => {
      await store.set('k', storedResult(), 60_000)
      for (const key of ['K', 'k ', '', '__proto__', 'constructor']) expect(await store.get(key)).to.equal(undefined)
    })

    it('keeps the last of two', async () => {
      await store.set('k', storedResult('one'), 60_000)
      await store.set('k', storedResult('two'), 60_000)
      expect(Buffer.from((await store.get('k'))?.body ?? []).toString()).to.equal('two')
    })

    it('forgets what a purge is about, and nothing else', async () => {
      for (const key of ['a:1', 'a:2', 'ab:1', 'b:a:1', '*:1']) await store.set(key, storedResult(), 60_000)
      const left = async (): Promise<readonly string[]> => {
        const found: string[] = []
        for (const key of ['a:1', 'a:2', 'ab:1', 'b:a:1', '*:1']) if (await store.get(key)) found.push(key)
        return found
      }
      await store.purge('*:')
      expect(await left()).to.deep.equal(['a:1', 'a:2', 'ab:1', 'b:a:1'])
      await store.purge('a:')
      expect(await left()).to.deep.equal(['ab:1', 'b:a:1'])
      await store.purge('')
      expect(await left()).to.deep.equal([])
    })

    it('keeps a result that is empty, and one of a million bytes', async () => {
      for (const body of ['', 'x'.repeat(900_000)]) {
        await store.set('k', storedResult(body), 60_000)
        expect((await store.get('k'))?.body.byteLength).to.equal(body.length)
      }
    })

    it('forgets when the time to keep is over', async () => {
      await store.set('k', storedResult(), 20)
      // A tiered store may keep it in Redis only later.
      await until(async () => (await store.get('k')) === undefined, 'the result is forgotten')
    })
  })
}
