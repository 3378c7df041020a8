/** Queries that would never end or take all memory: each ends with a proper error, and the next call is answered. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/duckdb-engine.js'
import type { RunningServer } from '../../../runner/http/server/server.js'
import type { ErrorCode } from '../../../runner/model/error-codes.js'
import type { RunnerError } from '../../../runner/model/errors.js'
import type { QueryFault } from '../../../runner/model/query-fault.js'
import { createRunner, type Runner } from '../../../runner/serve/runner.js'
import { rowsOf, runOptions } from '../ask-engine.js'
import { openEngine, openRawEngine, scratchFolder } from './raw-engine.js'

const MILLION = 'UNNEST(GENERATE_ARRAY(1, 1000000))'
const TIMEOUT_MS = 400

interface Runaway {
  readonly name: string
  readonly sql: string
  /** The accepted error codes: a query may reach its timeout on one machine and its memory limit on another. */
  readonly codes: readonly ErrorCode[]
  readonly says?: RegExp
}
const SLOW: readonly ErrorCode[] = ['QUERY_TIMEOUT']
const LARGE: readonly ErrorCode[] = ['QUERY_TIMEOUT', 'QUERY_FAILED', 'ENGINE_UNAVAILABLE']
const REFUSED: readonly ErrorCode[] = ['QUERY_FAILED']

const RUNAWAYS: readonly Runaway[] = [
  {
    name: 'a cross join of 10^12 rows',
    sql: `SELECT COUNT(*) FROM ${MILLION} a, ${MILLION} b WHERE MOD(a * b, 7) = 3`,
    codes: SLOW,
  },
  {
    name: 'a sort of 10^12 rows',
    sql: `SELECT a, b FROM ${MILLION} a, ${MILLION} b ORDER BY MOD(a * b, 1000003), a LIMIT 1 OFFSET 1000000`,
    codes: LARGE,
  },
  {
    name: '10^12 groups',
    sql: `SELECT a * 1000000 + b AS k, COUNT(*) FROM ${MILLION} a, ${MILLION} b GROUP BY k HAVING COUNT(*) > 1`,
    codes: LARGE,
  },
  { name: 'REPEAT of 1 GB', sql: "SELECT REPEAT('abc', 1000000000)", codes: REFUSED, says: /exceeds max/ },
  {
    name: 'REPEAT of nearly 1 MB, a million times',
    sql: `SELECT SUM(LENGTH(REPEAT(CAST(x AS STRING), 150000))) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'LPAD of nearly 1 MB, a million times',
    sql: `SELECT SUM(LENGTH(LPAD(CAST(x AS STRING), 1000000))) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'an array of 10^9',
    sql: 'SELECT ARRAY_LENGTH(GENERATE_ARRAY(1, 1000000000))',
    codes: REFUSED,
    says: /more than 1000000 elements/,
  },
  {
    name: 'arrays of 10^6, a million times',
    sql: `SELECT SUM(ARRAY_LENGTH(GENERATE_ARRAY(x, x + 900000))) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'a recursion without end',
    sql: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r',
    codes: LARGE,
  },
  {
    name: 'a recursion that doubles its rows',
    sql: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r, UNNEST([1, 2])) SELECT COUNT(*) FROM r',
    codes: LARGE,
  },
  {
    name: 'a recursion that doubles its text',
    sql: "WITH RECURSIVE r AS (SELECT 'ab' AS s UNION ALL SELECT s || s FROM r) SELECT MAX(LENGTH(s)) FROM r",
    codes: LARGE,
  },
  {
    name: 'STRING_AGG of a terabyte',
    sql: `SELECT LENGTH(STRING_AGG(REPEAT(CAST(x AS STRING), 100000))) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'ARRAY_AGG of 10^12',
    sql: `SELECT ARRAY_LENGTH(ARRAY_AGG(TO_JSON_STRING(STRUCT(a, b)))) FROM ${MILLION} a, ${MILLION} b`,
    codes: LARGE,
  },
  {
    name: 'a pattern over a terabyte',
    sql: `SELECT COUNTIF(REGEXP_CONTAINS(REPEAT(CAST(x AS STRING), 10000), r'(a|1|2)*(x+x+)+y')) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'a window of a million rows around each of a million',
    sql: `SELECT ARRAY_LENGTH(ARRAY_AGG(x) OVER (ORDER BY x ROWS BETWEEN 500000 PRECEDING AND 500000 FOLLOWING)) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'a function of ours, a million times over 100 kB',
    sql: `SELECT SUM(LENGTH(NORMALIZE(REPEAT(CAST(x AS STRING), 15000)))) FROM ${MILLION} x`,
    codes: LARGE,
  },
  {
    name: 'a function of ours that takes long for one row',
    // Both texts of 2,048 rows stay below the characters that a function may compute in one chunk.
    sql: `SELECT SUM(EDIT_DISTANCE(REPEAT('ab', 7000), REPEAT(CAST(x AS STRING), 2500))) FROM ${MILLION} x`,
    codes: SLOW,
  },
]

describe('a query that runs away', () => {
  const scratch = scratchFolder()
  let engine: DuckdbEngine
  before(async () => {
    engine = await openEngine({ memoryLimitMb: 128, tempLimitMb: 64, tempDir: scratch.path })
  })
  after(async () => {
    await engine.close()
    scratch.remove()
  })

  const run = async (sql: string, timeoutMs: number): Promise<unknown[][]> =>
    rowsOf(await engine.run({ sql, parameters: {} }, runOptions({ maxRows: 10, timeoutMs })))

  for (const { name, sql, codes, says } of RUNAWAYS) {
    it(`is stopped, and the next is answered: ${name}`, async () => {
      const error: RunnerError = await run(sql, codes === REFUSED ? 20_000 : TIMEOUT_MS).then(
        answer => expect.fail(`it answered ${answer}`),
        thrown => thrown,
      )
      expect(codes, String(error.cause)).to.include(error.code)
      if (says) expect((error.cause as QueryFault).message).to.match(says)
      expect(await run('SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 100000))', 20_000)).to.deep.equal([[100_000]])
    })
  }

  it('ends normally when only its first rows are wanted', async () => {
    expect(await run(`SELECT 1 FROM ${MILLION}, ${MILLION}`, 20_000)).to.deep.equal(Array(10).fill([1]))
  })
})

describe('a query that needs more memory than it may have', () => {
  const SQL = 'SELECT count(*) AS n FROM (SELECT DISTINCT sha256(i::VARCHAR) AS s FROM range(1000000) t(i))'
  const run = async (tempLimitMb: number): Promise<number | string> => {
    const raw = await openRawEngine({ memoryLimitMb: 64, tempLimitMb })
    const query = { sql: SQL, columns: [{ name: 'n', type: { kind: 'INT64' } }] } as const
    try {
      return (await raw.run(query)).rowCount
    } catch (error) {
      return ((error as RunnerError).cause as QueryFault).message
    } finally {
      await raw.engine.close()
    }
  }

  it('goes on with temporary files on the disk', async () => {
    expect(await run(4_096)).to.equal(1)
  })

  it('fails when it needs more disk space than it may have', async () => {
    expect(await run(16)).to.match(/more room on the disk than SLUICE_ENGINE_TEMP/)
  })
})

describe('a query that runs away, over HTTP', () => {
  const scratch = scratchFolder()
  const TOKEN = 'unrestricted-token-of-32-letters'
  const MANIFESTS: Readonly<Record<string, string>> = {
    endless: `settings: { timeout_seconds: 0.4 }\nsql: |\n  SELECT COUNT(*) AS n FROM ${MILLION} a, ${MILLION} b WHERE MOD(a * b, 7) = 3\n`,
    greedy: `sql: |\n  SELECT ARRAY_LENGTH(ARRAY_AGG(CONCAT(CAST(a AS STRING), '-', CAST(b AS STRING)))) AS n FROM ${MILLION} a, ${MILLION} b\n`,
    large: `settings: { max_rows: 100000, max_result_bytes: 20 kB }\nsql: |\n  SELECT x FROM ${MILLION} x\n`,
    small: 'sql: |\n  SELECT 1 AS n\n',
  }
  let runner: Runner
  let server: RunningServer

  before(async () => {
    for (const folder of ['endpoints', 'data']) mkdirSync(join(scratch.path, folder))
    for (const [index, [name, text]] of Object.entries(MANIFESTS).entries()) {
      const id = `0000000${index}-0000-4000-8000-000000000000`
      writeFileSync(join(scratch.path, `endpoints/${name}.yaml`), `id: ${id}\nname: ${name}\n${text}`)
    }
    runner = await createRunner({
      port: 0,
      endpointsDir: join(scratch.path, 'endpoints'),
      tablesDir: join(scratch.path, 'tables'),
      dataDir: join(scratch.path, 'data'),
      token: TOKEN,
      engineMemoryMb: 128,
      engineTempMb: 32,
      engineThreads: 2,
    })
    server = await runner.listen()
  })
  after(async () => {
    await server.close()
    await runner.close()
    scratch.remove()
  })

  const get = (name: string): Promise<Response> =>
    fetch(`${server.url}/api/endpoints/query/${name}`, { headers: { 'X-API-KEY': TOKEN } })

  const ENDS: readonly { name: string; status: number; code: ErrorCode; detail: string }[] = [
    { name: 'endless', status: 504, code: 'QUERY_TIMEOUT', detail: 'The query timed out' },
    { name: 'greedy', status: 502, code: 'QUERY_FAILED', detail: 'The query failed' },
    {
      name: 'large',
      status: 502,
      code: 'RESULT_TOO_LARGE',
      detail: 'The result is larger than 20000 bytes; ask for less.',
    },
  ]
  for (const { name, status, code, detail } of ENDS) {
    it(`is a ${status} without internal details, and the next call is answered: ${name}`, async () => {
      const response = await get(name)
      expect(response.status).to.equal(status)
      expect(response.headers.get('content-type')).to.match(/^application\/problem\+json/)
      expect(await response.json()).to.include({ code, status, detail })
      expect(await (await get('small')).text()).to.equal('{"result":[{"n":1}]}')
    })
  }
})
