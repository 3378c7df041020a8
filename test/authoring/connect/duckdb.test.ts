/** The snippet for DuckDB: run by DuckDB with httpfs against a server; and its requests, replayed without it. */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import fc from 'fast-check'
import { wellFormed } from '../../../authoring/connect/address.js'
import { DUCKDB } from '../../../authoring/connect/duckdb.js'
import { sqlName, sqlText } from '../../../authoring/connect/literals.js'
import type { PublishedEndpoint } from '../../../runner/model/published-endpoint.js'
import { createRunner, type Runner } from '../../../runner/serve/runner.js'
import { anyText } from '../../any-text.js'
import { need, PYTHON, whyPending } from '../../installed/installed.js'
import { HOSTILE_TEXTS } from './hostile-texts.js'
import { callOf, publishedColumn, publishedEndpoint, publishedParameter } from './published.js'

const TOKEN = 'unrestricted-token-of-32-letters'

const manifest = (name: string, id: string, body: string): string => `id: 6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0${id}
name: ${name}
${body}`

const CACHED = 'settings: { cache: { ttl_seconds: 900 } }'
const FLAT = `SELECT 9223372036854775807 AS whole, 1e-7 AS real, NUMERIC '-12.5' AS money,
    BIGNUMERIC '-0.000000001' AS big, TRUE AS flag, 'a,"b"\\r\\n' AS text, '' AS empty,
    b'\\x00\\xff' AS bytes, DATE '0001-01-01' AS day, TIME '23:59:59.999999' AS clock,
    DATETIME '9999-12-31 23:59:59.999999' AS civil, TIMESTAMP '2026-01-31 12:00:00.000001+00' AS moment,
    INTERVAL 1 DAY AS pause, @text AS given`
const NESTED = `SELECT [STRUCT(NUMERIC '1.5' AS \`a b\`, ['x', ''] AS tags, TIMESTAMP '2026-01-31 12:00:00Z' AS moment)] AS lines,
    JSON '{"a":[1,null]}' AS document, 9223372036854775807 AS whole, CAST('NaN' AS FLOAT64) AS real, b'hi' AS bytes`

const MANIFESTS: Readonly<Record<string, string>> = {
  'types.flat': manifest(
    'types.flat',
    'aa',
    `parameters: { text: { type: string } }\n${CACHED}\nsql: |\n  ${FLAT}\n  FROM UNNEST([1])\n`,
  ),
  'types.nested': manifest('types.nested', 'ab', `${CACHED}\nsql: |\n  ${NESTED}\n`),
  'types.micros': manifest(
    'types.micros',
    'ac',
    `settings: { timestamps: unix_micros, cache: { ttl_seconds: 900 } }\nsql: |\n  SELECT TIMESTAMP '2026-01-31 12:00:00.000001Z' AS moment, 1 AS n\n`,
  ),
  'types.hides': manifest(
    'types.hides',
    'ad',
    `parameters: { format: { type: string } }\n${CACHED}\nsql: |\n  SELECT @format AS format, 1 AS n\n`,
  ),
  'types.uncached': manifest('types.uncached', 'ae', 'sql: |\n  SELECT 1 AS n, 2 AS m\n'),
  'types.many': manifest(
    'types.many',
    'af',
    'settings: { max_rows: 100000, cache: { ttl_seconds: 900 } }\nsql: |\n  SELECT n, REPEAT(CAST(n AS STRING), 8) AS text FROM UNNEST(GENERATE_ARRAY(1, 60000)) AS n ORDER BY n\n',
  ),
}

/** Runs a snippet, whose last statement is a query; prints types and rows, each value as text. */
const PROGRAM = `
import duckdb, glob, json, os, sys
connection = duckdb.connect()
prefix = sys.prefix + '/lib/python3*/site-packages/duckdb_extension_httpfs/extensions/*/httpfs.duckdb_extension'
connection.execute(f"LOAD '{glob.glob(prefix)[0]}'")
connection.execute("SET TimeZone = 'UTC'")
connection.create_function('getenv', lambda name: os.environ[name], ['VARCHAR'], 'VARCHAR')
*before, query = duckdb.extract_statements(open(sys.argv[1], encoding='utf-8').read())
for statement in before: connection.execute(statement)
connection.execute('CREATE TABLE result AS ' + query.query)
types = {name: kind for name, kind, *_ in connection.execute('DESCRIBE result').fetchall()}
rows = connection.execute('SELECT COLUMNS(*)::VARCHAR FROM result').fetchall()
print(json.dumps({'types': types, 'rows': rows}))
`

interface Read {
  readonly types: Readonly<Record<string, string>>
  readonly rows: readonly (readonly (string | null)[])[]
}

interface Asked {
  readonly method: string
  readonly range: string | undefined
  readonly status: number
}

describe('connect duckdb', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-connect-'))
  let runner: Runner
  let server: Server
  let url: string
  let asked: Asked[] = []

  before(async () => {
    for (const name of ['endpoints', 'data']) mkdirSync(join(folder, name))
    for (const [name, text] of Object.entries(MANIFESTS)) writeFileSync(join(folder, 'endpoints', `${name}.yaml`), text)
    runner = await createRunner({
      endpointsDir: join(folder, 'endpoints'),
      dataDir: join(folder, 'data'),
      token: TOKEN,
      engineMemoryMb: 256,
    })
    server = createServer((req, res) => {
      const { method, headers } = req
      res.once('finish', () => asked.push({ method: method!, range: headers.range, status: res.statusCode }))
      runner.listener(req, res)
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server?.close()
    await runner?.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    asked = []
  })

  const described = async (name: string): Promise<PublishedEndpoint> => {
    const response = await fetch(`${url}/api/endpoints/${name}`, { headers: { 'X-API-KEY': TOKEN } })
    asked = []
    return (await response.json()) as PublishedEndpoint
  }

  describe(`with httpfs${whyPending('the Python packages')}`, () => {
    before(function () {
      need(this, 'the Python packages')
    })

    async function read(name: string, given: Readonly<Record<string, string>> = {}): Promise<Read> {
      const file = join(folder, 'snippet.sql')
      writeFileSync(file, DUCKDB.write(callOf(url, await described(name), given)))
      const { stdout } = await promisify(execFile)(PYTHON, ['-c', PROGRAM, file], {
        env: { PATH: process.env['PATH'], HOME: folder, SLUICE_TOKEN: TOKEN },
        maxBuffer: 50_000_000,
      })
      return JSON.parse(stdout)
    }

    it('reads every flat type as it is', async () => {
      const { types, rows } = await read('types.flat', { text: "'; DROP TABLE x; -- ü" })
      expect(types).to.deep.equal({
        whole: 'BIGINT',
        real: 'DOUBLE',
        money: 'DECIMAL(38,9)',
        big: 'VARCHAR',
        flag: 'BOOLEAN',
        text: 'VARCHAR',
        empty: 'VARCHAR',
        bytes: 'BLOB',
        day: 'DATE',
        clock: 'TIME',
        civil: 'TIMESTAMP',
        moment: 'TIMESTAMP WITH TIME ZONE',
        pause: 'VARCHAR',
        given: 'VARCHAR',
      })
      expect(rows).to.deep.equal([
        [
          '9223372036854775807',
          '1e-07',
          '-12.500000000',
          '-0.000000001',
          'true',
          'a,"b"\r\n',
          '',
          '\\x00\\xFF',
          '0001-01-01',
          '23:59:59.999999',
          '9999-12-31 23:59:59.999999',
          '2026-01-31 12:00:00.000001+00',
          '0-0 1 0:0:0',
          "'; DROP TABLE x; -- ü",
        ],
      ])
    })

    it('tells NULL from an empty text', async () => {
      const { rows } = await read('types.flat')
      expect([rows[0]!.at(6), rows[0]!.at(-1)]).to.deep.equal(['', null])
    })

    it('reads nested values and JSON with their types', async () => {
      const { types, rows } = await read('types.nested')
      expect(types).to.deep.equal({
        lines: 'STRUCT("a b" DECIMAL(38,9), tags VARCHAR[], moment TIMESTAMP WITH TIME ZONE)[]',
        document: 'JSON',
        whole: 'BIGINT',
        real: 'DOUBLE',
        bytes: 'BLOB',
      })
      expect(rows[0]!.slice(1)).to.deep.equal(['{"a":[1,null]}', '9223372036854775807', 'nan', 'hi'])
      expect(rows[0]![0]).to.include("'a b': 1.500000000").and.include('2026-01-31 12:00:00+00')
    })

    it('reads microseconds as times', async () => {
      expect(await read('types.micros')).to.deep.equal({
        types: { moment: 'TIMESTAMP WITH TIME ZONE', n: 'BIGINT' },
        rows: [['2026-01-31 12:00:00.000001+00', '1']],
      })
    })

    it('asks for the format by a header where a parameter has its name', async () => {
      expect((await read('types.hides', { format: 'json' })).rows).to.deep.equal([['json', '1']])
    })

    it('reads a result in parts', async () => {
      const { rows } = await read('types.many')
      expect(rows).to.have.length(60_000)
      expect(rows.at(-1)).to.deep.equal(['60000', '60000'.repeat(8)])
      expect(asked[0]).to.deep.include({ method: 'HEAD', status: 200 })
      expect(asked.length).to.be.greaterThan(1)
      for (const { method, range, status } of asked.slice(1)) {
        expect([method, status]).to.deep.equal(['GET', 206])
        expect(range).to.match(/^bytes=\d+-\d+$/)
      }
    })

    it('asks an endpoint without a cache for the whole result at once', async () => {
      expect((await read('types.uncached')).rows).to.deep.equal([['1', '2']])
      expect(asked.filter(({ method }) => method === 'GET')).to.deep.equal([
        { method: 'GET', range: undefined, status: 200 },
      ])
    })
  })

  it('answers the requests that DuckDB makes: size, first bytes, blocks', async () => {
    const address = `${url}/api/endpoints/query/types.many?format=csv`
    const ask = (method: string, range?: string): Promise<Response> =>
      fetch(address, {
        method,
        headers: { 'X-API-KEY': TOKEN, 'Accept-Encoding': 'identity', ...(range && { Range: `bytes=${range}` }) },
      })
    const head = await ask('HEAD')
    const size = Number(head.headers.get('Content-Length'))
    expect(head.headers.get('Accept-Ranges')).to.equal('bytes')
    const first = await ask('GET', '0-1')
    expect([first.status, first.headers.get('Content-Range')]).to.deep.equal([206, `bytes 0-1/${size}`])
    expect(await first.text()).to.equal('n,')
    const block = 1_000_000
    const parts: Buffer[] = []
    for (let at = 0; at < size; at += block) {
      const part = await ask('GET', `${at}-${Math.min(at + block, size) - 1}`)
      expect([part.status, part.headers.get('ETag')]).to.deep.equal([206, head.headers.get('ETag')])
      parts.push(Buffer.from(await part.arrayBuffer()))
    }
    expect(parts.length).to.be.greaterThan(2)
    const whole = Buffer.from(await (await ask('GET')).arrayBuffer())
    expect(Buffer.concat(parts).equals(whole)).to.equal(true)
  })

  it('quotes texts and names so that they stay data', async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), anyText({ minLength: 1 }))
    const known = (one: string): string => wellFormed(one).replaceAll('\0', '\ufffd')
    const property = fc.asyncProperty(text, text, async (value, name) => {
      const found = await connection.runAndReadAll(`SELECT ${sqlText(value)} AS ${sqlName(name)}`)
      expect(found.columnNames()).to.deep.equal([known(name)])
      expect(found.getRows()).to.deep.equal([[known(value)]])
    })
    await fc.assert(property, { examples: HOSTILE_TEXTS.map(one => [one, one]) })
    connection.closeSync()
  })

  it('is two statements whatever names hold', async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    for (const text of HOSTILE_TEXTS) {
      const columns = [publishedColumn(text, 'BYTES'), publishedColumn('b', `ARRAY<STRUCT<\`${text}\` INT64>>`)]
      const endpoint = publishedEndpoint({ name: text, columns, parameters: [publishedParameter(text)] })
      for (const given of [columns, columns.slice(0, 1)]) {
        const sql = DUCKDB.write(callOf('http://127.0.0.1', { ...endpoint, columns: given }, { [text]: text }))
        expect((await connection.extractStatements(sql)).count, sql).to.equal(2)
      }
    }
    connection.closeSync()
  })
})
