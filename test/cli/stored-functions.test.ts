/** Functions that are kept in a dataset, on the command line: in every command that reads manifests. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { type FakeTables, startFakeTables } from '../engines/bigquery/fake-tables.js'
import { command, type Finished, scratch } from './command.js'

const MANIFEST = `id: 0d5c2b64-6a59-4a3a-9a4e-6a3a0d8c3f11
name: shop.bill
sql: |
  SELECT id, \`shop.gross\`(price) AS gross, shop.label(id) AS label
  FROM shop.dear(15)
  ORDER BY id
`
const TESTS = `tables:
  shop.orders: [{ id: 1, price: 10 }, { id: 2, price: 20 }]
tests:
  - name: the dear ones
    expect: { rows: [{ id: 2, gross: 24, label: "no. 2" }] }
`
const GROSS =
  'CREATE OR REPLACE FUNCTION `shop.gross`(price FLOAT64) RETURNS FLOAT64 AS (\n  price + shop.tax(price)\n);\n'
const FUNCTIONS: Readonly<Record<string, string>> = {
  'shop.gross': GROSS,
  'shop.tax': 'CREATE FUNCTION shop.tax(price FLOAT64) RETURNS FLOAT64 AS (price * 0.2)',
  'shop.label':
    'CREATE FUNCTION shop.label(id FLOAT64) RETURNS STRING DETERMINISTIC LANGUAGE js AS r"""\n  return "no. " + id\n"""',
  'shop.dear':
    'CREATE TABLE FUNCTION shop.dear(least FLOAT64)\nAS SELECT id, price FROM `shop.orders` WHERE price >= least',
}
const FLOAT = { typeKind: 'FLOAT64' }
const ROUTINES = {
  'p.shop.gross': {
    routineType: 'SCALAR_FUNCTION',
    language: 'SQL',
    arguments: [{ name: 'price', dataType: FLOAT }],
    returnType: FLOAT,
    definitionBody: 'price   + `shop`.TAX(price) -- with the tax',
  },
  'p.shop.label': {
    routineType: 'SCALAR_FUNCTION',
    language: 'JAVASCRIPT',
    arguments: [{ name: 'id', dataType: FLOAT }],
    returnType: { typeKind: 'STRING' },
    definitionBody: '\n  return "no. " + id\n',
  },
  'p.shop.dear': {
    routineType: 'TABLE_VALUED_FUNCTION',
    language: 'SQL',
    arguments: [{ name: 'least', dataType: { typeKind: 'INT64' } }],
    definitionBody: 'SELECT id FROM `shop.orders` WHERE price >= least',
  },
}

describe('functions that are kept in a dataset, on the command line', () => {
  const folder = scratch()
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  const plain = ({ code, out, err }: Finished): Finished => ({
    code,
    out: out.replaceAll(`${folder.path('')}`.replace(/\/?$/, '/'), ''),
    err: err.replaceAll(`${folder.path('')}`.replace(/\/?$/, '/'), ''),
  })
  const flags = (base = ''): string[] => [
    ...['--endpoints', folder.path(`${base}endpoints`), '--tables', folder.path(`${base}tables`)],
    ...['--functions-dir', folder.path(`${base}functions`)],
  ]
  const data = (): string[] => ['--data', folder.path('data')]
  const authored = async (...argv: readonly string[]): Promise<Finished> => plain(await command([...argv, ...flags()]))

  function writeAll(base = ''): void {
    write(`${base}endpoints/shop.bill.yaml`, MANIFEST)
    write(`${base}endpoints/shop.bill.test.yaml`, TESTS)
    write(
      `${base}tables/shop.orders.json`,
      JSON.stringify([
        { name: 'id', type: 'INT64' },
        { name: 'price', type: 'FLOAT64' },
      ]),
    )
    for (const [name, text] of Object.entries(FUNCTIONS)) write(`${base}functions/${name}.sql`, text)
  }

  beforeEach(() => {
    writeAll()
    write('data/shop/orders.ndjson', '{"id":1,"price":10}\n{"id":2,"price":20}\n{"id":3,"price":30}\n')
  })
  afterEach(() => {
    for (const name of ['endpoints', 'functions', 'old']) rmSync(folder.path(name), { recursive: true, force: true })
  })
  after(() => folder.remove())

  it('are validated, with the manifests that call them', async () => {
    const { code, out, err } = await authored('validate', ...data())
    expect(code, out + err).to.equal(0)
  })

  it('run in call, query and test', async () => {
    const called = await authored('call', 'shop.bill', '--format', 'csv', ...data())
    expect(called.out, called.err).to.equal('id,gross,label\r\n2,24,no. 2\r\n3,36,no. 3\r\n')
    const sql = 'SELECT shop.gross(10) AS gross, (SELECT COUNT(*) FROM shop.dear(20)) AS n'
    const asked = await authored('query', sql, '--format', 'csv', ...data())
    expect(asked.out, asked.err).to.equal('gross,n\r\n12,2\r\n')
    const tested = await authored('test')
    expect(tested.code, tested.out + tested.err).to.equal(0)
  })

  it('are read by a dry run', async () => {
    const { code, out, err } = await authored('call', 'shop.bill', '--dry-run', ...data())
    expect(code, err).to.equal(0)
    expect(out).to.include('shop.orders')
  })

  it('have their mistakes told with the file, the line and the column', async () => {
    write('functions/shop.tax.sql', 'CREATE FUNCTION shop.tax(price FLOAT64)\nAS (price * rate)')
    write('functions/strange name.sql', 'SELECT 1')
    write('functions/shop.loop.sql', 'CREATE FUNCTION shop.loop(x INT64) AS (shop.loop(x))')
    const { code, err } = await authored('validate', ...data())
    expect(code).to.equal(1)
    // The manifest that calls shop.tax is not blamed besides.
    expect(err.trimEnd().split('\n')).to.deep.equal([
      'functions/shop.loop.sql:1:40: Function shop.loop calls itself: shop.loop → shop.loop [function/sql]',
      'functions/shop.tax.sql:2:13: Unrecognized name: rate [function/sql]',
      'functions/strange name.sql:1:1: the file of a function must be named <dataset>.<name>.sql or <project>.<dataset>.<name>.sql [function/file-name]',
    ])
  })

  it('that fail only for the types of one call are reported at that call', async () => {
    write('functions/shop.tax.sql', 'CREATE FUNCTION shop.tax(price ANY TYPE) AS (price.rate)')
    const { code, err } = await authored('validate', ...data())
    expect(code).to.equal(1)
    expect(err).to.match(/^endpoints\/shop\.bill\.yaml:4:14: Function shop\.tax \(functions\/shop\.tax\.sql:1:\d+\): /)
  })

  it('are named with the file that would hold them where they are missing', async () => {
    rmSync(folder.path('functions/shop.label.sql'))
    const { code, err } = await authored('validate', ...data())
    expect(code).to.equal(1)
    expect(err).to.include('Function not found: shop.label; functions/shop.label.sql would hold it')
  })

  it('may be large, and are refused where they are too large or hold strange characters', async () => {
    const filler = `/*${' '.repeat(600_000)}*/`
    write('functions/shop.tax.sql', `${filler}${FUNCTIONS['shop.tax']!}`)
    expect((await authored('validate', ...data())).code).to.equal(0)
    write('functions/shop.tax.sql', `${filler}${filler}${FUNCTIONS['shop.tax']!}`)
    write('functions/shop.odd.sql', 'CREATE FUNCTION shop.odd() AS (\u00001)')
    const { code, out, err } = await authored('validate', ...data())
    expect(code, out + err).to.equal(1)
    expect(err).to.include('functions/shop.tax.sql:1:1: the file has more than 1,048,576 characters [function/sql]')
    expect(err).to.match(/functions\/shop\.odd\.sql:1:32: the character .* is not allowed/)
  })

  it('are of each side in diff', async () => {
    writeAll('old/')
    write('old/functions/shop.tax.sql', 'CREATE FUNCTION shop.tax(price FLOAT64) RETURNS FLOAT64 AS (price * 0.1)')
    write('old/functions/shop.label.sql', 'CREATE FUNCTION shop.label(id INT64) AS (id)')
    const environment = {
      SLUICE_ENDPOINTS: folder.path('endpoints'),
      SLUICE_TABLES: folder.path('tables'),
      SLUICE_FUNCTIONS_DIR: folder.path('functions'),
      SLUICE_DATA: folder.path('data'),
    }
    const { code, out, err } = plain(
      await command(['diff', folder.path('old/endpoints'), folder.path('endpoints')], environment),
    )
    expect(code, out + err).to.equal(1)
    expect(out).to.match(/label/)
  })

  describe('against the warehouse', () => {
    let fake: FakeTables
    before(async () => {
      const tables = {
        'p.shop.orders': {
          schema: {
            fields: [
              { name: 'id', type: 'INT64' },
              { name: 'price', type: 'FLOAT64' },
            ],
          },
        },
      }
      fake = await startFakeTables({ tables, routines: ROUTINES })
    })
    after(() => fake.stop())
    const diff = async (): Promise<Finished> => {
      const environment = { BIGQUERY_EMULATOR_HOST: fake.host, GOOGLE_CLOUD_PROJECT: 'p' }
      return plain(
        await command(
          ['tables', 'diff', '--tables', folder.path('tables'), '--functions-dir', folder.path('functions')],
          environment,
        ),
      )
    }

    it('are compared: what they take and return, and their bodies without white space and comments', async () => {
      const { code, out, err } = await diff()
      expect(code, err).to.equal(1)
      expect((err + out).trimEnd().split('\n')).to.deep.equal([
        'functions/shop.dear.sql:1:33: shop.dear: the parameter 1 is least FLOAT64 here and least INT64 in the warehouse [function/differs]',
        'functions/shop.dear.sql:2:4: shop.dear: the body differs from the warehouse [function/differs]',
        'functions/shop.tax.sql:1:17: the warehouse has no function shop.tax [function/missing]',
        '1 table and 4 functions: 3 differences',
      ])
    })

    it('are not asked about where there are none', async () => {
      rmSync(folder.path('functions'), { recursive: true })
      const asked = fake.requests.length
      expect(await diff()).to.deep.equal({ code: 0, out: '1 table: no differences\n', err: '' })
      expect(fake.requests.slice(asked).filter(path => path.includes('routines'))).to.deep.equal([])
    })

    it('must be definitions', async () => {
      write('functions/shop.tax.sql', 'CREATE FUNCTION shop.tax(')
      const { code, out, err } = await diff()
      expect(code).to.equal(1)
      expect(out + err).to.include('functions/shop.tax.sql:1:26: ')
    })
  })
})
