import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import fc from 'fast-check'
import { inferTable } from '../../../../authoring/data/infer/infer-table.js'
import type { SchemaField } from '../../../../googlesql/index.js'
import { openEmbeddedEngine } from '../../../../runner/serve/engine.js'
import { itInAll, sampleOf, sampleSize } from '../../../sample-size.js'

const folder = mkdtempSync(join(tmpdir(), 'sluice-infer-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let written = 0
function file(ending: string, text: string | Uint8Array): string {
  const path = join(folder, `${++written}.${ending}`)
  writeFileSync(path, text)
  return path
}
const FROM = { inputFormat: null, standardInput: () => Readable.from([]), maxBadRows: 10 }
const infer = (...files: readonly string[]) => inferTable({ ...FROM, files })

async function expectFault(inferring: Promise<unknown>, message: string): Promise<void> {
  expect(await inferring.then(String, error => (error as Error).message)).to.include(message)
}

const typeText = ({ name, type, mode, fields }: SchemaField): string =>
  `${name} ${type}${mode === 'REPEATED' ? '[]' : ''}${fields ? `(${fields.map(typeText).join(', ')})` : ''}`

const nameless = (text: string): string => text.replaceAll(folder, '').replace(/\/\d+\.(ndjson|csv|parquet)/g, 'file')

interface Case {
  readonly says: string
  readonly csv?: string
  readonly rows?: string
  readonly json?: readonly string[]
  /** The fields as `name TYPE[](…)`. */
  readonly gives: string
  /** Every doubt, in order. */
  readonly doubts?: readonly string[]
}

const CASES: readonly Case[] = [
  {
    says: 'blanks and words for NULL are texts, in doubt',
    csv: 'a,b\nx,NULL\n  ,y\n',
    gives: 'a STRING, b STRING',
    doubts: [
      'a has "  " in file:3, which stays a text: where a value is missing, leave the cell empty',
      'b has "NULL" in file:2, which stays a text: where a value is missing, leave the cell empty, or in CSV give --null \'NULL\'',
    ],
  },
  {
    says: 'an empty cell in quotes is NULL where the others are numbers, and a text beside texts',
    csv: 'a,b,c\n"x","1",""\n"","2","2026-01-05"\n"y","","2026-01-06"\n',
    gives: 'a STRING, b INTEGER, c DATE',
  },
  {
    says: 'a last row with a word for a sum is doubted, with its line',
    csv: 'region,amount\nnorth,10\nTotal,10\n',
    gives: 'region STRING, amount INTEGER',
    doubts: [
      'file has "Total" in line 3, its last: if it is the sum of other rows, sums count them twice: delete it, or leave it out with WHERE',
    ],
  },
  {
    says: 'a word for a sum in another row is none',
    csv: 'a,b\nTotal,10\nTotals AG,x\n',
    gives: 'a STRING, b STRING',
    doubts: ['b is STRING, since beside numbers it has "x" in file:3'],
  },
  {
    says: 'a table that pandas wrote as one row is doubted',
    rows: '{"a":{"0":1,"1":2},"b":{"0":"x","1":"y"}}',
    gives: 'a JSON, b JSON',
    doubts: [
      'a is JSON: its key "0" looks like a value',
      'b is JSON: its key "0" looks like a value',
      "file is one row alone: if pandas wrote it, write it with to_json(orient='records', lines=True)",
    ],
  },
  {
    says: 'a decimal comma makes numbers',
    csv: 'a,b\n"1.234,50",1\n"12,5",2\n',
    gives: 'a NUMERIC, b INTEGER',
    doubts: ['file has numbers with a decimal comma ("1.234,50")'],
  },
  {
    says: 'a decimal comma beside a decimal point makes a text',
    csv: 'a,b\n"1.234,50",1.5\n"12,5",2\n',
    gives: 'a STRING, b FLOAT',
    doubts: [
      'a is STRING, since "1.234,50" in file:2 has a decimal comma: with a point, 1234.50, or in CSV with --decimal-comma, it would be a number',
    ],
  },
  {
    says: 'a comma before three digits makes a text',
    csv: 'a,b\n"2,000",1\n"13,500",2\n',
    gives: 'a STRING, b INTEGER',
    doubts: [
      'a is STRING, since "2,000" in file:2 has a comma, between thousands or before decimals: without it, or in CSV with --decimal-comma, it would be a number',
    ],
  },
  {
    says: 'commas between thousands make a text',
    csv: 'a,b,c\n"2,000","1,234,567",1\n"1,234.50","-1,000,000.5",2\n',
    gives: 'a STRING, b STRING, c INTEGER',
    doubts: [
      'a is STRING, since "1,234.50" in file:3 has commas between thousands: without them it would be a number',
      'b is STRING, since "1,234,567" in file:2 has commas between thousands: without them it would be a number',
    ],
  },
  {
    says: 'spaces between thousands make a text',
    csv: 'a;b;c\n1 234,50;1\u00a0234;030 123 456\n12,50;-12\u202f345\u202f678;040 123\n',
    gives: 'a STRING, b STRING, c STRING',
    doubts: [
      'file has cells separated by ";": if that is wrong, give --delimiter',
      'a is STRING, since "1 234,50" in file:2 has spaces between thousands: without them, and in CSV with --decimal-comma, it would be a number',
      'b is STRING, since "1\u00a0234" in file:2 has no-break spaces between thousands: without them it would be a number',
    ],
  },
  {
    says: 'a date as a country writes it is a text',
    csv: 'a,b\n05/01/2026,31.01.26\n',
    gives: 'a STRING, b STRING',
    doubts: [
      'a is STRING, since "05/01/2026" in file:2 may have the day or the month first: as 2026-01-31 it would be a DATE',
      'b is STRING, since "31.01.26" in file:2 has the day first: as 2026-01-31 it would be a DATE',
    ],
  },
  {
    says: 'a name that begins as a month does is a text',
    csv: 'a,b\nMarathon 2024,1\nMaria 1990,2\n',
    gives: 'a STRING, b INTEGER',
  },
  {
    says: 'a version is no date, and a month in words is one',
    csv: 'a,b,c\n8.0.32,Jan 1 2000,12/31/2019\n',
    gives: 'a STRING, b STRING, c STRING',
    doubts: [
      'b is STRING, since "Jan 1 2000" in file:2 has its month in words: as 2026-01-31 it would be a DATE',
      'c is STRING, since "12/31/2019" in file:2 has the month first: as 2026-01-31 it would be a DATE',
    ],
  },
  {
    says: 'spaces around values belong to them, in doubt',
    csv: 'a,b\n x,1\n',
    gives: 'a STRING, b INTEGER',
    doubts: ['a has spaces around " x" in file:2, which belong to the text: remove them from the file'],
  },
  {
    says: 'ISO times are TIMESTAMP',
    rows: '{"a":"2026-01-05T09:30:00Z"}\n{"a":"2026-01-05 09:30:00.5+01:00"}',
    gives: 'a TIMESTAMP',
  },
  { says: 'ISO dates are DATE', rows: '{"a":"2026-01-05"}\n{"a":"2024-02-29"}', gives: 'a DATE' },
  { says: 'a date that no calendar has is text', rows: '{"a":"2026-02-29"}', gives: 'a STRING' },
  {
    says: 'a time without an offset is TIMESTAMP, in doubt',
    csv: 'a\n2026-01-05T09:30:00\n',
    gives: 'a TIMESTAMP',
    doubts: [
      'a is TIMESTAMP, and its times are without an offset: they count as UTC; DATETIME is for times without a zone',
    ],
  },
  {
    says: 'dates among times are TIMESTAMP, and named',
    csv: 'a\n2026-01-05T09:30:00Z\n2026-01-06\n',
    gives: 'a TIMESTAMP',
    doubts: ['a is TIMESTAMP, and has dates without a time ("2026-01-06" in file:3), which count as midnight in UTC'],
  },
  {
    says: 'text among times makes them STRING, and is named',
    csv: 'a\n2026-01-05T09:30:00Z\nsoon\n',
    gives: 'a STRING',
    doubts: ['a is STRING, since beside times it has "soon" in file:3'],
  },
  {
    says: 'digits beyond microseconds are cut, in doubt',
    rows: '{"a":"2026-01-05T09:30:00.1234567Z"}',
    gives: 'a TIMESTAMP',
    doubts: ['a has digits beyond microseconds ("2026-01-05T09:30:00.1234567Z" in file:1), which are cut'],
  },
  {
    says: 'digits as text stay STRING, in doubt',
    rows: '{"a":"12"}\n{"a":"-3"}',
    gives: 'a STRING',
    doubts: ['a is STRING, and every value is digits in quotes: INTEGER, if it is a number'],
  },
  {
    says: 'numbers as text stay STRING, in doubt',
    rows: '{"a":"39.90"}',
    gives: 'a STRING',
    doubts: ['a is STRING, and every value is a number in quotes: NUMERIC, if it is one'],
  },
  {
    says: 'codes with an E are FLOAT',
    csv: 'sku\n12E3\n45E1\n',
    gives: 'sku FLOAT',
    doubts: ['sku is FLOAT, which reads "12E3" in file:2 as 12000: STRING, if it is a code and no number'],
  },
  {
    says: 'leading zeros in CSV are STRING',
    csv: 'zip\n1234\n01234\n',
    gives: 'zip STRING',
    doubts: ['zip is STRING, since "01234" in file:3 begins with a zero, which a number would lose'],
  },
  { says: 'a zero alone, and before a point, is a number', csv: 'a,b\n0,0.5\n-1,2\n', gives: 'a INTEGER, b FLOAT' },
  {
    says: 'numbers mixed with text are STRING, and the text is named',
    csv: 'a\n1\n2\nn/a\n',
    gives: 'a STRING',
    doubts: [
      'a is STRING, since beside numbers it has "n/a" in file:4: where a value is missing, leave the cell empty, or in CSV give --null \'n/a\'',
    ],
  },
  {
    says: 'the same in NDJSON',
    rows: '{"a":1}\n{"a":"a lot"}',
    gives: 'a STRING',
    doubts: ['a is STRING, since beside numbers it has "a lot" in file:2'],
  },
  { says: 'true and false are BOOLEAN, in CSV in any case', csv: 'a\ntrue\nFALSE\n', gives: 'a BOOLEAN' },
  {
    says: 'records and lists are nested',
    rows: '{"r":{"a":1,"l":[{"b":"x"},{"c":1.5}]},"t":["x"]}',
    gives: 'r RECORD(a INTEGER, l RECORD[](b STRING, c FLOAT)), t STRING[]',
  },
  {
    says: 'integers beyond INT64 are NUMERIC, and named',
    rows: '{"a":1}\n{"a":9223372036854775808}',
    gives: 'a NUMERIC',
    doubts: ['a is NUMERIC, since "9223372036854775808" in file:2 is beyond INT64'],
  },
  { says: 'the ends of INT64 are INTEGER', csv: 'a\n9223372036854775807\n-9223372036854775808\n', gives: 'a INTEGER' },
  {
    says: 'integers beyond NUMERIC are BIGNUMERIC',
    csv: 'a\n123456789012345678901234567890\n',
    gives: 'a BIGNUMERIC',
    doubts: ['a is BIGNUMERIC, since "123456789012345678901234567890" in file:2 is beyond NUMERIC'],
  },
  {
    says: 'integers beyond BIGNUMERIC are STRING',
    csv: 'a\n123456789012345678901234567890123456789\n',
    gives: 'a STRING',
    doubts: ['a is STRING, since no type of numbers keeps "123456789012345678901234567890123456789" in file:2'],
  },
  {
    says: 'integers that FLOAT would round are doubted',
    rows: '{"a":9007199254740993}\n{"a":0.5}',
    gives: 'a FLOAT',
    doubts: [
      'a is FLOAT, which rounds "9007199254740993" in file:1; NUMERIC keeps up to 29 digits and 9 decimals, BIGNUMERIC 38 and 38',
    ],
  },
  {
    says: 'decimals that FLOAT would round are doubted, and those that it keeps are not',
    csv: 'a,b,c\n1.5,0.30000000000000004,1e300\n123456789.123456789,1.7976931348623157e308,0.1000000000000000000\n',
    gives: 'a FLOAT, b FLOAT, c FLOAT',
    doubts: [
      'a is FLOAT, which rounds "123456789.123456789" in file:3; NUMERIC keeps up to 29 digits and 9 decimals, BIGNUMERIC 38 and 38',
    ],
  },
  {
    says: 'a number that looks like a time is doubted, with its unit',
    rows: '{"s":1767605400,"ms":1767605400000,"us":1767605400000000,"ns":1767605400000000000,"f":1767605400.5}',
    gives: 's INTEGER, ms INTEGER, us INTEGER, ns INTEGER, f FLOAT',
    doubts: [
      's is INTEGER, and looks like seconds since 1970 (the least is 2026-01-05T09:30:00Z): TIMESTAMP, if it is a time',
      'ms is INTEGER, and looks like milliseconds since 1970 (the least is 2026-01-05T09:30:00Z): TIMESTAMP, if it is a time',
      'us is INTEGER, and looks like microseconds since 1970 (the least is 2026-01-05T09:30:00Z): TIMESTAMP, if it is a time',
      'ns is INTEGER, and looks like nanoseconds since 1970 (the least is 2026-01-05T09:30:00Z): in SQL, TIMESTAMP_MICROS(DIV(…, 1000)) makes a TIMESTAMP of it',
      'f is FLOAT, and looks like seconds since 1970 (the least is 2026-01-05T09:30:00Z): TIMESTAMP, if it is a time',
    ],
  },
  {
    says: 'a column that is always null is a guess',
    rows: '{"a":null,"b":1}\n{"b":2}',
    gives: 'a STRING, b INTEGER',
    doubts: ['a is null in every row: STRING is a guess'],
  },
  {
    says: 'lists that are always empty are a guess, null in a list is doubted',
    rows: '{"a":[],"b":[1,null]}',
    gives: 'a STRING[], b INTEGER[]',
    doubts: [
      'a has only empty lists: STRING is a guess for their elements',
      'b has a list with null in it (file:1): an array in BigQuery cannot hold NULL, and import refuses such a row',
    ],
  },
  {
    says: 'what no column can hold is JSON',
    rows: '{"l":[[1]],"o":{},"m":{"x":1}}\n{"m":"q"}',
    gives: 'l JSON, o JSON, m JSON',
    doubts: [
      'l has lists within lists ("[1]" in file:1), which BigQuery does not allow: JSON keeps them',
      'o is JSON: its objects are empty',
      'm is JSON, since "{…}" in file:1 and "q" in file:2 have no type in common',
    ],
  },
  {
    says: 'objects whose keys look like values are JSON, and others are records',
    rows: [
      '{"labels":{"app":"a","app.kubernetes.io/name":"b"},"years":{"2025":1,"2026":2},"days":{"2026-01-31":1},',
      '"users":{"1f3870be-274f-4c49-b3e3-1a0c6728957f":1},"ids":[{"9e107d9d372bb6826bd81d3542a419d6":1}],"mail":{"a@b.c":1},',
      `"wide":${JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, i])))},`,
      '"r":{"x2":1,"_3":2,"deadbeef":3,"added_by":4}}',
    ].join(''),
    gives:
      'labels JSON, years JSON, days JSON, users JSON, ids JSON[], mail JSON, wide JSON, ' +
      'r RECORD(x2 INTEGER, _3 INTEGER, deadbeef INTEGER, added_by INTEGER)',
    doubts: [
      'labels is JSON: its key "app.kubernetes.io/name" looks like a value',
      'years is JSON: its key "2025" looks like a value',
      'days is JSON: its key "2026-01-31" looks like a value',
      'users is JSON: its key "1f3870be-274f-4c49-b3e3-1a0c6728957f" looks like a value',
      'ids is JSON: its key "9e107d9d372bb6826bd81d3542a419d6" looks like a value',
      'mail is JSON: its key "a@b.c" looks like a value',
      'wide is JSON: its objects have too many keys or levels for a RECORD; its keys may be values',
    ],
  },
  {
    says: 'what --json names is JSON',
    rows: '{"a":1,"r":{"x":{"y":1},"z":2},"l":[1]}',
    json: ['A', 'r.x', 'l'],
    gives: 'a JSON, r RECORD(x JSON, z INTEGER), l JSON',
  },
  {
    says: 'keys that differ only in case are one column, also in records',
    rows: '{"a":1,"r":{"Filter":{"x":1}}}\n{"A":2.5,"R":{"filter":["x"]}}',
    gives: 'a FLOAT, r RECORD(Filter JSON)',
    doubts: ['r.Filter is JSON, since "{…}" in file:1 and "[…]" in file:2 have no type in common'],
  },
  {
    says: 'times with slashes are TIMESTAMP',
    csv: 'a,b\n2015/01/31 01:00:00,2015/1/31\n',
    gives: 'a TIMESTAMP, b TIMESTAMP',
    doubts: [
      'a is TIMESTAMP, and its times are without an offset: they count as UTC',
      'b is TIMESTAMP, and its times are without an offset: they count as UTC',
    ],
  },
  {
    says: 'short dates are DATE, and times of a named zone TIMESTAMP',
    rows: '{"a":"2017-1-5","b":"2017-1-5 9:05:00 Europe/Berlin","c":"2017-01-05 09:05:00 -05:00"}',
    gives: 'a DATE, b TIMESTAMP, c TIMESTAMP',
  },
  {
    says: 'keys that cannot name columns give other names, or are left out, and are named',
    rows: '{"a.b":1,"":2,"_PARTITIONTIME":3,"x-y":4,"order":5,"größe":7}',
    gives: 'a_b INTEGER, x-y INTEGER, order INTEGER, größe INTEGER',
    doubts: [
      'a_b is the name for "a.b", which cannot name a column',
      '"" is left out: an empty key cannot name a column; name it in the file',
      '"_PARTITIONTIME" is left out: BigQuery keeps names that begin with _PARTITION; rename it in the file',
      'x-y is a name that SQL needs in backticks: `x-y`',
      'order is a name that SQL needs in backticks: `order`',
      'größe is a name that SQL needs in backticks: `größe`',
    ],
  },
  {
    says: 'one row with a list of records may be a document around the rows, which a doubt says',
    rows: '{"next":null,"Records":[{"id":1},{"id":2}]}',
    gives: 'next STRING, Records RECORD[](id INTEGER)',
    doubts: [
      'next is null in every row: STRING is a guess',
      'Records has records, and the file is one row: --rows Records reads them as rows',
    ],
  },
  {
    says: 'columns of CSV without a name of their own get one',
    csv: ',a,A,\n1,2,3,4\n',
    gives: 'column_1 INTEGER, a INTEGER, A_1 INTEGER, column_4 INTEGER',
    doubts: [
      'column_1 is the name for column 1, which has none',
      'A_1 is the name for another column "A"',
      'column_4 is the name for column 4, which has none',
    ],
  },
  {
    says: 'a record keeps all its keys',
    rows: '{"r":{"a.b":1,"@c":2},"s":{"a":1,"":2}}',
    gives: 'r RECORD(a_b INTEGER, _c INTEGER), s JSON',
    doubts: [
      'r.a_b is the name for "a.b", which cannot name a column',
      'r._c is the name for "@c", which cannot name a column',
      's is JSON: its key "" cannot be the name of a field',
    ],
  },
]

describe('the type of a column', () => {
  for (const { says, csv, rows, json, gives, doubts = [] } of CASES) {
    it(says, async () => {
      const files = [csv === undefined ? file('ndjson', rows!) : file('csv', csv)]
      const inferred = await inferTable({ ...FROM, files, ...(json && { asJson: json }) })
      expect(inferred.badRows).to.deep.equal([])
      expect(inferred.fields.map(typeText).join(', ')).to.equal(gives)
      expect(inferred.doubts.map(({ path, message }) => nameless(`${path} ${message}`))).to.deep.equal(doubts)
    })
  }

  it('has each of thousands of columns', async () => {
    const names = Array.from({ length: 1_500 }, (_, i) => `c${i}`)
    const { fields } = await infer(file('csv', `${names.join(',')}\n${names.map(() => 1).join(',')}\n`))
    expect(fields.map(({ name }) => name)).to.deep.equal(names)
    const row = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`c${i}`, i]))
    await expectFault(infer(file('ndjson', JSON.stringify(row))), 'a table has at most 10000 columns')
  })

  it('refuses a document over several lines, and names the member that may have its rows', async () => {
    const lines = 'it is one object over several lines, and a row is an object on one line; '
    const items = file('json', '{\n  "total": 2,\n  "items": [\n    {"id": 1},\n    {"id": 2}\n  ]\n}\n')
    await expectFault(infer(items), `${lines}if items has the rows, give --rows "items"`)
    const deep = file(
      'json',
      '{\n  "meta": {"tags": ["{"]},\n  "data": {\n    "my items": [\n      {"id": 1}\n    ]\n  }\n}\n',
    )
    const jq = `jq '."data"."my items"' ${deep}`
    await expectFault(infer(deep), `${lines}if my items has the rows, \`${jq}\` writes them alone`)
    await expectFault(infer(file('json', '{"a": {\n"b": 1}}\n')), `${lines}--rows NAME names the member with the rows`)
    const stream = file('json', '{\n  "a": 1\n}\n{\n  "a": 2\n}\n')
    await expectFault(infer(stream), `it has objects over several lines; \`jq -c . ${stream}\` writes each on one line`)
  })

  it('refuses a path for --json that nothing has, and Parquet', async () => {
    const path = file('ndjson', '{"a":{"b":1}}')
    const asJson = ['a.c']
    await expectFault(inferTable({ ...FROM, files: [path], asJson }), '--json a.c: no column or field has this path')
    await expectFault(inferTable({ ...FROM, files: ['x.parquet'], asJson }), '--json is for text files')
  })

  it('says how to bring a workbook, a database and a packed file', async () => {
    await expectFault(infer('a.xlsx'), 'a.xlsx: a workbook is not read: save its sheet as CSV UTF-8')
    await expectFault(infer('a.sqlite3'), "as `sqlite3 -csv -header FILE 'SELECT * FROM …'` does")
    await expectFault(infer('a.csv.xz'), 'only .gz and .zst are decompressed: unpack it first')
  })

  it('names the line of a value in a row of several lines', async () => {
    const { doubts } = await infer(file('json', '[\n  {\n    "a": 1\n  },\n  {\n    "a": "x"\n  }\n]\n'))
    expect(doubts.map(({ message }) => message).join()).to.match(/beside numbers it has "x" in \S+:6$/)
  })

  it('counts rows and nulls, within records too', async () => {
    const { rows, columns } = await infer(
      file('ndjson', '{"a":1,"r":{"x":1}}\n\n{"a":null,"r":{}}\n'),
      file('csv.gz', gzipSync('\ufeffa\r\n5\r\n""\r\n')),
    )
    expect(rows).to.equal(4)
    expect(columns.map(({ path, nulls }) => `${path} ${nulls}`)).to.deep.equal(['a 2', 'r 2', 'r.x 1'])
  })

  it('reads a second file whose rows are numbered like those of the first', async () => {
    const files = [file('ndjson', '{"id":1}\n'), file('ndjson', '{"id":2}\n')]
    expect(await infer(...files)).to.deep.include({ rows: 2, badRows: [] })
  })

  it('reports rows that cannot be read, with their places', async () => {
    const path = file('ndjson', '{"a":1}\n{"a":}\n[1]\n{"a":1,"a":2}\n')
    const { badRows } = await infer(path)
    expect(badRows.map(({ line, column, found, expected }) => `${line}:${column} ${found}, ${expected}`)).to.deep.equal(
      ['2:6 "}", a JSON value', '3:1 "[1]", a row, as a JSON object', '4:8 the key "a" a second time, each key once'],
    )
    const csv = await infer(file('csv', 'a,b\n1\n"x\n'))
    expect(csv.badRows.map(({ line, found }) => `${line} ${found}`)).to.deep.equal([
      '2 1 cell',
      '3 a quote without an end',
    ])
  })

  const UNREADABLE: readonly [says: string, files: () => readonly string[], message: RegExp][] = [
    ['no row', () => [file('ndjson', '')], /there are no rows/],
    [
      'files in two encodings',
      () => [file('csv', 'a,b\nö,1\n'), file('csv', Buffer.from('a,b\nö,1\n', 'latin1'))],
      /is Windows-1252, and .* is read as UTF-8; convert one/,
    ],
    ['a header with two names of one column', () => [file('csv', 'a.b,A/b\n1,2\n')], /"a\.b" and "A\/b" are one name/],
    ['a missing file', () => [join(folder, 'none.csv')], /there is no such file/],
    ['a missing compressed file', () => [join(folder, 'none.ndjson.zst')], /there is no such file/],
    ['no Parquet', () => [file('parquet', 'x')], /it cannot be read as Parquet: .*too small to be a Parquet file/],
    ['a truncated file', () => [file('csv.gz', gzipSync('a\n1\n').subarray(0, 12))], /not to its end|cannot be|ends/],
  ]
  for (const [says, files, message] of UNREADABLE) {
    it(`refuses ${says}`, async () => {
      const fault = await infer(...files()).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(fault).to.include({ name: 'QueryFault' })
      expect((fault as Error).message).to.match(message)
    })
  }
})

const BANK = 'Konto;Betrag;Steuer\n4000;125,50;20,08\n5000;-12,25;0,00\n'

describe('how a CSV file is written', () => {
  const FORMS: readonly {
    says: string
    csv: string | Buffer
    form: object
    gives?: string
    doubts?: readonly string[]
  }[] = [
    {
      says: 'with semicolons and a decimal comma',
      csv: BANK,
      form: { delimiter: ';', decimalComma: true },
      gives: 'Konto INTEGER, Betrag NUMERIC, Steuer NUMERIC',
      doubts: [
        'has cells separated by ";": if that is wrong, give --delimiter',
        'has numbers with a decimal comma ("125,50")',
      ],
    },
    {
      says: 'with semicolons and points that may be between thousands',
      csv: 'a;b;c\n1;2.000;0.250\n2;13.500;1.5\n3;7;0.125\n',
      form: { delimiter: ';' },
      gives: 'a INTEGER, b FLOAT, c FLOAT',
      doubts: [
        'has cells separated by ";": if that is wrong, give --delimiter',
        'has numbers like "2.000": if that is 2000, give --decimal-comma',
      ],
    },
    {
      says: 'with the line in which Excel is told the separator',
      csv: 'sep=;\r\na;b\r\n1;2,5\r\n',
      form: { delimiter: ';', skipLeadingRows: 2, decimalComma: true },
      gives: 'a INTEGER, b NUMERIC',
    },
    {
      says: 'with that line for another separator',
      csv: 'sep=|\na|b|c\n1;1|2|3\n',
      form: { delimiter: '|', skipLeadingRows: 2 },
      gives: 'a STRING, b INTEGER, c INTEGER',
    },
    { says: 'in the usual way', csv: 'a,b\nx;y,1\nz,2\n', form: {}, gives: 'a STRING, b INTEGER' },
    { says: 'with one column', csv: 'text\nx; y\nz; w\n', form: {}, gives: 'text STRING' },
    {
      says: 'with tabs',
      csv: 'a\tb\n1,5\tx\n',
      form: { delimiter: '\t', decimalComma: true },
      gives: 'a NUMERIC, b STRING',
    },
    { says: 'with bars', csv: 'a|b\n1|x, y\n', form: { delimiter: '|' }, gives: 'a INTEGER, b STRING' },
    {
      says: 'with a title',
      csv: 'Sales of the year\n\na;b;c\n1;2;3\n',
      form: { delimiter: ';', skipLeadingRows: 3 },
      gives: 'a INTEGER, b INTEGER, c INTEGER',
      doubts: [
        'has cells separated by ";": if that is wrong, give --delimiter',
        'has its header in line 3, and the lines above it are passed over: if that is wrong, give --skip-rows',
      ],
    },
    {
      says: 'with a title, and two columns with tabs',
      csv: 'Sales of the year\r\n\r\na\tb\r\nx\t1\r\ny\t2\r\n',
      form: { delimiter: '\t', skipLeadingRows: 3 },
      gives: 'a STRING, b INTEGER',
    },
    { says: 'with the title of a spreadsheet', csv: 'Sales,,\na,b,c\n1,2,3\n', form: { skipLeadingRows: 2 } },
    { says: 'with comments', csv: '# made by x\n# of 2026\na,b\n1,2\n', form: { skipLeadingRows: 3 } },
    {
      says: 'without a header',
      csv: 'x,1,2026-01-01\ny,2,2026-01-02\n',
      form: { skipLeadingRows: 0 },
      gives: 'column_1 STRING, column_2 INTEGER, column_3 DATE',
      doubts: ['has no header, since "1" in its first line looks like a value: if it has one, give --skip-rows 1'],
    },
    {
      says: 'without a header, with a decimal comma',
      csv: '4000;125,50\n5000;-12,25\n',
      form: { delimiter: ';', skipLeadingRows: 0, decimalComma: true },
      gives: 'column_1 INTEGER, column_2 NUMERIC',
    },
    {
      says: 'with years as names',
      csv: 'country,2019,2020\nDE,1,2\n',
      form: {},
      doubts: ['has a column named "2019": if the first line is a row, give --skip-rows 0'],
    },
    {
      says: 'in Windows-1252',
      csv: Buffer.from('a,b\nK\xf6ln,1\n', 'latin1'),
      form: { encoding: 'Windows-1252' },
      doubts: ['is read as Windows-1252, since it is not UTF-8: if that is wrong, give --encoding'],
    },
    {
      says: 'in UTF-16',
      csv: Buffer.from('\ufeffa;b\nö;1\n', 'utf16le'),
      form: { encoding: 'UTF-16LE', delimiter: ';' },
    },
    {
      says: 'with the names of rows, as R writes them',
      csv: 'mpg\tcyl\nMazda RX4\t21\t6\nValiant\t18.1\t6\n',
      form: { delimiter: '\t' },
      gives: 'mpg FLOAT, cyl INTEGER, column_1 STRING',
    },
    {
      says: 'with titles and notes of a statistics office',
      csv: 'People;;\n;2023;2024\nBremen;691703;:\nBayern;13435062;13248928\n____;;\nAs of 2026;;\n',
      form: { delimiter: ';', skipLeadingRows: 2 },
      doubts: [
        'has cells separated by ";": if that is wrong, give --delimiter',
        'has its header in line 2, and the lines above it are passed over: if that is wrong, give --skip-rows',
        'has one cell a line from line 5 to its end: if these are notes, delete them, since each is read as a row',
      ],
    },
    {
      says: 'of CloudFront, whose comments name the columns',
      csv: '#Version: 1.0\n#Fields: date cs-method sc-bytes\n2025-12-01\tGET\t88\n2025-12-01\tPOST\t47\n',
      form: { delimiter: '\t', skipLeadingRows: 2 },
      gives: 'date DATE, cs-method STRING, sc-bytes INTEGER',
    },
    {
      says: 'of IIS, with spaces',
      csv: '#Software: Internet Services\n#Fields: date time sc-status\n2025-05-02 17:42:00 200\n2025-05-02 17:42:01 400\n',
      form: { delimiter: ' ', skipLeadingRows: 2 },
      gives: 'date DATE, time STRING, sc-status INTEGER',
    },
    {
      says: 'of IIS, with one row',
      csv: '#Software: Internet Services 10\n#Date: 2025-05-02 17:42:00\n#Fields: date time sc-status\n2025-05-02 17:42:00 200\n',
      form: { delimiter: ' ', skipLeadingRows: 3 },
      gives: 'date DATE, time STRING, sc-status INTEGER',
    },
    {
      says: 'of CloudFront, with tabs between the names and no row',
      csv: '#Version: 1.0\n#Fields:\tdate\ttime\tsc-bytes\n',
      form: { delimiter: '\t', skipLeadingRows: 2 },
      gives: 'date STRING, time STRING, sc-bytes STRING',
    },
    {
      says: 'with a delimiter at the end of each row, and none behind the names',
      csv: 'a;b;c\n10;20;x;\n40;50;y;\n',
      form: { delimiter: ';' },
      gives: 'a INTEGER, b INTEGER, c STRING',
    },
    {
      says: 'with commas, and a name like a line of logs',
      csv: '#Fields: a,b\n1,2\n3,4\n',
      form: {},
      gives: '#Fields: a INTEGER, b INTEGER',
    },
    {
      says: 'with a decimal comma, and a point in times of day, which are no seconds since 1970',
      csv: 'time;temp\n08.30;1,5\n09.15;2,5\n',
      form: { delimiter: ';', decimalComma: true },
      gives: 'time STRING, temp NUMERIC',
    },
    { says: 'with thousands', csv: 'a;b\n1,234;x\n', form: { delimiter: ';' }, gives: 'a STRING, b STRING' },
  ]
  for (const { says, csv, form, gives, doubts } of FORMS) {
    it(`is found: ${says}`, async () => {
      const path = file('csv', csv)
      const inferred = await infer(path)
      expect(inferred.badRows).to.deep.equal([])
      expect(inferred.textForm).to.deep.equal(form)
      if (gives !== undefined) expect(inferred.fields.map(typeText).join(', ')).to.equal(gives)
      const found = inferred.doubts.filter(doubt => doubt.path === path).map(({ message }) => message)
      if (doubts) expect(found).to.deep.equal(doubts)
    })
  }

  it('is that of the bulk of the lines, below a title and above a note, which is a bad row', async () => {
    const { textForm, badRows } = await infer(
      file('csv', 'Population\nregion;2020;2021\nnorth;10;11\nsouth;20;21\nSource: office, 2025\n'),
    )
    expect(textForm).to.deep.equal({ delimiter: ';', skipLeadingRows: 2 })
    expect(badRows.map(({ line, found, expected }) => `${line} ${found}, ${expected}`)).to.deep.equal([
      '5 1 cell, 3, as the header has; if it is a note, delete the line',
    ])
  })

  it('has tabs in a .tsv whose cells have as many commas', async () => {
    const { fields } = await infer(file('tsv', 'freq,unit,geo\t2019\nA,NR,AT\t1\nA,NR,DE\t2\n'))
    expect(fields.map(typeText)).to.deep.equal(['freq_unit_geo STRING', '2019 INTEGER'])
  })

  it('is refused where rows without a header are below other lines, unless a flag says otherwise', async () => {
    const path = file('csv', 'Report of 2025\n\n2025-12-01,GET,88\n2025-12-02,PUT,47\n')
    await expectFault(infer(path), 'line 3 looks like a row, since it has "2025-12-01", and the lines above it name no')
    const { fields } = await inferTable({ ...FROM, files: [path], textForm: { skipLeadingRows: 3 } })
    expect(fields.map(({ name }) => name)).to.deep.equal(['2025-12-01', 'GET', '88'])
  })

  for (const title of ['', 'Sales by month\n\n'])
    it(`has dates above numbers as its names${title && ', also below a title'}`, async () => {
      const { rows, fields } = await infer(file('csv', `${title}country,2026-01-01,2026-02-01\nAT,1,2\nDE,3,4\n`))
      expect(fields.map(({ name }) => name)).to.deep.equal(['country', '2026-01-01', '2026-02-01'])
      expect(rows).to.equal(2)
    })

  it('has one encoding for all files', async () => {
    const [latin, utf8] = [file('csv', Buffer.from('a,b\nM\xfcnchen,1\n', 'latin1')), file('csv', 'a,b\nKöln,1\n')]
    const ascii = file('csv', 'a,b\nx,1\n')
    await expectFault(infer(utf8, latin), 'convert one, since all files of a table have one encoding')
    await expectFault(infer(ascii, latin), 'give --encoding Windows-1252')
    const { doubts } = await inferTable({ ...FROM, files: [latin, utf8], textForm: { encoding: 'Windows-1252' } })
    expect(doubts).to.deep.equal([
      {
        path: utf8,
        message: 'is UTF-8: --encoding Windows-1252 makes others of its letters beyond ASCII, so leave it out',
      },
    ])
  })

  it('has texts in quotes where a flag names a word for NULL', async () => {
    const textForm = { nullMarkers: ['', ':'] } as const
    const { doubts } = await inferTable({ ...FROM, files: [file('csv', 'a\n1\n:\n":"\n')], textForm })
    expect(doubts.map(({ message }) => nameless(message))).to.deep.equal([
      'is STRING, since beside numbers it has ":" in file:4',
    ])
  })

  it('is as the flags say', async () => {
    const textForm = { delimiter: ',', skipLeadingRows: 1, decimalComma: false, nullMarkers: ['', 'NA'] } as const
    const inferred = await inferTable({ ...FROM, files: [file('csv', '4000,x\nNA,2;5\n')], textForm })
    expect(inferred.textForm).to.deep.equal(textForm)
    expect(inferred.fields.map(typeText)).to.deep.equal(['4000 STRING', 'x STRING'])
  })
})

describe('the columns of Parquet files', () => {
  const CASES: readonly [sql: string, gives: string, doubts: readonly string[]][] = [
    [
      "1::INTEGER AS a, 'x' AS b, DATE '2026-01-05' AS c, 1.5::DOUBLE AS d, true AS e",
      'a INTEGER, b STRING, c DATE, d FLOAT, e BOOLEAN',
      [],
    ],
    ["TIMESTAMPTZ '2026-01-05 00:00:00+00' AS a, TIMESTAMP '2026-01-05 00:00:00' AS b", 'a TIMESTAMP, b DATETIME', []],
    ["[{'k': 1}] AS a", 'a RECORD[](k INTEGER)', []],
    [
      '5::UBIGINT AS a',
      'a INTEGER',
      ['a is INTEGER, since every value of its type UBIGINT is an INT64; a later file may have others'],
    ],
    [
      '18446744073709551615::UBIGINT AS a',
      'a NUMERIC',
      ['a is NUMERIC, since its type UBIGINT has values beyond INT64'],
    ],
    [
      "MAP {'x': 1} AS a",
      'a RECORD[](key STRING, value INTEGER)',
      ['a is a map: its entries are records of key and value'],
    ],
    [
      '1.5::DECIMAL(38, 20) AS a',
      'a NUMERIC',
      ['a is NUMERIC, since every value of its type DECIMAL(38,20) is one; a later file may have others'],
    ],
    [
      '123456789012345678901234567890123.5::DECIMAL(38, 5) AS a',
      'a BIGNUMERIC',
      ['a is BIGNUMERIC, since its type DECIMAL(38,5) has values that NUMERIC would round'],
    ],
    [
      '1.00000000000000000001::DECIMAL(38, 20) AS a',
      'a BIGNUMERIC',
      ['a is BIGNUMERIC, since its type DECIMAL(38,20) has values that NUMERIC would round'],
    ],
    ["TIMESTAMP_NS '2026-01-05 00:00:00.000001' AS a", 'a DATETIME', []],
    [
      "TIMESTAMP_NS '2026-01-05 00:00:00.000000001' AS a",
      'a DATETIME',
      ['a has digits beyond microseconds in 1 row, which are cut'],
    ],
    ["'k'::BLOB AS a", 'a BYTES', ['a is BYTES, and every value is UTF-8: STRING, if they are texts']],
    ["'\\xFF'::BLOB AS a", 'a BYTES', []],
    [
      "1 AS \"Body Mass (g)\", {'a.b': [{'1()': 2}]} AS r",
      'Body_Mass__g_ INTEGER, r RECORD(a_b RECORD[](_1__ INTEGER))',
      ['Body_Mass__g_ is the name for "Body Mass (g)", which cannot name a column'],
    ],
    ['[[1]] AS a', 'a JSON', ['a is JSON: its type INTEGER[][] has no equivalent in GoogleSQL']],
  ]
  for (const [sql, gives, doubts] of sampleOf(CASES)) {
    it(`${sql}: ${gives}`, async () => {
      const path = await parquet(sql)
      const inferred = await infer(path)
      expect(inferred.fields.map(typeText).join(', ')).to.equal(gives)
      expect(inferred.doubts.map(({ path, message }) => `${path} ${message}`)).to.deep.equal(doubts)
      const engine = await openEmbeddedEngine({ tables: { t: { schema: inferred.fields, files: [path] } } })
      try {
        const { rows } = await engine.query('SELECT * FROM `t`')
        expect(rows).to.have.length(1)
        expect(rows[0]).to.not.include(null)
      } finally {
        await engine.close()
      }
    })
  }

  it('are lists, of which those with NULL are doubted', async () => {
    const { fields, doubts } = await infer(await parquet('[1, NULL] AS a, [1]::INTEGER[1] AS b, []::INTEGER[] AS c'))
    expect(fields.map(typeText)).to.deep.equal(['a INTEGER[]', 'b INTEGER[]', 'c INTEGER[]'])
    expect(doubts).to.deep.equal([
      {
        path: 'a',
        message: 'has a list with NULL in it, which an array in BigQuery cannot hold: a query that returns it fails',
      },
    ])
  })

  it('are refused where two have one name', async () => {
    const twice = 'is in the file twice: "a.b" and "a_b" are one name'
    const top = await parquet('1 AS "a.b", 2 AS a_b')
    await expectFault(infer(top), `a_b ${twice}`)
    const within = await parquet("{'a.b': 1, 'a_b': 2} AS r")
    const a_b = { name: 'a_b', type: 'INTEGER' }
    const tables = {
      top: { schema: [a_b], files: [top] },
      within: { schema: [{ name: 'r', type: 'RECORD', fields: [a_b] }], files: [within] },
    }
    const engine = await openEmbeddedEngine({ tables })
    try {
      await expectFault(engine.query('SELECT * FROM `top`'), `top.a_b ${twice}`)
      await expectFault(engine.query('SELECT * FROM `within`'), `within.r.a_b ${twice}`)
    } finally {
      await engine.close()
    }
  })

  it('of two files have a type that holds both', async () => {
    const both = await infer(await parquet('1 AS a, 1 AS b'), await parquet('1.5::DOUBLE AS a'))
    expect(both.fields.map(typeText)).to.deep.equal(['a FLOAT', 'b INTEGER'])
    expect(both.columns.map(({ path, nulls }) => `${path} ${nulls}`)).to.deep.equal(['a 0', 'b 1'])
  })

  it('of two files have the fields of both records', async () => {
    const files = [
      await parquet("{'x': 1, 'in': {'a': 1}} AS s"),
      await parquet("{'y': 'q', 'X': 1.5::DOUBLE, 'in': {'b': DATE '2026-01-31'}} AS s"),
    ]
    const { fields } = await infer(...files)
    expect(fields.map(typeText)).to.deep.equal(['s RECORD(x FLOAT, in RECORD(a INTEGER, b DATE), y STRING)'])
    const engine = await openEmbeddedEngine({ tables: { t: { schema: fields, files } } })
    try {
      const { rows } = await engine.query('SELECT s.x, s.in.a, s.in.b, s.y FROM `t` ORDER BY x')
      expect(rows).to.deep.equal([
        [1, 1, null, null],
        [1.5, null, '2026-01-31', 'q'],
      ])
    } finally {
      await engine.close()
    }
  })

  const PAIRS: readonly [one: string, other: string, gives: string, doubts: readonly string[], values: string][] = [
    [
      '1.00000000000000000001::DECIMAL(38, 20) AS a',
      '1.5::DECIMAL(9, 2) AS a',
      'a BIGNUMERIC',
      [
        'a is BIGNUMERIC, since it is BIGNUMERIC in file and NUMERIC in file',
        'a is BIGNUMERIC, since its type DECIMAL(38,20) has values that NUMERIC would round',
      ],
      '1.00000000000000000001 1.5',
    ],
    [
      '5::UBIGINT AS a',
      '1.5::DOUBLE AS a',
      'a FLOAT',
      ['a is FLOAT, since it is INTEGER in file and FLOAT in file'],
      '5 1.5',
    ],
    [
      "DATE '2026-01-05' AS a",
      "TIMESTAMP '2026-01-06 12:00:00' AS a",
      'a DATETIME',
      ['a is DATETIME, since it is DATE in file and DATETIME in file'],
      '2026-01-05T00:00:00 2026-01-06T12:00:00',
    ],
    [
      "DATE '2026-01-05' AS a",
      "TIMESTAMPTZ '2026-01-06 12:00:00+00' AS a",
      'a TIMESTAMP',
      ['a is TIMESTAMP, since it is DATE in file and TIMESTAMP in file'],
      '2026-01-05T00:00:00Z 2026-01-06T12:00:00Z',
    ],
    [
      "'k'::BLOB AS a",
      "'l'::BLOB AS a",
      'a BYTES',
      ['a is BYTES, and every value is UTF-8: STRING, if they are texts'],
      'aw== bA==',
    ],
  ]
  for (const [one, other, gives, doubts, values] of sampleOf(PAIRS)) {
    it(`of two files are read: ${one} and ${other}`, async () => {
      const files = [await parquet(one), await parquet(other)]
      const inferred = await infer(...files)
      expect(inferred.fields.map(typeText)).to.deep.equal([gives])
      expect(inferred.doubts.map(({ path, message }) => nameless(`${path} ${message}`))).to.deep.equal(doubts)
      const engine = await openEmbeddedEngine({ tables: { t: { schema: inferred.fields, files } } })
      try {
        const { rows } = await engine.query('SELECT a FROM `t`')
        expect(rows.flat().join(' ')).to.equal(values)
      } finally {
        await engine.close()
      }
    })
  }

  async function parquet(sql: string): Promise<string> {
    const path = join(folder, `${++written}.parquet`)
    const instance = await DuckDBInstance.create()
    await (await instance.connect()).run(`COPY (SELECT ${sql}) TO '${path}' (FORMAT parquet)`)
    instance.closeSync()
    return path
  }
})

describe('what is inferred', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('', '007', '12', 'true', 'n/a', '1.50', 'NaN', '-'),
  )
  const time = fc
    .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map(date => date.toISOString())
  const SCALARS: readonly fc.Arbitrary<unknown>[] = [
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (Object.is(value, -0) ? 0 : value)),
    fc.boolean(),
    text,
    time,
    time.map(value => value.slice(0, 10)),
    fc.oneof(fc.integer({ min: -999, max: 999 }), text),
  ]
  const column: fc.Arbitrary<fc.Arbitrary<unknown>> = fc.constantFrom(...SCALARS)
  const nullable = (values: fc.Arbitrary<unknown>) => fc.option(values, { nil: null, freq: 4 })

  const tableOf = column.chain(a =>
    column.chain(b =>
      column.chain(c =>
        fc.array(
          fc.record({
            a: nullable(a),
            l: fc.array(b, { maxLength: 3 }),
            r: nullable(fc.record({ c: nullable(c), n: fc.array(fc.record({ b: nullable(b) }), { maxLength: 2 }) })),
          }),
          { minLength: 1, maxLength: 8 },
        ),
      ),
    ),
  )

  itInAll('loads, and queries give the values of the file', async function () {
    this.timeout(120_000)
    const samples = fc.sample(tableOf, { numRuns: sampleSize(60), seed: 16 })
    const tables: Record<string, { schema: readonly SchemaField[]; files: readonly string[] }> = {}
    for (const [i, rows] of samples.entries()) {
      const path = file('ndjson', rows.map(row => `${JSON.stringify(row)}\n`).join(''))
      const { fields, badRows } = await infer(path)
      expect(badRows).to.deep.equal([])
      tables[`t${i}`] = { schema: fields, files: [path] }
    }
    const engine = await openEmbeddedEngine({ tables })
    try {
      for (const [i, rows] of samples.entries()) {
        const { schema } = tables[`t${i}`]!
        const { columns, rows: found } = await engine.query(`SELECT * FROM \`t${i}\``)
        const objects = found.map(values => Object.fromEntries(columns.map(({ name }, at) => [name, values[at]])))
        expect(objects, JSON.stringify(schema)).to.deep.equal(rows.map(row => expectedRecord(row, schema)))
      }
    } finally {
      await engine.close()
    }
  })

  itInAll('loads from CSV too', async function () {
    this.timeout(120_000)
    const cell = fc.constantFrom(...SCALARS).chain(values => fc.array(nullable(values), { minLength: 1, maxLength: 8 }))
    const samples = fc.sample(cell, { numRuns: sampleSize(60), seed: 16 }).map(values => values.map(cellText))
    const tables: Record<string, { schema: readonly SchemaField[]; files: readonly string[] }> = {}
    for (const [i, cells] of samples.entries()) {
      const path = file('csv', `n,a\n${cells.map((text, n) => `${n},${quotedCell(text)}\n`).join('')}`)
      const { fields, badRows } = await infer(path)
      expect(badRows).to.deep.equal([])
      tables[`t${i}`] = { schema: fields, files: [path] }
    }
    const engine = await openEmbeddedEngine({ tables })
    try {
      for (const [i, cells] of samples.entries()) {
        const type = tables[`t${i}`]!.schema[1]!.type
        const { rows } = await engine.query(`SELECT a FROM \`t${i}\` ORDER BY n`)
        expect(
          rows.map(([value]) => value),
          type,
        ).to.deep.equal(
          cells.map(text => (text === null || (text === '' && type !== 'STRING') ? null : fromCell(text, type))),
        )
      }
    } finally {
      await engine.close()
    }
  })
})

const cellText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'string' ? value.replace(/[\r\0]/g, ' ') : String(value)
const quotedCell = (text: string | null): string => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)

function fromCell(text: string, type: string): unknown {
  if (type === 'BOOLEAN') return text.toLowerCase() === 'true'
  if (type === 'INTEGER' || type === 'FLOAT') return numberOf(Number(text))
  return type === 'TIMESTAMP' ? timeOf(text) : text
}

function expectedRecord(record: object, fields: readonly SchemaField[]): Record<string, unknown> {
  const values = record as Readonly<Record<string, unknown>>
  return Object.fromEntries(fields.map(field => [field.name, expectedValue(values[field.name] ?? null, field)]))
}

function expectedValue(value: unknown, field: SchemaField): unknown {
  if (field.mode === 'REPEATED') {
    return ((value ?? []) as readonly unknown[]).map(item => expectedValue(item, { ...field, mode: 'NULLABLE' }))
  }
  if (value === null) return null
  switch (field.type) {
    case 'RECORD':
      return expectedRecord(value as object, field.fields!)
    case 'INTEGER':
    case 'FLOAT':
      return numberOf(value as number)
    case 'TIMESTAMP':
      return timeOf(value as string)
    case 'STRING':
      return String(value)
    default:
      return value
  }
}

const numberOf = (value: number): number => (Object.is(value, -0) ? 0 : value)
/** As results write it: without trailing zeros behind the point. */
const timeOf = (text: string): string => text.replace(/\.?0*Z$/, match => (match.startsWith('.') ? 'Z' : match))
