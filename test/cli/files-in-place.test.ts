/** Files as programs write them, each read in place, imported and inferred: endings, capitals, and folders `key=value`. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { sampleOf } from '../sample-size.js'
import { command, scratch } from './command.js'

describe('files in the place of a table', () => {
  const folder = scratch()
  const flags = ['--tables', folder.path('tables'), '--data', folder.path('data')]
  const write = (name: string, bytes: string | Uint8Array): string => {
    const path = folder.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    return path
  }
  const schema = (table: string, columns: Readonly<Record<string, string>>): string =>
    write(
      `tables/${table}.json`,
      JSON.stringify(Object.entries(columns).map(([name, type]) => ({ name, type, mode: 'NULLABLE' }))),
    )
  const query = async (sql: string): Promise<unknown> => {
    const { out, err } = await command(['query', sql, '--format', 'ndjson', '--engine-memory', '256', ...flags])
    return err.includes('sluice:')
      ? err
      : out
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
  }
  const copy = async (...statements: readonly string[]): Promise<void> => {
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    for (const sql of statements) await connection.run(sql)
    instance.closeSync()
  }

  beforeEach(() => {
    for (const name of ['tables', 'data/x']) mkdirSync(folder.path(name), { recursive: true })
  })
  afterEach(() => {
    for (const name of ['tables', 'data', 'in']) rmSync(folder.path(name), { recursive: true, force: true })
  })
  after(() => folder.remove())

  const NDJSON = '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n'
  const CSV = 'id,name\n1,a\n2,b\n'
  const PARQUET = "COPY (SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(id, name)) TO '$' (FORMAT parquet)"
  const FILES: readonly (readonly [ending: string, bytes: string | Uint8Array])[] = [
    ['.json', NDJSON],
    ['.JSON', NDJSON],
    ['.NDJson', NDJSON],
    ['.jsonl', NDJSON],
    ['.json.gz', gzipSync(NDJSON)],
    ['.JSONL.GZ', gzipSync(NDJSON)],
    ['.CSV', CSV],
    ['.Csv.Gz', gzipSync(CSV)],
    ['.TSV', CSV.replaceAll(',', '\t')],
    ['.tsv.gz', gzipSync(CSV.replaceAll(',', '\t'))],
    ['.json', '[{"id":1,"name":"a"},{"id":2,"name":"b"}]'],
    ['.json.gz', gzipSync('\ufeff\n[\n  {\n    "id": 1,\n    "name": "a"\n  },\n  {"name": "b", "id": 2}\n]\n')],
    ['.PARQUET', PARQUET],
    ['.parq', PARQUET],
  ]
  it('that end in .tsv have tabs by a schema of columns alone, in place and imported', async () => {
    schema('x.t', { id: 'INTEGER', name: 'STRING' })
    schema('x.u', { id: 'INTEGER', name: 'STRING' })
    for (const name of ['data/x/t.tsv', 'in/rows.tsv']) write(name, 'id\tname\n1\ta,b\n')
    const imported = await command(['import', 'x.u', folder.path('in/rows.tsv'), ...flags])
    expect(imported.code, imported.err).to.equal(0)
    for (const table of ['x.t', 'x.u'])
      expect(await query(`SELECT id, name FROM \`${table}\``)).to.deep.equal([{ id: 1, name: 'a,b' }])
  })

  for (const [ending, bytes] of sampleOf(FILES)) {
    it(`are read in place, imported and inferred: ${ending}`, async () => {
      const [path, given] = [`data/x/t${ending}`, `in/rows${ending}`]
      for (const name of [path, given])
        if (bytes === PARQUET) {
          write(name, '')
          await copy(PARQUET.replace('$', folder.path(name)))
        } else write(name, bytes)
      const inferred = await command(['tables', 'infer', 'x.t', folder.path(path), ...flags])
      expect(inferred.out).to.match(/^id +INTEGER/m)
      const rows = [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ]
      expect(await query('SELECT id, name FROM `x.t` ORDER BY id')).to.deep.equal(rows)
      expect((await command(['import', 'x.t', folder.path(given), '--replace', ...flags])).out).to.match(
        /imported 2 rows/,
      )
      expect(await query('SELECT id, name FROM `x.t` ORDER BY id')).to.deep.equal(rows)
    })
  }

  it('are those of a folder as Spark writes it, with and without a schema', async () => {
    schema('x.t', { id: 'INTEGER' })
    write('data/x/t.csv/part-00000.c000.csv', 'id\n1\n')
    write('data/x/t.csv/_SUCCESS', '')
    write('data/x/t.csv/.part-00000.c000.csv.crc', '')
    write('data/x/t/2026/01/2.json', '{"id":2}\n')
    mkdirSync(folder.path('data/x/u.parquet'))
    await copy(`COPY (SELECT 3 AS id) TO '${folder.path('data/x/u.parquet/part-0.snappy.parquet')}'`)
    expect(await query('SELECT id FROM `x.t` UNION ALL SELECT id FROM `x.u` ORDER BY id')).to.deep.equal([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ])
  })

  it('may be a folder without files: other tables are read', async () => {
    mkdirSync(folder.path('data/x/a.parquet'))
    expect(await query('SELECT 1 AS a')).to.deep.equal([{ a: 1 }])
  })

  const TREE = (path: string): string =>
    "COPY (SELECT i AS id, ['a b', NULL, 'c/ü', '%'][i % 4 + 1] AS cat, i % 3 AS n, DATE '2026-01-01' + (i % 2)::INT AS d " +
    `FROM range(24) t(i)) TO '${path}' (FORMAT parquet, PARTITION_BY (cat, n, d))`
  const OF_TREE =
    "SELECT COUNT(*) AS rows_, COUNT(cat) AS cats, COUNTIF(cat IN ('a b', 'c/ü', '%')) AS same, SUM(n) AS n, MIN(d) AS first, " +
    'LOGICAL_AND(n = MOD(id, 3)) AS fits FROM `x.t`'
  const TREE_ROWS = [{ rows_: 24, cats: 18, same: 18, n: 24, first: '2026-01-01', fits: true }]

  it('of two types in one column are told to be so where there is no schema', async () => {
    mkdirSync(folder.path('data/x/mix'))
    await copy(
      `COPY (SELECT 1 AS id) TO '${folder.path('data/x/mix/a.parquet')}' (FORMAT parquet)`,
      `COPY (SELECT 1.5 AS id) TO '${folder.path('data/x/mix/b.parquet')}' (FORMAT parquet)`,
    )
    expect(await query('SELECT id FROM x.mix')).to.contain(
      'x.mix.id is INT64 in one of its files, but DECIMAL(2,1) in another: write them alike, or give the table a schema',
    )
  })

  it('in folders key=value have these columns, without a schema and with the one that infer writes', async () => {
    await copy(TREE(folder.path('data/x/t')))
    expect(await query(OF_TREE)).to.deep.equal(TREE_ROWS)
    const { out } = await command(['tables', 'describe', 'x.t', '--format', 'json', ...flags])
    expect(
      JSON.parse(out).columns.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
    ).to.deep.equal(['id INT64', 'cat STRING', 'n INT64', 'd DATE'])
    const files = (JSON.parse(out).files as readonly { readonly path: string }[]).map(({ path }) => path)
    const inferred = await command(['tables', 'infer', 'x.t', ...files, ...flags])
    expect(inferred.out).to.match(/^doubt: cat is STRING by the names of folders, such as cat=/m)
    const fields = JSON.parse(readFileSync(folder.path('tables/x.t.json'), 'utf8'))
    expect(fields.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`).join()).to.equal(
      'id INTEGER,cat STRING,n INTEGER,d DATE',
    )
    expect(await query(OF_TREE)).to.deep.equal(TREE_ROWS)
    expect((await command(['import', 'x.t', ...files, '--replace', ...flags])).out).to.match(/imported 24 rows/)
    expect(await query(OF_TREE)).to.deep.equal(TREE_ROWS)
  })

  it('in folders key=value are not opened where no row meets the conditions', async () => {
    await copy(`COPY (SELECT 1 AS id, 2 AS n) TO '${folder.path('data/x/t')}' (FORMAT parquet, PARTITION_BY n)`)
    const path = write('data/x/t/n=3/1.parquet', '')
    await copy(`COPY (SELECT repeat('x', 200000) AS id) TO '${path}' (FORMAT parquet)`)
    const bytes = readFileSync(path)
    schema('x.t', { id: 'STRING', n: 'INTEGER' })
    const damaged = Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(100, 0xff), bytes.subarray(104)])
    writeFileSync(path, damaged)
    expect(await query('SELECT id FROM `x.t` WHERE n < 3')).to.deep.equal([{ id: '1' }])
    expect(await query('SELECT id FROM `x.t`')).to.match(/The query failed/)
  })

  it('that are texts have these columns as well, by the types of the schema', async () => {
    schema('x.t', { id: 'INTEGER', year: 'INTEGER', month: 'INTEGER', at: 'TIMESTAMP', cat: 'STRING', ok: 'BOOLEAN' })
    const at = 'year=2026/Month=01/at=2026-01-31 10%3A00%3A00/cat=01'
    write(`data/x/t/${at}/ok=true/1.csv`, 'id\n1\n')
    write(`data/x/t/${at}/ok=__HIVE_DEFAULT_PARTITION__/2.json`, '{"id":2}\n')
    // The row reader reads this one, since the SELECT for most files refuses its spelling.
    write(`data/x/t/${at}/ok=false/3.json`, '{"ID":3}\n{"id":"4.0"}\n')
    const rest = { year: 2026, month: 1, at: '2026-01-31T10:00:00Z', cat: '01' }
    expect(await query('SELECT * FROM `x.t` ORDER BY id')).to.deep.equal([
      { id: 1, ...rest, ok: true },
      { id: 2, ...rest, ok: null },
      { id: 3, ...rest, ok: false },
      { id: 4, ...rest, ok: false },
    ])
  })

  const MISTAKES: readonly (readonly [what: string, file: string, text: string, message: RegExp])[] = [
    [
      'the schema lacks',
      'zone=1/1.csv',
      'id\n1\n',
      /the folder zone=1 gives a column zone, which the schema of x\.t lacks/,
    ],
    [
      'the file has as well',
      'n=1/1.csv',
      'id,n\n1,1\n',
      /1\.csv: the header names n: expected it in the name of the folder/,
    ],
    [
      'a row has as well',
      'n=1/1.json',
      '{"id":1,"N":2}\n',
      /1\.json:1:9: n: found the field, expected it in the name of/,
    ],
    ['stands twice', 'n=1/N=2/1.csv', 'id\n1\n', /the folder N=2 gives N a second time/],
    ['is not of its type', 'n=a/1.csv', 'id\n1\n', /the folder n=a gives n no value of its type: expected an INT64/],
    ['would be a list', 'list=1/1.csv', 'id\n1\n', /the folder list=1 cannot give list, which is ARRAY by its schema/],
  ]
  for (const [what, file, text, message] of MISTAKES) {
    it(`in a folder whose key ${what} are an error that names it`, async () => {
      const fields = ['id', 'n'].map(name => ({ name, type: 'INTEGER' }))
      write('tables/x.t.json', JSON.stringify([...fields, { name: 'list', type: 'INTEGER', mode: 'REPEATED' }]))
      write(`data/x/t/${file}`, text)
      expect(await query('SELECT * FROM `x.t`')).to.match(message)
    })
  }

  it('that are Parquet with the column of a folder are an error that names it', async () => {
    const path = write('data/x/t/n=1/1.parquet', '')
    await copy(`COPY (SELECT 1 AS n) TO '${path}' (FORMAT parquet)`)
    const also = /1\.parquet: its folder gives the column n, and the file has it as well/
    schema('x.t', { n: 'INTEGER' })
    expect(await query('SELECT * FROM `x.t`')).to.match(also)
    expect((await command(['tables', 'infer', 'x.t', path, '--force', ...flags])).err).to.match(also)
  })

  const ARRAY = '[\n  {\n    "id": 1,\n    "tags": ["[", "\\"]", "}"]\n  },\n  {"id": "x"}]\n'
  const IN_ARRAY: readonly (readonly [what: string, text: string, found: string])[] = [
    ['a wrong value', ARRAY, '6:10: id: found "x", expected an INT64'],
    [
      'a wrong value far on one line',
      '[{"id":1},{"id":2}, {"id":"ü"},{"id":"x"}]',
      '1:27: id: found "ü", expected an INT64',
    ],
    ['no end', '[{"id":1},\n{"id":2}', '2:9: found the end of the file, expected "," or "]"'],
    ['no end after a comma', '[{"id":1},', '1:11: found the end of the file, expected "," or "]"'],
    ['a comma too many', '[{"id":1},\n]', '2:1: found "]", expected a row'],
    ['two commas', '[{"id":1},,{"id":2}]', '1:11: found ",", expected a row'],
    ['text behind its end', '[{"id":1}]\n{"id":2}', '2:1: found "{"id":2}", expected the end of the file'],
    ['numbers', '[1, 2]', '1:2: found "1", expected a row, as a JSON object'],
    ['a bracket too many', '[{"id":1}}]', '1:10: found "}", expected the end of the row'],
    ['a line end in a string', '[{"id":1, "s":"a\nb"}]', '1:17: found the end of a line in a string'],
  ]
  for (const [what, text, found] of IN_ARRAY) {
    it(`that are an array with ${what} are an error with its place, in place and imported`, async () => {
      write('tables/x.t.json', '[{"name":"id","type":"INTEGER"},{"name":"tags","type":"STRING","mode":"REPEATED"}]')
      write('data/x/t.json', text)
      const path = write('in/t.json', text)
      expect(await query('SELECT * FROM `x.t`')).to.include(`t.json:${found}`)
      expect((await command(['import', 'x.t', path, ...flags])).err).to.include(`t.json:${found}`)
    })
  }

  it('that are an array set bad rows aside, each on a line', async () => {
    schema('x.t', { id: 'INTEGER' })
    const path = write('in/t.json', ARRAY.replace('"tags"', '"id2"').replace('"id": 1,', ''))
    const aside = folder.path('in/bad.ndjson')
    await command(['import', 'x.t', path, '--skip-bad', aside, ...flags])
    expect(
      readFileSync(aside, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).to.deep.equal([{ id2: ['[', '"]', '}'] }, { id: 'x' }])
  })

  const DOCUMENT =
    '{\n  "count": {"Records": [1]}, "a": "Records", "Re\\u0063ords": [\n    {"id": 1, "name": "a"},\n    {"id": 2,\n "name": "b"}\n' +
    '  ],\n  "more": [{"id": 3}]\n}\n'

  it('that are one document have their rows in a member of it', async () => {
    const path = write('data/x/t.json', DOCUMENT)
    const inferred = await command(['tables', 'infer', 'x.t', path, '--rows', 'Records', ...flags])
    expect(inferred.out).to.match(/^x\.t: 2 rows/m)
    expect(JSON.parse(readFileSync(folder.path('tables/x.t.json'), 'utf8')).externalDataConfiguration).to.deep.equal({
      rows: 'Records',
    })
    const rows = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ]
    expect(await query('SELECT * FROM `x.t` ORDER BY id')).to.deep.equal(rows)
    expect((await command(['import', 'x.t', path, '--replace', ...flags])).out).to.match(/imported 2 rows/)
    expect(await query('SELECT * FROM `x.t` ORDER BY id')).to.deep.equal(rows)
  })

  const IN_DOCUMENT: readonly (readonly [what: string, text: string, found: string])[] = [
    ['lacks it', '{"a": 1}\n', '1:8: found the end of the document, expected the member "Records" with the rows'],
    ['has no list in it', '{"Records":\n {"a": 1}}', '2:2: found "{"a": 1}}", expected a list of rows in "Records"'],
    ['has it twice', '{"Records": [], "Records": []}', '1:26: found "Records" a second time'],
    ['has no end', '{"Records": [{"id":1}]', '1:23: found the end of the file, expected "}"'],
    ['has a wrong value', '{"Records": [\n{"id":1},\n {"id":"x"}]}', '3:8: id: found "x", expected an INT64'],
  ]
  for (const [what, text, found] of IN_DOCUMENT) {
    it(`that are one document are an error with its place where it ${what}`, async () => {
      const declared = {
        schema: { fields: [{ name: 'id', type: 'INTEGER' }] },
        externalDataConfiguration: { rows: 'Records' },
      }
      write('tables/x.t.json', JSON.stringify(declared))
      write('data/x/t.json', text)
      expect(await query('SELECT * FROM `x.t`')).to.include(`t.json:${found}`)
    })
  }

  it('of shards have the columns of folders', async () => {
    schema('x.e_*', { id: 'INTEGER', cat: 'STRING' })
    for (const day of [1, 2])
      await copy(
        `COPY (SELECT ${day} AS id, 'c' AS cat) TO '${folder.path(`data/x/e_${day}`)}' (FORMAT parquet, PARTITION_BY cat)`,
      )
    expect(await query("SELECT id, cat, _TABLE_SUFFIX AS s FROM `x.e_*` WHERE cat = 'c' ORDER BY id")).to.deep.equal([
      { id: 1, cat: 'c', s: '1' },
      { id: 2, cat: 'c', s: '2' },
    ])
  })
})
