import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { ResultSet } from '../../runner/model/query.js'
import { limitQueries } from '../../runner/serve/limit-queries.js'

const RESULT: ResultSet = { columns: [], rowCount: 0, isTruncated: false, body: new Uint8Array() }

/** An engine whose queries end when the test says so, behind a limit. */
function limited(most: number) {
  const ends: (() => void)[] = []
  const engine = {
    run: () => new Promise<ResultSet>(resolve => ends.push(() => resolve(RESULT))),
  } as unknown as Engine
  const { run } = limitQueries(engine, most)
  return {
    ends,
    /** Asks for this token; null for a background refresh. */
    ask: (token: string | null): Promise<ResultSet> =>
      run({ sql: '', parameters: {} }, { job: { token } } as RunOptions),
  }
}

/** How many of `count` queries of this token are taken. */
async function taken(
  ask: (token: string | null) => Promise<ResultSet>,
  token: string | null,
  count = 20,
): Promise<number> {
  let refused = 0
  for (let i = 0; i < count; i += 1) void ask(token).catch(() => refused++)
  await new Promise(resolve => setImmediate(resolve))
  return count - refused
}

describe('an engine with a limit of queries', () => {
  it('gives a token at most half of the places, and another token half of what is left', async () => {
    const { ask } = limited(8)
    expect([await taken(ask, 'a'), await taken(ask, 'b'), await taken(ask, 'c')]).to.deep.equal([4, 2, 1])
  })

  it('counts background refreshes as a token of their own', async () => {
    const { ask } = limited(8)
    expect([await taken(ask, null), await taken(ask, 'a'), await taken(ask, null)]).to.deep.equal([4, 2, 0])
  })

  for (const [most, places] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [512, 256],
  ] as const) {
    it(`gives a token ${places} of ${most}, and the next token has a place where there is more than one`, async () => {
      const { ask } = limited(most)
      expect(await taken(ask, 'a', 600)).to.equal(places)
      expect(await taken(ask, 'b', 1)).to.equal(most > 1 ? 1 : 0)
    })
  }

  it('gives a place again when its query has ended', async () => {
    const { ask, ends } = limited(4)
    const first = ask('a')
    expect(await taken(ask, 'a')).to.equal(1)
    ends[0]!()
    expect(await first).to.equal(RESULT)
    expect(await taken(ask, 'a')).to.equal(1)
  })

  it('refuses with OVERLOADED, and says whether the queries are those of the token', async () => {
    const { ask } = limited(1)
    void ask('a')
    for (const [token, detail] of [
      ['a', 'Too many queries of this token are waiting; try again in a moment.'],
      ['b', 'Too many queries are waiting; try again in a moment.'],
    ] as const) {
      const refused = (await ask(token).catch((error: unknown) => error)) as RunnerError
      expect(refused).to.be.instanceOf(RunnerError)
      expect([refused.code, refused.detail]).to.deep.equal(['OVERLOADED', detail])
      expect(refused.headers).to.deep.equal({ 'Retry-After': '1' })
    }
  })
})
