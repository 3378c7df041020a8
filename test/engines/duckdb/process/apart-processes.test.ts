/** Queries that call JavaScript functions, or have disturbed the shared process, do not make others wait. */
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect } from 'chai'
import type { SchemaField } from '../../../../googlesql/tables.js'
import type { DuckdbEngine } from '../../../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../../../runner/engines/duckdb/open-engine.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import type { Event } from '../../../../runner/model/events.js'
import type { RunOptions } from '../../../../runner/model/ports.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'
import { pause, until } from '../../../until.js'
import { rowsOf, runOptions } from '../../ask-engine.js'
import { CLOCK, scratchFolder, source } from '../raw-engine.js'

const withBody = (body: string, query = 'SELECT f() AS x'): string =>
  `CREATE TEMP FUNCTION f() RETURNS STRING LANGUAGE js AS r'''${body}'''; ${query}`
const ENDLESS = withBody('for (;;) "x".repeat(1e6)')
const QUICK = withBody('return "quick"')

/** The pids of this process's children. */
function childProcesses(): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  return children.trim().split(' ').map(Number)
}
/** The processor time of this process's children, in seconds: fields 14 and 15 of proc_pid_stat(5), in ticks of 10 ms. */
function childrenSeconds(): number {
  const ticks = childProcesses().map(pid => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}

describe('queries that call JavaScript functions', function () {
  this.timeout(120_000)
  const scratch = scratchFolder()
  let engine: DuckdbEngine
  const events: Event[] = []

  before(async () => {
    engine = await openDuckdbEngine({
      dataDir: null,
      database: null,
      tables: [source('shop.orders', [{ name: 'n', type: 'INT64' }], { rows: [{ n: 1 }, { n: 2 }] })],
      memoryLimitMb: 512,
      threads: 2,
      tempDir: scratch.path,
      observe: event => events.push(event),
      clock: CLOCK,
    })
  })
  after(async () => {
    await engine.close()
    scratch.remove()
  })

  const jobOf = (token: string) => ({ maxBytesBilled: null, labels: {}, revision: '', token })
  const rows = async (sql: string, more: Partial<RunOptions> = {}): Promise<unknown[][]> =>
    rowsOf(await engine.run({ sql, parameters: {} }, runOptions(more)))
  const failure = (work: Promise<unknown>): Promise<RunnerError> =>
    work.then(
      () => expect.fail('it did not fail'),
      error => error,
    )
  const started = (): number => events.filter(({ kind }) => kind === 'engine.started').length

  it('have a process only when they run', async () => {
    await rows('SELECT SUM(n) AS n FROM `shop.orders`')
    expect(await engine.check(QUICK, {})).to.include({ ok: true })
    expect((await engine.explain({ sql: QUICK, parameters: {} })).engineSql).to.contain('bq_javascript')
    expect(started()).to.equal(1)
    for (let i = 0; i < 5; i++) await rows(QUICK)
    expect(started()).to.equal(2)
  })

  it('run as many at once as there are processes', async () => {
    const texts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => rows(withBody(`return "${i}"`), { job: jobOf(`t${i % 5}`) })),
    )
    expect(texts).to.deep.equal(Array.from({ length: 20 }, (_, i) => [[String(i)]]))
    expect(started()).to.be.within(2, 5)
  })

  it('fail after their time, are not run again, and leave a process that answers', async () => {
    await rows(QUICK)
    events.length = 0
    const spent = childrenSeconds()
    // A query with a constant that can fail is run again when it has failed, and so is one whose failing place is sought.
    const query = 'SELECT f() AS x, IF(n > 5, 1 / 0, 1) AS y, CAST(f() AS INT64) AS z FROM `shop.orders`'
    const { code, detail, cause } = await failure(rows(withBody('for (;;) {}', query)))
    expect([code, detail]).to.deep.equal(['QUERY_FAILED', 'The JavaScript functions of the query took too long.'])
    expect(cause).to.be.instanceOf(QueryFault)
    expect((cause as QueryFault).message).to.equal('JavaScript took more than 5 s at f()')
    // Processor time: other processes can make it less than 5 s, but not more. A second run would take 10 s.
    expect(childrenSeconds() - spent).to.be.below(8)
    expect(await rows(QUICK)).to.deep.equal([['quick']])
    expect(events.filter(({ kind }) => kind === 'engine.died')).to.deep.equal([])
  })

  it('let other queries, other tokens and pings pass while some never end, and leave their place with their caller', async () => {
    const sum =
      'CREATE TEMP FUNCTION f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS "return x * 2"; SELECT f(n) FROM `shop.orders`'
    const leaving = new AbortController()
    let hasEnded = false
    // The token has two places, so the third waits.
    const endless = Array.from({ length: 3 }, async () => {
      const error = await failure(rows(ENDLESS, { job: jobOf('first'), signal: leaving.signal }))
      hasEnded = true
      return error
    })
    await Promise.all([
      engine.ping(),
      rows('SELECT SUM(n) AS n FROM `shop.orders`', { job: jobOf('second') }),
      rows(QUICK, { job: jobOf('second') }),
    ])
    expect(await rows(sum, { job: jobOf('second') })).to.deep.equal([[2], [4]])
    expect(hasEnded).to.equal(false)
    leaving.abort()
    for (const error of await Promise.all(endless)) expect(error.code).to.equal('CALL_ABANDONED')
    expect(await rows(sum, { job: jobOf('first') })).to.deep.equal([[2], [4]])
  })
})

/** Each row takes some 40 ms. */
const distances = (call: string): string =>
  `SELECT SUM(${call}(REPEAT(@t, 5000), REPEAT(CAST(x AS STRING), 2000))) FROM UNNEST(GENERATE_ARRAY(11, 16)) AS x`
/** The lowest priority is 19. */
const below = (niceness: number): number => Math.min(19, getPriority() + niceness)
const childPriorities = (): readonly number[] => childProcesses().map(getPriority)

const T = { t: { type: 'STRING', value: 'a' } } as const
/** RE2 takes many seconds for one row, and cannot be interrupted. */
const STUCK = "SELECT ARRAY_LENGTH(REGEXP_EXTRACT_ALL(REPEAT(@t, 60000), 'a*?b|a'))"

const texts = (columns: number): readonly SchemaField[] =>
  Array.from({ length: columns }, (_, i) => ({ name: `c${i}`, type: 'STRING' }))
const valuesOf = (text: string, columns: number): Readonly<Record<string, string>> =>
  Object.fromEntries(texts(columns).map(({ name }) => [name, text]))
/** To read them takes more than 64 MB of memory, and less than 128 MB. */
const WIDE_ROWS = Array.from({ length: 3_000 }, (_, i) => {
  const text = String(10 + i)
  return { ...valuesOf(text, 120), list: Array.from({ length: 4 }, () => valuesOf(text, 8)) }
})

describe('queries that have disturbed the process that queries share', function () {
  this.timeout(120_000)
  const scratch = scratchFolder()
  let engine: DuckdbEngine
  let events: Event[]

  const ORDERS = source('shop.orders', [{ name: 'n', type: 'INT64' }], { rows: [{ n: 1 }, { n: 2 }] })
  const LIMITS = { memoryLimitMb: 512, tempLimitMb: 1_000 }
  const open = (isShared: boolean, limits = LIMITS, table = ORDERS): Promise<DuckdbEngine> =>
    openDuckdbEngine({
      dataDir: null,
      database: null,
      tables: [table],
      ...limits,
      threads: 2,
      tempDir: scratch.path,
      observe: event => events.push(event),
      clock: CLOCK,
      isShared,
    })
  beforeEach(async () => {
    events = []
    engine = await open(true)
  })
  afterEach(() => engine.close())
  after(scratch.remove)

  const run = async (sql: string, more: Partial<RunOptions> = {}): Promise<unknown[][]> =>
    rowsOf(await engine.run({ sql, parameters: T }, runOptions(more)))
  const count = (kind: Event['kind']): number => events.filter(event => event.kind === kind).length
  const codeOf = (error: RunnerError): string => error.code

  for (const call of ['EDIT_DISTANCE', 'SAFE.EDIT_DISTANCE']) {
    it(`run apart from then on when a function computes for long, with the same result: ${call}`, async () => {
      const rows = await run(distances(call))
      // The distance of a number's text to letters is its length.
      expect(rows).to.deep.equal([[6 * 5_000]])
      expect(count('engine.started')).to.equal(2)
      expect(await run(distances(call))).to.deep.equal(rows)
      expect([count('engine.started'), count('engine.died')]).to.deep.equal([2, 0])
      expect(childPriorities()).to.include.members([below(10), below(19)])
    })
  }

  it('read text files of many columns apart, also where the engine has little memory', async () => {
    await engine.close()
    const list: SchemaField = { name: 'list', type: 'RECORD', mode: 'REPEATED', fields: texts(8) }
    const table = source('shop.wide', [...texts(120), list], { rows: WIDE_ROWS })
    engine = await open(true, { memoryLimitMb: 256, tempLimitMb: 1_000 }, table)
    events = []
    const compute = 'SUM(EDIT_DISTANCE(REPEAT(@t, 5000), REPEAT(c0, 2000)))'
    expect(
      await run(`SELECT COUNT(DISTINCT c119), ${compute} FROM \`shop.wide\` WHERE LENGTH(c0) = 2 AND c0 < '16'`),
    ).to.deep.equal([[6, 30_000]])
    expect([count('engine.started'), count('engine.died')]).to.deep.equal([1, 0])
  })

  it("do not run apart on an author's engine, where they hold up none but their author's own", async () => {
    await engine.close()
    engine = await open(false)
    events = []
    expect(await run(distances('EDIT_DISTANCE'))).to.deep.equal([[6 * 5_000]])
    expect(count('engine.started')).to.equal(0)
  })

  it('run in the shared process while they compute for a short time only', async () => {
    await run("SELECT COUNTIF(CONTAINS_SUBSTR(CAST(x AS STRING), '7')) FROM UNNEST(GENERATE_ARRAY(1, 500)) AS x")
    expect(count('engine.started')).to.equal(1)
  })

  it('let pings pass while they compute', async () => {
    let pings = 0
    const done = run(distances('EDIT_DISTANCE')).then(() => -1)
    while ((await Promise.race([done, engine.ping().then(() => ++pings)])) > 0) await pause(1)
    expect(pings).to.be.above(10)
  })

  it('end only their own process when they do not stop, from the second time on', async () => {
    const leave = (): Promise<string> =>
      run(STUCK, { timeoutMs: 1_500 }).then(() => expect.fail('it was quick'), codeOf)
    // The process for the second time is there already, so that the query begins within its timeout.
    await run(QUICK)
    const first = engine.pid()
    expect(await leave()).to.equal('QUERY_TIMEOUT')
    await until(() => count('engine.died') === 1, 'the process ends', 20)
    await engine.ping()
    const second = engine.pid()
    expect(second).not.to.equal(first)
    expect(await leave()).to.equal('QUERY_TIMEOUT')
    await until(() => count('engine.died') === 2, 'the process of the query ends', 20)
    expect(engine.pid()).to.equal(second)
    expect(await run('SELECT SUM(n) FROM `shop.orders`')).to.deep.equal([[3]])
  })

  it('begin again apart when memory or disk space is short while others run, which may have used it', async () => {
    await engine.close()
    events = []
    engine = await open(true, { memoryLimitMb: 64, tempLimitMb: 1 })
    const numbers = 'UNNEST(GENERATE_ARRAY(1, 4000))'
    const HOG = `SELECT COUNT(DISTINCT x * 4000 + y) FROM ${numbers} AS x, ${numbers} AS y`
    const failed = async (n: number): Promise<string> => {
      const { cause } = await run(`${HOG} WHERE x > ${n}`).then(
        () => expect.fail('it had enough memory'),
        error => error,
      )
      return (cause as QueryFault).message
    }
    const message =
      'Resources exceeded during query execution: the query needs more room on the disk than SLUICE_ENGINE_TEMP (serve: --engine-temp) sets'
    expect([await failed(1), count('engine.started')]).to.deep.equal([message, 1])
    expect(await Promise.all([failed(2), failed(3)])).to.deep.equal([message, message])
    expect(count('engine.started')).to.be.above(1)
    // They are not suspected any more.
    expect([await failed(2), count('engine.died')]).to.deep.equal([message, 0])
  })

  it('are answered by another process when the shared one died with them alone', async () => {
    const answer = run('SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 30000)) a, UNNEST(GENERATE_ARRAY(1, 30000)) b')
    await pause(100)
    process.kill(engine.pid()!, 'SIGKILL')
    expect(await answer).to.deep.equal([[900_000_000]])
    expect(await run('SELECT SUM(n) FROM `shop.orders`')).to.deep.equal([[3]])
    expect(count('engine.died')).to.equal(1)
  })
})
