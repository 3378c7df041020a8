/**
 * A query that fails after its first rows never looks like one that has ended, whatever fails, at whatever row, in whatever file.
 * The queries are DuckDB's own SQL, so that each fails at a certain row.
 */
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { reasonOfCut, runQuery } from '../../../../runner/engines/duckdb/child/run-query.js'
import type { RunRequest } from '../../../../runner/engines/duckdb/process/messages.js'
import { CutResultError, chunksOf } from '../../../../runner/engines/duckdb/values/result-chunks.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import { sampleSize } from '../../../sample-size.js'
import { openRawEngine, scratchFolder } from '../raw-engine.js'

const ROWS = 60_000
const FAILING_ROWS = [1, 3_000, 50_000, ROWS]
/** How often each combination runs with two threads, of which either may be the first. With one thread, each time is the same. */
const TIMES_OF_TWO = sampleSize(4)
interface Failing {
  readonly sql: string
  readonly message: RegExp
  /** DuckDB's memory limit. @default '512MB' */
  readonly memory?: string
}

/** Expressions that fail in the row whose `id` is $1, and DuckDB's message. */
const FAILURES: Readonly<Record<string, Failing>> = {
  'a division by zero': {
    sql: "CASE WHEN id = $1 THEN error('division by zero') ELSE 1 // id END",
    message: /division by zero/,
  },
  'a CAST': {
    sql: "CAST(CASE WHEN id = $1 THEN 'x' ELSE '1' END AS BIGINT)",
    message: /Could not convert string 'x' to INT64/,
  },
  'an error that the query raises': {
    sql: "CASE WHEN id = $1 THEN error('no such city') ELSE 1 END",
    message: /no such city/,
  },
  'an overflow': {
    sql: 'CASE WHEN id = $1 THEN 9223372036854775807 ELSE 0 END + 1',
    message: /Overflow in addition of INT64 \(9223372036854775807 \+ 1\)/,
  },
  'memory that ends': {
    sql: 'length(CAST(to_json(range(0, CASE WHEN id = $1 THEN 2000000 ELSE 0 END)) AS VARCHAR))',
    message: /^Out of Memory Error: failed to allocate/,
    memory: '48MB',
  },
}

const SOURCES: Readonly<Record<string, (folder: string) => string>> = {
  // A small greatest size of objects makes the reader's buffers small.
  NDJSON: folder => `read_json('${join(folder, 'rows.ndjson')}', maximum_object_size = 65536)`,
  Parquet: folder => `read_parquet('${join(folder, 'rows.parquet')}')`,
  'a DuckDB file': () => 'file.rows',
}

function requestOf(sql: string, at: number): RunRequest {
  return {
    kind: 'run',
    tellsParts: false,
    sql,
    columns: [
      { name: 'id', type: { kind: 'INT64' } },
      { name: 'q', type: { kind: 'INT64' } },
    ],
    parameters: [{ name: 'at', type: { kind: 'INT64' }, value: String(at) }],
    maxRows: 100_000,
    timestamps: 'iso8601',
    contract: [],
    maxBytes: 64_000_000,
    tables: [],
    runsJavaScript: false,
    shardReads: [],
  }
}

/** The error of the query; the reason, where its first rows had been given. */
async function errorOf(connection: DuckDBConnection, request: RunRequest): Promise<unknown> {
  try {
    const { rowCount } = await runQuery(connection, request, async () => undefined)
    return `a result of ${rowCount} rows`
  } catch (error) {
    return error instanceof CutResultError ? reasonOfCut(connection, request) : error
  }
}

describe('streams that fail', () => {
  const folder = scratchFolder()

  before(async () => {
    const instance = await DuckDBInstance.create(join(folder.path, 'rows.duckdb'))
    const connection = await instance.connect()
    await connection.run(`CREATE TABLE rows AS SELECT range AS id FROM range(1, ${ROWS + 1})`)
    await connection.run(`COPY rows TO '${join(folder.path, 'rows.parquet')}' (ROW_GROUP_SIZE 5000)`)
    await connection.run(`COPY rows TO '${join(folder.path, 'rows.ndjson')}' (FORMAT json)`)
    connection.closeSync()
    instance.closeSync()
  })
  after(folder.remove)

  for (const threads of ['1', '2']) {
    describe(`with ${threads === '1' ? 'one thread' : 'two threads'}`, () => {
      const times = threads === '1' ? 1 : TIMES_OF_TWO
      let instance: DuckDBInstance
      let connection: DuckDBConnection

      before(async () => {
        instance = await DuckDBInstance.create(':memory:', { threads })
        connection = await instance.connect()
        await connection.run(`ATTACH '${join(folder.path, 'rows.duckdb')}' AS file (READ_ONLY)`)
        // Less than a chunk, so that nearly all rows are given before the last ones are computed.
        await connection.run("SET streaming_buffer_size = '16KB'")
      })
      after(() => {
        connection.closeSync()
        instance.closeSync()
      })

      for (const [source, tableIn] of Object.entries(SOURCES)) {
        it(`gives all rows of ${source} where nothing fails`, async () => {
          const sql = `SELECT id, ${FAILURES['a CAST']!.sql} AS q FROM ${tableIn(folder.path)}`
          expect(await errorOf(connection, requestOf(sql, 0))).to.equal(`a result of ${ROWS} rows`)
        })

        for (const [failure, { sql: failing, message, memory = '512MB' }] of Object.entries(FAILURES)) {
          it(`report ${failure} at any row of ${source}, with its reason`, async () => {
            const sql = `SELECT id, ${failing} AS q FROM ${tableIn(folder.path)}`
            await connection.run(`SET memory_limit = '${memory}'`)
            for (const at of FAILING_ROWS) {
              for (let time = 0; time < times; time++) {
                const error = await errorOf(connection, requestOf(sql, at))
                expect(error, `at row ${at}`).to.be.instanceOf(Error)
                expect((error as Error).message, `at row ${at}`).to.match(message)
              }
            }
          })
        }

        it(`report an interrupt at any row of ${source}`, async () => {
          for (const at of FAILING_ROWS) {
            for (let time = 0; time < times; time++) {
              const stream = await connection.stream(`SELECT id, 'x' || id AS text FROM ${tableIn(folder.path)}`)
              let rows = 0
              let failure: unknown = null
              try {
                for await (const chunk of chunksOf(stream)) {
                  rows += chunk.rowCount
                  if (rows >= at) connection.interrupt()
                }
              } catch (error) {
                failure = error
              }
              // DuckDB may have had all rows already.
              if (failure === null) expect(rows).to.equal(ROWS)
              else expect(failure).to.be.instanceOf(CutResultError)
            }
          }
        })
      }
    })
  }

  it('say that there is no reason where the query does not fail again', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const reason = await reasonOfCut(connection, requestOf('SELECT $1 AS id, 1::BIGINT AS q', 1))
    expect(reason).to.be.instanceOf(CutResultError)
    instance.closeSync()
  })

  it('keep no rows when the reason is looked for', async () => {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    const sql =
      "SELECT range AS id, CASE WHEN range = $1 THEN error('late') ELSE 1 END AS q, repeat('x', 1000) FROM range(500000)"
    const before = process.memoryUsage.rss()
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 5)
    const reason = await reasonOfCut(connection, { ...requestOf(sql, 499_999), maxRows: Number.POSITIVE_INFINITY })
    clearInterval(timer)
    expect((reason as Error).message).to.contain('late')
    expect(most - before).to.be.lessThan(200_000_000)
    instance.closeSync()
  })

  it('are timeouts where the time is up after the first rows', async () => {
    const { engine, run } = await openRawEngine()
    const query = { sql: 'SELECT range AS id FROM range(200000)', columns: [requestOf('', 0).columns[0]!] }
    const ends = new Set<string>()
    for (let timeoutMs = 2; !ends.has('200000 rows'); timeoutMs *= 1.2) {
      ends.add(
        await run(query, { timeoutMs, maxRows: 1_000_000 }).then(
          ({ rowCount }) => `${rowCount} rows`,
          (error: RunnerError) => error.code,
        ),
      )
    }
    expect([...ends]).to.deep.equal(['QUERY_TIMEOUT', '200000 rows'])
    await engine.close()
  })
})
