/**
 * Columns of Parquet files and databases whose types GoogleSQL does not have: they are read without a change or named in an
 * error, never left out.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { fieldsToColumns, type SchemaField } from '../../../../googlesql/tables.js'
import type { DuckdbEngine } from '../../../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../../../runner/engines/duckdb/open-engine.js'
import { rowsFrom } from '../../ask-engine.js'
import { CLOCK, openEngine, scratchFolder } from '../raw-engine.js'

interface Case {
  readonly name: string
  /** The values of column x, as DuckDB SQL. */
  readonly values: readonly string[]
  /** The rows that a query gives; where it fails, `fails` is the end of its message. */
  readonly rows?: readonly unknown[]
  readonly fails?: string
  /** The field of x in the table's schema; undefined where the table has no schema. */
  readonly schema?: Omit<SchemaField, 'name'>
}

const NS = "TIMESTAMP_NS '2026-01-31 12:00:00.123456"
const CASES: readonly Case[] = [
  { name: 'uint64', values: ['18446744073709551615::UBIGINT', 'NULL'], rows: ['18446744073709551615', null] },
  { name: 'uint64_int64', values: ['5::UBIGINT'], schema: { type: 'INTEGER' }, rows: [5] },
  {
    name: 'uint64_too_large',
    values: ['18446744073709551615::UBIGINT'],
    schema: { type: 'INTEGER' },
    fails: 'd.uint64_too_large.x has a value that is not INT64: 18446744073709551615',
  },
  {
    name: 'bytes_as_text',
    values: ["'k\\xC3\\xB6ln'::BLOB", "''::BLOB", 'NULL'],
    schema: { type: 'STRING' },
    rows: ['köln', '', null],
  },
  {
    name: 'bytes_no_text',
    values: ["'a'::BLOB", "'\\xFF'::BLOB"],
    schema: { type: 'STRING' },
    fails: 'd.bytes_no_text.x has a value that is not UTF-8: declare it as BYTES',
  },
  { name: 'uint32', values: ['4294967295::UINTEGER'], rows: [4294967295] },
  {
    name: 'ns',
    values: [`${NS}'`, `${NS}000'`, 'NULL'],
    rows: ['2026-01-31T12:00:00.123456', '2026-01-31T12:00:00.123456', null],
  },
  {
    name: 'ns_finer',
    values: [`${NS}789'`],
    fails:
      'd.ns_finer.x has a value that is not DATETIME (a table schema, d.ns_finer.json, that declares it as DATETIME or TIMESTAMP cuts what is below a microsecond): 2026-01-31 12:00:00.123456789',
  },
  {
    name: 'ns_cut',
    values: [`${NS}789'`, "TIMESTAMP_NS '1969-12-31 23:59:59.999999999'"],
    schema: { type: 'DATETIME' },
    rows: ['2026-01-31T12:00:00.123456', '1969-12-31T23:59:59.999999'],
  },
  { name: 'ns_utc', values: [`${NS}789'`], schema: { type: 'TIMESTAMP' }, rows: ['2026-01-31T12:00:00.123456Z'] },
  {
    name: 'interval_of_text',
    values: ["'14 months -3 days 5 microseconds'", 'NULL'],
    schema: { type: 'INTERVAL' },
    rows: ['1-2 -3 0:0:0.000005', null],
  },
  {
    name: 'interval_of_number',
    values: ["'5'"],
    schema: { type: 'INTERVAL' },
    fails: 'd.interval_of_number.x has a value that is not INTERVAL: 5',
  },
  {
    name: 'decimal_as_text',
    values: ['1.50::DECIMAL(10, 2)', '100', '-0.5', 'NULL'],
    schema: { type: 'STRING' },
    rows: ['1.5', '100', '-0.5', null],
  },
  {
    name: 'decimal_beyond',
    values: ['1.5::DECIMAL(38, 2)', '123456789012345678901234567890123456.12'],
    schema: { type: 'NUMERIC' },
    fails: 'd.decimal_beyond.x has a value that is not NUMERIC: 123456789012345678901234567890123456.12',
  },
  { name: 'decimal', values: ['1.5::DECIMAL(38, 20)', '-0.000000001'], rows: ['1.5', '-0.000000001'] },
  {
    name: 'decimal_finer',
    values: ['1.0000000001::DECIMAL(38, 20)', '-999999999999999999.99999999999999999999'],
    rows: ['1.0000000001', '-999999999999999999.99999999999999999999'],
  },
  {
    name: 'decimal_widest',
    values: ["'-0.99999999999999999999999999999999999999'::DECIMAL(38, 38)"],
    rows: ['-0.99999999999999999999999999999999999999'],
  },
  {
    name: 'big_of_integers',
    values: ['18446744073709551615::UBIGINT', '5::UBIGINT'],
    schema: { type: 'BIGNUMERIC' },
    rows: ['18446744073709551615', '5'],
  },
  {
    name: 'big_of_text',
    values: ["'578960446186580977117854925043439539266.34992332820282019728792003956564819967'", "'-.5'", "'7'"],
    schema: { type: 'BIGNUMERIC' },
    rows: ['578960446186580977117854925043439539266.34992332820282019728792003956564819967', '-0.5', '7'],
  },
  {
    name: 'big_of_large_text',
    values: ["'578960446186580977117854925043439539267'"],
    schema: { type: 'BIGNUMERIC' },
    fails: 'd.big_of_large_text.x has a value that is not BIGNUMERIC: 578960446186580977117854925043439539267',
  },
  {
    // A column of this type counts whole numbers: it is not how a BIGNUMERIC is kept here.
    name: 'big_of_bignum',
    values: ["'12345678901234567890123456789012345678'::BIGNUM"],
    schema: { type: 'BIGNUMERIC' },
    rows: ['12345678901234567890123456789012345678'],
  },
  {
    name: 'decimal_rounded',
    values: ['1.0000000005::DECIMAL(38, 20)', '-1.0000000005'],
    schema: { type: 'NUMERIC' },
    rows: ['1.000000001', '-1.000000001'],
  },
  {
    name: 'decimal_text',
    values: ['1.00000000010::DECIMAL(38, 20)', '20'],
    schema: { type: 'STRING' },
    rows: ['1.0000000001', '20'],
  },
  { name: 'integer_text', values: ['100::DECIMAL(38, 0)'], schema: { type: 'STRING' }, rows: ['100'] },
  {
    name: 'map',
    values: ["MAP {'k': 1, 'l': NULL}", 'NULL'],
    rows: [
      [
        { key: 'k', value: 1 },
        { key: 'l', value: null },
      ],
      [],
    ],
  },
  {
    name: 'map_declared',
    values: ["MAP {'k': 1::UINTEGER}"],
    schema: {
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        { name: 'key', type: 'STRING' },
        { name: 'value', type: 'FLOAT' },
      ],
    },
    rows: [[{ key: 'k', value: 1 }]],
  },
  { name: 'time_utc', values: ["TIMETZ '12:00:00.5+00'"], rows: ['12:00:00.500'] },
  {
    name: 'nested',
    values: [`{'a': [{'at': ${NS}'}], 'n': 1::UBIGINT}`],
    rows: [{ a: [{ at: '2026-01-31T12:00:00.123456' }], n: '1' }],
  },
  {
    name: 'lists',
    values: ['[[1, 2], [3]]'],
    fails:
      'Column x of table d.lists cannot be read: its type INTEGER[][] has no equivalent in GoogleSQL; leave it out (SELECT * EXCEPT (x)), or give the table a schema, d.lists.json, that declares x as JSON',
  },
  { name: 'lists_declared', values: ['[[1, 2], [3]]', 'NULL'], schema: { type: 'JSON' }, rows: [[[1, 2], [3]], null] },
  {
    name: 'nested_lists',
    values: ["{'a': [{'v': [[1]]}]}"],
    fails:
      'its field x.a.v has the type INTEGER[][], which has no equivalent in GoogleSQL; leave it out (SELECT * EXCEPT (x)), or give the table a schema, d.nested_lists.json, that declares x.a.v as JSON',
  },
  { name: 'field_names', values: ["{'a.b': [{'@c': 1}], 'd e': 2}"], rows: [{ a_b: [{ _c: 1 }], 'd e': 2 }] },
  {
    name: 'field_names_declared',
    values: ["{'a.b': 1}"],
    schema: { type: 'RECORD', fields: [{ name: 'A_B', type: 'STRING' }] },
    rows: [{ A_B: '1' }],
  },
  {
    name: 'field_names_twice',
    values: ["{'a.b': 1, 'a_b': 2}"],
    fails: 'its type STRUCT("a.b" INTEGER, "a_b" INTEGER) has no equivalent in GoogleSQL',
  },
  { name: 'variant_declared', values: ["{'a': [1, 2]}::VARIANT"], schema: { type: 'JSON' }, rows: [{ a: [1, 2] }] },
]

describe('Parquet columns of types that GoogleSQL does not have', () => {
  const scratch = scratchFolder()
  let engine: DuckdbEngine

  before(async () => {
    mkdirSync(join(scratch.path, 'd'))
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    for (const { name, values } of CASES) {
      const rows = values.map((value, i) => `SELECT ${i} AS i, ${value} AS x`).join(' UNION ALL ')
      await connection.run(`COPY (${rows} ORDER BY i) TO '${join(scratch.path, 'd', name)}.parquet'`)
    }
    instance.closeSync()
    engine = await openDuckdbEngine({
      dataDir: scratch.path,
      database: null,
      tables: CASES.flatMap(({ name, schema }) =>
        schema
          ? [
              {
                definition: {
                  name: `d.${name}`,
                  columns: fieldsToColumns([
                    { name: 'i', type: 'INTEGER' },
                    { name: 'x', ...schema },
                  ])!,
                },
              },
            ]
          : [],
      ),
      memoryLimitMb: 512,
      threads: 2,
      tempDir: scratch.path,
      observe: () => undefined,
      clock: CLOCK,
    })
  })
  after(async () => {
    await engine.close()
    scratch.remove()
  })

  for (const { name, rows, fails } of CASES) {
    it(`${fails === undefined ? 'are read without a change' : 'give an error with the remedy'}: ${name}`, async () => {
      const asked = rowsFrom(engine, `SELECT * FROM d.${name} ORDER BY i`).then(
        found => found.map(row => row[1]),
        (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
      )
      if (fails === undefined) expect(await asked).to.deep.equal(rows)
      else
        expect(await asked)
          .to.be.a('string')
          .that.includes(fails)
          .and.matches(
            / has a value that/.test(fails) ? new RegExp(`, in row \\d of file ".*/d/${name}\\.parquet"$`) : /./,
          )
    })
  }

  it('do not affect queries that do not read them', async () => {
    for (const { name } of CASES) expect(await rowsFrom(engine, `SELECT MIN(i) FROM d.${name}`)).to.deep.equal([[0]])
  })

  it('have the names of columns for other names', async () => {
    const files = join(scratch.path, 'd', 'names.parquet')
    const instance = await DuckDBInstance.create()
    await (await instance.connect()).run(`COPY (SELECT 1 AS "@id", 'x' AS "Body Mass (g)") TO '${files}'`)
    instance.closeSync()
    expect(await rowsFrom(engine, 'SELECT _id, Body_Mass__g_ FROM d.names WHERE _id = 1')).to.deep.equal([[1, 'x']])
  })

  it('are read where the schema that Arrow keeps in the file is none', async () => {
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const schema = '/////wAAAAAQAAAAAAAKAA4ABgAFAAgACgAAAAABBAAQAAAAAAAKAAwAAAAEAAgACgAAAP////8EAAAAAQAAAAwAAAAIAAwA'
    await connection.run(
      `COPY (SELECT 1 AS i, 7::BIGINT AS x) TO '${join(scratch.path, 'd', 'forged.parquet')}' (KV_METADATA {'ARROW:schema': '${schema}'})`,
    )
    instance.closeSync()
    expect(await rowsFrom(engine, 'SELECT x FROM d.forged')).to.deep.equal([[7]])
  })

  it('are not rounded where the files of a table without a schema differ', async () => {
    const scratch = scratchFolder()
    for (const table of ['decimals', 'numbers']) mkdirSync(join(scratch.path, 'd', table), { recursive: true })
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    for (const [file, value] of [
      ['decimals/1', '1.5::DECIMAL(10, 3)'],
      ['decimals/2', '1.00000000000000000005::DECIMAL(38, 20)'],
      ['numbers/1', '1.5::DOUBLE'],
      ['numbers/2', '9007199254740993::BIGINT'],
    ])
      await connection.run(`COPY (SELECT ${value} AS x) TO '${join(scratch.path, 'd', file!)}.parquet'`)
    instance.closeSync()
    const own = await openEngine({ dataDir: scratch.path })
    try {
      for (const table of ['decimals', 'numbers']) {
        const failure = await rowsFrom(own, `SELECT x FROM d.${table}`).catch((error: Error) => error.cause)
        expect(String(failure)).to.match(/x has a value that is not (NUMERIC|FLOAT64): .*2\.parquet/)
      }
    } finally {
      await own.close()
      scratch.remove()
    }
  })

  it('of a database are reported in the same way', async () => {
    const path = join(scratch.path, 'own.duckdb')
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    await connection.run(
      "CREATE TABLE t AS SELECT 1::HUGEINT AS h, 2::UHUGEINT AS u, [1, 2]::INTEGER[2] AS a, '01'::BIT AS b; CREATE TABLE large AS SELECT 170141183460469231731687303715884105727::HUGEINT AS h; CREATE TABLE bits AS SELECT '01'::BIT AS b",
    )
    connection.closeSync()
    instance.closeSync()
    const other = await openDuckdbEngine({
      dataDir: null,
      database: path,
      tables: [{ definition: { name: 'main.bits', columns: [{ name: 'b', type: { kind: 'STRING' } }] } }],
      memoryLimitMb: 512,
      threads: 2,
      tempDir: scratch.path,
      observe: () => undefined,
      clock: CLOCK,
    })
    try {
      expect(await rowsFrom(other, 'SELECT * EXCEPT (b) FROM main.t')).to.deep.equal([['1', '2', [1, 2]]])
      expect(await rowsFrom(other, 'SELECT * FROM main.bits')).to.deep.equal([['01']])
      const messages = await Promise.all(
        ['SELECT * FROM main.t', 'SELECT * FROM main.large'].map(sql =>
          rowsFrom(other, sql).then(String, error => error.cause.message),
        ),
      )
      expect(messages[0]).to.include('Column b of table main.t cannot be read: its type BIT has no equivalent')
      expect(messages[0]).to.include('declares b as STRING')
      expect(messages[1]).to.match(
        /main\.large\.h has a value that is not NUMERIC \(.* as STRING keeps it whole\): 1701411834/,
      )
    } finally {
      await other.close()
    }
  })
})
