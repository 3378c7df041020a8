/** Every format has the values of the JSON that it is derived from. */
import { spawnSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import fc from 'fast-check'
import type { ResultFacts } from '../../runner/formats/format.js'
import { derive, RESULT_FORMATS, type ResultFormat } from '../../runner/formats/index.js'
import { itInAll, sampleSize } from '../sample-size.js'
import { arrowRows } from './arrow-values.js'
import { readCsv } from './read-csv.js'
import { openParquetReader, type ParquetReader } from './read-parquet.js'
import { typeOf } from './read-typed.js'
import { anySample, jsonOf, type Sample } from './typed-values.js'

const DERIVED_FORMATS = RESULT_FORMATS.filter(name => name !== 'json')
const FACTS: ResultFacts = { endpoint: 'logs.all', revision: 'r1', isTruncated: false }

const bytesOf = (format: ResultFormat, sample: Sample): Promise<Uint8Array> =>
  derive(format, sample.columns, jsonOf(sample), FACTS)
const textOf = async (format: ResultFormat, sample: Sample): Promise<string> =>
  Buffer.from(await bytesOf(format, sample)).toString('utf8')

/** The format of one column, whose cells are given as JSON; facts as given. */
async function ofColumn(
  format: ResultFormat,
  type: string,
  cells: readonly string[],
  facts: Partial<ResultFacts> = {},
): Promise<string> {
  const json = Buffer.from(`{"result":[${cells.map(cell => `{"c":${cell}}`).join()}]}`)
  return Buffer.from(await derive(format, [{ name: 'c', type }], json, { ...FACTS, ...facts })).toString('utf8')
}

async function rejection(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

describe('derived formats', () => {
  it('have the values of the JSON, of all types and nested', async function () {
    this.timeout(120_000)
    await fc.assert(
      fc.asyncProperty(anySample, async sample => {
        const { columns, rows } = sample
        expect(arrowRows(await bytesOf('arrow', sample))).to.deep.equal(rows.map(row => row.map(cell => cell.typed)))
        const header = columns.map(column => column.name)
        const csv = readCsv(await textOf('csv', sample))
        expect(csv).to.deep.equal([header, ...rows.map(row => row.map(cell => cell.csv))])
        const objects = rows.map(
          row => `{${row.map((cell, i) => `${JSON.stringify(columns[i]!.name)}:${cell.json}`).join()}}\n`,
        )
        expect(await textOf('ndjson', sample)).to.equal(objects.join(''))
        const table = rows.map(row => `[${row.map(cell => cell.json).join()}]`)
        expect(await textOf('table', sample)).to.equal(
          `{"columns":${JSON.stringify(columns)},"rows":[${table.join()}],"truncated":false,"next":null}`,
        )
      }),
      { numRuns: sampleSize(300) },
    )
  })

  it('refuse JSON that is cut or is not a result', async function () {
    this.timeout(60_000)
    const columns = [
      { name: 'a', type: 'INT64' },
      { name: 'b', type: 'STRING' },
    ]
    const whole = '{"result":[{"a":1,"b":"x\\u0041"},{"a":2,"b":null}]}'
    for (const format of DERIVED_FORMATS) {
      for (let length = 0; length < whole.length; length++) {
        const cut = derive(format, columns, Buffer.from(whole.slice(0, length)), FACTS)
        expect(await rejection(cut), `${format} of ${length} bytes`).to.match(/^JsonTextError/)
      }
    }
  })

  it('end with BodyTooLargeError where they are larger than allowed', async () => {
    const cells = Array.from({ length: 5_000 }, (_, i) => `"some text ${i * i}"`)
    for (const format of DERIVED_FORMATS) {
      expect(await rejection(ofColumn(format, 'STRING', cells, { maxBytes: 10_000 }))).to.match(/^BodyTooLargeError/)
    }
  })

  it('are alone in their buffers', async () => {
    for (const format of DERIVED_FORMATS) {
      const bytes = await derive(format, [{ name: 'c', type: 'INT64' }], Buffer.from('{"result":[{"c":1}]}'), FACTS)
      expect(bytes.byteLength, format).to.equal(bytes.buffer.byteLength)
    }
  })
})

describe('csv', () => {
  const CASES: readonly (readonly [type: string, json: string, csv: string])[] = [
    ['STRING', '""', '""'],
    ['STRING', 'null', ''],
    ['STRING', '"null"', 'null'],
    ['STRING', '"a,b"', '"a,b"'],
    ['STRING', '"a\\"b"', '"a""b"'],
    ['STRING', '"a\\r\\nb"', '"a\r\nb"'],
    ['STRING', '" a;b\\tc "', ' a;b\tc '],
    ['STRING', '"\\u00e9\\ud83d\\ude00\\/"', 'é😀/'],
    ['STRING', '"\\ud800"', '\ufffd'],
    ['STRING', '"=1+1"', '=1+1'],
    ['BYTES', '""', '""'],
    ['INT64', '"9223372036854775807"', '9223372036854775807'],
    ['FLOAT64', '"-Infinity"', '-Infinity'],
    ['FLOAT64', '-0', '-0'],
    ['JSON', '"text"', '"""text"""'],
    ['JSON', '{"n":1.10}', '"{""n"":1.10}"'],
    ['JSON', '12345678901234567890', '12345678901234567890'],
    ['JSON', 'null', ''],
    ['ARRAY<INT64>', '[]', '[]'],
    ['ARRAY<INT64>', '[1,2]', '"[1,2]"'],
    ['STRUCT<a INT64>', 'null', ''],
    ['STRUCT<a INT64>', '{"a":1}', '"{""a"":1}"'],
  ]
  for (const [type, json, csv] of CASES) {
    it(`writes ${json} of ${type} as ${JSON.stringify(csv)}`, async () => {
      expect(await ofColumn('csv', type, [json])).to.equal(`c\r\n${csv}\r\n`)
    })
  }

  it('has its header without rows, quoted where a name asks for it', async () => {
    const columns = [
      { name: 'a,b', type: 'INT64' },
      { name: '=x', type: 'INT64' },
    ]
    const bytes = await derive('csv', columns, Buffer.from('{"result":[]}'), FACTS)
    expect(Buffer.from(bytes).toString()).to.equal('"a,b",=x\r\n')
  })
})

const HAS_JQ = spawnSync('jq', ['--version']).status === 0

describe(`ndjson${HAS_JQ ? '' : ' (pending: jq is not installed)'}`, () => {
  itInAll('is read by jq, with the rows of the JSON', async function () {
    if (!HAS_JQ) this.skip()
    const samples = fc.sample(anySample, { numRuns: 20, seed: 1 })
    for (const sample of samples) {
      const input = await textOf('ndjson', sample)
      const { status, stdout } = spawnSync('jq', ['-c', '-s', 'length'], { input, encoding: 'utf8' })
      expect([status, Number(stdout)]).to.deep.equal([0, sample.rows.length])
    }
  })
})

describe('excel', () => {
  const CASES: readonly (readonly [type: string, json: string, excel: string])[] = [
    ['STRING', '"=1+1"', "'=1+1"],
    ['STRING', '"+1,5"', `"'+1,5"`],
    ['STRING', '"-x"', "'-x"],
    ['STRING', '"@x"', "'@x"],
    ['STRING', '"\\tx"', "'\tx"],
    ['STRING', '"\\rx"', `"'\rx"`],
    ['STRING', '"x=1"', 'x=1'],
    ['STRING', '"  =1+1"', "'  =1+1"],
    ['STRING', '"\\n=1+1"', `"'\n'=1+1"`],
    ['STRING', '"\\u00a0\\u3000\\ufeff\\u200b\\u0000-1"', "'\u00a0\u3000\ufeff\u200b\0-1"],
    ['STRING', '"＝1+1"', "'＝1+1"],
    ['STRING', '" ＋1"', "' ＋1"],
    ['STRING', '"－1"', "'－1"],
    ['STRING', '"＠x"', "'＠x"],
    ['STRING', '"＃x"', '＃x'],
    ['STRING', '"  x"', '  x'],
    ['STRING', '"   "', '   '],
    ['STRING', '"a;b"', '"a;b"'],
    ['STRING', '"a;=1+1"', `"a;'=1+1"`],
    ['STRING', '";=1; -2;x"', `";'=1;' -2;x"`],
    ['STRING', '"a;\\"=1\\""', `"a;'""=1"""`],
    ['STRING', '"=a;=b"', `"'=a;'=b"`],
    ['STRING', '"a\\n=1+1"', `"a\n'=1+1"`],
    ['STRING', '"a\\r\\n@x\\n\\n +2\\nb-3"', `"a\r\n'@x\n\n' +2\nb-3"`],
    ['STRING', '"a\\n\\"=1"', `"a\n'""=1"`],
    ['STRING', '"123456789012345678"', '123456789012345678'],
    ['STRING', '""', '""'],
    ['BYTES', '"+w=="', "'+w=="],
    ['JSON', '-5', "'-5"],
    ['INT64', '-5', '-5'],
    ['INT64', '-999999999999999', '-999999999999999'],
    ['INT64', '1000000000000000', "'1000000000000000"],
    ['INT64', '"-9223372036854775808"', "'-9223372036854775808"],
    ['FLOAT64', '-0.5', '-0.5'],
    ['FLOAT64', '1234567890.1234567', '1234567890.1234567'],
    ['NUMERIC', '"-0.000000001"', '-0.000000001'],
    ['NUMERIC', '"123456.123456789"', '123456.123456789'],
    ['NUMERIC', '"1234567.123456789"', "'1234567.123456789"],
    ['BIGNUMERIC', '"0.00000000000000000000000000000000000001"', '0.00000000000000000000000000000000000001'],
    ['TIMESTAMP', '"2026-01-31T12:34:56.123456Z"', '2026-01-31T12:34:56.123456Z'],
    ['INTERVAL', '"-1-2 3 4:5:6"', '-1-2 3 4:5:6'],
  ]
  for (const [type, json, excel] of CASES) {
    it(`writes ${json} of ${type} as ${JSON.stringify(excel)}`, async () => {
      expect(await ofColumn('excel', type, [json])).to.equal(`\ufeffc\r\n${excel}\r\n`)
    })
  }

  it('keeps the digits of microseconds since 1970', async () => {
    expect(await ofColumn('excel', 'TIMESTAMP', ['1769862896123456'])).to.equal("\ufeffc\r\n'1769862896123456\r\n")
  })

  it('guards the header too', async () => {
    const bytes = await derive('excel', [{ name: '=x', type: 'INT64' }], Buffer.from('{"result":[]}'), FACTS)
    expect(Buffer.from(bytes).toString()).to.equal("\ufeff'=x\r\n")
  })
})

describe('table', () => {
  it('has units, and whether the result was cut', async () => {
    const facts = { contract: [{ required: false, unit: 'ms' }], isTruncated: true }
    expect(await ofColumn('table', 'INT64', ['1', 'null'], facts)).to.equal(
      '{"columns":[{"name":"c","type":"INT64","unit":"ms"}],"rows":[[1],[null]],"truncated":true,"next":null}',
    )
  })
})

describe('arrow', () => {
  const tableOf = async (type: string, cells: readonly string[], facts: Partial<ResultFacts> = {}) => {
    const json = Buffer.from(`{"result":[${cells.map(cell => `{"c":${cell}}`).join()}]}`)
    return tableFromIPC(await derive('arrow', [{ name: 'c', type }], json, { ...FACTS, ...facts }))
  }

  it('has its schema and its metadata without rows', async () => {
    const { schema, numRows } = await tableOf('ARRAY<STRUCT<a DATETIME, JSON, a INT64>>', [], { isTruncated: true })
    expect(numRows).to.equal(0)
    expect([...schema.metadata]).to.deep.equal([
      ['sluice.endpoint', 'logs.all'],
      ['sluice.revision', 'r1'],
      ['sluice.truncated', 'true'],
    ])
    const [list] = schema.fields
    expect([list!.name, list!.nullable]).to.deep.equal(['c', false])
    const [item] = list!.type.children
    expect([item!.name, item!.nullable]).to.deep.equal(['item', true])
    const fields = item!.type.children as typeof schema.fields
    expect(
      fields.map(field => [field.name, String(field.type), field.metadata.get('ARROW:extension:name')]),
    ).to.deep.equal([
      ['a', 'Timestamp<MICROSECOND>', 'google:sqlType:datetime'],
      ['_field_2', 'Utf8', 'google:sqlType:json'],
      ['a_2', 'Int64', undefined],
    ])
  })

  it('has batches of 8,192 rows', async () => {
    const { batches } = await tableOf(
      'INT64',
      Array.from({ length: 20_000 }, (_, i) => String(i)),
    )
    expect(batches.map(batch => batch.numRows)).to.deep.equal([8_192, 8_192, 3_616])
    expect(batches[2]!.data.children[0]!.values[3_615]).to.equal(19_999n)
  })

  it('has fields that are not null for required columns, and refuses NULL in them', async () => {
    const { schema } = await tableOf('INT64', ['1'], { contract: [{ required: true, unit: null }] })
    expect(schema.fields[0]!.nullable).to.equal(false)
    expect(await rejection(tableOf('INT64', ['null'], { contract: [{ required: true, unit: null }] }))).to.contain(
      'the column c is required',
    )
  })

  it('refuses NULL in required fields, but not in the record around them', async () => {
    const contract = [{ required: false, unit: null, fields: [{ required: true, json: null }] }]
    const { schema } = await tableOf('STRUCT<a INT64>', ['null'], { contract })
    expect(String(schema.fields[0]!.type.children[0]!.nullable)).to.equal('false')
    const type = [{ name: 'c', type: 'STRUCT<a INT64>' }]
    for (const format of ['arrow', 'parquet'] as const) {
      const of = (cell: string) =>
        derive(format, type, Buffer.from(`{"result":[{"c":${cell}}]}`), { ...FACTS, contract })
      expect(await rejection(of('{"a":null}')), format).to.contain('the column a is required')
      expect((await of('null')).byteLength, format).to.be.above(0)
    }
  })

  it('has the smallest and largest integers and decimals', async () => {
    // BigQuery's BIGNUMERIC takes all of 256 bits.
    const most = { INT64: 2n ** 63n, NUMERIC: 10n ** 38n, BIGNUMERIC: 2n ** 255n }
    const scales = { INT64: 0, NUMERIC: 9, BIGNUMERIC: 38 }
    for (const type of ['INT64', 'NUMERIC', 'BIGNUMERIC'] as const) {
      const limits = [-most[type], -most[type] + 1n, -1n, 0n, 1n, most[type] - 1n]
      const values = type === 'NUMERIC' ? limits.slice(1) : limits
      const texts = values.map(value => {
        const digits = String(value)
          .replace('-', '')
          .padStart(scales[type] + 1, '0')
        const [whole, fraction] = [
          digits.slice(0, digits.length - scales[type]),
          digits.slice(-scales[type] || undefined),
        ]
        return `"${value < 0n ? '-' : ''}${whole}${scales[type] === 0 ? '' : `.${fraction}`}"`
      })
      const json = Buffer.from(`{"result":[${texts.map(text => `{"c":${text}}`).join()}]}`)
      const rows = arrowRows(await derive('arrow', [{ name: 'c', type }], json, FACTS))
      expect(rows, type).to.deep.equal(values.map(value => [value]))
    }
  })

  it('refuses values that are not of the type', async () => {
    const CASES = [
      ['INT64', '1.5'],
      ['INT64', 'true'],
      ['INT64', '"9223372036854775808"'],
      ['INT64', '"-9223372036854775809"'],
      ['INT64', '"18446744073709551616"'],
      ['FLOAT64', '"x"'],
      ['NUMERIC', '1e3'],
      ['NUMERIC', '"1.0000000001"'],
      ['NUMERIC', '"170141183460469231731687303715.884105728"'],
      ['BIGNUMERIC', `"${2n ** 255n / 10n ** 38n + 1n}"`],
      ['DATE', '"2026"'],
      ['TIMESTAMP', '"later, later, later Z"'],
      ['STRING', '1'],
      ['ARRAY<INT64>', '{}'],
      ['STRUCT<a INT64>', '[1]'],
    ] as const
    for (const [type, json] of CASES) {
      expect(await rejection(tableOf(type, [json])), `${json} of ${type}`).to.match(/^JsonTextError/)
    }
    expect(await rejection(tableOf('STRUCT<', ['1']))).to.match(/^TypeError/)
  })
})

describe('parquet', () => {
  let reader: ParquetReader
  before(async () => {
    reader = await openParquetReader()
  })
  after(() => reader.close())

  const fileOf = (type: string, cells: readonly string[]): Promise<Uint8Array> => {
    const json = Buffer.from(`{"result":[${cells.map(cell => `{"c":${cell}}`).join()}]}`)
    return derive('parquet', [{ name: 'c', type }], json, FACTS)
  }

  const TYPES: readonly (readonly [type: string, duckdb: string])[] = [
    ['INT64', 'BIGINT'],
    ['FLOAT64', 'DOUBLE'],
    ['NUMERIC', 'DECIMAL(38,9)'],
    ['BIGNUMERIC', 'VARCHAR'],
    ['BOOL', 'BOOLEAN'],
    ['STRING', 'VARCHAR'],
    ['BYTES', 'BLOB'],
    ['DATE', 'DATE'],
    ['TIME', 'TIME'],
    ['DATETIME', 'TIMESTAMP'],
    ['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'],
    ['JSON', 'VARCHAR'],
    ['INTERVAL', 'VARCHAR'],
    ['STRUCT<a INT64, STRING, a DATE>', 'STRUCT(a BIGINT, _field_2 VARCHAR, a_2 DATE)'],
    ['ARRAY<STRUCT<n NUMERIC, l ARRAY<TIME>>>', 'STRUCT(n DECIMAL(38,9), l TIME[])[]'],
  ]
  for (const [type, duckdb] of TYPES) {
    it(`has ${duckdb} for ${type}, also without rows`, async () => {
      expect((await reader.types(await fileOf(type, []))).map(each => each.replaceAll('"', ''))).to.deep.equal([duckdb])
    })
  }

  it('says the least and the greatest integer of a group, and no text, which would take long to find', async () => {
    const integers = await fileOf('INT64', ['7', '"-9223372036854775808"', 'null', '8'])
    expect(await reader.bounds(integers)).to.deep.equal([['-9223372036854775808', '8']])
    expect(await reader.bounds(await fileOf('STRING', ['"a"', '"b"']))).to.deep.equal([[null, null]])
    expect(await reader.bounds(await fileOf('DATE', ['null']))).to.deep.equal([[null, null]])
  })

  it('keeps the values of many rows, in several groups', async function () {
    this.timeout(60_000)
    const type = 'STRUCT<f FLOAT64, s STRING, n NUMERIC, l ARRAY<INT64>>'
    const cells = [
      '{"f":-0,"s":"","n":"-0.000000001","l":[]}',
      '{"f":0,"s":null,"n":"99999999999999999999999999999.999999999","l":["9223372036854775807","-9223372036854775808"]}',
      'null',
      '{"f":"NaN","s":"é😀","n":null,"l":[1,1]}',
      '{"f":"-Infinity","s":"","n":"1","l":[0]}',
    ]
    const values = [
      [-0, '', -1n, []],
      [0, null, 10n ** 38n - 1n, [2n ** 63n - 1n, -(2n ** 63n)]],
      null,
      [Number.NaN, 'é😀', null, [1n, 1n]],
      [Number.NEGATIVE_INFINITY, '', 10n ** 9n, [0n]],
    ]
    const rows = Array.from({ length: 60_000 }, (_, i) => (i * 7) % 5)
    const read = await reader.read(
      await fileOf(
        type,
        rows.map(row => cells[row]!),
      ),
      [typeOf(type)],
    )
    expect(read).to.have.length(rows.length)
    // A deep comparison of all would take minutes.
    const differing = read.findIndex(([value], i) => !isDeepStrictEqual(value, values[rows[i]!]))
    expect(differing).to.equal(-1)
  })
})
