import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { command, scratch } from './command.js'

describe('sluice tables infer', () => {
  const folder = scratch()
  const orders = folder.path('data', 'sales', 'orders.csv')
  const schema = folder.path('schemas', 'tables', 'sales.orders.json')
  const flags = ['--tables', folder.path('schemas', 'tables'), '--data', folder.path('data')]
  const infer = (table: string, files: readonly string[], ...more: readonly string[]) =>
    command(['tables', 'infer', table, ...files, ...flags, ...more])

  before(() => {
    mkdirSync(folder.path('data', 'sales'), { recursive: true })
    writeFileSync(orders, 'id,at,zip\n1,2026-01-05T09:30:00Z,01234\n2,,5\n')
  })
  after(() => folder.remove())

  it('writes the schema, says what it saw, and doubts aloud', async () => {
    const { code, out, err } = await infer('sales.orders', [orders])
    expect([code, err]).to.deep.equal([0, ''])
    expect(out.replaceAll(folder.path(), '')).to.equal(
      `sales.orders: 2 rows in /data/sales/orders.csv
column  type       nulls  first value
------  ---------  -----  --------------------
id      INTEGER        0  1
at      TIMESTAMP      1  2026-01-05T09:30:00Z
zip     STRING         0  01234
doubt: at is a name that SQL needs in backticks: \`at\`
doubt: zip is STRING, since "01234" in /data/sales/orders.csv:2 begins with a zero, which a number would lose
wrote /schemas/tables/sales.orders.json
`,
    )
    expect(JSON.parse(readFileSync(schema, 'utf8'))).to.deep.equal([
      { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'at', type: 'TIMESTAMP', mode: 'NULLABLE' },
      { name: 'zip', type: 'STRING', mode: 'NULLABLE' },
    ])
  })

  it('the schema then reads the file', async () => {
    const { out } = await command([
      ...['query', 'SELECT id, `at`, zip FROM `sales.orders` ORDER BY id', '--format', 'ndjson'],
      ...[...flags, '--engine-memory', '256'],
    ])
    expect(out).to.equal('{"id":1,"at":"2026-01-05T09:30:00Z","zip":"01234"}\n{"id":2,"at":null,"zip":"5"}\n')
  })

  it('writes how the file is written, and a query in place and an import read it so', async () => {
    const path = folder.path('data', 'sales', 'bank.csv')
    writeFileSync(path, 'Konto;Betrag;Steuer\n4000;125,50;20,08\n5000;-12,25;NA\n')
    const { out } = await infer('sales.bank', [path], '--null', 'NA')
    expect(out).to.include(`doubt: ${path} has cells separated by ";": if that is wrong, give --delimiter\n`)
    expect(JSON.parse(readFileSync(folder.path('schemas', 'tables', 'sales.bank.json'), 'utf8'))).to.deep.equal({
      schema: {
        fields: [
          { name: 'Konto', type: 'INTEGER', mode: 'NULLABLE' },
          { name: 'Betrag', type: 'NUMERIC', mode: 'NULLABLE' },
          { name: 'Steuer', type: 'NUMERIC', mode: 'NULLABLE' },
        ],
      },
      externalDataConfiguration: {
        decimalComma: true,
        csvOptions: { fieldDelimiter: ';', nullMarkers: ['', 'NA'] },
      },
    })
    const more = folder.path('more.csv')
    writeFileSync(more, 'Title\n\nKonto|Betrag|Steuer\n6000|1|-\n')
    const skipped = ['--delimiter', '|', '--skip-rows', '3', '--null', '-']
    const imported = await command(['import', 'sales.bank', more, ...flags, ...skipped])
    expect(imported).to.deep.include({ code: 0, err: '' })
    const query = await command([
      ...['query', 'SELECT * FROM `sales.bank` ORDER BY Konto', '--format', 'ndjson'],
      ...[...flags, '--engine-memory', '256'],
    ])
    expect(query.out).to.equal(
      [
        '{"Konto":4000,"Betrag":"125.5","Steuer":"20.08"}\n',
        '{"Konto":5000,"Betrag":"-12.25","Steuer":null}\n',
        '{"Konto":6000,"Betrag":"1","Steuer":null}\n',
      ].join(''),
    )
  })

  for (const [flag, value] of [
    ['--delimiter', 'ab'],
    ['--encoding', 'UTF-32'],
    ['--skip-rows', 'x'],
  ] as const) {
    it(`refuses ${flag} ${value}`, async () => {
      const { code, err } = await infer('sales.x', [orders], flag, value)
      expect(code).to.equal(2)
      expect(err).to.include(`${flag} ${value}: must be`)
    })
  }

  it('writes over no schema, but for --force; --dry-run prints it', async () => {
    writeFileSync(schema, '[]')
    const refused = await infer('sales.orders', [orders])
    expect(refused).to.deep.include({ code: 1, out: '' })
    expect(refused.err).to.include('is there already; --force writes over it')
    const dry = await infer('sales.orders', [orders], '--dry-run')
    expect(JSON.parse(dry.out)).to.have.length(3)
    expect(dry.err).to.include('doubt: zip')
    expect(readFileSync(schema, 'utf8')).to.equal('[]')
    expect((await infer('sales.orders', [orders], '--force')).code).to.equal(0)
    expect(JSON.parse(readFileSync(schema, 'utf8'))).to.have.length(3)
  })

  it('reads compressed files, and says where the rows must go', async () => {
    const path = folder.path('more.ndjson.gz')
    writeFileSync(path, gzipSync('{"a":1}\n'))
    const { code, out } = await infer('sales.more', [path])
    expect(code).to.equal(0)
    expect(out).to.match(
      /^its rows are read from \S+sales\/more\.parquet, \.ndjson, \.jsonl, \.json, \.csv or \.tsv, or from such files below \S+sales\/more\/: put/m,
    )
    expect(out).not.to.include('is not read')
  })

  it('says that a file in the place of the table is not read', async () => {
    const path = folder.path('data', 'sales', 'json.log')
    writeFileSync(path, '{"a":1}\n')
    const { out } = await infer('sales.json', [path], '--input-format', 'ndjson')
    expect(out).to.match(/^doubt: \S+json\.log is not read: the name of a file of sales\.json ends in \.parquet/m)
  })

  it('reads standard input', async () => {
    const input = ['tables', 'infer', 'sales.input', '-', '--input-format', 'csv', ...flags, '--dry-run']
    expect(JSON.parse((await command(input, {}, 'a,b\n1,x\n')).out)).to.deep.equal([
      { name: 'a', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'b', type: 'STRING', mode: 'NULLABLE' },
    ])
  })

  it('names rows that cannot be read, and writes nothing', async () => {
    const path = folder.path('bad.ndjson')
    writeFileSync(path, '{"a":1}\n{"a":1,}\n')
    const { code, out, err } = await infer('sales.bad', [path])
    expect([code, out]).to.deep.equal([1, ''])
    expect(err).to.equal(
      `${path}:2:8: found "}", expected a key in quotes\n1 row cannot be read; nothing was written\n`,
    )
  })

  it('gives keys that cannot name a column a name, in place and in an import', async () => {
    const logs = folder.path('data', 'logs', 'web.ndjson')
    mkdirSync(folder.path('data', 'logs'))
    writeFileSync(logs, '{"@timestamp":"2026-01-31T12:00:00Z","http.status_code":200,"uri":"/a"}\n')
    const { out } = await infer('logs.web', [logs])
    expect(out).to.include('doubt: _timestamp is the name for "@timestamp", which cannot name a column\n')
    expect(out).to.include('doubt: http_status_code is the name for "http.status_code", which cannot name a column\n')
    const query = async () =>
      (await command(['query', 'SELECT * FROM `logs.web`', '--format', 'ndjson', ...flags, '--engine-memory', '256']))
        .out
    const row = '{"_timestamp":"2026-01-31T12:00:00Z","http_status_code":200,"uri":"/a"}\n'
    expect(await query()).to.equal(row)
    cpSync(logs, folder.path('web.ndjson'))
    const copied = await command(['import', 'logs.web', folder.path('web.ndjson'), ...flags])
    expect(copied).to.deep.include({ code: 0, err: '' })
    expect(await query()).to.equal(row + row)
  })

  const USAGE: readonly [says: string, table: string, file: string, told: RegExp][] = [
    ['a table without a dataset', 'orders', orders, /"orders" is not the name of a table: dataset\.table/],
    ['a path for a table', '../x.y', orders, /is not the name of a table/],
    ['a file of an unknown format', 'sales.x', 'notes.txt', /notes\.txt: the name must end with/],
  ]
  for (const [says, table, file, told] of USAGE) {
    it(`refuses ${says}`, async () => {
      const { code, err } = await infer(table, [file])
      expect(code).to.equal(2)
      expect(err).to.match(told)
    })
  }
})
