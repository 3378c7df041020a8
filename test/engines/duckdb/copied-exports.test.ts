/** Exports whose rows DuckDB writes itself: the same texts, types and errors as those of results. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { StructField } from '../../../googlesql/index.js'
import { duckdbType } from '../../../googlesql-duckdb/index.js'
import { derive, type ResultFormat } from '../../../runner/formats/index.js'
import type { RunnerError } from '../../../runner/model/errors.js'
import type { RunOptions } from '../../../runner/model/ports.js'
import { PART_BYTES } from '../../../runner/result/body.js'
import { openParquetReader, type ParquetReader } from '../../formats/read-parquet.js'
import { sampleSize } from '../../sample-size.js'
import { openRawEngine, type RawEngine } from './raw-engine.js'

/** A column of each type that DuckDB writes, each with SQL of its values. */
const COLUMNS: Readonly<Record<string, { readonly type: StructField['type']; readonly sql: string }>> = {
  'an integer': {
    type: { kind: 'INT64' },
    sql: 'unnest([NULL, 0, -1, 9007199254740991, 9007199254740992, -9007199254740991, -9007199254740992, 9223372036854775807])::BIGINT',
  },
  'a float': {
    type: { kind: 'FLOAT64' },
    sql: `unnest([NULL, 0.0, '-0.0'::DOUBLE, 0.1, -1.5, 1e-4, 9.999e-5, 1e-6, 1e-7, 1.5e-7, 5e-324, 1e15, 123456789012345680.0, 1e16,
      1e20, 1e21, 1.7976931348623157e308, 0.1::DOUBLE + 0.2, 2.0 ** 53, 2.0 ** 60, 'NaN'::DOUBLE, 'Infinity'::DOUBLE, '-Infinity'::DOUBLE])::DOUBLE`,
  },
  'a decimal': {
    type: { kind: 'NUMERIC' },
    sql: `unnest(['0', '-0.5', '100', '12.340', '-99999999999999999999999999999.999999999', NULL])::DECIMAL(38, 9)`,
  },
  'a bool': { type: { kind: 'BOOL' }, sql: 'unnest([true, false, NULL])' },
  'a "text"': {
    type: { kind: 'STRING' },
    sql: `unnest(['', 'a', ' b ', 'a,b', 'say "x"', 'back\\slash', '\\u0041', chr(13), chr(10) || chr(9), chr(8232) || 'é😀', '/', '#c', 'null',
      chr(1) || chr(31) || chr(127), chr(65279) || 'bom', NULL, repeat('long ', 100)])`,
  },
  'some bytes': { type: { kind: 'BYTES' }, sql: `unnest(['', 'abc', '\\xFB\\xFF'])::BLOB` },
  'a date': { type: { kind: 'DATE' }, sql: `unnest(['0001-01-01', '9999-12-31', '1969-12-31', NULL])::DATE` },
  'a civil time': {
    type: { kind: 'DATETIME' },
    sql: `unnest(['0001-01-01 00:00:00', '9999-12-31 23:59:59.999999', '1969-12-31 23:59:59.5', '2026-01-31 12:00:00.001001', NULL])::TIMESTAMP`,
  },
  'a time': {
    type: { kind: 'TIMESTAMP' },
    sql: `unnest(['0001-01-01 00:00:00', '9999-12-31 23:59:59.999999', '1683-01-01 00:00:00.01', '1969-12-31 23:59:59.000001', NULL])::TIMESTAMP::TIMESTAMPTZ`,
  },
  'a document': {
    type: { kind: 'JSON' },
    sql: `unnest(['{"a": [1.50, "x"],\n\r "b":null}', 'null', '1', '"t,"', NULL, ' null ', chr(10) || '{"a": 1} ' || chr(9)])::JSON`,
  },
}
const NAMES = Object.keys(COLUMNS)
const EACH = {
  sql: `SELECT ${NAMES.map(name => `${COLUMNS[name]!.sql} AS "${name.replaceAll('"', '""')}"`).join()}`,
  columns: NAMES.map(name => ({ name, type: COLUMNS[name]!.type })),
}

describe('exports that DuckDB writes', function () {
  this.timeout(200_000)
  let raw: RawEngine
  before(async () => {
    raw = await openRawEngine()
  })
  after(() => raw.engine.close())

  async function exported(query: typeof EACH, format: ResultFormat, more: Partial<RunOptions> = {}) {
    const parts: Uint8Array[] = []
    const write = async (bytes: Uint8Array): Promise<void> => void parts.push(bytes)
    const { body, ...facts } = await raw.run(query, { maxRows: 1e9, ...more, exported: { format, write } })
    return { bytes: Buffer.concat([...parts, body]), pieces: [...parts, body], ...facts }
  }
  async function expectSame(query: typeof EACH, format: ResultFormat, more: Partial<RunOptions> = {}) {
    const { columns, body, rowCount } = await raw.run(query, { maxRows: 1e9, maxBytes: 1e9, ...more })
    const contract = (more.contract ?? []).map(promise => ({ ...promise, unit: null }))
    const facts = { endpoint: 'test', revision: '', isTruncated: false, contract }
    const copied = await exported(query, format, more)
    expect(copied.bytes.toString()).to.equal(Buffer.from(await derive(format, columns, body, facts)).toString())
    expect(copied.rowCount).to.equal(rowCount)
  }

  for (const format of ['ndjson', 'csv'] as const) {
    it(`have the bytes of a result in ${format}`, () => expectSame(EACH, format))
    it(`have the numbers in ${format} that a contract chooses`, async () => {
      const strings = NAMES.map(() => ({ required: false, json: 'string' as const }))
      await expectSame(EACH, format, { contract: strings, timestamps: 'unix_micros' })
    })
    it(`have the documents of a result in ${format} where JavaScript writes them`, () => {
      const list = { name: 'list', type: { kind: 'ARRAY', element: { kind: 'JSON' } } } as const
      const document = COLUMNS['a document']!
      const sql = `SELECT ${document.sql}, [' null '::JSON]`
      return expectSame({ sql, columns: [{ name: 'document', type: document.type }, list] }, format)
    })
    it(`have a header of no rows in ${format}`, () =>
      expectSame({ ...EACH, sql: `FROM (${EACH.sql}) WHERE false` }, format))
  }

  it('are sent in small pieces where rows are long, also the rows before a cut', async () => {
    const list = { name: 'list', type: { kind: 'ARRAY', element: { kind: 'STRING' } } } as const
    const query = { sql: "SELECT [repeat('x', 300000)] FROM range(30)", columns: [list] }
    for (const maxRows of [30, 29]) {
      const { pieces, bytes, rowCount } = await exported(query, 'ndjson', { maxRows })
      expect([rowCount, bytes.byteLength]).to.deep.equal([maxRows, maxRows * '{"list":["'.length + maxRows * 300_004])
      expect(pieces.map(({ byteLength }) => byteLength).filter(length => length > PART_BYTES)).to.deep.equal([])
    }
  })

  for (const format of ['ndjson', 'csv', 'parquet'] as const) {
    it(`have no row beyond max_rows in ${format}, and tell whether there are more`, async () => {
      const text = { name: 't', type: { kind: 'STRING' } } as const
      const query = { sql: "SELECT 't' || i AS t FROM range(5) r(i)", columns: [text] }
      for (const [maxRows, isTruncated] of [
        [4, true],
        [5, false],
        [6, false],
      ] as const) {
        const cut = await exported(query, format, { maxRows })
        expect([cut.rowCount, cut.isTruncated]).to.deep.equal([Math.min(maxRows, 5), isTruncated])
        expect(cut.bytes.includes('t4')).to.equal(!isTruncated)
      }
    })
  }

  it('have the order of a result, also with a thread for each processor', async () => {
    const columns = [{ name: 'i', type: { kind: 'INT64' } as const }]
    await expectSame({ sql: 'SELECT i FROM range(300000) r(i) ORDER BY hash(i)', columns }, 'csv')
    await expectSame({ sql: 'SELECT i FROM range(300000) r(i) WHERE hash(i) % 3 > 0', columns }, 'csv')
  })

  it('have the digits of random floats that a result has', async () => {
    const sql = `SELECT CASE i % 3 WHEN 0 THEN (hash(i) / 2e19 - 0.5) * pow(10, hash(-i) % 640 - 330.0)
      WHEN 1 THEN (hash(i) % 100000000) / pow(10, i % 8) ELSE (hash(i) / 2e19 - 0.5) * pow(2, hash(-i) % 128 - 64.0) END FROM range(${sampleSize(400_000)}) r(i)`
    await expectSame({ sql, columns: [{ name: 'f', type: { kind: 'FLOAT64' } }] }, 'csv')
  })

  describe('in Parquet', () => {
    let reader: ParquetReader
    before(async () => {
      reader = await openParquetReader()
    })
    after(() => reader.close())

    it('have the types, the metadata and the values of a result', async () => {
      const { columns, body } = await raw.run(EACH)
      const derived = await derive('parquet', columns, body, { endpoint: 'test', revision: '', isTruncated: false })
      const { bytes } = await exported(EACH, 'parquet')
      // JavaScript would have written it otherwise.
      expect(bytes.includes('DuckDB')).to.equal(true)
      const types = EACH.columns.map(({ type }) => type)
      expect(await reader.read(bytes, types)).to.deep.equal(await reader.read(derived, types))
      expect(await reader.schema(bytes)).to.deep.equal(await reader.schema(derived))
    })
    it('are written by JavaScript where a column is required', async () => {
      const query = { sql: 'SELECT 1::BIGINT', columns: [{ name: 'n', type: { kind: 'INT64' } as const }] }
      const contract = [{ required: true, json: null }]
      await expectSame(query, 'parquet', { contract })
    })
  })

  /** The values that a result may not have, each in the row before the last of many. */
  const FAULTS = [
    ['NULL in a required column', { kind: 'STRING' }, 'NULL', "'a'", { required: true, json: null }],
    ['a large integer', { kind: 'INT64' }, '9007199254740992', '1', { required: false, json: 'number' }],
    ['a number that is not finite', { kind: 'FLOAT64' }, "'NaN'", '1', { required: false, json: 'number' }],
    ['a date out of range', { kind: 'DATE' }, "'10000-01-01'", "'2026-01-31'", { required: false, json: null }],
    ['an endless time', { kind: 'TIMESTAMP' }, "'infinity'", "'2026-01-31'", { required: false, json: null }],
    ['a JSON null in a required column', { kind: 'JSON' }, "'null'", "'1'", { required: true, json: null }],
    ['a JSON null between blanks', { kind: 'JSON' }, "' null '", "'1'", { required: true, json: null }],
  ] as const
  for (const [fault, type, value, others, promise] of FAULTS) {
    it(`fail as a result does at ${fault}`, async () => {
      const of = (text: string): string => `CAST(${text} AS ${duckdbType(type)})`
      const sql = `SELECT CASE WHEN i = 2998 THEN ${of(value)} ELSE ${of(others)} END FROM range(3000) r(i)`
      const query = { sql, columns: [{ name: 'x', type }] }
      const contract = [promise]
      const expected = await failureOf(raw.run(query, { contract }))
      for (const format of ['ndjson', 'csv', 'parquet'] as const) {
        expect(await failureOf(exported(query, format, { contract }))).to.deep.equal(expected)
      }
      expect(expected).to.match(/row 2999/)
    })
  }
  for (const format of ['ndjson', 'parquet'] as const) {
    it(`have enough memory for long texts behind short ones in ${format}`, async () => {
      const sql =
        "SELECT repeat('some text ' || i || ' ', CASE WHEN i < 200000 THEN 3 ELSE 500 END) AS t FROM range(210000) r(i)"
      const query = { sql, columns: [{ name: 't', type: { kind: 'STRING' } as const }] }
      const { rowCount } = await exported(query, format)
      expect(rowCount).to.equal(210_000)
    })
  }
  it('are computed by no more threads than their memory is enough for', async () => {
    const many = await openRawEngine({ threads: 64, memoryLimitMb: 1_024 })
    try {
      const query = { sql: "SELECT 'a' AS t", columns: [{ name: 't', type: { kind: 'STRING' } as const }] }
      await many.run(query, { exported: { format: 'ndjson', write: async () => undefined } })
      const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
      const threads = children.map(pid => readdirSync(`/proc/${pid}/task`).length)
      // Only the process that queries share has them all.
      expect(threads.filter(count => count >= 64)).to.have.length(1)
    } finally {
      await many.engine.close()
    }
  })
  it('tell which value is broken also where rows before it have been sent', async () => {
    const sql = "SELECT CASE WHEN i = 900000 THEN 'NaN'::DOUBLE ELSE i / 8 END FROM range(1000000) r(i)"
    const query = { sql, columns: [{ name: 'x', type: { kind: 'FLOAT64' } as const }] }
    const contract = [{ required: false, json: 'number' as const }]
    expect(await failureOf(exported(query, 'csv', { contract }))).to.match(/row 900001/)
  })
  it('tell why the query itself has failed', async () => {
    const sql = "SELECT CASE WHEN i = 900000 THEN bq_raise('late') ELSE i END FROM range(1000000) r(i)"
    const query = { sql, columns: [{ name: 'x', type: { kind: 'INT64' } as const }] }
    expect(await failureOf(exported(query, 'csv'))).to.match(/QUERY_FAILED.*late/)
  })
})

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: RunnerError) => `${error.code} ${error.detail ?? ''} ${error.cause ?? ''}`,
  )
