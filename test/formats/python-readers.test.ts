/** Python's csv and json, pyarrow and polars read the derived formats: types, microseconds, decimals, nested values, nulls. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ResultFacts } from '../../runner/formats/format.js'
import { derive, type ResultFormat } from '../../runner/formats/index.js'
import type { ResultColumn } from '../../runner/model/query.js'
import { need, PYTHON, whyPending } from '../installed/installed.js'

const NESTED = 'ARRAY<STRUCT<n NUMERIC, tags ARRAY<STRING>, at TIMESTAMP>>'

/** Each column: its type, a value as JSON, its text in CSV, its value as pyarrow has it, Arrow's type. */
const COLUMNS: readonly (readonly [type: string, json: string, csv: string, read: unknown, arrow: string])[] = [
  ['INT64', '"9223372036854775807"', '9223372036854775807', 9223372036854775807n, 'int64'],
  ['FLOAT64', '1e-7', '1e-7', 1e-7, 'double'],
  ['FLOAT64', '"NaN"', 'NaN', 'nan', 'double'],
  ['NUMERIC', '"-12.5"', '-12.5', '-12.500000000', 'decimal128(38, 9)'],
  [
    'BIGNUMERIC',
    '"-0.00000000000000000000000000000000000001"',
    '-0.00000000000000000000000000000000000001',
    '-1E-38',
    'decimal256(76, 38)',
  ],
  ['BOOL', 'true', 'true', true, 'bool'],
  ['STRING', '"a,\\"b\\"\\r\\né😀"', 'a,"b"\r\né😀', 'a,"b"\r\né😀', 'string'],
  ['STRING', '""', '', '', 'string'],
  ['BYTES', '"AP8="', 'AP8=', '00ff', 'binary'],
  ['DATE', '"0001-01-01"', '0001-01-01', '0001-01-01', 'date32[day]'],
  ['TIME', '"23:59:59.999999"', '23:59:59.999999', '23:59:59.999999', 'time64[us]'],
  [
    'DATETIME',
    '"9999-12-31T23:59:59.999999"',
    '9999-12-31T23:59:59.999999',
    '9999-12-31 23:59:59.999999',
    'timestamp[us]',
  ],
  [
    'TIMESTAMP',
    '"2026-01-31T12:34:56.000001Z"',
    '2026-01-31T12:34:56.000001Z',
    '2026-01-31 12:34:56.000001+00:00',
    'timestamp[us, tz=UTC]',
  ],
  ['JSON', '{"n":1.10,"n":[]}', '{"n":1.10,"n":[]}', '{"n":1.10,"n":[]}', 'string'],
  ['INTERVAL', '"1-2 3 4:5:6"', '1-2 3 4:5:6', '1-2 3 4:5:6', 'string'],
  [
    'STRUCT<a INT64, STRING>',
    '{"a":1,"_field_2":null}',
    '{"a":1,"_field_2":null}',
    { a: 1, _field_2: null },
    'struct<a: int64, _field_2: string>',
  ],
  [
    NESTED,
    '[{"n":1,"tags":["x",""],"at":null},{"n":null,"tags":[],"at":"1969-12-31T23:59:59.999999Z"}]',
    '[{"n":1,"tags":["x",""],"at":null},{"n":null,"tags":[],"at":"1969-12-31T23:59:59.999999Z"}]',
    [
      { n: '1.000000000', tags: ['x', ''], at: null },
      { n: null, tags: [], at: '1969-12-31 23:59:59.999999+00:00' },
    ],
    'list<item: struct<n: decimal128(38, 9), tags: list<item: string> not null, at: timestamp[us, tz=UTC]>>',
  ],
]

const EXTENSIONS: Readonly<Record<string, string>> = {
  DATETIME: 'google:sqlType:datetime',
  JSON: 'google:sqlType:json',
  INTERVAL: 'google:sqlType:interval',
}

const isArray = (type: string): boolean => type.startsWith('ARRAY')
const columns: readonly ResultColumn[] = COLUMNS.map(([type], i) => ({ name: `c${i}`, type }))
const object = (cells: readonly string[]): string => `{${cells.map((cell, i) => `"c${i}":${cell}`).join()}}`
const result = (rows: readonly string[]): Buffer => Buffer.from(`{"result":[${rows.join()}]}`)
const ROWS = [object(COLUMNS.map(([, json]) => json)), object(COLUMNS.map(([type]) => (isArray(type) ? '[]' : 'null')))]

/** A STRUCT that may be NULL and whose fields may not, and one the other way round. */
const RECORDS: readonly ResultColumn[] = [
  {
    name: 'may',
    type: 'STRUCT<id INT64, n NUMERIC, b BOOL, s STRING, at TIMESTAMP, x STRUCT<f FLOAT64>, l ARRAY<STRUCT<d DATE, t STRING>>>',
  },
  { name: 'must', type: 'STRUCT<id INT64, s STRING>' },
]
const always = { required: true, json: null }
const never = { required: false, json: null }
const RECORD_CONTRACT = [
  {
    required: false,
    unit: null,
    fields: [
      ...[always, always, always, always, always],
      { ...always, fields: [always] },
      { ...always, fields: [always, never] },
    ],
  },
  { required: true, unit: null, fields: [never, always] },
]
const RECORD_ROWS = [
  '{"may":{"id":1,"n":"1.5","b":true,"s":"a","at":"2026-01-31T12:34:56.000001Z","x":{"f":0.5},"l":[{"d":"2026-01-31","t":null}]},"must":{"id":null,"s":""}}',
  '{"may":null,"must":{"id":2,"s":"b"}}',
  '{"may":{"id":3,"n":"-0.5","b":false,"s":"","at":"1969-12-31T23:59:59Z","x":{"f":1},"l":[]},"must":{"id":3,"s":"c"}}',
]
const READ_RECORDS = [
  [
    {
      ...{ id: 1, n: '1.500000000', b: true, s: 'a', at: '2026-01-31 12:34:56.000001+00:00', x: { f: 0.5 } },
      l: [{ d: '2026-01-31', t: null }],
    },
    { id: null, s: '' },
  ],
  [null, { id: 2, s: 'b' }],
  [
    { id: 3, n: '-0.500000000', b: false, s: '', at: '1969-12-31 23:59:59+00:00', x: { f: 1 }, l: [] },
    { id: 3, s: 'c' },
  ],
]

interface ReadTable {
  readonly metadata: object
  readonly types: readonly string[]
  readonly nullable: readonly boolean[]
  readonly extensions: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

interface ReadArrow extends ReadTable {
  readonly batches: readonly number[]
}

interface ReadFrame {
  readonly height: number
  readonly rows: readonly (readonly unknown[])[]
}

interface Read {
  readonly csv: readonly (readonly string[])[]
  readonly polars_csv: readonly (readonly (string | null)[])[]
  readonly ndjson: readonly object[]
  readonly arrow: ReadArrow
  readonly empty: ReadArrow
  readonly long: readonly number[]
  readonly polars: ReadFrame
  readonly parquet: ReadTable
  readonly empty_parquet: ReadTable
  readonly polars_parquet: ReadFrame
  readonly records: Readonly<Record<'arrow' | 'parquet', ReadTable>>
  readonly polars_records: Readonly<Record<'arrow' | 'parquet', ReadFrame>>
}

describe(`derived formats in Python${whyPending('the Python packages')}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  let read: Read
  after(() => rmSync(folder, { recursive: true, force: true }))

  before(async function () {
    this.timeout(120_000)
    need(this, 'the Python packages')
    const write = async (
      file: string,
      format: ResultFormat,
      of: readonly ResultColumn[],
      json: Buffer,
      more: Partial<ResultFacts> = {},
    ) => {
      const facts = { endpoint: 'logs.all', revision: 'r1', isTruncated: true, ...more } as const
      writeFileSync(join(folder, file), await derive(format, of, json, facts))
    }
    await write('records.arrows', 'arrow', RECORDS, result(RECORD_ROWS), { contract: RECORD_CONTRACT })
    await write('records.parquet', 'parquet', RECORDS, result(RECORD_ROWS), { contract: RECORD_CONTRACT })
    await write('all.csv', 'csv', columns, result(ROWS))
    await write('all.ndjson', 'ndjson', columns, result(ROWS))
    await write('all.arrows', 'arrow', columns, result(ROWS))
    await write('empty.arrows', 'arrow', columns, result([]))
    await write('all.parquet', 'parquet', columns, result(ROWS))
    await write('empty.parquet', 'parquet', columns, result([]))
    const long = Array.from({ length: 20_000 }, (_, i) => `{"c0":${i},"c1":"${i}"}`)
    const pair = [
      { name: 'c0', type: 'INT64' },
      { name: 'c1', type: 'STRING' },
    ]
    await write('long.arrows', 'arrow', pair, result(long))
    // polars has no decimal256.
    const narrow = columns.filter(({ type }) => type !== 'BIGNUMERIC')
    const cells = (i: 0 | 1): string =>
      `{${narrow.map(({ name, type }) => `"${name}":${i === 0 ? COLUMNS[columns.findIndex(c => c.name === name)]![1] : isArray(type) ? '[]' : 'null'}`).join()}}`
    await write('narrow.arrows', 'arrow', narrow, result([cells(0), cells(1)]))
    const out = execFileSync(PYTHON, ['test/formats/read.py', folder], { encoding: 'utf8' })
    read = JSON.parse(out)
  })

  const nulls = COLUMNS.map(([type]) => (isArray(type) ? [] : null))
  /** As JSON.parse has them: an INT64 of 19 digits is rounded by the test, not by the format. */
  const values = COLUMNS.map(([, , , value]) => (typeof value === 'bigint' ? Number(value) : value))

  it('csv reads the same cells', () => {
    expect(read.csv).to.deep.equal([
      columns.map(column => column.name),
      COLUMNS.map(([, , csv]) => csv),
      COLUMNS.map(([type]) => (isArray(type) ? '[]' : '')),
    ])
  })

  it('polars tells NULL from the empty string in CSV', () => {
    expect(read.polars_csv).to.deep.equal([
      COLUMNS.map(([, , csv]) => csv),
      COLUMNS.map(([type]) => (isArray(type) ? '[]' : null)),
    ])
  })

  it('json reads NDJSON line by line', () => {
    expect(read.ndjson).to.deep.equal(ROWS.map(row => JSON.parse(row)))
  })

  it('pyarrow reads types, metadata, values and nulls', () => {
    const { metadata, types, nullable, extensions, batches, rows } = read.arrow
    expect(metadata).to.deep.equal({
      'sluice.endpoint': 'logs.all',
      'sluice.revision': 'r1',
      'sluice.truncated': 'true',
    })
    expect(types).to.deep.equal(COLUMNS.map(([, , , , arrow]) => arrow))
    expect(nullable).to.deep.equal(COLUMNS.map(([type]) => !isArray(type)))
    expect(extensions).to.deep.equal(COLUMNS.map(([type]) => EXTENSIONS[type] ?? ''))
    expect(batches).to.deep.equal([2])
    expect(rows).to.deep.equal([values, nulls])
  })

  it('pyarrow reads the schema of a result without rows', () => {
    expect(read.empty.types).to.deep.equal(read.arrow.types)
    expect(read.empty.batches).to.deep.equal([])
  })

  it('pyarrow reads several batches', () => {
    expect(read.long).to.deep.equal([8_192, 8_192, 3_616])
  })

  it('polars reads all but BIGNUMERIC', () => {
    const isRead = (_: unknown, i: number): boolean => columns[i]!.type !== 'BIGNUMERIC'
    expect(read.polars.height).to.equal(2)
    expect(read.polars.rows).to.deep.equal([values.filter(isRead), nulls.filter(isRead)])
  })

  /** In Parquet, BIGNUMERIC is text, and the items of a list have another name. */
  const inParquet = columns.map(({ type }, i) => (type === 'BIGNUMERIC' ? JSON.parse(COLUMNS[i]![1]) : values[i]))

  it('pyarrow reads types, metadata, values and nulls of Parquet', () => {
    const { metadata, types, nullable, rows } = read.parquet
    expect(metadata).to.deep.equal(read.arrow.metadata)
    expect(types).to.deep.equal(
      COLUMNS.map(([type, , , , arrow]) =>
        type === 'BIGNUMERIC' ? 'string' : arrow.replaceAll('<item:', '<element:'),
      ),
    )
    expect(nullable).to.deep.equal(read.arrow.nullable)
    expect(rows).to.deep.equal([inParquet, nulls])
    expect(read.empty_parquet.types).to.deep.equal(types)
    expect(read.empty_parquet.rows).to.deep.equal([])
  })

  it('polars reads all of Parquet', () => {
    expect(read.polars_parquet).to.deep.equal({ height: 2, rows: [inParquet, nulls] })
  })

  it('pyarrow and polars read fields that are never NULL, of records that are', () => {
    const typeIn = (item: string): string =>
      'struct<id: int64 not null, n: decimal128(38, 9) not null, b: bool not null, s: string not null, ' +
      'at: timestamp[us, tz=UTC] not null, x: struct<f: double not null> not null, ' +
      `l: list<${item}: struct<d: date32[day] not null, t: string>> not null>`
    for (const format of ['arrow', 'parquet'] as const) {
      const { types, nullable, rows } = read.records[format]
      expect(types, format).to.deep.equal([
        typeIn(format === 'arrow' ? 'item' : 'element'),
        'struct<id: int64, s: string not null>',
      ])
      expect(nullable, format).to.deep.equal([true, false])
      expect(rows, format).to.deep.equal(READ_RECORDS)
      expect(read.polars_records[format].rows, format).to.deep.equal(READ_RECORDS)
    }
  })
})
