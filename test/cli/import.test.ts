import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { systemClock } from '../../runner/platform/clock.js'
import { openEngine } from '../../runner/serve/engine.js'
import { DEFAULT_SETTINGS } from '../../runner/settings/settings.js'
import { rowsFrom } from '../engines/ask-engine.js'
import { itInAll, sampleOf, sampleSize } from '../sample-size.js'
import { until } from '../until.js'
import { command, scratch } from './command.js'

const PROGRAM = 'dist/cli/main.js'
/** How often an import is killed, each time later. */
const KILLS = sampleSize(5)

const ORDERS = {
  schema: {
    fields: [
      { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
      { name: 'placed', type: 'TIMESTAMP' },
      { name: 'price', type: 'NUMERIC', precision: '10', scale: '2' },
      { name: 'who', type: 'STRING', maxLength: '8' },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
      {
        name: 'lines',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'n', type: 'FLOAT', mode: 'REQUIRED' },
          { name: 'ok', type: 'BOOLEAN' },
        ],
      },
    ],
  },
  clustering: { fields: ['who'] },
  timePartitioning: { type: 'DAY', field: 'placed' },
}
/** The same columns without those that CSV cannot hold; a bare list of fields, as `bq show --schema` prints it. */
const FLAT = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'who', type: 'STRING' },
  { name: 'day', type: 'DATE' },
]

describe('sluice import', () => {
  const folder = scratch()
  const file = (name: string, contents: string | Uint8Array): string => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), contents)
    return folder.path(name)
  }
  const flags = (data: string) => ['--tables', folder.path('tables'), '--data', folder.path(data)]
  const load = (data: string, table: string, ...rest: readonly string[]) =>
    command(['import', table, ...rest, ...flags(data)])
  /** Imports from standard input, which holds `input`. */
  const loadInput = (data: string, input: string | Uint8Array, table: string, ...rest: readonly string[]) =>
    command(['import', table, '-', ...rest, ...flags(data)], {}, input)
  const rows = async (data: string, sql: string): Promise<readonly unknown[]> => {
    const { code, out, err } = await command([
      'query',
      sql,
      '--format',
      'ndjson',
      '--max-rows',
      '100000',
      ...flags(data),
    ])
    expect(err).to.equal('')
    expect(code).to.equal(0)
    return out === ''
      ? []
      : out
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line))
  }
  const ids = async (data: string, table = 'shop.orders') =>
    (await rows(data, `SELECT id FROM ${table} ORDER BY id`)).map(row => (row as { id: number }).id)
  const imported = (data: string, table = 'orders'): readonly string[] =>
    readdirSync(folder.path(data, 'shop', table)).filter(name => /^\d{8}T/.test(name))

  before(() => {
    file('tables/shop.orders.json', JSON.stringify(ORDERS))
    file('tables/shop.flat.json', JSON.stringify(FLAT))
  })
  after(() => folder.remove())

  it('refuses a flag that is of none of the files, as tables infer does', async () => {
    const [json, csv] = [file('in/flags.ndjson', '{"id":1}\n'), file('in/flags.csv', 'id\n1\n')]
    const idle = [
      ['--delimiter', ';'],
      ['--encoding', 'UTF-16LE'],
      ['--skip-rows', '2'],
      ['--null', 'NA'],
      ['--decimal-comma'],
    ] as const
    for (const [flag, ...value] of idle) {
      const refused = {
        code: 2,
        out: '',
        err: `sluice: ${flag} says how CSV is written, and no file here is CSV: ${json}\n`,
      }
      expect(await load('idle', 'shop.flat', json, flag, ...value)).to.deep.equal(refused)
      expect(await command(['tables', 'infer', 'shop.new', json, flag, ...value, ...flags('idle')])).to.deep.equal(
        refused,
      )
    }
    expect((await load('idle', 'shop.flat', csv, '--rows', 'data')).err).to.equal(
      `sluice: --rows names a member of a JSON document, and no file here is JSON: ${csv}\n`,
    )
    expect((await load('idle', 'shop.flat', json, csv, '--delimiter', ';')).code).to.equal(0)
  })

  itInAll('takes a RECORD of 2,000 fields, on a machine of many processors too', async function () {
    this.timeout(120_000)
    const fields = Array.from({ length: 2_000 }, (_, i) => ({ name: `c${i}`, type: 'STRING' }))
    file('tables/shop.wide.json', JSON.stringify([{ name: 'r', type: 'RECORD', fields }]))
    const wide = file('in/wide.ndjson', '{"r":{"c0":"x","c1999":"y"}}\n')
    const finished = await command(['import', 'shop.wide', wide, ...flags('wide')], { SLUICE_ENGINE_THREADS: '8' })
    expect(finished).to.deep.equal({ code: 0, out: 'imported 1 row into shop.wide, in 1 file\n', err: '' })
  })

  it('reads the schema of its table alone', async () => {
    for (const [table, schema] of Object.entries({ flat: FLAT, wrong: [{ name: 'id', type: 'INTEGR' }] }))
      file(`beside/shop.${table}.json`, JSON.stringify(schema))
    const into = (table: string) =>
      command([
        'import',
        table,
        file('in/one.csv', 'id\n1\n'),
        '--tables',
        folder.path('beside'),
        '--data',
        folder.path('beside-data'),
      ])
    expect((await into('shop.flat')).code).to.equal(0)
    expect((await into('shop.wrong')).err).to.match(/did you mean "INTEGER"/)
  })

  it('types, sorts and partitions rows, and prints their number', async () => {
    const path = file(
      'in/a.ndjson',
      '\ufeff{"id":1,"placed":"2026-01-31T12:00:00Z","price":1.005,"who":"b","lines":[{"n":1.50,"ok":true},{"n":"NaN"}]}\r\n' +
        '\n{"ID":"2","Placed":1769860800,"price":"-12345678.9","who":"a","tags":["x","y"]}\r\n' +
        '{"id":3,"placed":"2026-01-29 10:00:00 America/Los_Angeles","who":"a","lines":null}\n{"id":4,"who":null}',
    )
    expect(await load('typed', 'shop.orders', path)).to.deep.equal({
      code: 0,
      out: 'imported 4 rows into shop.orders, in 3 files\n',
      err: '',
    })
    expect(await rows('typed', 'SELECT * FROM shop.orders ORDER BY id')).to.deep.equal([
      {
        id: 1,
        placed: '2026-01-31T12:00:00Z',
        price: '1.01',
        who: 'b',
        tags: [],
        lines: [
          { n: 1.5, ok: true },
          { n: 'NaN', ok: null },
        ],
      },
      { id: 2, placed: '2026-01-31T12:00:00Z', price: '-12345678.9', who: 'a', tags: ['x', 'y'], lines: [] },
      { id: 3, placed: '2026-01-29T18:00:00Z', price: null, who: 'a', tags: [], lines: [] },
      { id: 4, placed: null, price: null, who: null, tags: [], lines: [] },
    ])
    const [id = ''] = imported('typed')
    expect(readdirSync(folder.path('typed/shop/orders', id)).sort()).to.deep.equal([
      '_partition=2026-01-29',
      '_partition=2026-01-31',
      '_partition=__HIVE_DEFAULT_PARTITION__',
    ])
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const inOrder = await connection.runAndReadAll(
      `SELECT id FROM read_parquet('${folder.path('typed/shop/orders', id)}/_partition=2026-01-31/*.parquet', hive_partitioning = false)`,
    )
    expect(inOrder.getRows().flat().map(Number), 'sorted by who').to.deep.equal([2, 1])
    instance.closeSync()
  })

  const openLive = (data: string) =>
    openEngine(
      {
        ...DEFAULT_SETTINGS,
        tablesDir: folder.path('tables'),
        dataDir: folder.path(data),
        engineMemoryMb: 256,
        engineThreads: 1,
      },
      { observe: () => {}, clock: systemClock() },
    )

  it('lets a query open only the files of the partitions that it asks for', async () => {
    const engine = await openLive('typed')
    const opened = async (condition: string) => {
      const sql = `SELECT id FROM shop.orders WHERE ${condition}`
      const parameters = { t: { type: 'TIMESTAMP', value: '2026-01-30T00:00:00Z' } }
      const { plan } = await engine.explain({ sql, parameters: sql.includes('@t') ? parameters : {} })
      return /Scanning Files: (\d\/\d)/.exec(plan)?.[1] ?? 'all'
    }
    try {
      // The file of the rows without a time is always opened too: DuckDB cannot exclude it.
      expect(await opened("placed >= TIMESTAMP '2026-01-30'")).to.equal('2/3')
      expect(await opened("placed BETWEEN '2026-01-29' AND '2026-01-29 23:00:00' AND who = 'a'")).to.equal('2/3')
      expect(await opened("TIMESTAMP_SUB('2026-02-01', INTERVAL 12 HOUR) < placed")).to.equal('2/3')
      expect(await opened('placed > TIMESTAMP_ADD(@t, INTERVAL 1 HOUR)')).to.equal('2/3')
      expect(await opened("'2026-01-29 18:00:00' = placed")).to.equal('2/3')
      expect(await opened("placed >= '2026-01-01'")).to.equal('all')
      expect(await opened('id > 1')).to.equal('all')
      expect(await opened("placed >= '2026-01-30' OR id = 3")).to.equal('all')
      expect(
        await rowsFrom(engine, "SELECT o.id FROM shop.orders o, UNNEST(lines) l WHERE placed >= '2026-01-30' AND l.ok"),
      ).to.deep.equal([[1]])
      const joined =
        'SELECT a.id, b.id AS other FROM shop.orders a LEFT JOIN shop.orders b ' +
        "ON b.id = a.id AND b.placed < '2026-01-30' ORDER BY 1"
      expect(await rowsFrom(engine, joined)).to.deep.equal([
        [1, null],
        [2, null],
        [3, 3],
        [4, null],
      ])
    } finally {
      await engine.close()
    }
  })

  const zstd = async (text: string): Promise<Uint8Array> => {
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const path = folder.path('zstd.csv.zst')
    await connection.run(
      `COPY (SELECT $1) TO '${path}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01', COMPRESSION zstd)`,
      [text],
    )
    instance.closeSync()
    return readFileSync(path)
  }
  const FLAT_ROWS = [
    { id: 1, who: 'a "b",\nc', day: '2026-01-31' },
    { id: 2, who: '', day: null },
    { id: 3, who: null, day: '0001-01-01' },
  ]
  const FLAT_NDJSON = FLAT_ROWS.map(row => `${JSON.stringify(row)}\n`).join('')
  const FLAT_CSV = 'DAY,id,who\r\n2026-01-31,1,"a ""b"",\nc"\r\n,2,""\r\n0001-1-01,3,\r\n'

  it('takes NDJSON, CSV and Parquet, also compressed, from files and from standard input', async () => {
    await load('kinds', 'shop.flat', file('in/1.jsonl', FLAT_NDJSON))
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const parquet = folder.path('in/2.parquet')
    await connection.run(
      `COPY (SELECT id::INTEGER AS id, who, day FROM (VALUES (1, 'a "b",\nc', DATE '2026-01-31'), (2, '', NULL), (3, NULL, '0001-01-01')) t(id, who, day)) TO '${parquet}'`,
    )
    instance.closeSync()
    const sources: [string, Uint8Array | string][] = [
      ['in/3.csv', FLAT_CSV],
      ['in/4.ndjson.gz', Buffer.concat([gzipSync(FLAT_NDJSON.slice(0, 40)), gzipSync(FLAT_NDJSON.slice(40))])],
      ['in/5.csv.gz', gzipSync(FLAT_CSV)],
      ['in/6.ndjson.zst', await zstd(FLAT_NDJSON.trimEnd())],
    ]
    const { out, err } = await load('kinds', 'shop.flat', parquet, ...sources.map(([name, bytes]) => file(name, bytes)))
    expect(err).to.equal('')
    expect(out).to.equal('imported 15 rows into shop.flat, in 1 file\n')
    await loadInput('kinds', FLAT_CSV, 'shop.flat', '--input-format', 'csv')
    await loadInput('kinds', gzipSync(FLAT_NDJSON), 'shop.flat', '--input-format', 'ndjson.gz')
    await loadInput('kinds', readFileSync(parquet), 'shop.flat', '--input-format', 'parquet')
    const all = await rows('kinds', 'SELECT id, who, day, COUNT(*) AS n FROM shop.flat GROUP BY 1, 2, 3 ORDER BY id')
    expect(all).to.deep.equal(FLAT_ROWS.map(row => ({ ...row, n: 9 })))
  })

  itInAll('adds no row of a Parquet file whose last rows are damaged', async () => {
    const parquet = folder.path('in/damaged.parquet')
    mkdirSync(dirname(parquet), { recursive: true })
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    await connection.run(
      `COPY (SELECT i AS id, 'a name that takes some room ' || i AS who FROM range(200000) r(i)) TO '${parquet}' (ROW_GROUP_SIZE 10000)`,
    )
    instance.closeSync()
    const bytes = readFileSync(parquet)
    const at = Math.floor(bytes.length * 0.9)
    writeFileSync(parquet, bytes.fill(0xff, at, at + 2_000))
    const { code, err } = await load('damaged', 'shop.flat', parquet)
    expect(code).to.equal(1)
    expect(err.startsWith(`sluice: ${parquet}: it cannot be read as Parquet: `), err).to.equal(true)
    expect(await rows('damaged', 'SELECT COUNT(*) AS n FROM shop.flat')).to.deep.equal([{ n: 0 }])
  })

  const BAD: readonly (readonly [name: string, line: string | Uint8Array, told: string])[] = [
    [
      'a wrong type',
      '{"id":"x"}',
      '2:7: id: found "x", expected an INT64: a whole number from -9223372036854775808 to 9223372036854775807',
    ],
    ['a number out of range', '{"id":9223372036854775808}', '2:7: id: found 9223372036854775808, expected an INT64'],
    [
      'a precision that is exceeded',
      '{"id":1,"price":123456789.1}',
      '2:17: price: found 123456789.1, expected a NUMERIC(10, 2) of at most 8 digits before the point',
    ],
    [
      'a text that is too long',
      '{"id":1,"who":"123456789"}',
      '2:15: who: found "123456789", expected a STRING of at most 8 characters',
    ],
    ['an object for a text', '{"id":1,"who":{"a":1}}', '2:15: who: found an object, expected a STRING'],
    [
      'an invalid time',
      '{"id":1,"placed":"2026-02-30T00:00:00Z"}',
      '2:18: placed: found "2026-02-30T00:00:00Z", expected a TIMESTAMP like',
    ],
    [
      'a REQUIRED field that stays away',
      '{"who":"ü"}',
      '2:11: id: found nothing, expected a value: the field is REQUIRED',
    ],
    [
      'a REQUIRED field that is null, deep inside',
      '{"id":1,"lines":[{"n":1},{"n":null}]}',
      '2:31: lines[1].n: found null, expected a value',
    ],
    [
      'a NULL in a list',
      '{"id":1,"tags":["a",null]}',
      '2:21: tags[1]: found null, expected a value: a list of BigQuery holds no NULL',
    ],
    [
      'no list where one is due',
      '{"id":1,"tags":"a"}',
      '2:16: tags: found "a", expected a list, since the field is REPEATED',
    ],
    [
      'unknown fields',
      '{"id":1,"foo":{"a":[1]},"lines":[{"n":1,"bar":2}]}',
      '2:9: found the unknown fields "foo", "lines[0].bar", expected fields of the schema; --ignore-unknown leaves others out',
    ],
    [
      'a field twice',
      '{"id":1,"ID":2}',
      '2:9: id: found the field a second time: "id" and "ID" are one name, expected each field once',
    ],
    ['half a row', '{"id":1,"tags":["a"', '2:20: tags[0]: found the end of the row, expected "," or "]"'],
    ['what is not an object', '[1]', '2:1: found "[1]", expected a row, as a JSON object'],
    ['two objects', '{"id":1} {"id":2}', '2:10: found "{"id":2}", expected the end of the row'],
    [
      'a control character',
      '{"id":1,"who":"a\u0000"}',
      '2:17: who: found "\\u0000"}", expected a character that a string of JSON may have, or one of its escapes',
    ],
    [
      'half a surrogate pair',
      '{"id":1,"who":"\\ud800x"}',
      '2:16: who: found "\\ud800x"}", expected a character that a string of JSON may have, or one of its escapes',
    ],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"id":1,"who":"\xe9"}', 'latin1'),
      '2:16: found the byte 0xe9 behind "{"id":1,"who":"", expected UTF-8',
    ],
  ]
  for (const [name, line, told] of sampleOf(BAD)) {
    it(`reports ${name} with its place, and imports nothing`, async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"id":1}\n'),
        Buffer.from(line as Uint8Array),
        Buffer.from('\n{"id":3}\n'),
      ])
      const path = file('in/bad.ndjson', bytes)
      const { code, out, err } = await load('bad', 'shop.orders', path)
      expect(code).to.equal(1)
      expect(out).to.equal('')
      expect(err.split('\n')[0]!.startsWith(`${path}:${told}`), err).to.equal(true)
      expect(err).to.match(/\n1 bad row; nothing was imported\n$/)
      expect(existsSync(folder.path('bad/shop/orders/imports.json'))).to.equal(false)
    })
  }

  const BAD_CSV: readonly (readonly [name: string, text: string, told: RegExp])[] = [
    ['a cell of a wrong type', 'who,id\na,1\nb,x\n', /:3:3: id: found "x", expected an INT64/],
    [
      'a cell too many, after a record of two lines',
      'who,id\n"a\nb",1\nc,2,3\n',
      /:4:1: found 3 cells, expected 2, as the header has/,
    ],
    [
      'an empty cell of a REQUIRED column',
      'who,id\na,\n',
      /:2:3: id: found an empty cell, expected a value: the field is REQUIRED/,
    ],
    ['a quote without an end', 'who,id\n"a,1\nb,2\n', /:2:1: found a quote without an end, expected a closing quote/],
    [
      'a quote within a cell',
      'who,id\na"b,1\n',
      /:2:1: found a quote within a"b, expected quotes around the whole cell/,
    ],
    ['a NUL byte', 'who,id\na\u0000,1\n', /:2:2: found the byte \\u0000, expected text/],
  ]
  for (const [name, text, told] of sampleOf(BAD_CSV)) {
    it(`reports ${name} of CSV`, async () => {
      const { code, err } = await load('bad', 'shop.flat', file('in/bad.csv', text))
      expect(code).to.equal(1)
      expect(err).to.match(told)
    })
  }

  it('refuses a file that the table has already, whose rows would be there twice, but for --replace', async () => {
    const own = file('own/shop/orders/1.ndjson', '{"id":1}\n')
    const { code, err } = await load('own', 'shop.orders', own)
    expect([code, err.replaceAll(folder.path(), '')]).to.deep.equal([
      2,
      'sluice: /own/shop/orders/1.ndjson is a file of shop.orders, so that its rows are there already: --replace makes them the whole table\n',
    ])
    expect(await ids('own')).to.deep.equal([1])
    expect((await load('own', 'shop.orders', own, '--replace')).code).to.equal(0)
    expect(await ids('own')).to.deep.equal([1])
    const imported = readdirSync(folder.path('own/shop/orders'), { recursive: true }).map(String)
    const parquet = folder.path('own/shop/orders', imported.find(name => name.endsWith('.parquet'))!)
    expect((await load('own', 'shop.orders', parquet)).code).to.equal(2)
  })

  it('reports all bad rows of all files, up to a hundred, and counts those with one cause', async () => {
    const bad = file('in/many.ndjson', '{"id":"x"}\n{"id":1}\n'.repeat(60))
    const two = await load('bad', 'shop.orders', bad, file('in/more.ndjson', '{}\n'))
    expect(two.err.split('\n')).to.have.length(14)
    expect(two.err).to.match(
      /many\.ndjson:19:7: .*\n.*more\.ndjson:1:2: .*\nand 50 more like it; the last is .*many\.ndjson:119:7: .*\n61 bad rows; nothing was imported\n$/,
    )
    const many = await load('bad', 'shop.orders', bad, bad)
    expect(many.err.split('\n')).to.have.length(13)
    expect(many.err).to.match(/\n100 bad rows and more; nothing was imported\n$/)
  })

  it('writes bad rows unchanged to the file of --skip-bad, and imports the others', async () => {
    const bad = ['{"id":"x" }\r', ' {"id":1,"foo":1}', '{"id":1,"who":"\ufffd\\ud800"}', '{"id"']
    const path = file('in/mixed.ndjson', `{"id":1}\n${bad.join('\n{"id":2}\n')}`)
    const aside = folder.path('aside.ndjson')
    const { code, out, err } = await load('aside', 'shop.orders', path, '--skip-bad', aside)
    expect(code).to.equal(0)
    expect(err.split('\n')).to.have.length(5)
    expect(out).to.equal(`imported 4 rows into shop.orders, in 1 file; set aside 4 bad rows in ${aside}\n`)
    expect(readFileSync(aside, 'utf8')).to.equal(`${bad.join('\n')}\n`)
    expect(await ids('aside')).to.deep.equal([1, 2, 2, 2])
    const again = await load('aside', 'shop.orders', path, '--skip-bad', aside)
    expect(again).to.include({ code: 2 })
    expect(again.err).to.include('is there already')
  })

  it('refuses a file with a row that is too long for memory', async () => {
    const long = `{"id":1,"who":"${'x'.repeat(17 << 20)}"}`
    const path = file('in/long.ndjson', `{"id":1}\n${long}\n{"id":2}\n`)
    const aside = folder.path('long.ndjson')
    const { code, err } = await load('long', 'shop.orders', path, '--skip-bad', aside)
    expect(code).to.not.equal(0)
    expect(err).to.match(/long\.ndjson:2:1: found a row that is longer, expected a row of at most 16777216 bytes\n$/)
    expect(existsSync(aside)).to.equal(false)
  })

  it('reads bytes of Parquet as text where the schema has a STRING, and maps as lists', async () => {
    const parquet = folder.path('in/bytes.parquet')
    mkdirSync(dirname(parquet), { recursive: true })
    const instance = await DuckDBInstance.create()
    await (await instance.connect()).run(
      `COPY (SELECT 1::INTEGER AS id, 'k\\xC3\\xB6ln'::BLOB AS who, ['a'::BLOB] AS tags, MAP {'n': 1.5} AS m) TO '${parquet}'`,
    )
    await (await instance.connect()).run(`COPY (SELECT 1 AS id, '\\xFF'::BLOB AS who) TO '${parquet}.no.parquet'`)
    instance.closeSync()
    expect(await load('bytes', 'shop.orders', parquet, '--ignore-unknown')).to.deep.include({ code: 0, err: '' })
    expect(await rows('bytes', 'SELECT id, who, tags FROM shop.orders')).to.deep.equal([
      { id: 1, who: 'köln', tags: ['a'] },
    ])
    expect((await load('bytes', 'shop.orders', `${parquet}.no.parquet`)).err).to.include(
      'who has a value that is not UTF-8: declare it as BYTES',
    )
  })

  it('leaves out unknown fields with --ignore-unknown', async () => {
    const path = file('in/more.ndjson', '{"foo":[{"a":1}],"id":1,"lines":[{"n":1,"bar":"x"}],"foo":2}\n')
    expect((await load('more', 'shop.orders', path, '--ignore-unknown')).code).to.equal(0)
    const csv = file('in/more.csv', 'x,id\n1,2\n')
    expect((await load('more', 'shop.flat', csv)).err).to.match(
      /more\.csv: the header names an unknown column: "x"; --ignore-unknown leaves it out\n$/,
    )
    expect((await load('more', 'shop.flat', csv, '--ignore-unknown')).code).to.equal(0)
    expect(await rows('more', 'SELECT id, lines FROM shop.orders')).to.deep.equal([
      { id: 1, lines: [{ n: 1, ok: null }] },
    ])
    expect(await ids('more', 'shop.flat')).to.deep.equal([2])
  })

  it('adds rows when it runs again, and replaces the whole table only with --replace', async () => {
    const path = file('in/one.ndjson', '{"id":1}\n')
    await load('twice', 'shop.orders', path)
    await load('twice', 'shop.orders', path, '--append')
    file('twice/shop/orders.ndjson', '{"id":7}\n')
    file('twice/shop/orders/own.csv', 'id\n8\n')
    expect(await ids('twice')).to.deep.equal([1, 1, 7, 8])
    const { out } = await load('twice', 'shop.orders', file('in/two.ndjson', '{"id":2}\n'), '--replace')
    expect(out).to.equal('imported 1 row into shop.orders, in 1 file, in place of 4 imports and files\n')
    expect(await ids('twice')).to.deep.equal([2])
    expect(existsSync(folder.path('twice/shop/orders.ndjson'))).to.equal(false)
    file('twice/shop/orders.ndjson', '{"id":9}\n')
    expect(await ids('twice'), 'a new file of the name of a replaced one').to.deep.equal([2, 9])
    expect((await load('twice', 'shop.orders', path, '--replace', '--append')).code).to.equal(2)
  })

  it('shows new rows to an engine that is running', async () => {
    mkdirSync(folder.path('live'))
    const engine = await openLive('live')
    const count = async () => (await rowsFrom(engine, 'SELECT COUNT(*) AS n, MIN(id) AS low FROM shop.orders'))[0]
    try {
      expect(await count()).to.deep.equal([0, null])
      const path = file('in/live.ndjson', '{"id":5}\n{"id":6,"placed":0}\n')
      await load('live', 'shop.orders', path)
      expect(await count()).to.deep.equal([2, 5])
      await load('live', 'shop.orders', path)
      expect(await count()).to.deep.equal([4, 5])
      await load('live', 'shop.orders', file('in/live.ndjson', '{"id":4}\n'), '--replace')
      expect(await count()).to.deep.equal([1, 4])
    } finally {
      await engine.close()
    }
  })

  const spawnImport = (data: string, path: string, ...rest: readonly string[]) => {
    const child = spawn(process.execPath, [PROGRAM, 'import', 'shop.orders', path, ...rest, ...flags(data)], {
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const ended = new Promise<number | null>(resolve => void child.once('exit', resolve))
    return { child, ended, err: () => err }
  }

  itInAll('leaves the old table or the new one when it is killed, at any moment', async function () {
    this.timeout(600_000)
    const row = (id: number, i: number) =>
      `{"id":${id},"placed":${1_769_860_800 + i * 60},"who":"w${i % 7}","tags":["t"]}\n`
    const many = (id: number) => Array.from({ length: 30_000 }, (_, i) => row(id, i)).join('')
    let held = 0
    await load('killed', 'shop.orders', file('in/held.ndjson', many(0)))
    // The time that a whole import takes on this machine decides when the imports below are killed.
    const began = performance.now()
    const whole = spawnImport('killed-whole', file('in/kill.ndjson', many(0)))
    expect(await whole.ended, whole.err()).to.equal(0)
    const tookMs = performance.now() - began
    for (let round = 1; round <= KILLS; round++) {
      const path = file('in/kill.ndjson', many(round))
      const { child, ended } = spawnImport('killed', path, '--replace')
      // The kills are in the later part of that time, since Node.js starts in the first part.
      const timer = setTimeout(() => child.kill('SIGKILL'), tookMs * (0.35 + (round * 0.65) / KILLS))
      await ended
      clearTimeout(timer)
      const seen = await rows('killed', 'SELECT id, COUNT(*) AS n FROM shop.orders GROUP BY id')
      expect(seen).to.have.length(1)
      const { id, n } = seen[0] as { id: number; n: number }
      expect(n).to.equal(30_000)
      expect(id === held || id === round, `${id} after ${held} and ${round}`).to.equal(true)
      held = id
    }
    expect((await load('killed', 'shop.orders', file('in/kill.ndjson', '{"id":99}\n'), '--replace')).code).to.equal(0)
    expect(existsSync(folder.path('killed/shop/orders/.import'))).to.equal(false)
    const { imports, retired } = JSON.parse(readFileSync(folder.path('killed/shop/orders/imports.json'), 'utf8'))
    const named = [...imports, ...retired].map((entry: { id: string }) => entry.id)
    expect(imported('killed')).to.have.members(named)
  })

  itInAll('removes the files of a killed import, and nothing of the table', async () => {
    await load('left', 'shop.orders', file('in/one.ndjson', '{"id":1}\n'))
    file('left/shop/orders/20200101T000000000Z-00000000/1.parquet', 'left')
    file('left/shop/orders/.import/pieces/run-0.parquet', 'left')
    file('left/shop/orders/own.ndjson', '{"id":5}\n')
    expect(await ids('left')).to.deep.equal([1, 5])
    await load('left', 'shop.orders', folder.path('in/one.ndjson'))
    expect(imported('left')).to.have.length(2)
    expect(imported('left')).to.not.include('20200101T000000000Z-00000000')
    expect(existsSync(folder.path('left/shop/orders/.import'))).to.equal(false)
    expect(await ids('left')).to.deep.equal([1, 1, 5])
  })

  itInAll('is the only import of its table, until it ends or is killed', async function () {
    this.timeout(600_000)
    const { child, ended, err } = spawnImport('locked', '-', '--input-format', 'ndjson')
    child.stdin.write('{"id":1}\n')
    const work = folder.path('locked/shop/orders/.import/pieces')
    await until(() => existsSync(work), `an import: ${err()}`)
    const path = file('in/two.ndjson', '{"id":2}\n')
    expect(await load('locked', 'shop.orders', path)).to.deep.equal({
      code: 3,
      out: '',
      err: `sluice: another import of shop.orders is running, process ${child.pid}\n`,
    })
    child.kill('SIGKILL')
    await ended
    expect((await load('locked', 'shop.orders', path)).code).to.equal(0)
    expect(await ids('locked')).to.deep.equal([2])
  })

  const REFUSED: readonly (readonly [name: string, argv: () => readonly string[], code: number, told: RegExp])[] = [
    [
      'a table without a schema',
      () => ['shop.other', file('in/a.csv', '')],
      2,
      /no table shop\.other: its schema would be .*shop\.other\.json/,
    ],
    ['a name that tells no format', () => ['shop.flat', 'x.txt'], 2, /x\.txt: the name must end with \.ndjson/],
    ['standard input without a format', () => ['shop.flat', '-'], 2, /standard input needs --input-format/],
    [
      'an unknown format',
      () => ['shop.flat', '-', '--input-format', 'xml'],
      2,
      /--input-format xml: must be ndjson, jsonl, json, csv or tsv/,
    ],
    [
      'a file that is not there',
      () => ['shop.flat', folder.path('in/none.csv')],
      1,
      /none\.csv: it cannot be read: there is no such file or folder/,
    ],
    [
      'a folder',
      () =>
        [mkdirSync(folder.path('in/dir.csv'), { recursive: true }) ?? '', 'shop.flat', folder.path('in/dir.csv')].slice(
          1,
        ),
      1,
      /dir\.csv: it cannot be read: .*EISDIR/,
    ],
    [
      'gzip that ends too soon',
      () => ['shop.flat', file('in/cut.csv.gz', gzipSync(FLAT_CSV).subarray(0, 30))],
      1,
      /cut\.csv\.gz: its gzip cannot be read to the end/,
    ],
    [
      'what is not zstd',
      () => ['shop.flat', file('in/no.csv.zst', FLAT_CSV)],
      1,
      /no\.csv\.zst: its zstd cannot be read to the end/,
    ],
    [
      'an empty zstd file',
      () => ['shop.flat', file('in/empty.csv.zst', '')],
      1,
      /empty\.csv\.zst: its zstd cannot be read to the end \(unexpected end of file\)/,
    ],
    [
      'what is not Parquet',
      () => ['shop.flat', file('in/no.parquet', FLAT_CSV)],
      1,
      /no\.parquet: it cannot be read as Parquet: .*magic bytes/,
    ],
    [
      'a CSV column that is a list',
      () => ['shop.orders', file('in/list.csv', 'id,tags\n1,a\n')],
      1,
      /list\.csv: tags is REPEATED, which CSV cannot hold/,
    ],
    [
      'a CSV header without a REQUIRED column',
      () => ['shop.flat', file('in/h.csv', 'who\na\n')],
      1,
      /the header does not name id, which is REQUIRED/,
    ],
  ]
  for (const [name, argv, code, told] of REFUSED) {
    it(`refuses ${name}`, async () => {
      const finished = await load('refused', ...(argv() as [string, ...string[]]))
      expect(finished.err).to.match(told)
      expect(finished).to.include({ code, out: '' })
      expect(existsSync(folder.path('refused/shop/flat/imports.json'))).to.equal(false)
    })
  }
})
