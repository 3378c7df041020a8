/** Files in the place of a table that are not read: an error that names them, and not an empty table. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { command, scratch } from './command.js'

describe('files in the place of a table that are not read', () => {
  const folder = scratch()
  const flags = ['--tables', folder.path('tables'), '--data', folder.path('data'), '--engine-memory', '256']
  const write = (name: string, text = ''): void => {
    mkdirSync(dirname(folder.path('data', name)), { recursive: true })
    writeFileSync(folder.path('data', name), text)
  }
  const count = (table: string) => command(['query', `SELECT COUNT(*) AS n FROM \`${table}\``, ...flags])

  before(() => {
    for (const name of ['tables', 'endpoints', 'data/x']) mkdirSync(folder.path(name), { recursive: true })
    for (const table of ['orders', 'events_*', 'kept'])
      writeFileSync(folder.path('tables', `x.${table}.json`), '[{"name":"id","type":"INTEGER"}]')
    writeFileSync(
      folder.path('endpoints', 'n.yaml'),
      'id: 6f0c9a52-8f0b-4c3c-9b43-0f9f2b1c7a11\nname: x.n\ndescription: The number of orders.\nsql: |\n  SELECT COUNT(*) AS n FROM `x.orders`\n',
    )
  })
  afterEach(() => rmSync(folder.path('data/x'), { recursive: true, force: true }))
  after(() => folder.remove())

  const UNREAD: readonly (readonly [what: string, file: string, named: string])[] = [
    ['another ending', 'x/orders.log', 'x/orders.log'],
    ['two endings', 'x/orders.2026.csv', 'x/orders.2026.csv'],
    ['compressed Parquet', 'x/orders.parquet.gz', 'x/orders.parquet.gz'],
    ['another ending in the folder', 'x/orders/1.avro', 'x/orders/1.avro'],
    ['a file that is not data', 'x/orders/README.md', 'x/orders/README.md'],
    ['another ending in a folder below', 'x/orders/2026/1.avro', 'x/orders/2026/1.avro'],
    ['another ending in a folder as Spark writes it', 'x/orders.csv/part-0.zip', 'x/orders.csv/part-0.zip'],
    ['the log of a Delta table', 'x/orders/_delta_log/0.json', 'x/orders/_delta_log'],
  ]
  for (const [what, file, named] of UNREAD) {
    it(`are an error that names them: ${what}`, async () => {
      write('x/orders.ndjson', '{"id":1}\n')
      expect((await count('x.orders')).out).to.match(/^ *1$/m)
      write(file)
      const { code, out, err } = await count('x.orders')
      expect([code, out]).to.deep.equal([1, ''])
      expect(err).to.include(`${folder.path('data', named)} is not read`)
      const reason =
        named === 'x/orders.2026.csv'
          ? /the name of a file of x\.orders is the table's own, followed by the ending alone\. Rename it, or move it elsewhere and import it there with `sluice import x\.orders orders\.2026\.csv`/
          : named.endsWith('_log')
            ? /it is the log of a table/
            : /\.ndjson, \.jsonl, \.json, \.csv or \.tsv/
      expect(err).to.match(reason)
    })
  }

  it('are an error also where nothing else is there, with a schema and without one', async () => {
    write('x/orders.avro')
    write('x/bare/k=1/1.avro')
    write('x/README.md')
    expect((await count('x.orders')).err).to.match(/orders\.avro is not read/)
    const { code, err } = await count('x.bare')
    expect(code).to.equal(1)
    expect(err).to.match(/Table not found: x\.bare; .*x\/bare\/k=1\/1\.avro is not read/)
    expect((await command(['query', 'SELECT 1 AS a', ...flags])).code).to.equal(0)
  })

  it('are an error where their names differ from the table in upper and lower case', async () => {
    for (const [file, named, right] of [
      ['x/Orders.ndjson', 'x/Orders.ndjson', 'orders.ndjson'],
      ['x/ORDERS.csv.gz', 'x/ORDERS.csv.gz', 'orders.csv.gz'],
      ['x/Orders/1.parquet', 'x/Orders', 'orders'],
    ] as const) {
      write(file)
      const { code, out, err } = await count('x.orders')
      expect([code, out]).to.deep.equal([1, ''])
      expect(err).to.include(
        `${folder.path('data', named)} is not read: the table is called x.orders, and names of tables are case-sensitive. Rename it to ${right}, or move it elsewhere`,
      )
      rmSync(folder.path('data/x'), { recursive: true })
    }
  })

  it('are an error of a shard, and of no other', async () => {
    write('x/events_1.ndjson', '{"id":1}\n')
    write('x/events_2.log', '{"id":1}\n')
    const shards = (below: string) =>
      command(['query', `SELECT COUNT(*) AS n FROM \`x.events_*\` WHERE _TABLE_SUFFIX < '${below}'`, ...flags])
    expect((await shards('2')).out).to.match(/^ *1$/m)
    expect((await shards('3')).err).to.match(/events_2\.log is not read/)
  })

  it('are named by tables list and describe, and a warning of validate', async () => {
    write('x/orders.avro')
    const list = await command(['tables', 'list', ...flags])
    expect(list.code).to.equal(1)
    expect(list.err).to.match(/^x\.orders cannot be read: .*orders\.avro is not read/m)
    expect((await command(['tables', 'describe', 'x.orders', ...flags])).err).to.match(/orders\.avro is not read/)
    const validate = ['validate', '--endpoints', folder.path('endpoints'), ...flags.slice(0, 4)]
    const { code, err, out } = await command([...validate, '--format', 'json'])
    expect([code, err]).to.deep.equal([0, ''])
    const [warning] = JSON.parse(out)
    expect(warning).to.deep.include({ rule: 'table/unread-file', severity: 'warning' })
    expect(warning.file).to.match(/data\/x\/orders\.avro$/)
    expect(warning.message).to.match(/^orders\.avro is not read/)
  })

  it('are not those of a writer, a link that leads nowhere is one, and an empty folder holds none', async () => {
    write('x/orders/1.ndjson', '{"id":1}\n')
    for (const name of [
      '_SUCCESS',
      '_temporary/0.json',
      '_metadata.parquet',
      '.part.crc',
      'a.csv~',
      '2.ndjson.tmp',
      '2.parquet.new',
      '.2.csv',
    ])
      write(`x/orders/${name}`)
    mkdirSync(folder.path('data/x/orders/empty'))
    write('x/orders.ndjson.tmp')
    write('x/.orders.json')
    write('x/Orders.ndjson.tmp')
    expect((await count('x.orders')).out).to.match(/^ *1$/m)
    symlinkSync(folder.path('nowhere'), folder.path('data/x/orders/3.csv'))
    expect((await count('x.orders')).err).to.match(/3\.csv is not read: it is a link that leads nowhere/)
  })

  it('are not those of imports', async () => {
    write('x/kept.csv', 'id\n1\n')
    writeFileSync(folder.path('rows.ndjson'), '{"id":1}\n')
    for (let run = 0; run < 2; run++)
      expect(
        (await command(['import', 'x.kept', folder.path('rows.ndjson'), '--replace', ...flags.slice(0, 4)])).code,
      ).to.equal(0)
    write('x/kept/20260131T120000123Z-0123abcd/1.parquet', 'of an import that was killed')
    expect((await count('x.kept')).out).to.match(/^ *1$/m)
  })
})
