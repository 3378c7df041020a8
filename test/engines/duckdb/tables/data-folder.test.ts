import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import type { SchemaField } from '../../../../googlesql/tables.js'
import { fieldsToColumns } from '../../../../googlesql/tables.js'
import { translate } from '../../../../googlesql-duckdb/translate.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'
import { itInAll } from '../../../sample-size.js'
import { openRawEngine, type RawEngine, scratchFolder, source } from '../raw-engine.js'

const EDGE: readonly SchemaField[] = [
  { name: 'id', type: 'STRING' },
  { name: 'at', type: 'TIMESTAMP' },
  {
    name: 'metadata',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      { name: 'status', type: 'INTEGER' },
      { name: 'request', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'path', type: 'STRING' }] },
    ],
  },
]
/** The schema of a table with one column of this type. */
const BLOCKS: readonly SchemaField[] = [
  { name: 'id', type: 'STRING' },
  { name: 'n', type: 'INTEGER' },
]
const single = (type: string, mode = 'NULLABLE', fields?: readonly SchemaField[]): readonly SchemaField[] => [
  { name: 'x', type, mode, ...(fields ? { fields } : {}) },
]

async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    expect(error).to.be.instanceOf(RunnerError)
    expect((error as RunnerError).code).to.equal('QUERY_FAILED')
    expect((error as RunnerError).detail).to.equal('The query failed')
    expect((error as RunnerError).cause).to.be.instanceOf(QueryFault)
    return ((error as RunnerError).cause as QueryFault).message
  }
  expect.fail('it did not fail')
}

describe('the data folder', () => {
  const scratch = scratchFolder()
  const write = (name: string, contents: string | Uint8Array): void => {
    const path = join(scratch.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
  const duckdb = async (sql: string): Promise<void> => {
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    await connection.run(sql)
    instance.closeSync()
  }
  let raw: RawEngine
  const typed: {
    name: string
    type: string
    mode?: string
    fields?: readonly SchemaField[]
    lines: string
    is: unknown[]
  }[] = [
    {
      name: 'INT64 as number or text',
      type: 'INTEGER',
      lines: '1 "22" -3 null 9007199254740993 "9223372036854775807" 4.0',
      is: [1, 22, -3, null, '9007199254740993', '9223372036854775807', 4],
    },
    {
      name: 'FLOAT64 with the three that are not numbers',
      type: 'FLOAT',
      lines: '1.5 2 "NaN" "Infinity" "-Infinity" "0.25"',
      is: [1.5, 2, 'NaN', 'Infinity', '-Infinity', 0.25],
    },
    {
      name: 'NUMERIC exactly',
      type: 'NUMERIC',
      lines: '1.10 "123456789012345678.123456789" 12 0.1234567891 "-0.5"',
      is: ['1.1', '123456789012345678.123456789', '12', '0.123456789', '-0.5'].map(x => x),
    },
    { name: 'BOOL', type: 'BOOLEAN', lines: 'true false null "true"', is: [true, false, null, true] },
    {
      name: 'STRING, numbers kept as text',
      type: 'STRING',
      lines: '"a\\u0000b" "" 12 null "ü\\n"',
      is: ['a\0b', '', '12', null, 'ü\n'],
    },
    { name: 'BYTES as base64', type: 'BYTES', lines: '"aGk=" "" null', is: ['aGk=', '', null] },
    {
      name: 'DATE',
      type: 'DATE',
      lines: '"2026-01-31" "0001-01-01" "9999-12-31"',
      is: ['2026-01-31', '0001-01-01', '9999-12-31'],
    },
    { name: 'TIME', type: 'TIME', lines: '"12:34:56" "00:00:00.5"', is: ['12:34:56', '00:00:00.500'] },
    {
      name: 'DATETIME',
      type: 'DATETIME',
      lines: '"2026-01-31T12:00:00.123456" "2026-01-31 12:00:00" "2026-01-31"',
      is: ['2026-01-31T12:00:00.123456', '2026-01-31T12:00:00', '2026-01-31T00:00:00'],
    },
    {
      name: 'TIMESTAMP as text, with an offset or in UTC',
      type: 'TIMESTAMP',
      lines:
        '"2026-01-31T12:00:00.123456Z" "2026-01-31 12:00:00 UTC" "2026-01-31 12:00:00" "2026-01-31T12:00:00+05:30" "2026-01-31 12:00:00 +01" "2026-01-31" "2023-03-23T14:34:17.643993277+00:00" "0001-01-01T00:00:00Z"',
      is: [
        '2026-01-31T12:00:00.123456Z',
        '2026-01-31T12:00:00Z',
        '2026-01-31T12:00:00Z',
        '2026-01-31T06:30:00Z',
        '2026-01-31T11:00:00Z',
        '2026-01-31T00:00:00Z',
        '2023-03-23T14:34:17.643993Z',
        '0001-01-01T00:00:00Z',
      ],
    },
    {
      name: 'TIMESTAMP as a number: microseconds, milliseconds or seconds by its size, seconds with a fraction',
      type: 'TIMESTAMP',
      lines: '1685000000123456 1685000000123 1685000000 1685000000.123456 "1685000000123456" 0 -1',
      is: [
        '2023-05-25T07:33:20.123456Z',
        '2023-05-25T07:33:20.123Z',
        '2023-05-25T07:33:20Z',
        '2023-05-25T07:33:20.123456Z',
        '2023-05-25T07:33:20.123456Z',
        '1970-01-01T00:00:00Z',
        '1969-12-31T23:59:59Z',
      ],
    },
    {
      name: 'JSON of every kind',
      type: 'JSON',
      lines: '{"b":[1.0,null],"a":1} "text" 12 [true] null',
      is: [{ a: 1, b: [1, null] }, 'text', 12, [true], null],
    },
    {
      name: 'ARRAY, empty where it is null or missing',
      type: 'INTEGER',
      mode: 'REPEATED',
      lines: '[1,"2"] [] null',
      is: [[1, 2], [], []],
    },
    {
      name: 'STRUCT by its keys, in any case',
      type: 'RECORD',
      fields: [
        { name: 'camelCase', type: 'STRING' },
        { name: 'n', type: 'INTEGER' },
        { name: '_field_3', type: 'DATE' },
      ],
      lines: '{"CAMELCASE":"x","n":"1"} {"_field_3":"2026-01-31"} null',
      is: [{ camelCase: 'x', n: 1, _field_3: null }, { camelCase: null, n: null, _field_3: '2026-01-31' }, null],
    },
    {
      name: 'STRUCTs in ARRAYs in STRUCTs',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        {
          name: 'r',
          type: 'RECORD',
          mode: 'REPEATED',
          fields: [
            { name: 'at', type: 'TIMESTAMP' },
            { name: 'tags', type: 'STRING', mode: 'REPEATED' },
          ],
        },
      ],
      lines: '[{"r":[{"at":0,"tags":["a"]},{}]},{}]',
      is: [
        [
          {
            r: [
              { at: '1970-01-01T00:00:00Z', tags: ['a'] },
              { at: null, tags: [] },
            ],
          },
          { r: [] },
        ],
      ],
    },
  ]
  const bad: {
    name: string
    type: string
    mode?: string
    fields?: readonly SchemaField[]
    line: string
    says: RegExp
  }[] = [
    {
      name: 'an INT64 with a fraction',
      type: 'INTEGER',
      line: '1.5',
      says: /3\.ndjson:2:6: x: found 1\.5, expected an INT64: /,
    },
    {
      name: 'an INT64 out of range',
      type: 'INTEGER',
      line: '9223372036854775808',
      says: /:2:6: x: found 9223372036854775808, expected an INT64/,
    },
    {
      name: 'a NUMERIC out of range',
      type: 'NUMERIC',
      line: '"1e40"',
      says: /:2:6: x: found "1e40", expected a NUMERIC/,
    },
    {
      name: 'a DATE that the calendar has not',
      type: 'DATE',
      line: '"2026-02-30"',
      says: /:2:6: x: found "2026-02-30", expected a DATE/,
    },
    {
      name: 'a TIMESTAMP of year 0',
      type: 'TIMESTAMP',
      line: '"0000-01-01T00:00:00Z"',
      says: /:2:6: x: found "0000-01-01T00:00:00Z", expected a TIMESTAMP/,
    },
    {
      name: 'an invalid TIMESTAMP',
      type: 'TIMESTAMP',
      line: '"yesterday"',
      says: /:2:6: x: found "yesterday", expected a TIMESTAMP/,
    },
    { name: 'BYTES that are not base64', type: 'BYTES', line: '"a"', says: /:2:6: x: found "a", expected BYTES/ },
    {
      name: 'an object where a list is due',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [{ name: 'a', type: 'STRING' }],
      line: '{"a":"x"}',
      says: /:2:6: x: found an object, expected a list/,
    },
    {
      name: 'a text where an object is due',
      type: 'RECORD',
      fields: [{ name: 'a', type: 'STRING' }],
      line: '"x"',
      says: /:2:6: x: found "x", expected a RECORD/,
    },
    { name: 'an invalid FLOAT64', type: 'FLOAT', line: '"x"', says: /:2:6: x: found "x", expected a FLOAT64/ },
    {
      name: 'half a row',
      type: 'STRING',
      line: '"x',
      says: /:2:6: x: found a string without an end, expected a closing quote/,
    },
  ]

  before(async () => {
    typed.forEach((row, i) => {
      // One row for each value; the values are split at spaces outside quotes and brackets.
      const values = row.lines.match(/"(?:[^"\\]|\\.)*"|[[{].*?[\]}](?= |$)|\S+/g)!
      write(`typed/t${i}.ndjson`, values.map(value => `{"x":${value}}\n`).join(''))
    })
    for (const [i, row] of bad.entries()) write(`bad/t${i}/3.ndjson`, `{"x":null}\n{"x":${row.line}}\n`)
    raw = await openRawEngine({
      dataDir: scratch.path,
      tables: [
        ...typed.map((row, i) => source(`typed.t${i}`, single(row.type, row.mode, row.fields))),
        ...bad.map((row, i) => source(`bad.t${i}`, single(row.type, row.mode, row.fields))),
        ...[
          'edge',
          'zipped',
          'folder',
          'mixed',
          'missing',
          'growing',
          'copied',
          'big',
          'busy',
          'growing2',
          'cut',
          'named',
          'swapped',
          'half',
        ].map(name => source(`logs.${name}`, EDGE)),
        source('logs.blocks', BLOCKS),
        source('logs.sheet', [...EDGE.slice(0, 2), { name: 'n', type: 'INTEGER' }, { name: 'f', type: 'FLOAT' }]),
      ],
    })
  })
  after(async () => {
    await raw.engine.close()
    scratch.remove()
  })

  const all = (table: string, schema: readonly SchemaField[], order = '') =>
    raw.rows({ sql: `SELECT * FROM "${table}"${order}`, columns: fieldsToColumns(schema)!, tables: [table] })
  const ids = async (table: string) =>
    (
      await raw.rows({
        sql: `SELECT id FROM "${table}" ORDER BY id`,
        columns: [{ name: 'id', type: { kind: 'STRING' } }],
        tables: [table],
      })
    ).flat()
  const line = (id: string): string =>
    `{"id":"${id}","at":"2026-01-31T12:00:00Z","metadata":[{"status":200,"request":[{"path":"/"}]}]}\n`
  const readsOf = (table: string) =>
    raw.events.filter(event => event.kind === 'engine.table-read' && event.table === table).length

  typed.forEach((row, i) => {
    it(`types ${row.name}`, async () => {
      const rows = await all(`typed.t${i}`, single(row.type, row.mode, row.fields))
      expect(rows.map(([x]) => x)).to.deep.equal(row.is)
    })
  })
  bad.forEach((row, i) => {
    it(`fails the query for ${row.name}, and names the file and the row`, async () => {
      expect(await faultOf(all(`bad.t${i}`, single(row.type, row.mode, row.fields)))).to.match(row.says)
    })
  })

  it('has an empty table where there is a schema and no file', async () => {
    expect(await ids('logs.missing')).to.deep.equal([])
  })

  it('sees files appear, change and go, and reads only those that changed', async () => {
    expect(await ids('logs.edge')).to.deep.equal([])
    write('logs/edge.ndjson', line('a'))
    expect(await ids('logs.edge')).to.deep.equal(['a'])
    write('logs/edge/2.jsonl', line('b') + line('c'))
    expect(await ids('logs.edge')).to.deep.equal(['a', 'b', 'c'])
    const reads = readsOf('logs.edge')
    expect(await ids('logs.edge')).to.deep.equal(['a', 'b', 'c'])
    expect(readsOf('logs.edge')).to.equal(reads)
    write('logs/edge.ndjson', line('d'))
    expect(await ids('logs.edge')).to.deep.equal(['b', 'c', 'd'])
    rmSync(join(scratch.path, 'logs/edge'), { recursive: true })
    expect(await ids('logs.edge')).to.deep.equal(['d'])
    rmSync(join(scratch.path, 'logs/edge.ndjson'))
    expect(await ids('logs.edge')).to.deep.equal([])
  })

  it('does not parse a file again that has not changed', async () => {
    write('logs/growing/1.ndjson', line('a'))
    expect(await ids('logs.growing')).to.deep.equal(['a'])
    write('logs/growing/2.ndjson', line('b'))
    write('logs/growing/3.ndjson', line('c'))
    expect(await ids('logs.growing')).to.deep.equal(['a', 'b', 'c'])
    const reads = raw.events.flatMap(event =>
      event.kind === 'engine.table-read' && event.table === 'logs.growing' ? [event.files] : [],
    )
    expect(reads).to.deep.equal([1, 2])
  })

  it('reads a copy that replaced a file, although its size and modification time are the same', async () => {
    const path = join(scratch.path, 'logs/copied/1.ndjson')
    for (const id of ['a', 'z']) {
      write('logs/copied/1.ndjson', line(id))
      utimesSync(path, 1_000, 1_000)
      expect(await ids('logs.copied')).to.deep.equal([id])
    }
  })

  it('reads gzip and zstd', async () => {
    write('logs/zipped/1.ndjson.gz', gzipSync(line('a')))
    await duckdb(
      `COPY (SELECT 'b' AS id, '2026-01-31' AS at) TO '${scratch.path}/logs/zipped/2.ndjson.zst' (FORMAT json, COMPRESSION zstd)`,
    )
    write('logs/zipped/3.csv.gz', gzipSync('id,at\nc,2026-01-31\n'))
    expect(await ids('logs.zipped')).to.deep.equal(['a', 'b', 'c'])
  })

  it('ignores hidden and temporary files, and refuses a table with other files', async () => {
    write('logs/folder/1.ndjson', line('a'))
    write('logs/folder/.2.ndjson', line('hidden'))
    write('logs/folder/3.ndjson.tmp', line('temporary'))
    write('logs/folder/_SUCCESS', '')
    expect(await ids('logs.folder')).to.deep.equal(['a'])
    write('logs/folder/README.md', 'not a table')
    expect(await faultOf(ids('logs.folder'))).to.match(
      /logs\/folder\/README\.md is not read: the name of a file of logs\.folder ends in/,
    )
  })

  it('reads CSV by its header; only an empty field without quotes is NULL', async () => {
    write('logs/sheet.csv', 'F,at,id\r\n1.5,2026-01-31T12:00:00Z,"a ""b"",\nc"\r\nNaN,,""\r\n')
    expect(
      await all('logs.sheet', [...EDGE.slice(0, 2), { name: 'n', type: 'INTEGER' }, { name: 'f', type: 'FLOAT' }]),
    ).to.deep.equal([
      ['a "b",\nc', '2026-01-31T12:00:00Z', null, 1.5],
      ['', null, null, 'NaN'],
    ])
  })

  it('loses no row of a malformed CSV file, and reports the mistake', async () => {
    const sheet = [...EDGE.slice(0, 2), { name: 'n', type: 'INTEGER' }, { name: 'f', type: 'FLOAT' }]
    write('logs/sheet.csv', 'id,n\na\nb,3,4\n')
    expect(await faultOf(all('logs.sheet', sheet))).to.match(/sheet\.csv/)
    write('logs/sheet.csv', 'id;n\na;1\n')
    expect(await faultOf(all('logs.sheet', sheet))).to.match(
      /sheet\.csv: cells are separated by ",", and this header by ";": id;n; it needs /,
    )
    write('logs/sheet.csv', 'id,ID\na,b\n')
    expect(await faultOf(all('logs.sheet', sheet))).to.match(/sheet\.csv: the header names an unknown column: "ID_1"/)
    write('logs/sheet.csv', '\ufeff"id",n\na,1\n')
    expect(await all('logs.sheet', sheet)).to.deep.equal([['a', null, 1, null]])
    rmSync(join(scratch.path, 'logs/sheet.csv'))
  })

  it('reads Parquet in place, cast to the schema, together with other formats', async () => {
    mkdirSync(join(scratch.path, 'logs/mixed'), { recursive: true })
    const parquet = (name: string, select: string) =>
      duckdb(`COPY (${select}) TO '${scratch.path}/logs/mixed/${name}.parquet'`)
    await parquet('1', "SELECT 'p1' AS id, TIMESTAMP '2026-01-31 12:00:00' AS at, 5 AS extra")
    await parquet(
      '2',
      "SELECT 'p2' AS \"ID\", [{'status': 200::INTEGER, 'request': [{'path': '/x', 'more': 1}]}] AS metadata",
    )
    write('logs/mixed/3.ndjson', line('n'))
    expect(await all('logs.mixed', EDGE, ' ORDER BY id')).to.deep.equal([
      ['n', '2026-01-31T12:00:00Z', [{ status: 200, request: [{ path: '/' }] }]],
      ['p1', '2026-01-31T12:00:00Z', []],
      ['p2', null, [{ status: 200, request: [{ path: '/x' }] }]],
    ])
    await parquet('4', 'SELECT [1] AS id')
    expect(await faultOf(ids('logs.mixed'))).to.equal(
      'logs.mixed.id is STRING by its schema, but the file has INTEGER[]: write it with that type, or import the rows again with --replace',
    )
    rmSync(join(scratch.path, 'logs/mixed/4.parquet'))
    expect(await ids('logs.mixed')).to.deep.equal(['n', 'p1', 'p2'])
  })

  it('fails the query that reads half a row, and recovers when the file is complete', async () => {
    write('logs/half/1.ndjson', line('a'))
    expect(await ids('logs.half')).to.deep.equal(['a'])
    write('logs/half/2.ndjson', line('b') + '{"id":"c"')
    expect(await faultOf(ids('logs.half'))).to.match(
      /half\/2\.ndjson:2:10: found the end of the row, expected "," or "}"/,
    )
    write('logs/half/2.ndjson', line('b') + line('c'))
    expect(await ids('logs.half')).to.deep.equal(['a', 'b', 'c'])
  })

  it('leaves out a last row that is just being written, and reads it when it is whole', async () => {
    write('logs/half/3.ndjson', '{"id":"d"')
    const reading = ids('logs.half')
    setTimeout(() => appendFileSync(join(scratch.path, 'logs/half/3.ndjson'), line('d').slice(9)), 15)
    // On a busy machine the row may be whole before it is read.
    expect(['a,b,c', 'a,b,c,d']).to.include(String(await reading))
    expect(await ids('logs.half')).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('leaves out half a row of CSV, which would be another value, of a program that writes in blocks', async () => {
    write('logs/blocks.csv', 'id,n\na,10\nb,12')
    const reading = all('logs.blocks', BLOCKS)
    setTimeout(() => appendFileSync(join(scratch.path, 'logs/blocks.csv'), '345\n'), 400)
    // On a busy machine the row may be whole before it is read.
    expect(['a,10', 'a,10,b,12345']).to.include(String(await reading))
    expect(await all('logs.blocks', BLOCKS)).to.deep.equal([
      ['a', 10],
      ['b', 12_345],
    ])
  })

  itInAll('reads a file that is replaced again and again, each time as a whole', async () => {
    const replace = (version: number): void => {
      write('logs/busy.tmp', line(`v${version}`).repeat(2_000))
      renameSync(join(scratch.path, 'logs/busy.tmp'), join(scratch.path, 'logs/busy.ndjson'))
    }
    let version = 0
    replace(version)
    const timer = setInterval(() => replace(++version), 10)
    try {
      for (let i = 0; i < 20; i++) {
        const asked = version
        const seen = await ids('logs.busy')
        expect([seen.length, new Set(seen).size]).to.deep.equal([2_000, 1])
        expect(Number(String(seen[0]).slice(1))).to.be.within(asked, version)
      }
    } finally {
      clearInterval(timer)
    }
  })

  itInAll('never mixes a Parquet file with the file that replaces it', async () => {
    const versions = [0, 1, 2, 3].map(n => join(scratch.path, `version-${n}.parquet`))
    for (const [n, path] of versions.entries()) {
      await duckdb(`COPY (SELECT 'v${n}' AS id FROM range(50000)) TO '${path}' (FORMAT parquet)`)
    }
    mkdirSync(join(scratch.path, 'logs'), { recursive: true })
    const target = join(scratch.path, 'logs/swapped.parquet')
    let version = 0
    const replace = (): void => {
      copyFileSync(versions[version++ % versions.length]!, `${target}.tmp`)
      renameSync(`${target}.tmp`, target)
    }
    replace()
    const sql =
      'SELECT count(DISTINCT id), count(*) FROM (SELECT id FROM "logs.swapped" UNION ALL SELECT id FROM "logs.swapped" ' +
      'UNION ALL SELECT max(id) FROM "logs.swapped" UNION ALL SELECT min(id) FROM "logs.swapped")'
    const columns = ['ids', 'rows'].map(name => ({ name, type: { kind: 'INT64' } as const }))
    // Once while a query runs: one that meets a change each time it is tried fails, and rightly so.
    let isQuiet = false
    const timer = setInterval(() => {
      if (!isQuiet) replace()
      isQuiet = true
    }, 30)
    try {
      for (let i = 0; i < 150; i++) {
        isQuiet = false
        expect(await raw.rows({ sql, columns, tables: ['logs.swapped'] })).to.deep.equal([[1, 100_002]])
      }
      expect(version).to.be.above(10)
    } finally {
      clearInterval(timer)
    }
  })

  itInAll('reads a growing file up to its last complete line', async () => {
    write('logs/growing2.ndjson', '')
    let written = 0
    let rest = ''
    // Each append may end in the middle of a line.
    const timer = setInterval(() => {
      rest += line(`n${written++}`) + line(`n${written++}`)
      const length = Math.floor(rest.length * 0.7)
      appendFileSync(join(scratch.path, 'logs/growing2.ndjson'), rest.slice(0, length))
      rest = rest.slice(length)
    }, 3)
    try {
      for (let i = 0; i < 20; i++) {
        const wholeBefore = readFileSync(join(scratch.path, 'logs/growing2.ndjson'), 'utf8').split('\n').length - 1
        const seen = await ids('logs.growing2')
        expect(seen.slice().sort()).to.deep.equal(seen.map((_, n) => `n${n}`).sort())
        expect(seen.length).to.be.within(wholeBefore, written)
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    } finally {
      clearInterval(timer)
    }
  })

  it('refuses compressed files that were cut off or damaged', async () => {
    const text = Array.from({ length: 300 }, (_, n) => line(`n${n}`)).join('')
    const gzip = gzipSync(text)
    const flushed = Buffer.concat([gzipSync(text.slice(0, text.length / 2)), gzipSync(text).subarray(0, 10)])
    const flipped = Buffer.from(gzip)
    flipped[gzip.length - 6]! ^= 1
    const whole = join(scratch.path, 'whole.ndjson.zst')
    await duckdb(`COPY (SELECT 'n' || i AS id FROM range(300) t(i)) TO '${whole}' (FORMAT json, COMPRESSION zstd)`)
    const zstd = readFileSync(whole)
    const damaged: readonly [string, Uint8Array][] = [
      ['gz', gzip.subarray(0, 10)],
      ['gz', gzip.subarray(0, gzip.length / 2)],
      ['gz', gzip.subarray(0, -1)],
      ['gz', flushed],
      ['gz', flipped],
      ['gz', gzip.subarray(0, 0)],
      ['zst', zstd.subarray(0, 0)],
      ['zst', zstd.subarray(0, 20)],
      ['zst', zstd.subarray(0, -1)],
    ]
    for (const [ending, bytes] of damaged) {
      write(`logs/cut.ndjson.${ending}`, bytes)
      expect(await faultOf(ids('logs.cut')), `${bytes.length} bytes`).to.match(
        /cut\.ndjson\.(gz|zst): its (gzip|zstd) cannot be read to the end/,
      )
      rmSync(join(scratch.path, `logs/cut.ndjson.${ending}`))
    }
    write('logs/cut.ndjson.gz', gzip)
    expect(await ids('logs.cut')).to.have.length(300)
  })

  it('does not read file names as patterns', async () => {
    const names = ['part-0', 'part-[0]', 'a*b', 'aXb', 'c?', 'c1', '[d', 'd]']
    for (const name of names) write(`logs/named/${name}.ndjson`, line(name))
    for (const name of names) {
      const path = join(scratch.path, `logs/named/${name}.parquet`)
      await duckdb(`COPY (SELECT 'p ${name}' AS id) TO '${path}' (FORMAT parquet)`)
    }
    expect((await ids('logs.named')).slice().sort()).to.deep.equal([...names, ...names.map(name => `p ${name}`)].sort())
  })

  it('shows a query one state of a table, whatever happens to its files meanwhile', async () => {
    const write2 = (name: string, id: string): void => {
      write(`logs/big/${name}.tmp`, Array.from({ length: 5_000 }, () => line(id)).join(''))
      renameSync(join(scratch.path, `logs/big/${name}.tmp`), join(scratch.path, `logs/big/${name}`))
    }
    write2('1.ndjson', 'a')
    const count = () =>
      raw.rows({
        sql: 'SELECT count(*), count(DISTINCT id) FROM "logs.big"',
        columns: [
          { name: 'n', type: { kind: 'INT64' } },
          { name: 'd', type: { kind: 'INT64' } },
        ],
        tables: ['logs.big'],
      })
    const seen: unknown[] = []
    for (const id of ['b', 'c', 'd']) {
      const running = [count(), count(), count()]
      write2('1.ndjson', id)
      running.push(count(), count())
      seen.push(...(await Promise.all(running)).flat())
    }
    expect(new Set(seen.map(row => JSON.stringify(row)))).to.deep.equal(new Set(['[5000,1]']))
  })

  it('creates tables for Parquet files without a schema, as soon as the files are there', async () => {
    const other = scratchFolder()
    const engine = await openRawEngine({ dataDir: other.path })
    try {
      expect(engine.engine.tables().names()).to.deep.equal([])
      mkdirSync(join(other.path, 'own'))
      await duckdb(
        `COPY (SELECT 1::INTEGER AS n, 'x' AS s, now() AS at, [{'a': 1.5::DECIMAL(10, 2)}] AS r, [[1]] AS m) TO '${other.path}/own/t.parquet'`,
      )
      writeFileSync(join(other.path, 'own/u.ndjson'), '{}\n')
      await engine.engine.close()
      const again = await openRawEngine({ dataDir: other.path })
      expect(
        again.engine
          .tables()
          .find('own.t')
          ?.columns.map(column => [column.name, column.type.kind]),
      ).to.deep.equal([
        ['n', 'INT64'],
        ['s', 'STRING'],
        ['at', 'TIMESTAMP'],
        ['r', 'ARRAY'],
      ])
      expect(again.engine.tables().find('own.t')!.unreadable).to.deep.equal([
        {
          name: 'm',
          reason:
            'its type INTEGER[][] has no equivalent in GoogleSQL; leave it out (SELECT * EXCEPT (m)), or give the table a schema, own.t.json, that declares m as JSON',
        },
      ])
      expect(() => translate('SELECT * FROM own.u', again.engine.tables(), {})).to.throw(
        /^Table not found: own\.u; there is a data file for it, but no table schema own\.u\.json; `sluice tables infer own\.u \S+` writes one at \[1:15\]$/,
      )
      expect(
        await again.rows({
          sql: 'SELECT n, r FROM "own.t"',
          columns: [
            { name: 'n', type: { kind: 'INT64' } },
            { name: 'r', type: again.engine.tables().find('own.t')!.columns[3]!.type },
          ],
          tables: ['own.t'],
        }),
      ).to.deep.equal([[1, [{ a: '1.5' }]]])
      await again.engine.close()
    } finally {
      await engine.engine.close()
      other.remove()
    }
  })

  it('reads the rows that a test gives to a table whose files have theirs in a member of a document', async () => {
    const columns = fieldsToColumns([{ name: 'id', type: 'INTEGER' }])!
    const definition = { name: 'x.t', columns, required: [], limits: {}, textForm: { rows: 'data' } }
    const engine = await openRawEngine({ tables: [{ definition, rows: [{ id: 1 }, { id: 2 }] }] })
    try {
      const sql = 'SELECT id FROM "x.t" ORDER BY id'
      expect(await engine.rows({ sql, columns, tables: ['x.t'] })).to.deep.equal([[1], [2]])
    } finally {
      await engine.engine.close()
    }
  })

  it('gives a table of Parquet files without a schema the columns of all files', async () => {
    const other = scratchFolder()
    mkdirSync(join(other.path, 'lake/t'), { recursive: true })
    const write = (name: string, select: string) => duckdb(`COPY (${select}) TO '${other.path}/lake/t/${name}.parquet'`)
    await write('1', "SELECT 1 AS a, [{'x': 1}] AS r")
    await write('2', "SELECT 2 AS a, [{'X': 2}] AS r")
    await write('3', `SELECT 'x' AS b, 3 AS A, true AS "c.d", [{'x': 3, 'y': {'z': 'q'}}] AS r`)
    const engine = await openRawEngine({ dataDir: other.path })
    try {
      const { columns } = engine.engine.tables().find('lake.t')!
      expect(columns.map(({ name, type }) => `${name} ${type.kind}`)).to.deep.equal([
        'a INT64',
        'r ARRAY',
        'b STRING',
        'c_d BOOL',
      ])
      const sql = 'SELECT a, r, b, c_d FROM "lake.t" ORDER BY a'
      expect(await engine.rows({ sql, columns, tables: ['lake.t'] })).to.deep.equal([
        [1, [{ x: 1, y: null }], null, null],
        [2, [{ x: 2, y: null }], null, null],
        [3, [{ x: 3, y: { z: 'q' } }], 'x', true],
      ])
    } finally {
      await engine.engine.close()
      other.remove()
    }
  })

  it('names a Parquet file without a schema that has the column of its folder, though the first file lacks the column', async () => {
    const other = scratchFolder()
    const write = (name: string, select: string) => {
      mkdirSync(join(other.path, 'lake/t', name), { recursive: true })
      return duckdb(`COPY (${select}) TO '${other.path}/lake/t/${name}/1.parquet'`)
    }
    await write('k=1', 'SELECT 1 AS a')
    await write('k=2', 'SELECT 2 AS a, 9 AS K')
    const engine = await openRawEngine({ dataDir: other.path })
    try {
      const { columns } = engine.engine.tables().find('lake.t')!
      const sql = 'SELECT a, k FROM "lake.t"'
      const error = await engine.rows({ sql, columns, tables: ['lake.t'] }).catch(reason => reason)
      expect(String(error.cause?.message)).to.contain(
        'k=2/1.parquet: its folder gives the column k, and the file has it as well',
      )
    } finally {
      await engine.engine.close()
      other.remove()
    }
  })

  it('reads a database file, its schemas as datasets, and cannot write to it', async () => {
    const other = scratchFolder()
    const path = join(other.path, 'warehouse.duckdb')
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    await connection.run(
      "CREATE SCHEMA logs; CREATE TABLE logs.edge AS SELECT 'a' AS id, TIMESTAMP '2026-01-31' AS at, 1 AS extra;" +
        'CREATE TABLE t AS SELECT 1::UTINYINT AS n, [[2]] AS h; CREATE VIEW logs.v AS SELECT 3 AS n',
    )
    connection.closeSync()
    instance.closeSync()
    const engine = await openRawEngine({ database: path, tables: [source('logs.edge', EDGE)] })
    try {
      expect(engine.engine.tables().names()).to.have.members(['logs.edge', 'logs.v', 'main.t'])
      const [column] = engine.engine.tables().find('main.t')!.unreadable!
      expect(column!.reason).to.match(/^its type INTEGER\[\]\[\] has no equivalent/)
      expect(
        await engine.rows({ sql: 'SELECT * FROM "logs.edge"', columns: fieldsToColumns(EDGE)!, tables: ['logs.edge'] }),
      ).to.deep.equal([['a', '2026-01-31T00:00:00Z', []]])
      expect(
        await engine.rows({
          sql: 'SELECT v.n, t.n FROM "logs.v" v, "main.t" t',
          columns: [
            { name: 'a', type: { kind: 'INT64' } },
            { name: 'b', type: { kind: 'INT64' } },
          ],
          tables: ['logs.v', 'main.t'],
        }),
      ).to.deep.equal([[3, 1]])
    } finally {
      await engine.engine.close()
      other.remove()
    }
  })
})
