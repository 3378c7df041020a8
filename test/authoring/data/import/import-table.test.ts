/** Rows of all types are the same after an import as when their file is read in place. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import fc from 'fast-check'
import { importFiles, openDuckdb } from '../../../../authoring/data/import/import-table.js'
import { fieldsToColumns, type SchemaField } from '../../../../googlesql/tables.js'
import { openRawEngine, scratchFolder, source } from '../../../engines/duckdb/raw-engine.js'
import { sampleOf, sampleSize } from '../../../sample-size.js'

const SCALARS: readonly (readonly [type: string, values: fc.Arbitrary<unknown>])[] = [
  [
    'INTEGER',
    fc.oneof(
      fc.integer(),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(value => value.toString()),
      fc.constantFrom('+7', '12.0', -0, '-0'),
    ),
  ],
  [
    'FLOAT',
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom('NaN', 'Infinity', '-Infinity', '0.25', 1e300),
    ),
  ],
  [
    'NUMERIC',
    fc.oneof(
      fc.bigInt(-(10n ** 29n) + 1n, 10n ** 29n - 1n).map(value => value.toString()),
      fc
        .tuple(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.integer({ min: 1, max: 999_999_999 }))
        .map(([a, b]) => `${a}.${b}`),
      fc.integer(),
    ),
  ],
  [
    'BIGNUMERIC',
    fc
      .tuple(fc.bigInt(-(10n ** 38n), 10n ** 38n), fc.bigInt(0n, 10n ** 38n - 1n))
      .map(([a, b]) => `${a}.${String(b).padStart(38, '0')}`),
  ],
  ['BOOLEAN', fc.oneof(fc.boolean(), fc.constantFrom('true', 'FALSE'))],
  [
    'STRING',
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constantFrom('\u0000', '"\\/\b\n', '\u2028', '😀')),
  ],
  ['BYTES', fc.uint8Array().map(bytes => Buffer.from(bytes).toString('base64'))],
  ['DATE', fc.constantFrom('0001-01-01', '9999-12-31', '2024-02-29')],
  ['TIME', fc.constantFrom('00:00:00', '23:59:59.999999', '12:34:56.7', '01:02:03.123456789')],
  [
    'DATETIME',
    fc.constantFrom('0001-01-01T00:00:00', '9999-12-31 23:59:59.999999', '2026-01-31', '2026-01-31T01:02:03.123456789'),
  ],
  [
    'TIMESTAMP',
    fc.oneof(
      fc.integer(),
      fc.integer({ min: 10 ** 14, max: 10 ** 15 * 4 }),
      fc.constantFrom(
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999999Z',
        '2026-01-31',
        '2026-01-31 12:00:00',
        '2026-01-31T12:00:00+05:30',
        '2026-01-31 12:00:00 UTC',
        '2026-01-31T12:00:00.123456789Z',
        '2026-01-31 12:00:00.5 +01',
        '1685000000123',
        1685000000.123456,
      ),
    ),
  ],
  ['JSON', fc.jsonValue().filter(value => value !== null)],
]

/** A field of the schema, and values for it. */
const field = (name: string, depth: number): fc.Arbitrary<{ schema: SchemaField; value: fc.Arbitrary<unknown> }> => {
  const single: fc.Arbitrary<{ schema: SchemaField; value: fc.Arbitrary<unknown> }> = fc
    .constantFrom(...SCALARS)
    .map(([type, value]) => ({ schema: { name, type }, value }))
  const record = fc.tuple(field1('a', depth), field1('b', depth)).map(inner => ({
    schema: { name, type: 'RECORD', fields: inner.map(({ schema }) => schema) } as SchemaField,
    value: recordOf(inner),
  }))
  const one = depth > 2 ? single : fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: record })
  return fc.tuple(one, fc.boolean()).map(([{ schema, value }, isList]) =>
    isList
      ? {
          schema: { ...schema, mode: 'REPEATED' },
          value: fc.oneof(fc.array(value, { maxLength: 3 }), fc.constant(null)),
        }
      : { schema, value: fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) }) },
  )
}
function field1(name: string, depth: number): fc.Arbitrary<{ schema: SchemaField; value: fc.Arbitrary<unknown> }> {
  return depth > 2
    ? fc.constantFrom(...SCALARS).map(([type, value]) => ({ schema: { name, type }, value }))
    : field(name, depth + 1)
}
function recordOf(inner: readonly { schema: SchemaField; value: fc.Arbitrary<unknown> }[]): fc.Arbitrary<unknown> {
  return fc.record(Object.fromEntries(inner.map(({ schema, value }) => [schema.name, value])), { requiredKeys: [] })
}
const table = fc
  .tuple(field('x', 1), field('y', 1), field('z', 1))
  .chain(fields =>
    fc.tuple(
      fc.constant(fields.map(({ schema }) => schema)),
      fc.array(recordOf(fields), { minLength: 1, maxLength: 12 }),
    ),
  )

describe('rows that are imported', () => {
  const scratch = scratchFolder()
  after(() => scratch.remove())

  it('are the same as when read in place, for all types', async function () {
    this.timeout(600_000)
    const samples = fc.sample(table, { numRuns: sampleSize(15), seed: 20_260_131 })
    const schemas = samples.map(([fields]): SchemaField[] => [{ name: 'row', type: 'INTEGER' }, ...fields])
    mkdirSync(join(scratch.path, 'in'))
    for (const [i, [, rows]] of samples.entries()) {
      const schema = schemas[i]!
      const file = join(scratch.path, `in/place${i}.ndjson`)
      writeFileSync(file, rows.map((row, n) => `${JSON.stringify({ row: n, ...(row as object) })}\n`).join(''))
      const report = await importFile(`in.imported${i}`, schema, file)
      expect(report.badRows).to.deep.equal([])
    }
    const tables = schemas.flatMap((schema, i) => [source(`in.place${i}`, schema), source(`in.imported${i}`, schema)])
    const engine = await openRawEngine({ dataDir: scratch.path, tables })
    try {
      for (const [i, schema] of schemas.entries()) {
        const columns = fieldsToColumns(schema)!
        const all = (name: string) =>
          engine.rows({ sql: `SELECT * FROM "${name}" ORDER BY "row"`, columns, tables: [name] })
        expect(await all(`in.imported${i}`), JSON.stringify(schema)).to.deep.equal(await all(`in.place${i}`))
      }
    } finally {
      await engine.engine.close()
    }
  })

  it('keep their order where the table has no partitions', async () => {
    const schema: SchemaField[] = [{ name: 'row', type: 'INTEGER' }]
    const rows = [[1], [2], [3]]
    const file = join(scratch.path, 'ordered.ndjson')
    writeFileSync(file, rows.map(([row]) => `{"row":${row}}\n`).join(''))
    // A sort by equal keys changes the order in some runs only.
    const names = Array.from({ length: sampleSize(20) }, (_, i) => `in.ordered${i}`)
    for (const name of names) await importFile(name, schema, file, 2)
    const engine = await openRawEngine({ dataDir: scratch.path, tables: names.map(name => source(name, schema)) })
    try {
      const columns = fieldsToColumns(schema)!
      for (const name of names)
        expect(await engine.rows({ sql: `SELECT * FROM "${name}"`, columns, tables: [name] })).to.deep.equal(rows)
    } finally {
      await engine.engine.close()
    }
  })

  it('may be INTERVALs of a Parquet file', async () => {
    const schema: SchemaField[] = [{ name: 'i', type: 'INTERVAL' }]
    const file = join(scratch.path, 'intervals.parquet')
    const values = "(INTERVAL '14 months 3 days 04:05:06.789'), (INTERVAL '0 days'), (NULL)"
    const duckdb = await DuckDBInstance.create(':memory:')
    await (await duckdb.connect()).run(`COPY (SELECT * FROM (VALUES ${values}) AS t(i)) TO '${file}' (FORMAT parquet)`)
    duckdb.closeSync()
    expect((await importFile('in.intervals', schema, file)).badRows).to.deep.equal([])
    const engine = await openRawEngine({ dataDir: scratch.path, tables: [source('in.intervals', schema)] })
    try {
      const columns = fieldsToColumns(schema)!
      expect(
        await engine.rows({ sql: 'SELECT * FROM "in.intervals"', columns, tables: ['in.intervals'] }),
      ).to.deep.equal([['1-2 3 4:5:6.789'], ['0-0 0 0:0:0'], [null]])
    } finally {
      await engine.engine.close()
    }
  })

  for (const [count, rows] of sampleOf([
    [400, 1],
    [2_000, 300],
  ] as const)) {
    it(`may have a RECORD of ${count} fields`, async function () {
      this.timeout(120_000)
      const schema: SchemaField[] = [
        {
          name: 'r',
          type: 'RECORD',
          fields: Array.from({ length: count }, (_, i) => ({ name: `c${i}`, type: 'STRING' })),
        },
      ]
      const file = join(scratch.path, `wide${count}.ndjson`)
      const row = (n: number): string =>
        JSON.stringify({ r: Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, `${n} ${i}`])) })
      writeFileSync(file, Array.from({ length: rows }, (_, n) => `${row(n)}\n`).join(''))
      const report = await importFile(`in.wide${count}`, schema, file)
      expect(report).to.deep.include({ isCommitted: true, rows })
    })
  }

  async function importFile(name: string, schema: readonly SchemaField[], file: string, threads = 1) {
    const duckdb = await openDuckdb(threads, 400)
    return importFiles(duckdb, {
      dataDir: scratch.path,
      table: { name, columns: fieldsToColumns(schema)! },
      layout: { clusteredBy: [], partition: null },
      files: [file],
      inputFormat: null,
      standardInput: () => Readable.from([]),
      replaces: false,
      ignoresUnknown: false,
      skipFile: null,
      maxBadRows: 10,
      nowMs: 0,
      idSuffix: '00000000',
    }).finally(() => duckdb.closeSync())
  }
})
