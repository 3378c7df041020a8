import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Representations } from '../../../runner/http/representation/representation.js'
import type { Share } from '../../../runner/model/fair-queue.js'
import type { StoredResult } from '../../../runner/model/ports.js'
import { PLAIN } from '../../../runner/request/negotiate-coding.js'
import { handMadeEndpoint } from '../../request/hand-made.js'
import { until } from '../../until.js'

describe('a representation', () => {
  it('is derived once for the calls of several tokens, and counts for each of them', async () => {
    const shares: Share[] = []
    let end = (): void => undefined
    const representations = new Representations(
      {
        derive: async share => {
          shares.push(share)
          await new Promise<void>(resolve => {
            end = resolve
          })
          return new Uint8Array(5)
        },
      },
      1_000,
    )
    const body = Buffer.from('{"result":[]}')
    const result = { body, columns: [], etag: '"e"', rowCount: 0, isTruncated: false } as unknown as StoredResult
    const make = (token: string) =>
      representations.make(
        result,
        { token, endpoint: handMadeEndpoint(), format: 'csv', coding: PLAIN },
        () => undefined,
      )
    const made = ['a', 'b', 'a'].map(make)
    await until(() => shares.length > 0 && shares[0]!.waiters!.tokens.size > 1, 'all have joined')
    end()
    expect((await Promise.all(made)).map(({ etag }) => etag)).to.deep.equal(Array(3).fill('"e.csv"'))
    expect(shares.map(({ caller, waiters }) => [caller, ...waiters!.tokens])).to.deep.equal([['a', 'b', 'a']])
  })

  it('of a large result is compressed after the large ones that the same token has asked for, and beside those of others', async () => {
    const deriver = { derive: () => expect.fail('JSON is not derived') }
    const representations = new Representations(deriver, 100_000_000)
    const coding = { coding: 'br', mayBePlain: true } as const
    const compressed: string[] = []
    const compress = async (token: string, bytes: number): Promise<void> => {
      const result = { body: randomBytes(bytes), columns: [], etag: '"e"' } as unknown as StoredResult
      const wanted = { token, endpoint: handMadeEndpoint(), format: 'json', coding } as const
      await representations.make(result, wanted, () => undefined)
      compressed.push(`${token} ${bytes}`)
    }
    await Promise.all([
      ...[20_000_000, 2_000_000, 1_000_000].map(bytes => compress('a', bytes)),
      compress('a', 10_000),
      compress('b', 1_000_000),
    ])
    expect(compressed).to.deep.equal(['a 10000', 'b 1000000', 'a 20000000', 'a 2000000', 'a 1000000'])
  })
})
