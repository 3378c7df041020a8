import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { ERROR_CODES } from '../../../runner/model/error-codes.js'
import { RunnerError } from '../../../runner/model/errors.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { openRawEngine, type RawEngine, type RawQuery, scratchFolder, source } from './raw-engine.js'

const ONE: RawQuery = { sql: 'SELECT 1::BIGINT AS n', columns: [{ name: 'n', type: { kind: 'INT64' } }] }
/** Runs until it is interrupted. */
const ENDLESS: RawQuery = {
  sql: 'SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3',
  columns: [{ name: 'n', type: { kind: 'INT64' } }],
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
const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

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

  it('stops the query of a caller who leaves, and only that one', async () => {
    const controller = new AbortController()
    const left = errorOf(raw.run(ENDLESS, { signal: controller.signal }))
    const stays = raw.rows({ ...ONE, sql: 'SELECT count(*) AS n FROM range(30000000)' })
    await pause(50)
    controller.abort()
    expect((await left).code).to.equal('CALL_ABANDONED')
    expect(await stays).to.deep.equal([[30_000_000]])
    // Eight abandoned queries would hold all eight connections.
    for (let i = 0; i < 8; i++) await errorOf(raw.run(ENDLESS, { signal: AbortSignal.timeout(5) }))
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
  })

  it('does not begin for a caller who has left already', async () => {
    expect((await errorOf(raw.run(ENDLESS, { signal: AbortSignal.abort() }))).code).to.equal('CALL_ABANDONED')
  })

  it('stops a query when its time is up', async () => {
    const error = await errorOf(raw.run(ENDLESS, { timeoutMs: 50 }))
    expect([error.code, error.status]).to.deep.equal(['QUERY_TIMEOUT', 504])
  })

  it('fails what runs in it when it is killed, and is there again for the next query', async () => {
    const killed = errorOf(raw.run(ENDLESS))
    await pause(100)
    const before = raw.engine.pid()!
    process.kill(before, 'SIGKILL')
    const error = await killed
    expect([error.code, error.status]).to.deep.equal(['ENGINE_UNAVAILABLE', 502])
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
    expect(raw.engine.pid()).not.to.equal(before)
    expect(raw.events.filter(event => event.kind === 'engine.died')).to.deep.equal([
      { kind: 'engine.died', engine: 'duckdb', reason: 'killed by SIGKILL' },
    ])
  })

  it('gets nothing of the environment that may hold secrets', () => {
    const environment = readFileSync(`/proc/${raw.engine.pid()}/environ`, 'utf8')
      .split('\0')
      .map(entry => entry.split('=')[0])
    // Node itself hands NODE_V8_COVERAGE on while coverage is measured.
    expect(environment.filter(name => name && name !== 'NODE_V8_COVERAGE')).to.have.members([
      'TZ',
      'HOME',
      'UV_THREADPOOL_SIZE',
      'MALLOC_ARENA_MAX',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
    ])
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

  it('ends when its parent disappears, and removes its folder', async () => {
    const own = scratchFolder()
    const parent = fork(fileURLToPath(new URL('./orphan.ts', import.meta.url)), [own.path], {
      execArgv: ['--import', 'tsx'],
    })
    const [pid] = (await once(parent, 'message')) as [number]
    expect(readdirSync(own.path)).to.have.length(1)
    parent.kill('SIGKILL')
    for (let i = 0; i < 500 && isAlive(pid); i++) await pause(20)
    expect(isAlive(pid)).to.equal(false)
    expect(readdirSync(own.path)).to.deep.equal([])
    own.remove()
  })
})

/** What has ended and waits to be noticed by its new parent, which may never happen in a container, is not alive. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('what a query is allowed', () => {
  const scratch = scratchFolder()
  let raw: RawEngine
  before(async () => {
    writeFileSync(join(scratch.path, 'secret.txt'), 'hunter2')
    raw = await openRawEngine({ dataDir: join(scratch.path, 'data'), memoryLimitMb: 100 })
  })
  after(async () => {
    await raw.engine.close()
    scratch.remove()
  })

  const REFUSED: { name: string; sql: () => string }[] = [
    { name: 'to read a file', sql: () => `SELECT content AS n FROM read_text('${scratch.path}/secret.txt')` },
    {
      name: 'to read a file by a way round',
      sql: () => `SELECT content AS n FROM read_text('${scratch.path}/data/../secret.txt')`,
    },
    { name: 'to see what files there are', sql: () => `SELECT file AS n FROM glob('${scratch.path}/*')` },
    { name: 'to read a file as a table', sql: () => `SELECT * FROM '${scratch.path}/secret.csv'` },
    { name: 'to read over the network', sql: () => "SELECT content AS n FROM read_text('https://127.0.0.1:1/x')" },
    { name: 'to attach a database', sql: () => `ATTACH '${scratch.path}/other.duckdb'` },
    { name: 'to change a setting', sql: () => 'SET threads = 8' },
    { name: 'to unlock the settings', sql: () => 'SET lock_configuration = false' },
    { name: 'to install an extension', sql: () => 'INSTALL httpfs' },
    { name: 'to load an extension', sql: () => 'LOAD httpfs' },
    { name: 'to write a file', sql: () => `COPY (SELECT 1) TO '${scratch.path}/data/out.csv'` },
    { name: 'to make a table', sql: () => 'CREATE TABLE t (n INTEGER)' },
    { name: 'to run two statements', sql: () => 'SELECT 1 AS n; SELECT 2 AS n' },
    { name: 'to close the parenthesis around it', sql: () => 'SELECT 1 AS n) LIMIT 1; COPY (SELECT 1' },
  ]
  for (const { name, sql } of REFUSED) {
    it(`is not ${name}`, async () => {
      const error = await errorOf(raw.run(failing(sql())))
      expect(error.code).to.equal('QUERY_FAILED')
      expect(error.message).to.equal(ERROR_CODES.QUERY_FAILED.title)
    })
  }

  it('is not more memory than the limit', async () => {
    const error = await errorOf(raw.run(failing('SELECT len(list(range::VARCHAR)) AS n FROM range(20000000)')))
    expect(error.code).to.equal('QUERY_FAILED')
    expect((error.cause as QueryFault).message).to.match(/^Resources exceeded during query execution/)
    expect(await raw.rows(ONE)).to.deep.equal([[1]])
  })
})

describe('what goes wrong in a query', () => {
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
    { name: 'a text that is no number', sql: "SELECT 'ab\nc'::BIGINT AS n", message: 'Bad int64 value: ab\nc' },
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
    { name: 'a text of DuckDB that nobody knows', sql: 'SELECT nonsense AS n', message: 'The query failed' },
    {
      name: 'a result that is too large',
      sql: 'SELECT range AS n FROM range(100000)',
      message: 'Response too large to return',
    },
  ]
  for (const { name, sql, message } of FAULTS) {
    it(`is told to authors in BigQuery's words, and to callers not at all: ${name}`, async () => {
      const error = await errorOf(raw.run(failing(sql)))
      expect([error.code, error.detail]).to.deep.equal(['QUERY_FAILED', 'The query failed'])
      expect(error.cause).to.be.instanceOf(QueryFault)
      expect((error.cause as QueryFault).message).to.equal(message)
    })
  }

  it('is a NULL inside an array of the result', async () => {
    const type = { kind: 'ARRAY', element: { kind: 'INT64' } } as const
    const error = await errorOf(raw.run({ sql: 'SELECT [1, NULL]::BIGINT[] AS x', columns: [{ name: 'x', type }] }))
    expect((error.cause as QueryFault).message).to.equal('Array cannot have a null element; error in writing field x')
  })

  it('is an argument when it is a bound pattern that RE2 refuses', async () => {
    const error = await errorOf(
      raw.run({
        ...failing('SELECT count(*) AS n FROM range(3) WHERE regexp_matches(range::VARCHAR, $2) AND $1 <> $3'),
        parameters: {
          name: { type: 'STRING', value: 'fine' },
          project: { type: 'STRING', value: 'abc(' },
          other: { type: 'STRING', value: 'x' },
        },
      }),
    )
    expect([error.code, error.status]).to.deep.equal(['ARGUMENT_INVALID', 400])
    expect(error.errors).to.deep.equal([
      { parameter: 'project', detail: 'is not a valid RE2 regular expression: missing )' },
    ])
  })

  it('is a bug when DuckDB gives another type than was promised, and no row is sent', async () => {
    const error = await errorOf(raw.run(failing("SELECT 'x' AS n")))
    expect(error.code).to.equal('QUERY_FAILED')
  })

  it('shows in a check without running', async () => {
    const check = (sql: string) => raw.engine.check(JSON.stringify({ ...failing(sql), tables: ['logs.edge'] }), {})
    expect(await check('SELECT 1::BIGINT AS n FROM "logs.edge"')).to.deep.equal({
      ok: true,
      columns: [{ name: 'n', type: 'INT64' }],
    })
    expect(await check(ENDLESS.sql)).to.deep.equal({ ok: true, columns: [{ name: 'n', type: 'INT64' }] })
  })

  it('can be looked into with explain', async () => {
    const sql = 'SELECT count(*) AS n FROM range(10)'
    const explanation = await raw.engine.explain({ sql: JSON.stringify(failing(sql)), parameters: {} })
    expect(explanation.engineSql).to.equal(sql)
    expect(explanation.plan).to.match(/RANGE/)
  })
})
