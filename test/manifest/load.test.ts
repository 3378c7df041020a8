/** Loading manifests and table schemas from folders. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { filterPaths } from '../../authoring/check/path-filter.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { typeName } from '../../googlesql/types/types.js'
import { loadEndpoints } from '../../runner/manifest/load.js'
import { loadTableSchemas, readTableSchema } from '../../runner/manifest/tables/load.js'
import { checkByTranslation } from './check-by-translation.js'

const none = tableCatalogue([])
const manifest = (n: number) => `id: 0000000${n}-0000-4000-8000-000000000000\nname: n${n}\nsql: |\n  SELECT ${n} AS n\n`

describe('the endpoints of this project', () => {
  it('load without diagnostics, with all variants compiled', async () => {
    const { tables, diagnostics } = await loadTableSchemas('schemas/tables')
    expect(diagnostics).to.deep.equal([])
    const catalogue = tableCatalogue(tables)
    const loaded = await loadEndpoints({ dir: 'endpoints', tables: catalogue, checkSql: checkByTranslation(catalogue) })
    expect(loaded.diagnostics).to.deep.equal([])
    const variants = Object.fromEntries(
      loaded.loadedEndpoints.map(({ endpoint, variants }) => [endpoint.name, variants.length]),
    )
    expect(variants).to.include({ 'functions.invocation-stats': 10, 'logs.all': 16, 'usage.api-counts': 3 })
  })
})

describe('a folder of manifests', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'manifests-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))
  const load = async (only: string[] = []) => {
    const { isWanted } = await filterPaths(
      dir,
      only.map(file => join(dir, file)),
    )
    return loadEndpoints({ dir, tables: none, checkSql: checkByTranslation(none), isWanted })
  }
  const told = (loaded: Awaited<ReturnType<typeof load>>) =>
    loaded.diagnostics.map(d => `${d.file.slice(dir.length + 1)} ${d.rule}`)

  it('does not wait for a pipe that is named like a manifest', async () => {
    execFileSync('mkfifo', [join(dir, 'pipe.yaml')])
    const { diagnostics } = await load()
    expect(diagnostics.map(({ rule, message }) => `${rule} ${message}`).join()).to.match(
      /^manifest\/unreadable .*it is not an ordinary file/,
    )
  })

  it('is read with its subfolders, without tests; a broken manifest does not affect the others', async () => {
    mkdirSync(join(dir, 'deep'))
    writeFileSync(join(dir, 'a.yaml'), manifest(1))
    writeFileSync(join(dir, 'deep', 'b.yaml'), manifest(2))
    writeFileSync(join(dir, 'a.test.yaml'), 'not: a manifest\n')
    writeFileSync(join(dir, 'broken.yaml'), 'name: [\n')
    writeFileSync(join(dir, 'latin1.yaml'), Buffer.from([0x69, 0x64, 0x3a, 0xe9]))
    writeFileSync(join(dir, 'old.yml'), manifest(3))
    symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling.yaml'))
    const loaded = await load()
    expect(loaded.endpoints.map(endpoint => endpoint.name)).to.deep.equal(['n1', 'n2'])
    expect(told(loaded)).to.deep.equal([
      'broken.yaml yaml/syntax',
      'dangling.yaml manifest/unreadable',
      'latin1.yaml manifest/unreadable',
      'old.yml manifest/file-name',
    ])
  })

  it('can be limited to some files, whose names are still compared with those of all files', async () => {
    mkdirSync(join(dir, 'deep'))
    writeFileSync(join(dir, 'a.yaml'), manifest(1))
    writeFileSync(join(dir, 'b.yaml'), 'name: [\n')
    writeFileSync(join(dir, 'deep', 'c.yaml'), manifest(1))
    expect(told(await load(['deep']))).to.deep.equal([
      'deep/c.yaml manifest/duplicate-id',
      'deep/c.yaml manifest/duplicate-name',
    ])
    expect(told(await load(['a.yaml']))).to.deep.equal([
      'a.yaml manifest/duplicate-id',
      'a.yaml manifest/duplicate-name',
    ])
  })

  it('that does not exist is reported', async () => {
    const loaded = await loadEndpoints({ dir: join(dir, 'missing'), tables: none, checkSql: checkByTranslation(none) })
    expect(loaded.diagnostics.map(d => d.message)).to.deep.equal([
      'there is no such folder of manifests; --endpoints or SLUICE_ENDPOINTS names the folder, and `sluice init DIR` makes one',
    ])
  })
})

describe('table schemas', () => {
  const fields = '[{ "name": "id", "type": "STRING" }, { "name": "at", "type": "timestamp", "mode": "REQUIRED" }]'

  it('may be a list of fields or a whole table resource', () => {
    const list = readTableSchema({ file: 'x/shop.orders.json', text: fields })
    const text = `{ "schema": { "fields": ${fields} }, "clustering": { "fields": ["id"] }, "timePartitioning": { "type": "DAY", "field": "at" } }`
    const resource = readTableSchema({ file: 'x/shop.orders.json', text })
    for (const { table } of [list, resource]) {
      expect(table!.name).to.equal('shop.orders')
      expect(table!.columns.map(c => `${c.name} ${typeName(c.type)}`)).to.deep.equal(['id STRING', 'at TIMESTAMP'])
    }
    expect(list.table!.layout).to.deep.equal({ clusteredBy: [], partition: null })
    expect(resource.table!.layout).to.deep.equal({
      clusteredBy: ['id'],
      partition: { column: 'at', unit: 'DAY' },
    })
  })

  const BROKEN: readonly [text: string, told: string][] = [
    ['[]', '1:1 the table schema must not be empty'],
    ['{}', '1:1 the table schema has no "schema"'],
    ['[{ "name": "a", "type": "TEXT" }]', '1:25 the type "TEXT" of field "a" is not supported; did you mean "STRING"?'],
    [
      '[{ "name": "a", "type": "TIMSTAMP" }]',
      '1:25 the type "TIMSTAMP" of field "a" is not supported; did you mean "TIMESTAMP"?',
    ],
    [
      '[{ "name": "a", "type": "ARRAY<STRING>" }]',
      '1:25 the type "ARRAY<STRING>" of field "a" is not supported; an array has the type of its elements, and "mode": "REPEATED"',
    ],
    [
      '[{ "name": "a", "type": "BIGDECIMAL(50, 2)" }]',
      '1:25 the type "BIGDECIMAL(50, 2)" of field "a" is not supported; write "type": "BIGDECIMAL", and what is in parentheses as "precision" and "scale"',
    ],
    [
      '[{ "name": "a", "type": "BIGINT(20)" }]',
      '1:25 the type "BIGINT(20)" of field "a" is not supported; did you mean "BIGINT"?',
    ],
    [
      '[{ "name": "a", "type": "NUMERIC(10, 2)" }]',
      '1:25 the type "NUMERIC(10, 2)" of field "a" is not supported; write "type": "NUMERIC", and what is in parentheses as "precision" and "scale"',
    ],
    [
      '[{ "name": "a", "type": "STRING", "mod": "REQUIRED" }]',
      '1:35 unknown key "mod" in field "a"; did you mean "mode"?',
    ],
    ['[{ "name": "a", "typ": "STRING" }]', '1:17 unknown key "typ" in field "a"; did you mean "type"?'],
    [
      '[{ "name": "a", "type": "RECORD", "fields": [{ "name": "b", "type": "STRING", "descripton": "x" }] }]',
      '1:79 unknown key "descripton" in field "b"; did you mean "description"?',
    ],
    [
      '[{ "name": "a", "type": "STRING", "mode": "REQUIERD" }]',
      '1:43 the mode of field "a" must be NULLABLE, REQUIRED or REPEATED, found "REQUIERD"; did you mean "REQUIRED"?',
    ],
    [
      '[{ "name": "a", "type": "NUMERIC", "precision": "ten" }]',
      '1:49 "precision" of field "a" must be a whole number, found the text "ten"',
    ],
    [
      '{"schema":{"fields":[{"name":"a","type":"DATE"}]},"timePartitionning":{"type":"DAY","field":"a"}}',
      '1:51 unknown member "timePartitionning" of the table; did you mean "timePartitioning"?',
    ],
    ['[\n  { "type": "STRING" }\n]', '2:3 field 1 has no "name"'],
    ['[{ "name": "a" }]', '1:2 field "a" has no "type"'],
    ['[{ "name": "a", "type": "RECORD" }]', '1:2 field "a" has no "fields"'],
    [
      '[{ "name": "a", "type": "STRING", "mode": "MANY" }]',
      '1:43 the mode of field "a" must be NULLABLE, REQUIRED or REPEATED, found "MANY"',
    ],
    [
      '[{ "name": "a", "type": "STRING" }, { "name": "A", "type": "STRING" }]',
      '1:47 the field "A" stands here a second time',
    ],
    [
      '{"schema":{"fields":[{"name":"a","type":"JSON"}]},"clustering":{"fields":["a","b"]}}',
      '1:75 rows cannot be clustered by a, whose type is JSON',
    ],
    [
      '{"schema":{"fields":[{"name":"a","type":"DATE"}]},"timePartitioning":{"type":"HOUR","field":"a"}}',
      '1:93 rows cannot be partitioned by the HOUR of a, whose type is DATE',
    ],
    [
      '{"schema":{"fields":[{"name":"a","type":"DATE"}]},"timePartitioning":{"type":"WEEK","field":"a"}}',
      '1:78 "timePartitioning.type" must be HOUR, DAY, MONTH or YEAR, found the text "WEEK"',
    ],
    [
      '{"schema":{"fields":[{"name":"a","type":"DATE"}]},"timePartitioning":{"type":"DAY","field":"b"}}',
      '1:92 no field is named "b"',
    ],
    ['[{ "name": "a"', '1:2 this "{" is not closed; "}" is missing'],
  ]
  for (const [text, expected] of BROKEN) {
    it(`${JSON.stringify(text)}: ${expected}`, () => {
      const { table, diagnostics } = readTableSchema({ file: 'shop.orders.json', text })
      expect(table).to.equal(null)
      expect(diagnostics.map(d => `${d.line}:${d.column} ${d.message}`)[0]).to.equal(expected)
    })
  }

  it('may be one line, as bq prints it without pretty', () => {
    for (const name of readdirSync('schemas/tables')) {
      const text = readFileSync(join('schemas/tables', name), 'utf8')
      const { table } = readTableSchema({ file: name, text: JSON.stringify(JSON.parse(text)) })
      expect(table?.columns).to.deep.equal(readTableSchema({ file: name, text }).table!.columns)
    }
  })

  it('must be named by dataset and table', () => {
    const { diagnostics } = readTableSchema({ file: 'x/orders.json', text: fields })
    expect(diagnostics.map(d => d.rule)).to.deep.equal(['table/file-name'])
  })
})
