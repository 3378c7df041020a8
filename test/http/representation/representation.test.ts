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
})
