import { fork } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Type } from '../../../../googlesql/types/types.js'
import { EngineProcess } from '../../../../runner/engines/duckdb/process/supervisor.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'
import { itInAll } from '../../../sample-size.js'
import { pause, until } from '../../../until.js'
import { CLOCK, openRawEngine, type RawEngine, type RawQuery, scratchFolder, source } from '../raw-engine.js'

const ONE: RawQuery = { sql: 'SELECT 1::BIGINT AS n', columns: [{ name: 'n', type: { kind: 'INT64' } }] }
/** Runs until it is interrupted. */
const ENDLESS: RawQuery = {
  sql: 'SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3',
  columns: [{ name: 'n', type: { kind: 'INT64' } }],
}
const LONG_COUNT = 2_000_000_000
/** A query that takes about a second. */
const LONG: RawQuery = { ...ONE, sql: `SELECT count(*) AS n FROM range(${LONG_COUNT})` }
const ONCE = { once: { type: 'INT64', value: '1' } }
/** Each level doubles the size of DuckDB's plan, and DuckDB cannot be interrupted while it plans. */
const LEVELS = 20
const HARD_TO_PLAN: RawQuery = {
  ...ONE,
  sql: `WITH c0 AS NOT MATERIALIZED (SELECT 1::BIGINT AS n)${Array.from(
    { length: LEVELS },
    (_, i) => `, c${i + 1} AS NOT MATERIALIZED (SELECT a.n FROM c${i} a JOIN c${i} b ON a.n = b.n)`,
  ).join('')} SELECT count(*) AS n FROM c${LEVELS}`,
}
const failing = (sql: string): RawQuery => ({ sql, columns: [{ name: 'n', type: { kind: 'INT64' } }] })

async function errorOf(work: Promise<unknown>): Promise<RunnerError> {
  try {
    await work
  } catch (error) {
    expect(error).to.be.instanceOf(RunnerError)
    return error as RunnerError
  }
  expect.fail('it did not fail')
}
const ORPHAN = fileURLToPath(new URL('./orphan.mjs', import.meta.url))
const hasRestarted = async ({ engine }: RawEngine, before: number): Promise<boolean> => {
  await engine.ping()
  return engine.pid() !== before
}

describe("the engine's process", () => {
  const scratch = scratchFolder()
  let raw: RawEngine
  before(async () => {
    raw = await openRawEngine({ tempDir: scratch.path })
  })
  after(async () => {
    await raw.engine.close()
    scratch.remove()
  })

  it('answers', async () => {
    await raw.engine.ping()
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
  })

  it('answers many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        raw.rows({ ...ONE, sql: 'SELECT $1 + 1 AS n', parameters: { i: { type: 'INT64', value: String(i) } } }),
      ),
    )
    expect(answers).to.deep.equal(Array.from({ length: 50 }, (_, i) => [[i + 1]]))
  })

  it('answers with a result of many megabytes, whole and in order', async () => {
    const query = { ...ONE, sql: "SELECT range AS n, repeat('x', 20) AS s FROM range(99999)" }
    const columns = [...ONE.columns, { name: 's', type: { kind: 'STRING' } as const }]
    const rows = await raw.rows({ ...query, columns })
    expect(rows.length).to.equal(99_999)
    expect(rows.findIndex(([n], index) => n !== index)).to.equal(-1)
  })

  it('stops the query of a caller who leaves, and only that one', async () => {
    const controller = new AbortController()
    const left = errorOf(raw.run(ENDLESS, { signal: controller.signal }))
    const stays = raw.rows({ ...ONE, sql: 'SELECT count(*) AS n FROM range(30000000)' })
    await pause(50)
    controller.abort()
    expect((await left).code).to.equal('CALL_ABANDONED')
    expect(await stays).to.deep.equal([[30_000_000]])
    // If abandoned queries went on, eight of them would occupy all eight connections.
    for (let i = 0; i < 8; i++) await errorOf(raw.run(ENDLESS, { signal: AbortSignal.timeout(5) }))
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
  })

  it('does not start a query for a caller who has left already', async () => {
    expect((await errorOf(raw.run(ENDLESS, { signal: AbortSignal.abort() }))).code).to.equal('CALL_ABANDONED')
  })

  it('stops a query at its timeout', async () => {
    const error = await errorOf(raw.run(ENDLESS, { timeoutMs: 50 }))
    expect([error.code, error.status]).to.deep.equal(['QUERY_TIMEOUT', 504])
  })

  it('restarts the queries of a killed process in the next one', async () => {
    const before = raw.engine.pid()!
    const answer = raw.rows(LONG)
    await pause(100)
    process.kill(before, 'SIGKILL')
    expect(await answer).to.deep.equal([[LONG_COUNT]])
    expect(raw.engine.pid()).not.to.equal(before)
    expect(raw.events.filter(event => event.kind === 'engine.died')).to.deep.equal([
      { kind: 'engine.died', engine: 'duckdb', reason: 'killed by SIGKILL' },
    ])
  })

  itInAll(
    'gives up a query with which two processes died, the second of which it had to itself, and answers the next',
    async () => {
      let isGivenUp = false
      const killed = errorOf(raw.run({ ...ENDLESS, sql: `${ENDLESS.sql} AND true` })).finally(() => {
        isGivenUp = true
      })
      await pause(100)
      const before = raw.engine.pid()!
      process.kill(before, 'SIGKILL')
      await until(() => hasRestarted(raw, before), 'another process runs', 20)
      const killOthers = (): boolean => {
        for (const pid of childrenOf(process.pid)) if (pid !== raw.engine.pid()) process.kill(pid, 'SIGKILL')
        return isGivenUp
      }
      await until(killOthers, 'the query is given up', 1_000)
      const error = await killed
      expect([error.code, error.status]).to.deep.equal(['ENGINE_UNAVAILABLE', 502])
      expect(await raw.rows(ONE)).to.deep.equal([[1]])
    },
  )

  itInAll('is replaced when a query in it does not stop, and the others begin again', async () => {
    const before = raw.engine.pid()!
    // Long enough for a busy machine to begin to plan: a query that has not begun is stopped without a new process.
    const stuck = errorOf(raw.run(HARD_TO_PLAN, { timeoutMs: 1_000, endpoint: 'stuck' }))
    const other = raw.rows({ ...LONG, sql: `${LONG.sql} WHERE $1 = 1`, parameters: ONCE })
    expect((await stuck).code).to.equal('QUERY_TIMEOUT')
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
    expect(await other).to.deep.equal([[LONG_COUNT]])
    await until(() => hasRestarted(raw, before), 'another process runs', 20)
    const reason = 'a query did not stop when it was told to'
    const isReplaced = () => raw.events.some(event => event.kind === 'engine.died' && event.reason === reason)
    await until(isReplaced, 'the process has ended', 20)
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
  })

  it('lets no endpoint block the others, and does not treat a busy engine as dead', async () => {
    const controller = new AbortController()
    setMaxListeners(20, controller.signal)
    const slow = Array.from({ length: 20 }, () =>
      errorOf(raw.run(ENDLESS, { endpoint: 'slow', signal: controller.signal })),
    )
    await pause(50)
    expect((await raw.run(ONE, { endpoint: 'quick' })).rowCount).to.equal(1)
    await raw.engine.ping()
    // A query that waits for a connection waits no longer than its timeout.
    expect((await errorOf(raw.run(ONE, { endpoint: 'slow', timeoutMs: 50 }))).code).to.equal('QUERY_TIMEOUT')
    controller.abort()
    for (const error of await Promise.all(slow)) expect(error.code).to.equal('CALL_ABANDONED')
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
  })

  it('gets no environment variables that may hold secrets', () => {
    const environment = readFileSync(`/proc/${raw.engine.pid()}/environ`, 'utf8')
      .split('\0')
      .map(entry => entry.split('=')[0])
    // Node itself passes NODE_V8_COVERAGE to the child while coverage is measured.
    expect(environment.filter(name => name && name !== 'NODE_V8_COVERAGE')).to.have.members([
      'TZ',
      'HOME',
      'UV_THREADPOOL_SIZE',
      'MALLOC_ARENA_MAX',
      'MALLOC_TRIM_THRESHOLD_',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
    ])
  })

  it("runs its queries at a lower priority than its parent's", async () => {
    await raw.rows(LONG)
    const pid = raw.engine.pid()!
    // 19 is the lowest priority there is.
    const lower = Math.min(19, getPriority() + 10)
    expect(getPriority(pid)).to.equal(lower)
    // On Linux each thread has its own priority. Threads that Node starts before the priority is set run no queries.
    const threads = readdirSync(`/proc/${pid}/task`).map(Number)
    expect(threads.filter(thread => getPriority(thread) === lower)).to.have.length.above(2)
  })

  it('leaves no folder behind, killed children included', async () => {
    const own = scratchFolder()
    const other = await openRawEngine({ tempDir: own.path })
    try {
      process.kill(other.engine.pid()!, 'SIGKILL')
      await pause(50)
      await other.rows(ONE)
    } finally {
      await other.engine.close()
    }
    expect(readdirSync(own.path)).to.deep.equal([])
    expect((await errorOf(other.run(ONE))).code).to.equal('ENGINE_UNAVAILABLE')
    own.remove()
  })

  itInAll('removes the folders of engines that were killed with their children', async () => {
    const own = scratchFolder()
    const parent = fork(ORPHAN, [own.path], { execArgv: [] })
    const [pid] = (await once(parent, 'message')) as [number]
    process.kill(pid, 'SIGSTOP')
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    process.kill(pid, 'SIGKILL')
    const [left] = readdirSync(own.path)
    const next = await openRawEngine({ tempDir: own.path })
    expect(readdirSync(own.path)).to.have.length(1).and.not.include(left)
    const beside = await openRawEngine({ tempDir: own.path })
    expect(readdirSync(own.path)).to.have.length(2)
    await Promise.all([next.engine.close(), beside.engine.close()])
    own.remove()
  })

  it('that cannot go on reports the reason with all its causes', async () => {
    const fault = `import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      const { mkdirSync } = fs
      fs.mkdirSync = (path, options) => {
        if (!path.endsWith('spill')) return mkdirSync(path, options)
        throw new Error('no folder', { cause: new Error('the disk is full') })
      }
      syncBuiltinESMExports()`
    const child = fork('dist/runner/engines/duckdb/child/child-main.js', [], {
      serialization: 'advanced',
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(fault)}`],
    })
    const ended = once(child, 'exit')
    child.send({ kind: 'open', options: { folder: join(scratch.path, 'broken') } })
    const [message] = await once(child, 'message')
    const cause = `cannot write the engine's temporary files into ${tmpdir()}: no folder; TMPDIR names another place`
    expect(message).to.deep.equal({ kind: 'broken', cause: `${cause}; caused by: the disk is full` })
    await ended
  })

  it('ends when its parent disappears, and removes its folder', async () => {
    const own = scratchFolder()
    const parent = fork(ORPHAN, [own.path], { execArgv: [] })
    const [pid] = (await once(parent, 'message')) as [number]
    const [left] = readdirSync(own.path)
    parent.kill('SIGKILL')
    await until(() => !isAlive(pid), 'the engine ends')
    // The next engine removes the folder itself.
    expect(readdirSync(join(own.path, left!))).to.deep.equal(['owner'])
    own.remove()
  })
})

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** False for a zombie too: a process that has ended may never be reaped by its new parent in a container. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a failure in a query', () => {
  let raw: RawEngine
  before(async () => {
    raw = await openRawEngine({
      maxResultBytes: 10_000,
      tables: [source('logs.edge', [{ name: 'n', type: 'INTEGER' }])],
    })
  })
  after(() => raw.engine.close())

  const FAULTS: { name: string; sql: string; message: string }[] = [
    {
      name: 'an overflow',
      sql: 'SELECT 9223372036854775807 + 1 AS n',
      message: 'int64 overflow: 9223372036854775807 + 1',
    },
    {
      name: 'a sum that overflows',
      sql: 'SELECT sum(x)::BIGINT AS n FROM (VALUES (9223372036854775807), (1)) t(x)',
      message: 'int64 overflow: 9223372036854775808',
    },
    { name: 'a text that is not a number', sql: "SELECT 'ab\nc'::BIGINT AS n", message: 'Bad int64 value: ab\nc' },
    {
      name: 'a scalar subquery of two rows',
      sql: 'SELECT (SELECT unnest([1, 2]))::BIGINT AS n',
      message: 'Scalar subquery produced more than one element',
    },
    {
      name: 'a bad constant pattern',
      sql: "SELECT regexp_matches('', '(')::BIGINT AS n",
      message: 'Cannot parse regular expression: missing ): (',
    },
    {
      name: 'an error raised by our own functions',
      sql: "SELECT bq_error('Array index 3 is out of bounds') AS n",
      message: 'Array index 3 is out of bounds',
    },
    { name: 'an unknown text of DuckDB', sql: 'SELECT nonsense AS n', message: 'The query failed' },
  ]
  for (const { name, sql, message } of FAULTS) {
    it(`is reported to authors with BigQuery's message, and to callers without it: ${name}`, async () => {
      const error = await errorOf(raw.run(failing(sql)))
      expect([error.code, error.detail]).to.deep.equal(['QUERY_FAILED', 'The query failed'])
      expect(error.cause).to.be.instanceOf(QueryFault)
      expect((error.cause as QueryFault).message).to.equal(message)
    })
  }

  const LARGE: { name: string; sql: string; type: Type }[] = [
    { name: 'rows', sql: 'SELECT range AS n FROM range(100000)', type: { kind: 'INT64' } },
    {
      name: 'an array',
      sql: 'SELECT range(100000 + i) AS n FROM range(2) t(i)',
      type: { kind: 'ARRAY', element: { kind: 'INT64' } },
    },
  ]
  for (const { name, sql, type } of LARGE) {
    it(`is reported to callers when the result is too large: ${name}`, async () => {
      const error = await errorOf(raw.run({ sql, columns: [{ name: 'n', type }] }))
      expect([error.code, error.status]).to.deep.equal(['RESULT_TOO_LARGE', 502])
      expect(error.detail).to.equal('The result is larger than 10000 bytes; ask for less.')
    })
  }

  it('is a result beyond the limit of this query', async () => {
    const rows = failing('SELECT range AS n FROM range(1000)')
    expect((await raw.run(rows)).rowCount).to.equal(1000)
    expect((await errorOf(raw.run(rows, { maxBytes: 2_000 }))).detail).to.include('larger than 2000 bytes')
  })

  it('is a NULL inside an array of the result', async () => {
    const type = { kind: 'ARRAY', element: { kind: 'INT64' } } as const
    const sql = 'SELECT [1]::BIGINT[] AS x UNION ALL SELECT [1, NULL]'
    const error = await errorOf(raw.run({ sql, columns: [{ name: 'x', type }] }))
    expect((error.cause as QueryFault).message).to.equal(
      'Array cannot have a null element; error in writing field x, in row 2 of column x',
    )
  })

  it('is a bug when DuckDB gives a column of another type than inferred, and no row is sent', async () => {
    const error = await errorOf(raw.run(failing("SELECT 'x' AS n")))
    expect(error.code).to.equal('QUERY_FAILED')
  })

  it('is found by a check without running the query', async () => {
    const check = (sql: string) => raw.engine.check(JSON.stringify({ ...failing(sql), tables: ['logs.edge'] }), {})
    const right = { ok: true, columns: [{ name: 'n', type: 'INT64' }] }
    expect(await check('SELECT 1::BIGINT AS n FROM "logs.edge"')).to.deep.include(right)
    expect(await check(ENDLESS.sql)).to.deep.include(right)
  })

  it('can be looked into with explain', async () => {
    const sql = 'SELECT count(*) AS n FROM range(10)'
    const explanation = await raw.engine.explain({ sql: JSON.stringify(failing(sql)), parameters: {} })
    expect(explanation.engineSql).to.equal(sql)
    expect(explanation.plan).to.match(/RANGE/)
  })
})

describe("the replacement of the engine's process", function () {
  this.timeout(60_000)
  const scratch = scratchFolder()
  after(scratch.remove)

  it('is given up when the engine is closed meanwhile, and asked for in vain after it', async () => {
    const session = { dataDir: null, database: null, tables: [], memoryLimitMb: 64, tempLimitMb: 10, isShared: false }
    const child = await EngineProcess.start({
      folder: scratch.path,
      name: 'child',
      session: { ...session, threads: 1, connections: 1 },
      observe: () => {},
      clock: CLOCK,
      onDiscovery: () => {},
      onDisruptive: () => {},
    })
    const renewed = child.renew('a test')
    await child.close()
    await renewed
    await child.renew('a test')
    expect(readdirSync(scratch.path)).to.deep.equal([])
  })
})
