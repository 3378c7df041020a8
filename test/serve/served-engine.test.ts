import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect } from 'chai'
import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import { RunnerError } from '../../runner/model/errors.js'
import { BACKGROUND, type Engine, type RunOptions } from '../../runner/model/ports.js'
import type { ResultSet } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { type EngineResult, type PlaceFailure, ServedEngine } from '../../runner/serve/served-engine.js'
import { countingEngine, handMadeEndpoint, loadedOf } from '../request/hand-made.js'

const RESULT: ResultSet = { columns: [], rowCount: 0, isTruncated: false, body: new Uint8Array() }

const runOptions = (rest: Partial<RunOptions> = {}): RunOptions => ({
  maxRows: 1,
  timestamps: 'iso8601',
  endpoint: 'one',
  job: { maxBytesBilled: null, labels: {}, revision: 'r1', token: null },
  timeoutMs: 1_000,
  signal: new AbortController().signal,
  ...rest,
})

const servedOver = (placeFailure: PlaceFailure | null = null): ServedEngine<Engine> =>
  new ServedEngine<Engine>({ name: 'duckdb', maxQueries: 8, placeFailure, onFailure: () => {} })

/** How many of `count` queries of this token are taken. */
async function taken(ask: (token: string) => Promise<ResultSet>, token: string, count = 20): Promise<number> {
  let refused = 0
  for (let i = 0; i < count; i += 1) void ask(token).catch(() => refused++)
  await new Promise(resolve => setImmediate(resolve))
  return count - refused
}

describe('an engine in service, when reloads replace it', () => {
  const closed: string[] = []
  const failures: unknown[] = []
  beforeEach(() => {
    closed.length = 0
    failures.length = 0
  })
  const named = (name: string, close = async (): Promise<void> => void closed.push(name)) => ({
    ...countingEngine(),
    close,
  })
  const servedEngine = () =>
    new ServedEngine<Engine>({
      name: 'bigquery',
      maxQueries: 512,
      placeFailure: null,
      onFailure: cause => void failures.push(cause),
    })
  const of = (...revisions: readonly string[]): readonly LoadedEndpoint[] =>
    revisions.map(revision => loadedOf(handMadeEndpoint({ revision })))
  const options = (revision: string): RunOptions =>
    runOptions({ job: { maxBytesBilled: null, labels: {}, revision, token: null } })
  const query = { sql: 'SELECT 1', parameters: {} }

  it('runs a query on the newest engine that knows its revision', async () => {
    const served = servedEngine()
    const [first, second] = [named('first'), named('second')]
    served.serve(first, of('old', 'kept'))
    const end = served.begin()
    served.serve(second, of('new', 'kept'))
    await served.run(query, options('old'))
    await served.run(query, options('new'))
    await served.run(query, options('kept'))
    expect([first.queries.length, second.queries.length]).to.deep.equal([1, 2])
    expect(served.current()).to.equal(second)
    end()
  })

  it('asks the engine that runs the queries of a revision for the parts of a table', async () => {
    const served = servedEngine()
    const parts = (name: string): Engine => ({
      ...named(name),
      tableParts: async (...of) => [{ key: name + of[0] + of[1] }],
    })
    const asked = { withTimes: false, signal: new AbortController().signal }
    served.serve(parts('first'), of('old'))
    const end = served.begin()
    served.serve(parts('second'), of('new'))
    expect(await served.tableParts('t', 'c', { ...asked, revision: 'old' })).to.deep.equal([{ key: 'firsttc' }])
    expect(await served.tableParts('t', 'c', asked)).to.deep.equal([{ key: 'secondtc' }])
    served.serve(named('third'), of('new'))
    expect(await served.tableParts('t', 'c', asked)).to.equal(null)
    end()
  })

  it('closes an old engine when its last call and its last query have ended, and never the present one', async () => {
    const served = servedEngine()
    const first = named('first')
    served.serve(first, of('old'))
    const ends = [served.begin(), served.begin()]
    const release = first.hold()
    const running = served.run(query, options('old'))
    served.serve(first, of('other'))
    served.serve(named('second'), of('new'))
    const later = served.begin()
    for (const end of ends) end()
    expect(closed).to.deep.equal([])
    release()
    await running
    expect(closed).to.deep.equal(['first'])
    later()
    expect(closed).to.deep.equal(['first'])
    await served.close()
    expect(closed).to.deep.equal(['first', 'second'])
  })

  it('refuses a query of a revision that no engine knows any more', async () => {
    const served = servedEngine()
    served.serve(named('first'), of('old'))
    served.serve(named('second'), of('new'))
    expect(closed).to.deep.equal(['first'])
    const refused = await served.run(query, options('old')).catch((error: RunnerError) => error.code)
    expect(refused).to.equal('ENGINE_UNAVAILABLE')
  })

  it('drops the revisions of an engine that no call can use any more', async () => {
    const served = servedEngine()
    const engine = named('first')
    served.serve(engine, of('old'))
    const end = served.begin()
    served.serve(engine, of('new'))
    await served.run(query, options('old'))
    end()
    served.serve(engine, of('newer'))
    const refused = await served.run(query, options('new')).catch((error: RunnerError) => error.code)
    expect(refused).to.equal('ENGINE_UNAVAILABLE')
    await served.run(query, options('newer'))
  })

  it('forgets an old revision with its last call, although there are always other calls', async () => {
    const served = servedEngine()
    const engine = named('first')
    served.serve(engine, of('one'))
    let end = served.begin()
    for (const [before, now] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      served.serve(engine, of(now))
      const later = served.begin()
      await served.run(query, options(before))
      end()
      end = later
      const refused = await served.run(query, options(before)).catch((error: RunnerError) => error.code)
      expect(refused).to.equal('ENGINE_UNAVAILABLE')
    }
    await served.run(query, options('three'))
    expect(closed).to.deep.equal([])
  })

  it('reports an engine that fails to close; the last one’s failure goes to the caller of close', async () => {
    const served = servedEngine()
    const cause = new TypeError('it will not')
    served.serve(
      named('first', () => Promise.reject(cause)),
      of(),
    )
    served.serve(
      named('second', () => Promise.reject(cause)),
      of(),
    )
    await new Promise(resolve => setImmediate(resolve))
    expect(failures).to.deep.equal([cause])
    expect(await served.close().catch(error => error)).to.equal(cause)
  })
})

describe('an engine in service, whose number of queries is limited', () => {
  /** An engine whose queries end when the test says so. */
  function limited(maxQueries: number) {
    const ends: (() => void)[] = []
    const engine: Engine = {
      ...countingEngine(),
      run: () => new Promise<ResultSet>(resolve => ends.push(() => resolve(RESULT))),
    }
    const served = new ServedEngine({ name: engine.name, maxQueries, placeFailure: null, onFailure: () => {} })
    served.serve(engine, [loadedOf(handMadeEndpoint())])
    return {
      ends,
      /** Asks for this token. */
      async ask(token: string): Promise<ResultSet> {
        const leave = served.admit(token)
        return served.run({ sql: '', parameters: {} }, { job: { token, revision: 'r1' } } as RunOptions).finally(leave)
      },
    }
  }

  it('gives a token at most half of the places, and another token half of what is left', async () => {
    const { ask } = limited(8)
    expect([await taken(ask, 'a'), await taken(ask, 'b'), await taken(ask, 'c')]).to.deep.equal([4, 2, 1])
  })

  it('counts background refreshes as a token of their own', async () => {
    const { ask } = limited(8)
    expect([await taken(ask, BACKGROUND), await taken(ask, 'a'), await taken(ask, BACKGROUND)]).to.deep.equal([4, 2, 0])
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

describe('an engine in service, whose results are published', () => {
  const published: EngineResult[] = []
  const listen = (message: unknown): void => void published.push(message as EngineResult)
  before(() => subscribe('sluice.result', listen))
  after(() => unsubscribe('sluice.result', listen))

  it('publishes each result with its endpoint, but for one that a reload has replaced', async () => {
    const endpoint = handMadeEndpoint()
    const [engine, served] = [countingEngine(), servedOver()]
    served.serve(engine, [loadedOf(endpoint)])
    const query = { sql: '', parameters: endpoint.render({ project: 'a' }, 0n).parameters }
    const run = () => served.run(query, runOptions({ endpoint: endpoint.name }))
    const result = await run()
    const end = served.begin()
    served.serve(engine, [loadedOf(handMadeEndpoint({ revision: 'r2' }))])
    await run()
    end()
    expect(engine.queries).to.have.length(2)
    expect(published).to.deep.equal([{ endpoint, result }])
  })
})

describe('an engine in service, when a query fails', () => {
  const failure = new RunnerError('QUERY_FAILED', { cause: new QueryFault('division by zero') })
  const endpoint = handMadeEndpoint()
  const varied = { ...loadedOf(endpoint), variants: [{ sql: 'SELECT 1 / 0', label: 'interval=1day' }] }
  const messageOf = async (served: ServedEngine<Engine>, sql: string, name = endpoint.name): Promise<string> => {
    const engine = countingEngine()
    engine.fail(failure)
    served.serve(engine, [varied])
    const thrown: unknown = await served
      .run({ sql, parameters: {} }, runOptions({ endpoint: name }))
      .catch(error => error)
    expect((thrown as RunnerError).code).to.equal('QUERY_FAILED')
    expect(engine.queries).to.have.length(1)
    return ((thrown as RunnerError).cause as Error).message
  }

  it('names the variant, and runs no query again', async () => {
    expect(await messageOf(servedOver(), 'SELECT 1 / 0')).to.equal('division by zero (variant interval=1day)')
    expect(await messageOf(servedOver(), 'SELECT 2 / 0')).to.equal('division by zero')
    expect(await messageOf(servedOver(), 'SELECT 1 / 0', 'query')).to.equal('division by zero')
  })

  it('asks for the place for authors', async () => {
    const files: string[] = []
    const placing = servedOver(async ({ file, failure: { cause } }) => {
      files.push(file)
      return new QueryFault(`${file}:4:2: ${cause.message}`)
    })
    expect(await messageOf(placing, 'SELECT 1 / 0')).to.equal('tests.echo.yaml:4:2: division by zero')
    expect(
      await messageOf(
        servedOver(async () => null),
        'SELECT 1 / 0',
      ),
    ).to.equal('division by zero')
    expect(files).to.deep.equal(['tests.echo.yaml'])
  })
})
