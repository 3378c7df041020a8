/** The contract of every engine, whatever its protocol and driver. */
import { setTimeout as elapse } from 'node:timers/promises'
import { expect } from 'chai'
import * as mocha from 'mocha'
import { derive, EXPORT_FORMATS } from '../../runner/formats/index.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { BoundValue, ColumnPromise } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { breachOf } from '../openapi/published-schema.js'
import { until } from '../until.js'

type Parameters = Readonly<Record<string, BoundValue>>

/** The titles of tests that fail because of the server that the engine uses, each with the fault. */
export type KnownFaults = Readonly<Record<string, string>>

export interface ContractOptions {
  /** The known faults. Each must still exist: its test fails as soon as the server keeps the promise. @default none */
  readonly faults?: KnownFaults
  /** A query that takes longer than a tenth of a second. @default one that never ends */
  readonly slow?: string
}

/** A query over about 10^14 combinations of rows, which no engine finishes. */
const ENDLESS =
  'SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 1000000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 1000000)) AS b ' +
  'CROSS JOIN UNNEST(GENERATE_ARRAY(1, 100)) AS c WHERE MOD(a * b, 7) = MOD(c, 3)'

/** Expressions that fail for every row where the parameter is 0. */
const OUT_OF_RANGE = [
  'list[ORDINAL(@n)]',
  'list[OFFSET(@n - 1)]',
  'NTILE(@n) OVER (ORDER BY x)',
  'NTH_VALUE(x, @n) OVER (ORDER BY x)',
  'APPROX_QUANTILES(x, @n)',
  'APPROX_TOP_COUNT(x, @n)',
  'APPROX_TOP_SUM(x, x, @n)',
]

/** Adds the tests of the contract. `open` opens an engine for this suite alone; it needs no tables. */
export function engineContract(
  open: () => Promise<Engine>,
  { faults = {}, slow = ENDLESS }: ContractOptions = {},
): void {
  let engine: Engine
  const told = new Set<string>()
  before(async () => {
    engine = await open()
  })
  after(async () => {
    await engine?.close()
    expect([...told], 'known faults name tests of the contract').to.have.members(Object.keys(faults))
  })

  function it(title: string, test: () => Promise<unknown>): void {
    const fault = faults[title]
    if (fault === undefined) {
      mocha.it(title, async () => void (await test()))
      return
    }
    told.add(title)
    mocha.it(`not here: ${title}; ${fault}`, async () => {
      let isKept = true
      await test().catch(() => {
        isKept = false
      })
      expect(isKept, 'the promise is kept after all').to.equal(false)
    })
  }

  const options: RunOptions = {
    maxRows: 1_000,
    timestamps: 'iso8601',
    endpoint: 'contract',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  }
  const textOf = async (sql: string, parameters: Parameters = {}, more: Partial<RunOptions> = {}): Promise<string> =>
    new TextDecoder().decode((await engine.run({ sql, parameters }, { ...options, ...more })).body)
  const errorOf = async (work: Promise<unknown>): Promise<RunnerError> => {
    try {
      await work
    } catch (error) {
      expect(error).to.be.instanceOf(RunnerError)
      return error as RunnerError
    }
    expect.fail('it did not fail')
  }

  const VALUES: readonly { readonly sql: string; readonly type: string; readonly json: string }[] = [
    { sql: '1', type: 'INT64', json: '1' },
    { sql: '9007199254740991', type: 'INT64', json: '9007199254740991' },
    { sql: '9007199254740992', type: 'INT64', json: '"9007199254740992"' },
    { sql: '9007199254740993', type: 'INT64', json: '"9007199254740993"' },
    { sql: '-9223372036854775808', type: 'INT64', json: '"-9223372036854775808"' },
    { sql: 'CAST(NULL AS INT64)', type: 'INT64', json: 'null' },
    { sql: '1.0', type: 'FLOAT64', json: '1' },
    { sql: '0.1', type: 'FLOAT64', json: '0.1' },
    { sql: "CAST('nan' AS FLOAT64)", type: 'FLOAT64', json: '"NaN"' },
    { sql: "CAST('-inf' AS FLOAT64)", type: 'FLOAT64', json: '"-Infinity"' },
    { sql: "NUMERIC '123.560'", type: 'NUMERIC', json: '"123.56"' },
    { sql: "NUMERIC '-12'", type: 'NUMERIC', json: '"-12"' },
    { sql: 'TRUE', type: 'BOOL', json: 'true' },
    { sql: "'a\"\\\\\\n\\u00e9'", type: 'STRING', json: '"a\\"\\\\\\né"' },
    { sql: "b'Google'", type: 'BYTES', json: '"R29vZ2xl"' },
    { sql: "DATE '2017-03-06'", type: 'DATE', json: '"2017-03-06"' },
    { sql: "TIME '12:34:56.5'", type: 'TIME', json: '"12:34:56.500"' },
    { sql: "DATETIME '2017-03-06 12:34:56.789012'", type: 'DATETIME', json: '"2017-03-06T12:34:56.789012"' },
    { sql: "TIMESTAMP '2017-03-06 12:34:56.789012+01'", type: 'TIMESTAMP', json: '"2017-03-06T11:34:56.789012Z"' },
    { sql: "TIMESTAMP '0001-01-01 00:00:00+00'", type: 'TIMESTAMP', json: '"0001-01-01T00:00:00Z"' },
    { sql: "TIMESTAMP '9999-12-31 23:59:59.999999+00'", type: 'TIMESTAMP', json: '"9999-12-31T23:59:59.999999Z"' },
    { sql: "DATETIME '0001-01-01 00:00:00'", type: 'DATETIME', json: '"0001-01-01T00:00:00"' },
    { sql: "DATE '9999-12-31'", type: 'DATE', json: '"9999-12-31"' },
    {
      sql: "NUMERIC '-99999999999999999999999999999.999999999'",
      type: 'NUMERIC',
      json: '"-99999999999999999999999999999.999999999"',
    },
    { sql: "INTERVAL '1-2 3 4:5:6.5' YEAR TO SECOND", type: 'INTERVAL', json: '"1-2 3 4:5:6.500"' },
    { sql: "RANGE<DATE> '[2026-01-31, UNBOUNDED)'", type: 'RANGE<DATE>', json: '"[2026-01-31, UNBOUNDED)"' },
    { sql: "b''", type: 'BYTES', json: '""' },
    {
      sql: '[STRUCT([1] AS r, CAST(NULL AS DATE) AS d)]',
      type: 'ARRAY<STRUCT<r ARRAY<INT64>, d DATE>>',
      json: '[{"r":[1],"d":null}]',
    },
    { sql: 'JSON \'{"b":[1,null],"a":"x"}\'', type: 'JSON', json: '{"a":"x","b":[1,null]}' },
    { sql: '[1, 2]', type: 'ARRAY<INT64>', json: '[1,2]' },
    { sql: 'CAST(NULL AS ARRAY<STRING>)', type: 'ARRAY<STRING>', json: '[]' },
    { sql: "STRUCT(1 AS b, 'x' AS a)", type: 'STRUCT<b INT64, a STRING>', json: '{"b":1,"a":"x"}' },
    { sql: "STRUCT(1, 'x' AS a)", type: 'STRUCT<INT64, a STRING>', json: '{"_field_1":1,"a":"x"}' },
    {
      sql: "[STRUCT(TIMESTAMP '2026-01-01 00:00:00+00' AS ts, [STRUCT(1 AS n)] AS r)]",
      type: 'ARRAY<STRUCT<ts TIMESTAMP, r ARRAY<STRUCT<n INT64>>>>',
      json: '[{"ts":"2026-01-01T00:00:00Z","r":[{"n":1}]}]',
    },
  ]
  describe('writes values', () => {
    for (const { sql, type, json } of VALUES) {
      it(`${type}: ${sql} as ${json}`, async () => {
        const result = await engine.run({ sql: `SELECT ${sql} AS v`, parameters: {} }, options)
        expect(new TextDecoder().decode(result.body)).to.equal(`{"result":[{"v":${json}}]}`)
        expect(result.columns).to.deep.equal([{ name: 'v', type }])
        const column = { name: 'v', type, description: '', required: json !== 'null', unit: null }
        const contract = { ...column, json: /^(BIG)?NUMERIC$/.test(type) ? ('string' as const) : null }
        const published = { columns: [contract], maxRows: 1, timestamps: 'iso8601' as const }
        expect(breachOf(published, result.body), 'the published schema').to.equal(null)
      })
    }

    it('TIMESTAMP as microseconds where the endpoint says so, at any depth', async () => {
      const sql =
        "SELECT TIMESTAMP '1970-01-01 00:00:01+00' AS a, [STRUCT(TIMESTAMP '1969-12-31 00:00:00+00' AS t)] AS b, DATETIME '1970-01-01 00:00:00' AS c"
      expect(await textOf(sql, {}, { timestamps: 'unix_micros' })).to.equal(
        '{"result":[{"a":1000000,"b":[{"t":-86400000000}],"c":"1970-01-01T00:00:00"}]}',
      )
    })
  })

  const PARAMETERS: readonly { readonly type: string; readonly value: unknown; readonly json: string }[] = [
    { type: 'STRING', value: 'it\'s a \u0000 "test" é', json: JSON.stringify('it\'s a \u0000 "test" é') },
    { type: 'STRING', value: null, json: 'null' },
    { type: 'INT64', value: '9223372036854775807', json: '"9223372036854775807"' },
    { type: 'INT64', value: null, json: 'null' },
    { type: 'FLOAT64', value: 0.1, json: '0.1' },
    { type: 'FLOAT64', value: 'NaN', json: '"NaN"' },
    { type: 'BOOL', value: false, json: 'false' },
    { type: 'DATE', value: '9999-12-31', json: '"9999-12-31"' },
    { type: 'DATETIME', value: '0001-01-01T00:00:00', json: '"0001-01-01T00:00:00"' },
    { type: 'TIMESTAMP', value: '2026-01-31T12:00:00.123456Z', json: '"2026-01-31T12:00:00.123456Z"' },
    { type: 'TIMESTAMP', value: '9999-12-31T23:59:59.999999Z', json: '"9999-12-31T23:59:59.999999Z"' },
    { type: 'TIMESTAMP', value: '0001-01-01T00:00:00Z', json: '"0001-01-01T00:00:00Z"' },
    { type: 'TIMESTAMP', value: null, json: 'null' },
    { type: 'ARRAY<STRING>', value: ['a', "b'"], json: '["a","b\'"]' },
    { type: 'ARRAY<STRING>', value: [], json: '[]' },
    { type: 'ARRAY<INT64>', value: ['1', '-2'], json: '[1,-2]' },
    { type: 'ARRAY<TIMESTAMP>', value: ['2026-01-31T12:00:00Z'], json: '["2026-01-31T12:00:00Z"]' },
    { type: 'FLOAT64', value: null, json: 'null' },
    { type: 'BOOL', value: null, json: 'null' },
    { type: 'DATE', value: '0001-01-01', json: '"0001-01-01"' },
    { type: 'DATE', value: null, json: 'null' },
    { type: 'DATETIME', value: '9999-12-31T23:59:59.999999', json: '"9999-12-31T23:59:59.999999"' },
    { type: 'DATETIME', value: null, json: 'null' },
    { type: 'FLOAT64', value: '-Infinity', json: '"-Infinity"' },
    { type: 'ARRAY<FLOAT64>', value: [0.5, 'Infinity'], json: '[0.5,"Infinity"]' },
    { type: 'ARRAY<BOOL>', value: [true, false], json: '[true,false]' },
    { type: 'ARRAY<DATE>', value: ['0001-01-01', '9999-12-31'], json: '["0001-01-01","9999-12-31"]' },
    { type: 'ARRAY<DATETIME>', value: ['2026-01-31T12:00:00.500000'], json: '["2026-01-31T12:00:00.500"]' },
    { type: 'ARRAY<INT64>', value: null, json: '[]' },
    { type: 'ARRAY<TIMESTAMP>', value: null, json: '[]' },
    { type: 'ARRAY<TIMESTAMP>', value: [], json: '[]' },
  ]
  describe('binds parameters', () => {
    for (const type of ['STRING', 'INT64', 'FLOAT64', 'BOOL', 'DATE', 'DATETIME', 'TIMESTAMP']) {
      it(`a NULL of type ${type}, which keeps its type`, async () => {
        const result = await engine.run(
          { sql: 'SELECT @p AS v, [@p] IS NULL AS w', parameters: { p: { type, value: null } } },
          options,
        )
        expect(result.columns[0]).to.deep.equal({ name: 'v', type })
        expect(new TextDecoder().decode(result.body)).to.equal('{"result":[{"v":null,"w":false}]}')
      })
    }

    for (const { type, value, json } of PARAMETERS) {
      it(`${type}: ${JSON.stringify(value)}`, async () => {
        expect(await textOf('SELECT @p AS v', { p: { type, value } })).to.equal(`{"result":[{"v":${json}}]}`)
      })
    }

    it('in any order, as often as they are named, without regard to case', async () => {
      const parameters = {
        b: { type: 'INT64', value: '2' },
        a: { type: 'STRING', value: 'x' },
        unused: { type: 'BOOL', value: true },
      }
      expect(await textOf('SELECT @a AS x, @B + @b AS y, @A AS z', parameters)).to.equal(
        '{"result":[{"x":"x","y":4,"z":"x"}]}',
      )
    })

    it('and never reads them as SQL', async () => {
      const value = "'; DROP TABLE x; --` \\' \" */"
      expect(await textOf('SELECT @p AS v', { p: { type: 'STRING', value } })).to.equal(
        `{"result":[{"v":${JSON.stringify(value)}}]}`,
      )
    })
  })

  const NUMBERS = 'SELECT n FROM UNNEST(GENERATE_ARRAY(1, 5)) AS n ORDER BY n'
  describe('limits rows', () => {
    for (const [maxRows, rowCount, isTruncated] of [
      [10, 5, false],
      [5, 5, false],
      [4, 4, true],
      [1, 1, true],
    ] as const) {
      it(`to ${maxRows} of 5`, async () => {
        const result = await engine.run({ sql: NUMBERS, parameters: {} }, { ...options, maxRows })
        expect([result.rowCount, result.isTruncated]).to.deep.equal([rowCount, isTruncated])
        expect(new TextDecoder().decode(result.body)).to.equal(
          JSON.stringify({ result: [1, 2, 3, 4, 5].slice(0, rowCount).map(n => ({ n })) }),
        )
      })
    }
    it('of none', async () => {
      const result = await engine.run({ sql: 'SELECT 1 AS n FROM UNNEST([1]) WHERE FALSE', parameters: {} }, options)
      expect([result.rowCount, result.isTruncated, new TextDecoder().decode(result.body)]).to.deep.equal([
        0,
        false,
        '{"result":[]}',
      ])
    })
  })

  it('writes rows as JSON objects in column order', async () => {
    const sql =
      "SELECT 1 AS n, 'a,b' AS s, [1] AS r, CAST(NULL AS STRING) AS e UNION ALL SELECT 2, '', [], 'x' ORDER BY n"
    expect(await textOf(sql)).to.equal('{"result":[{"n":1,"s":"a,b","r":[1],"e":null},{"n":2,"s":"","r":[],"e":"x"}]}')
  })

  describe('keeps to a contract', () => {
    const promise = (required: boolean, json: ColumnPromise['json'] = null): ColumnPromise => ({ required, json })
    const first = async (sql: string, contract: readonly ColumnPromise[]): Promise<string> =>
      (await textOf(sql, {}, { contract })).slice('{"result":['.length, -2)
    const FORMS =
      "SELECT 9007199254740991 AS i, 9007199254740992 AS j, 1.5 AS f, NUMERIC '12' AS n, BIGNUMERIC '0.1' AS b"

    for (const { name, contract, row } of [
      {
        name: 'without one',
        contract: [],
        row: '"i":9007199254740991,"j":"9007199254740992","f":1.5,"n":"12","b":"0.1"',
      },
      {
        name: 'with numbers and strings',
        contract: [promise(true, 'number'), promise(true, 'string'), promise(true, 'number')].concat([
          promise(false, 'number'),
          promise(true, 'number'),
        ]),
        row: '"i":9007199254740991,"j":"9007199254740992","f":1.5,"n":12,"b":0.1',
      },
      {
        name: 'with strings',
        contract: [promise(true, 'string'), promise(true), promise(true), promise(true, 'string'), promise(true)],
        row: '"i":"9007199254740991","j":"9007199254740992","f":1.5,"n":"12","b":"0.1"',
      },
    ]) {
      it(`for numbers: ${name}`, async () => expect(await first(FORMS, contract)).to.equal(`{${row}}`))
    }

    it('but not within STRUCT and ARRAY', async () => {
      const sql = 'SELECT STRUCT(1 AS a, NUMERIC "2" AS b, CAST(NULL AS STRING) AS c) AS s, [1] AS r'
      expect(await first(sql, [promise(true, 'string'), promise(true, 'string')])).to.equal(
        '{"s":{"a":1,"b":"2","c":null},"r":[1]}',
      )
    })

    it('within STRUCT and ARRAY by the promises of fields', async () => {
      const number = promise(true, 'number')
      const part = (third: string): string =>
        `SELECT [STRUCT(1 AS a, STRUCT(${third} AS c) AS b)] AS r, CAST(NULL AS STRUCT<a INT64>) AS s, ARRAY<STRUCT<a INT64>>[] AS e`
      const record = { ...promise(true), fields: [number, { ...promise(true), fields: [number] }] }
      const contract = [record, { ...promise(false), fields: [number] }, { ...promise(true), fields: [number] }]
      expect(await first(part('2'), contract)).to.equal('{"r":[{"a":1,"b":{"c":2}}],"s":null,"e":[]}')
      for (const [third, says] of [
        ['IF(RAND() < 2, NULL, 2)', 'is required, but holds NULL'],
        ['9007199254740992', 'holds an integer beyond ±(2^53−1)'],
      ] as const) {
        const failed = await errorOf(first(part(third), contract))
        expect(failed.code, third).to.equal('CONTRACT_BROKEN')
        expect(String((failed.cause as Error).message))
          .to.match(/^row 1: column r/)
          .and.include(says)
      }
    })

    it('with required arrays, of which a NULL one is empty, and texts that say null', async () => {
      const sql = "SELECT CAST(NULL AS ARRAY<INT64>) AS a, 'null' AS s, JSON '\"null\"' AS j"
      expect(await first(sql, [promise(true), promise(true), promise(true)])).to.equal('{"a":[],"s":"null","j":"null"}')
    })

    const NUMBERS_TO = (third: string): string =>
      `SELECT IF(i = 3, ${third}, 1) AS x, i AS y FROM UNNEST(GENERATE_ARRAY(1, 4)) AS i ORDER BY i`
    for (const { name, sql, broken, says } of [
      {
        name: 'a NULL',
        sql: NUMBERS_TO('NULL'),
        broken: promise(true),
        says: 'row 3: column x is required, but holds NULL',
      },
      {
        name: 'a JSON null, which is a NULL in every format',
        sql: "SELECT PARSE_JSON(x) AS x FROM UNNEST(['1', '2', 'null']) AS x WITH OFFSET AS i ORDER BY i",
        broken: promise(true),
        says: 'row 3: column x is required, but holds NULL',
      },
      {
        name: 'a NULL STRUCT',
        sql: 'SELECT IF(i = 3, NULL, STRUCT(1 AS a)) AS x FROM UNNEST(GENERATE_ARRAY(1, 4)) AS i ORDER BY i',
        broken: promise(true),
        says: 'row 3: column x is required, but holds NULL',
      },
      {
        name: 'an integer beyond 2^53−1',
        sql: NUMBERS_TO('-9007199254740992'),
        broken: promise(false, 'number'),
        says: 'row 3: column x holds an integer beyond ±(2^53−1)',
      },
      {
        name: 'NaN',
        sql: NUMBERS_TO("CAST('NaN' AS FLOAT64)"),
        broken: promise(false, 'number'),
        says: 'row 3: column x holds a number that is not finite',
      },
    ]) {
      it(`and fails over ${name}, which only the cause tells`, async () => {
        const contract = [broken, promise(true, 'number')]
        const error = await errorOf(textOf(sql, {}, { contract }))
        expect([error.code, error.status, error.detail]).to.deep.equal([
          'CONTRACT_BROKEN',
          502,
          'The result breaks its contract',
        ])
        expect((error.cause as QueryFault).message).to.equal(says)
      })
    }
  })

  describe('fails', () => {
    for (const { name, sql, says } of [
      { name: 'a query that cannot be parsed', sql: 'SELEC 1', says: /Syntax error/ },
      { name: 'a query of an unknown name', sql: 'SELECT foo', says: /Unrecognized name: foo/ },
      { name: 'a query of an unknown table', sql: 'SELECT * FROM `no.such`', says: /not found/ },
      { name: 'a division by zero', sql: 'SELECT 1 / 0 AS x', says: /division by zero/ },
      { name: 'an overflow', sql: 'SELECT 9223372036854775807 + n AS x FROM UNNEST([1]) AS n', says: /int64 overflow/ },
      {
        name: 'a text that is not a number',
        sql: "SELECT CAST(s AS INT64) AS x FROM UNNEST(['ab']) AS s",
        says: /Bad int64 value: ab/,
      },
      { name: 'a NULL inside an array of the result', sql: 'SELECT [1, NULL] AS x', says: /null element/ },
      { name: 'an error of the query itself', sql: "SELECT ERROR('my words') AS x", says: /my words/ },
    ]) {
      it(`${name}, without a word of it to callers`, async () => {
        const error = await errorOf(textOf(sql))
        expect([error.code, error.status, error.detail]).to.deep.equal(['QUERY_FAILED', 502, 'The query failed'])
        expect(error.cause).to.be.instanceOf(QueryFault)
        expect((error.cause as QueryFault).message).to.match(says)
      })
    }

    it('an argument that is not a regular expression, by its name', async () => {
      const parameters = { project: { type: 'STRING', value: 'abc(' }, other: { type: 'STRING', value: 'x' } }
      const error = await errorOf(
        textOf('SELECT n FROM UNNEST(["a", @other]) AS n WHERE REGEXP_CONTAINS(n, @project)', parameters),
      )
      expect([error.code, error.status]).to.deep.equal(['ARGUMENT_INVALID', 400])
      expect(error.errors.map(problem => problem.parameter)).to.deep.equal(['project'])
      expect(error.errors[0]!.detail).to.match(/regular expression/)
    })

    it('an argument with which an expression of arguments fails, by its name', async () => {
      const sql = 'SELECT 10 / @n AS x, @other AS y FROM UNNEST([1]) AS row'
      const parameters = { n: { type: 'INT64', value: '0' }, other: { type: 'STRING', value: 'a' } }
      const error = await errorOf(textOf(sql, parameters))
      expect([error.code, error.status]).to.deep.equal(['ARGUMENT_INVALID', 400])
      expect(error.errors.map(({ parameter }) => parameter)).to.deep.equal(['n'])
    })

    for (const expression of OUT_OF_RANGE) {
      it(`an argument that is 0 in ${expression}, by its name`, async () => {
        const parameters = { n: { type: 'INT64', value: '0' }, other: { type: 'INT64', value: '1' } }
        const rows = 'UNNEST([STRUCT(@other AS x, [1, 2] AS list)])'
        const error = await errorOf(textOf(`SELECT ${expression} AS value FROM ${rows}`, parameters))
        expect([error.code, error.status]).to.deep.equal(['ARGUMENT_INVALID', 400])
        expect(error.errors.map(({ parameter }) => parameter)).to.deep.equal(['n'])
      })
    }

    it('an argument that is not of its type, by its name', async () => {
      const error = await errorOf(textOf('SELECT @n AS n', { n: { type: 'INT64', value: 'x' } }))
      expect(error.errors).to.deep.equal([{ parameter: 'n', detail: 'is not a value of type INT64' }])
    })

    it('what takes too long', async () => {
      expect((await errorOf(textOf(slow, {}, { timeoutMs: 100 }))).code).to.equal('QUERY_TIMEOUT')
    })
    it('what its caller has left', async () => {
      const controller = new AbortController()
      const failed = errorOf(textOf(slow, {}, { signal: controller.signal }))
      setTimeout(() => controller.abort(), 50)
      expect((await failed).code).to.equal('CALL_ABANDONED')
      expect(await textOf('SELECT 1 AS n')).to.equal('{"result":[{"n":1}]}')
    })
  })

  describe('exports', () => {
    /** All parts of an export, and its last bytes. */
    const exported = async (sql: string, format: string, more: Partial<RunOptions> = {}) => {
      const parts: Uint8Array[] = []
      const write = async (bytes: Uint8Array): Promise<void> => void parts.push(bytes)
      const run = engine.run(
        { sql, parameters: {} },
        { ...options, maxRows: 1e9, ...more, exported: { format, write } },
      )
      return { parts, run }
    }
    const NESTED =
      `SELECT x AS n, CONCAT('a,"', CAST(x AS STRING)) AS s, x / 8 AS f, IF(x = 2, NULL, x > 3) AS b, ` +
      `CAST('1.5' AS NUMERIC) AS d, TIMESTAMP '2026-01-31 12:00:00.123456' AS t, [STRUCT(x AS k, 'v' AS w)] AS l FROM UNNEST([1, 2, 3, 4]) AS x ORDER BY x`
    for (const { name } of EXPORT_FORMATS) {
      it(`in the bytes that a result has in ${name}`, async () => {
        const { parts, run } = await exported(NESTED, name)
        const { body, rowCount, columns } = await run
        const result = await engine.run({ sql: NESTED, parameters: {} }, options)
        const facts = { endpoint: 'contract', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
        expect({ rowCount, columns }).to.deep.equal({ rowCount: 4, columns: result.columns })
        const bytes = Buffer.concat([...parts, body])
        expect(bytes.equals(await derive(name, result.columns, result.body, facts))).to.equal(true)
      })
    }

    /** Some megabytes. */
    const ROWS = 60_000
    const long = (value: string): string =>
      `SELECT ${value} AS t FROM UNNEST(GENERATE_ARRAY(1, ${ROWS})) AS x ORDER BY x`
    const LONG = long(`CONCAT(REPEAT('long ', 10), CAST(x AS STRING))`)

    it('more rows than a part holds, each once and in order', async () => {
      const { parts, run } = await exported(LONG, 'csv')
      const { body, rowCount } = await run
      expect(parts).to.have.length.above(1)
      const lines = Buffer.concat([...parts, body])
        .toString()
        .split('\r\n')
      expect(lines.slice(1, -1)).to.deep.equal(Array.from({ length: ROWS }, (_, i) => `${'long '.repeat(10)}${i + 1}`))
      expect(rowCount).to.equal(ROWS)
    })
    it('no faster than the bytes are taken, and ends when its caller leaves', async () => {
      const controller = new AbortController()
      let written = 0
      const write = (): Promise<void> => {
        written += 1
        return new Promise(() => {})
      }
      const run = { ...options, maxRows: 1e9, exported: { format: 'ndjson', write }, signal: controller.signal }
      const failed = errorOf(engine.run({ sql: LONG, parameters: {} }, run))
      await Promise.race([until(() => written > 0, 'a part is written'), failed])
      await elapse(200)
      expect(written).to.equal(1)
      controller.abort()
      expect((await failed).code).to.equal('CALL_ABANDONED')
      expect(await textOf('SELECT 1 AS n')).to.equal('{"result":[{"n":1}]}')
    })
    it('nothing more once its bytes cannot be taken', async () => {
      const write = (): Promise<void> => Promise.reject(new RunnerError('CALL_ABANDONED'))
      const run = { ...options, maxRows: 1e9, exported: { format: 'ndjson', write } }
      expect((await errorOf(engine.run({ sql: LONG, parameters: {} }, run))).code).to.equal('CALL_ABANDONED')
    })
    it('a failure after the first bytes, without a row twice', async () => {
      const value = `IF(x = ${ROWS - 10}, ERROR('late'), CONCAT(REPEAT('long ', 10), CAST(x AS STRING)))`
      const { parts, run } = await exported(long(value).replace(' ORDER BY x', ''), 'csv')
      expect((await errorOf(run)).code).to.equal('QUERY_FAILED')
      // The last line may be cut within its number, and then looks like another one.
      const lines = Buffer.concat(parts).toString().split('\r\n').slice(1, -1)
      expect(new Set(lines).size).to.equal(lines.length)
    })
    it('whether there are more rows than may be', async () => {
      const { run } = await exported(LONG, 'ndjson', { maxRows: 10 })
      expect(await run).to.include({ rowCount: 10, isTruncated: true })
    })
  })

  describe('checks', () => {
    it('a query, giving its columns', async () => {
      const checked = await engine.check('SELECT @a AS a, [STRUCT(1 AS n)] AS r', { a: 'TIMESTAMP' })
      // An engine may also tell which columns are never NULL.
      expect(checked.ok && checked.columns.map(({ name, type }) => ({ name, type }))).to.deep.equal([
        { name: 'a', type: 'TIMESTAMP' },
        { name: 'r', type: 'ARRAY<STRUCT<n INT64>>' },
      ])
    })
    it('a query without running it', async () => {
      expect((await engine.check("SELECT ERROR('it ran') AS x FROM UNNEST([1])", {})).ok).to.equal(true)
    })
    it('a constant that fails in a branch that no row reaches', async () => {
      const sql = "SELECT CASE WHEN x > 0 THEN 1 WHEN CAST('a' AS BOOL) THEN 2 END AS n FROM UNNEST([1]) AS x"
      expect((await engine.check(sql, {})).ok).to.equal(true)
      expect((await engine.explain({ sql, parameters: {} })).plan).not.to.equal('')
    })
    it('a mistake, giving its place', async () => {
      expect(await engine.check('SELECT\n  foo', {})).to.deep.equal({
        ok: false,
        problem: {
          line: 2,
          column: 3,
          message: 'Unrecognized name: foo',
          mistake: { code: 'unknown-name', name: 'foo' },
        },
      })
    })
  })

  it('answers a ping', () => engine.ping())

  it('explains', async () => {
    const { engineSql, plan } = await engine.explain({
      sql: 'SELECT @a + 1 AS n',
      parameters: { a: { type: 'INT64', value: '1' } },
    })
    expect(engineSql).to.match(/SELECT/)
    expect(plan).not.to.equal('')
  })

  it('tells what a query would read, and refuses one that cannot run', async () => {
    const parameters = { a: { type: 'INT64', value: '1' } }
    const reads = await engine.dryRun({ sql: 'SELECT @a + 1 AS n', parameters })
    expect(reads).to.include({ engine: engine.name, bytes: 0 })
    const failure = await engine.dryRun({ sql: 'SELECT foo', parameters: {} }).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(failure).to.include({ code: 'QUERY_FAILED' })
  })
}
