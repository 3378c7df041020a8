/**
 * Resources that no SQL may reach, and the lock that stops each attempt. There are three locks, one after the other:
 * GoogleSQL has no name for the resource (the translator), SQL that the translator did not write is refused (the guard), and
 * DuckDB's settings forbid the access. DuckDB cannot forbid functions that only report its own state.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { SqlError } from '../../../../googlesql/sql-error.js'
import { tableCatalogue } from '../../../../googlesql/tables.js'
import { translate } from '../../../../googlesql-duckdb/translate.js'
import { openSession, type Session } from '../../../../runner/engines/duckdb/child/session.js'
import { openDuckdbEngine } from '../../../../runner/engines/duckdb/open-engine.js'
import type { SessionOptions } from '../../../../runner/engines/duckdb/process/messages.js'
import { QueryNeeds } from '../../../../runner/engines/duckdb/tables/query-needs.js'
import { ERROR_CODES } from '../../../../runner/model/error-codes.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import type { QueryFault } from '../../../../runner/model/query-fault.js'
import { openSqlSession } from '../../../googlesql-duckdb/sql-session.js'
import { rowsFrom } from '../../ask-engine.js'
import { CLOCK, openRawEngine, type RawEngine, scratchFolder, source } from '../raw-engine.js'

interface Attempt {
  readonly name: string
  /** The DuckDB SQL; `$` is the folder that contains data/. */
  readonly sql: string
  /** DuckDB's error without translator and guard; null where DuckDB would run the SQL. */
  readonly lock: RegExp | null
}

const NO_FILES = /Permission Error: Cannot access (?:file|directory)/
const LOCKED = /the configuration has been locked/

const ATTEMPTS: readonly Attempt[] = [
  { name: 'read_csv', sql: "SELECT * FROM read_csv('$/secret.csv')", lock: NO_FILES },
  { name: 'read_csv_auto', sql: "SELECT * FROM read_csv_auto('$/secret.csv')", lock: NO_FILES },
  { name: 'read_text', sql: "SELECT content AS n FROM read_text('$/secret.csv')", lock: NO_FILES },
  {
    name: 'read_text by a way round',
    sql: "SELECT content AS n FROM read_text('$/data/logs/../../secret.csv')",
    lock: NO_FILES,
  },
  {
    name: "read_text of the tokens' file",
    sql: "SELECT content AS n FROM read_text('$/data/tokens.json')",
    lock: NO_FILES,
  },
  {
    name: 'read_text of the environment',
    sql: "SELECT content AS n FROM read_text('/proc/self/environ')",
    lock: NO_FILES,
  },
  {
    name: 'read_text over the network',
    sql: "SELECT content AS n FROM read_text('https://127.0.0.1:1/x')",
    lock: NO_FILES,
  },
  {
    name: "read_text of another table's file",
    sql: "SELECT content AS n FROM read_text('$/data/logs/edge.csv')",
    lock: null,
  },
  { name: 'read_blob', sql: "SELECT content AS n FROM read_blob('$/secret.csv')", lock: NO_FILES },
  {
    name: "read_blob of the engine's own files",
    sql: "SELECT content AS n FROM read_blob('$/child/*')",
    lock: NO_FILES,
  },
  { name: 'read_json', sql: "SELECT * FROM read_json('$/data/tokens.json')", lock: NO_FILES },
  { name: 'read_ndjson_objects', sql: "SELECT * FROM read_ndjson_objects('$/data/tokens.json')", lock: NO_FILES },
  { name: 'parquet_scan', sql: "SELECT * FROM parquet_scan('$/secret.parquet')", lock: NO_FILES },
  { name: 'read_parquet', sql: "SELECT * FROM read_parquet('$/secret.parquet')", lock: NO_FILES },
  { name: 'parquet_metadata', sql: "SELECT * FROM parquet_metadata('$/secret.parquet')", lock: NO_FILES },
  { name: 'read_duckdb', sql: "SELECT * FROM read_duckdb('$/secret.duckdb')", lock: NO_FILES },
  { name: 'sniff_csv', sql: "SELECT * FROM sniff_csv('$/secret.csv')", lock: NO_FILES },
  { name: 'a file as a table', sql: "SELECT * FROM '$/secret.csv'", lock: NO_FILES },
  { name: "another table's file as a table", sql: "SELECT * FROM '$/data/logs/edge.csv'", lock: null },
  { name: 'glob', sql: "SELECT file AS n FROM glob('$/*')", lock: NO_FILES },
  { name: 'glob in the data folder', sql: "SELECT file AS n FROM glob('$/data/*')", lock: NO_FILES },
  { name: 'getenv', sql: "SELECT getenv('HOME') AS n", lock: /getenv does not exist/ },
  { name: 'duckdb_settings', sql: 'SELECT value AS n FROM duckdb_settings()', lock: null },
  { name: 'current_setting', sql: "SELECT current_setting('temp_directory') AS n", lock: null },
  { name: 'duckdb_secrets', sql: 'SELECT name AS n FROM duckdb_secrets()', lock: NO_FILES },
  { name: 'which_secret', sql: "SELECT name AS n FROM which_secret('s3://a', 's3')", lock: /Error/ },
  { name: 'duckdb_databases', sql: 'SELECT path AS n FROM duckdb_databases()', lock: null },
  { name: 'duckdb_extensions', sql: 'SELECT install_path AS n FROM duckdb_extensions()', lock: NO_FILES },
  { name: 'duckdb_functions', sql: 'SELECT function_name AS n FROM duckdb_functions()', lock: null },
  { name: 'information_schema', sql: 'SELECT table_name AS n FROM information_schema.tables', lock: null },
  { name: 'pg_catalog', sql: 'SELECT name AS n FROM pg_catalog.pg_settings', lock: null },
  { name: 'the tables of DuckDB', sql: 'SELECT * FROM (SHOW TABLES)', lock: null },
  { name: 'another table than the query was translated for', sql: 'SELECT n FROM "logs.other"', lock: null },
  { name: 'query', sql: "SELECT * FROM query('SELECT 1')", lock: null },
  { name: 'query_table', sql: "SELECT * FROM query_table('logs.other')", lock: null },
  {
    name: 'json_execute_serialized_sql',
    sql: "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    lock: null,
  },
  {
    name: 'a function within a query within an expression',
    sql: "SELECT (SELECT max(x) FROM (VALUES (1)) t(x) WHERE x IN (SELECT 1 FROM read_text('$/secret.csv'))) AS n",
    lock: NO_FILES,
  },
  {
    name: 'enable_logging',
    sql: "SELECT * FROM enable_logging(storage = 'file', storage_path = '$/logs')",
    lock: null,
  },
  { name: 'write_log', sql: "SELECT write_log('x') AS n", lock: null },
  { name: 'COPY … TO', sql: "COPY (SELECT 1) TO '$/out.csv'", lock: NO_FILES },
  { name: 'COPY … TO the data folder', sql: "COPY (SELECT 1) TO '$/data/out.csv'", lock: NO_FILES },
  { name: "COPY … TO the engine's own folder", sql: "COPY (SELECT 1) TO '$/child/out.csv'", lock: NO_FILES },
  { name: 'COPY … FROM', sql: 'COPY "logs.other" FROM \'$/secret.csv\'', lock: /Error/ },
  { name: 'EXPORT', sql: "EXPORT DATABASE '$/out'", lock: NO_FILES },
  { name: 'IMPORT', sql: "IMPORT DATABASE '$/out'", lock: /Error/ },
  { name: 'ATTACH', sql: "ATTACH '$/other.duckdb'", lock: NO_FILES },
  { name: 'ATTACH in the data folder', sql: "ATTACH '$/data/other.duckdb'", lock: NO_FILES },
  { name: 'DETACH', sql: 'DETACH "~tables"', lock: /Cannot detach/ },
  { name: 'INSTALL', sql: 'INSTALL httpfs', lock: NO_FILES },
  { name: 'INSTALL of the community', sql: 'INSTALL h3 FROM community', lock: /Error/ },
  { name: 'LOAD', sql: 'LOAD httpfs', lock: /Loading external extensions is disabled/ },
  {
    name: 'LOAD of a file',
    sql: "LOAD '$/data/logs/x.duckdb_extension'",
    lock: /Loading external extensions is disabled/,
  },
  { name: 'PRAGMA', sql: 'PRAGMA database_list', lock: null },
  { name: 'PRAGMA of a setting', sql: 'PRAGMA threads = 8', lock: LOCKED },
  { name: 'CALL', sql: 'CALL pragma_version()', lock: null },
  { name: 'SET', sql: "SET memory_limit = '100GB'", lock: LOCKED },
  { name: 'SET of a session', sql: "SET SESSION TimeZone = 'Asia/Tokyo'", lock: LOCKED },
  { name: 'SET back', sql: 'SET enable_external_access = true', lock: LOCKED },
  { name: 'SET of the one setting that is not locked', sql: "SET disabled_optimizers = 'top_n'", lock: null },
  { name: 'RESET', sql: 'RESET lock_configuration', lock: LOCKED },
  { name: 'CREATE SECRET', sql: "CREATE SECRET s (TYPE s3, KEY_ID 'x')", lock: /Error/ },
  { name: 'CREATE PERSISTENT SECRET', sql: 'CREATE PERSISTENT SECRET s (TYPE http)', lock: /Error/ },
  { name: 'CREATE TABLE', sql: 'CREATE TEMP TABLE t (n INTEGER)', lock: null },
  { name: 'CREATE MACRO', sql: 'CREATE TEMP MACRO bq_error(x) AS 1', lock: null },
  { name: 'DROP', sql: 'DROP TABLE "logs.other"', lock: null },
  { name: 'DELETE', sql: 'DELETE FROM "logs.other"', lock: null },
  { name: 'EXPLAIN', sql: 'EXPLAIN ANALYZE SELECT 1', lock: null },
  { name: 'PREPARE', sql: 'PREPARE q AS SELECT 1', lock: null },
  {
    name: 'a table of the catalogue, by the name of a common table in a subquery',
    sql: 'SELECT (WITH sqlite_master AS (SELECT 1 AS n) SELECT n FROM sqlite_master) AS n FROM sqlite_master',
    lock: null,
  },
  {
    name: 'a table of the catalogue, by the name of a common table that is defined later',
    sql: 'WITH a AS (SELECT 1 AS n FROM sqlite_master), sqlite_master AS (SELECT 1 AS n) SELECT n FROM a',
    lock: null,
  },
  {
    name: 'a table of the catalogue, within the common table of its name',
    sql: 'WITH sqlite_master AS (SELECT 1 AS n FROM sqlite_master) SELECT n FROM sqlite_master',
    lock: null,
  },
  {
    name: 'a table of the catalogue, before a recursive common table of its name',
    sql: 'WITH RECURSIVE sqlite_master AS (SELECT 1 AS n FROM sqlite_master UNION ALL SELECT n + 1 FROM sqlite_master WHERE n < 3) SELECT n FROM sqlite_master',
    lock: null,
  },
  { name: 'two statements', sql: 'SELECT 1 AS n; SELECT 2 AS n', lock: null },
  {
    name: 'a way out of the parentheses around it',
    sql: 'SELECT 1 AS n) LIMIT 1; COPY (SELECT 1',
    lock: /Parser Error/,
  },
  {
    name: 'a way out behind a comment',
    sql: "SELECT 1 AS n) -- \n; COPY (SELECT 1) TO '$/out.csv'; SELECT (1",
    lock: /Parser Error/,
  },
]

describe('a resource that no SQL may reach', () => {
  const scratch = scratchFolder()
  const placed = (sql: string): string => sql.replaceAll('$', scratch.path)
  const one = [{ name: 'n', type: { kind: 'INT64' } }] as const
  let raw: RawEngine
  let bare: Session

  before(async () => {
    for (const folder of ['data/logs', 'child']) mkdirSync(join(scratch.path, folder), { recursive: true })
    writeFileSync(join(scratch.path, 'secret.csv'), 'n\n1\n')
    writeFileSync(join(scratch.path, 'data/tokens.json'), '{"n":1}')
    writeFileSync(join(scratch.path, 'data/logs/edge.csv'), 'n\n1\n')
    const dataDir = join(scratch.path, 'data')
    raw = await openRawEngine({ dataDir, tables: [source('logs.other', [{ name: 'n', type: 'INTEGER' }])] })
    const options: SessionOptions = {
      folder: join(scratch.path, 'child'),
      dataDir,
      database: null,
      tables: [{ definition: source('logs.other', [{ name: 'n', type: 'INTEGER' }]).definition }],
      memoryLimitMb: 100,
      tempLimitMb: 10,
      threads: 1,
      connections: 1,
      isShared: false,
    }
    bare = await openSession(options)
    const needs = new QueryNeeds()
    await bare.tables.prepare(['logs.other'], needs)
    await bare.borrow(connection => needs.makeViews(connection))
  })
  after(async () => {
    await raw.engine.close()
    scratch.remove()
  })

  for (const { name, sql } of ATTEMPTS) {
    it(`has no name in GoogleSQL: ${name}`, () => {
      const tables = tableCatalogue([source('logs.edge', [{ name: 'n', type: 'INTEGER' }]).definition])
      expect(() => translate(placed(sql), tables, {})).to.throw(SqlError)
    })

    it(`is refused by the guard as DuckDB's SQL: ${name}`, async () => {
      const query = { sql: placed(sql), columns: one }
      const error: RunnerError = await raw.run(query).then(
        () => expect.fail('it ran'),
        thrown => thrown,
      )
      expect([error.code, error.message]).to.deep.equal(['QUERY_FAILED', ERROR_CODES.QUERY_FAILED.title])
      expect((error.cause as QueryFault).cause).to.match(
        /^The statement (?:reads|calls|is not a single SELECT|cannot be parsed)/,
      )
      const explained = await raw.engine.explain({ sql: JSON.stringify(query), parameters: {} }).catch(thrown => thrown)
      expect((explained as RunnerError).code).to.equal('QUERY_FAILED')
    })
  }

  for (const { name, sql, lock } of ATTEMPTS) {
    if (lock === null) continue
    it(`is refused by DuckDB's settings alone: ${name}`, async () => {
      const failure = await bare.borrow(connection =>
        connection.runAndReadAll(placed(sql)).then(
          () => 'it ran',
          (error: Error) => error.message,
        ),
      )
      expect(failure).to.match(lock)
    })
  }

  it('was neither read nor written', () => {
    expect(readdirSync(scratch.path)).to.have.members(['child', 'data', 'secret.csv'])
    expect(readdirSync(join(scratch.path, 'data'))).to.have.members(['logs', 'tokens.json'])
    expect(readdirSync(join(scratch.path, 'data/logs'))).to.deep.equal(['edge.csv'])
  })

  it('is in a process whose memory the system limits', function () {
    if (process.platform !== 'linux') this.skip()
    const limits = readFileSync(`/proc/${raw.engine.pid()}/limits`, 'utf8')
    expect(Number(/^Max data size +(\d+)/m.exec(limits)?.[1])).to.equal((4 * 512 + 4_096) * 2 ** 20)
  })
})

describe('the guard accepts', () => {
  const LET_IN: readonly string[] = [
    'SELECT * FROM (VALUES (1)) t(n)',
    'WITH c AS (SELECT 1 AS n) SELECT n FROM C',
    'WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT max(n) AS n FROM c',
    'WITH a AS (SELECT 1 AS n), b AS (SELECT n FROM a) SELECT n FROM b WHERE n IN (WITH b AS (SELECT n FROM a) SELECT n FROM b)',
    'WITH c AS (SELECT 1 AS n) SELECT n FROM c UNION ALL (SELECT n FROM c ORDER BY (SELECT n FROM c) LIMIT (SELECT n FROM c))',
    'SELECT unnest([1, 2]) AS n',
    'SELECT i AS n FROM range(3) t(i), unnest([1]) u(x)',
    'SELECT n FROM "logs.other" a JOIN "LOGS.other" b USING (n) QUALIFY row_number() OVER (ORDER BY n) = 1',
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM (SELECT 'read_text(''/x'')' AS s)) THEN 1 END AS n",
  ]
  let raw: RawEngine
  before(async () => {
    raw = await openRawEngine({
      tables: [source('logs.other', [{ name: 'n', type: 'INTEGER' }], { rows: [{ n: 1 }] })],
    })
  })
  after(() => raw.engine.close())

  for (const sql of LET_IN) {
    it(sql, async () => {
      const columns = [{ name: 'n', type: { kind: 'INT64' } }] as const
      const cast = `SELECT n::BIGINT AS n FROM (${sql}) q`
      expect((await raw.run({ sql: cast, columns, tables: ['logs.other'] })).rowCount).to.be.greaterThan(0)
    })
  }
})

describe('a dataset that comes to the data folder while the engine runs', () => {
  it('can be read, by a new process that has access to it', async () => {
    const scratch = scratchFolder()
    const settings = { database: null, tables: [], memoryLimitMb: 256, threads: 1, observe: () => {}, clock: CLOCK }
    const dataDir = join(scratch.path, 'data')
    mkdirSync(join(dataDir, 'early'), { recursive: true })
    const session = await openSqlSession()
    const engine = await openDuckdbEngine({ ...settings, dataDir, tempDir: scratch.path })
    try {
      const write = async (table: string): Promise<void> => {
        await session.connection.run(`COPY (SELECT 7 AS n) TO '${dataDir}/${table}.parquet'`)
      }
      const sum = (table: string) => rowsFrom(engine, `SELECT SUM(n) FROM ${table}`)
      const first = engine.pid()
      mkdirSync(join(dataDir, 'late'))
      await write('late/rows')
      expect(await sum('late.rows')).to.deep.equal([[7]])
      const second = engine.pid()
      expect(second).not.to.equal(first)
      await write('early/rows')
      await write('late/more')
      expect([await sum('early.rows'), await sum('late.more')]).to.deep.equal([[[7]], [[7]]])
      expect(engine.pid()).to.equal(second)
    } finally {
      session.close()
      await engine.close()
      scratch.remove()
    }
  })
})
