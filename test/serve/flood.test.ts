import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createToken } from '../../authoring/token/token-writer.js'
import { pause, until } from '../until.js'
import { call, makeFolder, openReplica, type Replica, settingsOf } from './shop.js'

const CALLS = 100
const MOST = 30

describe('one token that asks for a hundred slow queries at once', function () {
  this.timeout(600_000)

  let folder = ''
  let replica: Replica
  const tokens: Record<string, string> = {}
  before(async () => {
    folder = makeFolder()
    const file = join(folder, 'tokens.json')
    for (const name of ['flood', 'other', 'third'])
      tokens[name] = await createToken(file, { name, allow: ['*'] }, Date.now())
    tokens['bounded'] = await createToken(file, { name: 'bounded', allow: ['*'], concurrent: '2' }, Date.now())
    const settings = settingsOf(folder, { SLUICE_TOKENS: file, SLUICE_MAX_QUERIES: String(MOST) })
    replica = await openReplica(settings)
  })
  after(async () => {
    await replica.server.close()
    await replica.runner.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const as = (name: string, path: string, signal?: AbortSignal) =>
    call(replica, path, { headers: { 'X-API-KEY': tokens[name]! }, ...(signal && { signal }) })
  const ended = (): number => replica.events.filter(({ kind }) => kind === 'query.done').length

  it('has half of the places, and does not delay the cold call of another token', async () => {
    const leave = new AbortController()
    let refused = 0
    const flood = Array.from({ length: CALLS }, (_, i) =>
      as('flood', `shop.slow?tag=${i}`, leave.signal).then(
        ({ status }) => {
          if (status === 503) refused += 1
        },
        () => {},
      ),
    )
    await until(() => refused === CALLS - MOST / 2, 'the refusals of the calls for which there is no place')
    for (const name of ['other', 'third']) {
      const endedBefore = ended()
      expect((await as(name, `shop.all?tag=${name}`)).status).to.equal(200)
      // Three slow queries of an endpoint run at once; in the order of arrival nine would end first. On a busy machine, more than three
      // end until the answer is read.
      expect(ended() - endedBefore - 1, 'slow queries that ended meanwhile').to.be.at.most(8)
    }
    leave.abort()
    await Promise.all(flood)
  })

  it('has as many calls at once as the token was made for, hits not counted', async () => {
    expect((await as('bounded', 'shop.all?tag=hit')).status).to.equal(200)
    const leave = new AbortController()
    // Each asks again if it is answered: a call below that arrived first had its place, or the slow query has ended.
    const slow = [1, 2].map(async n => {
      for (let i = 0; !leave.signal.aborted; i++) {
        await as('bounded', `shop.slow?tag=bounded-${n}-${i}`, leave.signal).catch(() => null)
        await pause(10)
      }
    })
    // A call that arrives before the two is answered, and its result is a hit from then on.
    let n = 0
    await until(async () => (await as('bounded', `shop.all?tag=before-${n++}`)).status === 429, 'the refusal')
    const { response } = await as('bounded', 'shop.all?tag=cold')
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([429, '1'])
    expect(response.headers.get('content-type')).to.match(/^application\/problem\+json/)
    expect((await as('bounded', 'shop.all?tag=hit')).cache).to.match(/; hit/)
    expect((await as('other', 'shop.all?tag=cold')).status).to.equal(200)
    leave.abort()
    await Promise.all(slow)
    await until(async () => (await as('bounded', 'shop.all?tag=cold-2')).status === 200, 'a call after their end')
  })
})
