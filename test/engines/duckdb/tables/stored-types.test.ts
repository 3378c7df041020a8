/** Types of Parquet files that DuckDB reads with other values are refused, unless the author has declared what may be lost. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { importFiles, openDuckdb } from '../../../../authoring/data/import/import-table.js'
import { inferTable } from '../../../../authoring/data/infer/infer-table.js'
import { need, PYTHON, whyPending } from '../../../installed/installed.js'
import { openRawEngine, type RawEngine, scratchFolder, source } from '../raw-engine.js'

const WRITE = `
import decimal, sys, pyarrow as pa, pyarrow.parquet as pq
d = decimal.Decimal
def write(name, columns, **options):
    pq.write_table(pa.table(columns), f'{sys.argv[1]}/{name}.parquet', **options)
def wide(digits, scale): return pa.decimal256(digits, scale)
write('wide', {'a': pa.array([1, 2]), 'v': pa.array([d('1.50'), d('-2')], type=wide(39, 2)), 'z': pa.array([0.5, 1.5])})
write('wide_fields', {
    'l': pa.array([[d('1.5')], []], type=pa.list_(wide(50, 1))),
    's': pa.array([{'x': d('1.5'), 'y': 1}, None], type=pa.struct([('x', wide(60, 1)), ('y', pa.int64())])),
    'm': pa.array([[('k', 1.5)], []], type=pa.map_(pa.string(), pa.float64())),
})
write('exact', {'v': pa.array([d('1.50'), None], type=pa.decimal128(38, 2)), 'n': pa.array([1000, 2000], type=pa.timestamp('ns'))})
nanos = [1500, 2000]
utc = pa.timestamp('ns', 'UTC')
write('nanos', {
    't': pa.array([1000, *nanos], type=pa.time64('ns')),
    'u': pa.array([1000, *nanos], type=utc),
    'micros': pa.array([1000, *nanos], type=pa.timestamp('us', 'UTC')),
    'm': pa.array([[('k', 1000)], [('k', 1500)], []], type=pa.map_(pa.string(), utc)),
})
write('whole', {
    't': pa.array([1500000, None, 86399999999000], type=pa.time64('ns')),
    'u': pa.array([-1000, None, 9223372036854775000], type=utc),
    'l': pa.array([[1000, 2000], [], None], type=pa.list_(utc)),
    's': pa.array([{'x': 1000, 'y': 1500}, None, {}], type=pa.struct([('x', utc), ('y', pa.timestamp('us', 'UTC'))])),
    'm': pa.array([[('k', 1000)], [], None], type=pa.map_(pa.string(), utc)),
    'd': pa.array([1000, 2000, None], type=pa.timestamp('ns')),
})
write('int96', {'i': pa.array(nanos, type=pa.timestamp('ns'))}, use_deprecated_int96_timestamps=True)
lengths = {'id': pa.array([1, 2])}
lengths['d'] = pa.array([1500, None], type=pa.duration('ns'))
lengths['s'] = pa.array([{'x': 1}, None], type=pa.struct([('x', pa.duration('s'))]))
lengths['l'] = pa.array([[1], []], type=pa.list_(pa.duration('ms')))
lengths['n'] = pa.array([{'x': 1}, None], type=pa.struct([('x', pa.int64())]))
write('lengths', lengths)
import os
os.mkdir(f'{sys.argv[1]}/mixed')
write('mixed/1', {'u': pa.array(nanos, type=pa.timestamp('us', 'UTC'))})
write('mixed/2', {'u': pa.array(nanos, type=pa.timestamp('ns', 'UTC'))})
`

describe(`a Parquet type that DuckDB reads with other values${whyPending('the Python packages')}`, () => {
  const scratch = scratchFolder()
  const file = (name: string): string => join(scratch.path, 'data/p', `${name}.parquet`)
  let inferred: RawEngine
  let declared: RawEngine

  before(async function () {
    need(this, 'the Python packages')
    mkdirSync(join(scratch.path, 'data/p'), { recursive: true })
    execFileSync(PYTHON, ['-c', WRITE, join(scratch.path, 'data/p')])
    const dataDir = join(scratch.path, 'data')
    inferred = await openRawEngine({ dataDir })
    const tables = [
      source('p.wide', [{ name: 'v', type: 'FLOAT' }]),
      source('p.wide_fields', [{ name: 's', type: 'JSON' }]),
      source('p.nanos', [
        { name: 't', type: 'TIME' },
        { name: 'u', type: 'TIMESTAMP' },
      ]),
      source('p.int96', [{ name: 'i', type: 'TIMESTAMP' }]),
      source('p.lengths', [{ name: 'd', type: 'INTEGER' }]),
    ]
    declared = await openRawEngine({ dataDir, tables })
  })
  after(async () => {
    await inferred?.engine.close()
    await declared?.engine.close()
    scratch.remove()
  })

  const columnsOf = (table: string) => {
    const { columns, unreadable = [] } = inferred.engine.tables().find(table)!
    return { columns: columns.map(({ name, type }) => `${name} ${type.kind}`), unreadable }
  }
  const read = (
    engine: RawEngine,
    table: string,
    column: string,
    kind: 'INT64' | 'STRING' | 'FLOAT64' | 'TIMESTAMP' | 'TIME',
  ) =>
    engine.rows({
      sql: `SELECT ${column} AS c FROM "p.${table}"`,
      columns: [{ name: 'c', type: { kind } }],
      tables: [`p.${table}`],
    })
  const faultOf = (rows: Promise<unknown>): Promise<string> =>
    rows.then(
      () => 'no fault',
      ({ cause }) => cause.message,
    )

  it('is a column that cannot be read: a DECIMAL of more than 38 digits', () => {
    const { columns, unreadable } = columnsOf('p.wide')
    expect(columns).to.deep.equal(['a INT64', 'z FLOAT64'])
    expect(unreadable).to.deep.equal([
      {
        name: 'v',
        reason:
          'its type DECIMAL(39,2) has more than 38 digits, which the embedded engine reads as other numbers; ' +
          'leave it out (SELECT * EXCEPT (v)), or write the file with at most 38 digits, or with the numbers as text',
      },
    ])
  })

  it('is one also within lists and records, and no other column is', () => {
    const { columns, unreadable } = columnsOf('p.wide_fields')
    expect(columns).to.deep.equal(['m ARRAY'])
    expect(unreadable.map(({ name, reason }) => `${name}: ${reason.replace(/ has more.*/, '')}`)).to.deep.equal([
      'l: its type DECIMAL(50,1)',
      's: the type DECIMAL(60,1) of its field s.x',
    ])
    expect(columnsOf('p.exact')).to.deep.equal({ columns: ['v BIGNUMERIC', 'n DATETIME'], unreadable: [] })
  })

  it('is refused also where a schema declares a FLOAT, or JSON', async () => {
    expect(await faultOf(read(declared, 'wide', 'v', 'FLOAT64'))).to.match(
      /^p\.wide\.v is DECIMAL\(39,2\) in the file, with more than 38 digits, which the embedded engine reads as other numbers: write/,
    )
    expect(await faultOf(read(declared, 'wide_fields', 's', 'STRING'))).to.match(
      /^p\.wide_fields\.s is DECIMAL\(60,1\)/,
    )
  })

  it('is a time, if every value is whole microseconds, also within lists and records', async () => {
    expect(columnsOf('p.whole')).to.deep.equal({
      columns: ['t TIME', 'u TIMESTAMP', 'l ARRAY', 's STRUCT', 'm ARRAY', 'd DATETIME'],
      unreadable: [],
    })
    expect(await read(inferred, 'whole', 't', 'TIME')).to.deep.equal([['00:00:00.001500'], [null], ['23:59:59.999999']])
    expect(await read(inferred, 'whole', 'u', 'TIMESTAMP')).to.deep.equal([
      ['1969-12-31T23:59:59.999999Z'],
      [null],
      ['2262-04-11T23:47:16.854775Z'],
    ])
    for (const column of ['l[1]', 's.x', 'm[1].value'])
      expect(await read(inferred, 'whole', column, 'TIMESTAMP'), column).to.deep.include([
        '1970-01-01T00:00:00.000001Z',
      ])
  })

  it('fails with the row, if a time has digits beyond microseconds; other columns are read', async () => {
    for (const [column, kind] of [
      ['t', 'TIME'],
      ['u', 'TIMESTAMP'],
      ['m[].value', 'TIMESTAMP'],
    ] as const)
      expect(await faultOf(read(inferred, 'nanos', column.replace('[].', '[1].'), kind))).to.equal(
        `p.nanos.${column} has digits beyond microseconds (a table schema, p.nanos.json, that declares it as ${kind} cuts ` +
          `them), in row 2 of file "${file('nanos')}"`,
      )
    expect(await read(inferred, 'nanos', 'micros', 'TIMESTAMP')).to.have.length(3)
  })

  it('is a TIMESTAMP, if it is INT96, with and without a schema', async () => {
    for (const engine of [inferred, declared])
      expect(await read(engine, 'int96', 'i', 'TIMESTAMP')).to.deep.equal([
        ['1970-01-01T00:00:00.000001Z'],
        ['1970-01-01T00:00:00.000002Z'],
      ])
    expect(columnsOf('p.int96')).to.deep.equal({ columns: ['i TIMESTAMP'], unreadable: [] })
  })

  it('is refused by an import: a DECIMAL of more than 38 digits', async () => {
    const duckdb = await openDuckdb(1, 200)
    const importing = importFiles(duckdb, {
      dataDir: join(scratch.path, 'imported'),
      table: source('p.wide', [{ name: 'v', type: 'NUMERIC' }]).definition,
      layout: { clusteredBy: [], partition: null },
      files: [file('wide')],
      inputFormat: null,
      standardInput: () => process.stdin,
      replaces: false,
      ignoresUnknown: true,
      skipFile: null,
      maxBadRows: 10,
      nowMs: 0,
      idSuffix: '00000000',
    }).finally(() => duckdb.closeSync())
    expect(await importing.then(String, ({ message }) => message)).to.include(
      'the column v has the type DECIMAL(39,2), with more than 38 digits, which the embedded engine reads as other numbers: write',
    )
  })

  it('has its nanoseconds cut where a schema declares the time', async () => {
    const cut = ['1970-01-01T00:00:00.000001Z', '1970-01-01T00:00:00.000001Z', '1970-01-01T00:00:00.000002Z']
    expect((await read(declared, 'nanos', 'u', 'TIMESTAMP')).flat()).to.deep.equal(cut)
    expect((await read(declared, 'nanos', 't', 'TIME')).flat()).to.deep.equal(cut.map(time => time.slice(11, -1)))
  })

  it('is a column that cannot be read: durations, which are whole numbers in the file', async () => {
    const { columns, unreadable } = columnsOf('p.lengths')
    expect(columns).to.deep.equal(['id INT64', 'n STRUCT'])
    expect(unreadable.map(({ reason }) => reason)).to.deep.equal([
      'it has durations, which are whole nanoseconds in the file; leave it out (SELECT * EXCEPT (d)), or give the table a ' +
        'schema, p.lengths.json, that declares d as INTEGER',
      'its field s.x has durations, which are whole seconds in the file; leave it out (SELECT * EXCEPT (s)), or give the ' +
        'table a schema, p.lengths.json, that declares s.x as INTEGER',
      'it has durations, which are whole milliseconds in the file; leave it out (SELECT * EXCEPT (l)), or give the table a ' +
        'schema, p.lengths.json, that declares l as INTEGER',
    ])
    expect(await read(declared, 'lengths', 'd', 'INT64')).to.deep.equal([[1500], [null]])
  })

  it('is refused in a later file of a table without a schema', async () => {
    expect(await faultOf(read(inferred, 'mixed', 'u', 'TIMESTAMP'))).to.match(
      /^p\.mixed\.u has digits beyond microseconds .*, in row 1 of file ".*mixed\/2\.parquet"/,
    )
  })

  it('is said by infer, which leaves wide numbers out and makes INT96 a TIMESTAMP', async () => {
    const infer = (name: string) =>
      inferTable({ files: [file(name)], inputFormat: null, standardInput: () => process.stdin, maxBadRows: 1 })
    const wide = await infer('wide')
    expect(wide.fields.map(({ name }) => name)).to.deep.equal(['a', 'z'])
    expect(wide.doubts.map(({ path, message }) => `${path} ${message}`)).to.deep.include(
      'v is left out: its type DECIMAL(39,2) has more than 38 digits, which the embedded engine reads as other numbers; ' +
        'leave it out (SELECT * EXCEPT (v)), or write the file with at most 38 digits, or with the numbers as text',
    )
    const nanos = await infer('nanos')
    expect(nanos.fields.map(({ name, type }) => `${name} ${type}`)).to.deep.equal([
      't TIME',
      'u TIMESTAMP',
      'micros TIMESTAMP',
      'm RECORD',
    ])
    expect(nanos.doubts.map(({ path, message }) => `${path} ${message}`)).to.include(
      'u has nanoseconds in the file, which are cut to microseconds',
    )
    const lengths = await infer('lengths')
    expect(lengths.fields.map(({ name, type }) => `${name} ${type}`)).to.deep.equal([
      ...['id INTEGER', 'd INTEGER', 's RECORD', 'l INTEGER', 'n RECORD'],
    ])
    expect(lengths.doubts.map(({ path, message }) => `${path} ${message}`)).to.deep.equal([
      'd has durations, which are INTEGER here: their nanoseconds',
      's has durations, which are INTEGER here: their seconds',
      'l has durations, which are INTEGER here: their milliseconds',
    ])
    expect((await infer('int96')).fields[0]).to.deep.include({ name: 'i', type: 'TIMESTAMP' })
  })
})
