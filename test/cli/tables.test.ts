import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { type FakeTables, startFakeTables } from '../engines/bigquery/fake-tables.js'
import { sampleSize } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

const ORDERS = {
  description: 'What was ordered.',
  numRows: '12',
  schema: {
    fields: [
      { name: 'id', type: 'INTEGER', mode: 'REQUIRED', description: 'An id.' },
      { name: 'placed', type: 'TIMESTAMP' },
      { name: 'lines', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'n', type: 'FLOAT' }] },
    ],
  },
  timePartitioning: { type: 'DAY', field: 'placed' },
  clustering: { fields: ['id'] },
}
const TABLES: Record<string, object> = {
  'p.shop.orders': ORDERS,
  'p.shop.newest': { type: 'VIEW', schema: ORDERS.schema },
  'p.shop.days': { schema: { fields: [{ name: 'day', type: 'DATE' }] } },
  'q.shop.days': { schema: { fields: [{ name: 'day', type: 'DATE' }] } },
  'p.geo.places': { schema: { fields: [{ name: 'at', type: 'GEOGRAPHY' }] } },
}

describe('sluice tables', () => {
  const folder = scratch()
  let fake: FakeTables
  let dir = ''
  let next = 0
  const tables = (...argv: readonly string[]): Promise<Finished> =>
    command(['tables', ...argv, '--tables', dir], { BIGQUERY_EMULATOR_HOST: fake.host, GOOGLE_CLOUD_PROJECT: 'p' })
  const write = (name: string, schema: unknown): void => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(`${dir}/${name}.json`, JSON.stringify(schema, null, 2))
  }
  /** The output as the user sees it, without the folder's name. */
  const plain = ({ code, out, err }: Finished): Finished => {
    const [shownOut, shownErr] = [out, err].map(text => text.replaceAll(`${dir}/`, ''))
    return { code, out: shownOut!, err: shownErr! }
  }

  before(async () => {
    fake = await startFakeTables({ tables: TABLES })
  })
  beforeEach(() => {
    dir = folder.path(`tables-${next++}`)
  })
  after(async () => {
    await fake.stop()
    folder.remove()
  })

  describe('pull', () => {
    it('writes files that ddl, diff and the engine read, and names the tables that it leaves out', async () => {
      expect(plain(await tables('pull', 'shop'))).to.deep.equal({
        code: 0,
        out: 'new shop.days.json\nnew shop.orders.json\n',
        err: 'left out shop.newest: it is a VIEW, which has no rows of its own\n',
      })
      const { numRows: _, schema, ...layout } = ORDERS
      const [id, placed, lines] = schema.fields as [object, object, object]
      expect(JSON.parse(readFileSync(`${dir}/shop.orders.json`, 'utf8'))).to.deep.equal({
        ...layout,
        schema: {
          fields: [
            id,
            { ...placed, mode: 'NULLABLE' },
            { ...lines, fields: [{ name: 'n', type: 'FLOAT', mode: 'NULLABLE' }] },
          ],
        },
      })
      expect(plain(await tables('diff', 'shop'))).to.deep.equal({ code: 0, out: '2 tables: no differences\n', err: '' })
    })

    it('keeps all that bq prints about columns, nested ones too', async () => {
      const policyTags = { names: ['projects/p/locations/eu/taxonomies/1/policyTags/2'] }
      const fields = [
        { name: 'id', type: 'INTEGER', mode: 'REQUIRED', defaultValueExpression: '7', description: 'ä"\n'.repeat(300) },
        { name: 'code', type: 'STRING', mode: 'NULLABLE', maxLength: '12', collation: 'und:ci' },
        {
          name: 'paid',
          type: 'NUMERIC',
          mode: 'NULLABLE',
          precision: '10',
          scale: '2',
          roundingMode: 'ROUND_HALF_EVEN',
        },
        {
          name: 'who',
          type: 'RECORD',
          mode: 'NULLABLE',
          fields: [{ name: 'tax_number', type: 'STRING', mode: 'NULLABLE', policyTags }],
        },
      ]
      const shapes = await startFakeTables({ tables: { 'p.kept.all': { schema: { fields } } } })
      const environment = { BIGQUERY_EMULATOR_HOST: shapes.host, GOOGLE_CLOUD_PROJECT: 'p' }
      const { code } = await command(['tables', 'pull', 'kept', '--tables', dir], environment)
      await shapes.stop()
      expect(code).to.equal(0)
      expect(JSON.parse(readFileSync(`${dir}/kept.all.json`, 'utf8'))).to.deep.equal({ schema: { fields } })
      const { out } = await tables('ddl')
      expect(out.split('\n')[0]).to.include('policy tags').and.include('"who.tax_number"')
    })

    it('pulls tables of every kind that has rows, also shards and thousands of tables', async () => {
      const schema = { fields: [{ name: 'n', type: 'INTEGER' }] }
      const count = sampleSize(1_100)
      const many = Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`p.many.events_${20_200_000 + i}`, { schema }]),
      )
      const kinds = {
        'p.many.of_files': { type: 'EXTERNAL', schema },
        'p.many.as_it_was': { type: 'SNAPSHOT', schema },
        'p.many.summed': { type: 'MATERIALIZED_VIEW', schema },
      }
      const shapes = await startFakeTables({ tables: { ...many, ...kinds } })
      const environment = { BIGQUERY_EMULATOR_HOST: shapes.host, GOOGLE_CLOUD_PROJECT: 'p' }
      const { code, out, err } = plain(await command(['tables', 'pull', 'many', '--tables', dir], environment))
      await shapes.stop()
      expect([code, err]).to.deep.equal([
        0,
        'left out many.summed: it is a MATERIALIZED_VIEW, which has no rows of its own\n',
      ])
      expect(out.match(/^new /gm)).to.have.length(count + 2)
      expect(readdirSync(dir)).to.include.members(['many.of_files.json', 'many.as_it_was.json'])
    })

    it('changes nothing where nothing has changed', async () => {
      await tables('pull', 'shop')
      const before = readFileSync(`${dir}/shop.orders.json`)
      expect((await tables('pull', 'shop')).out.replaceAll(`${dir}/`, '')).to.equal(
        'same shop.days.json\nsame shop.orders.json\n',
      )
      expect(readFileSync(`${dir}/shop.orders.json`).equals(before)).to.equal(true)
      expect(readdirSync(dir)).to.deep.equal(['shop.days.json', 'shop.orders.json'])
    })

    it('keeps what a file says of how text files are written', async () => {
      await tables('pull', 'shop')
      const path = `${dir}/shop.orders.json`
      const resource = JSON.parse(readFileSync(path, 'utf8')) as object
      const more = { externalDataConfiguration: { ignoreUnknownValues: true } }
      writeFileSync(path, `${JSON.stringify({ ...resource, ...more }, null, 2)}\n`)
      expect((await tables('pull', 'shop')).out).to.include(`same ${path}\n`)
    })

    it('prints what it changed in existing files', async () => {
      write('shop.orders', [
        { name: 'id', type: 'STRING' },
        ...ORDERS.schema.fields.slice(1),
        { name: 'x', type: 'DATE' },
      ])
      write('shop.days', [{ name: 'day', type: 'DATE' }])
      write('shop.gone', [{ name: 'day', type: 'DATE' }])
      write('other.gone', [{ name: 'day', type: 'DATE' }])
      const { code, out, err } = plain(await tables('pull', 'shop'))
      expect(code).to.equal(0)
      expect(out.split('\n')).to.deep.equal([
        'changed shop.days.json; what differed: descriptions, defaults, policy tags or form',
        'changed shop.orders.json; what differed: id: the type is STRING here and INT64 in the warehouse; id: the mode is NULLABLE here and REQUIRED in the warehouse; x is not in the warehouse',
        '',
      ])
      expect(err).to.include('shop.gone.json is left as it is: the warehouse has no such table\n')
      expect(err).not.to.include('other.gone')
    })

    it('puts the project into the names of the files of another project', async () => {
      expect(plain(await tables('pull', 'q.shop')).out).to.equal('new q.shop.days.json\n')
      expect(plain(await tables('pull', 'p.shop')).out).to.match(/^new shop\.days\.json\n/)
    })

    it('leaves out a table that the engines could not read, with exit 1', async () => {
      expect(plain(await tables('pull', 'geo'))).to.deep.equal({
        code: 1,
        out: '',
        err: 'left out geo.places: the type "GEOGRAPHY" of field "at" is not supported\n',
      })
    })

    it('fails clearly without the dataset, without its name, and without a project', async () => {
      const none = await tables('pull', 'nosuch')
      expect(none.code).to.equal(3)
      expect(none.err).to.equal(
        'sluice: the warehouse has no dataset p.nosuch; check its name; one of another project is written project.dataset\n',
      )
      expect((await tables('pull', 'a b')).code).to.equal(2)
      const homeless = await command(['tables', 'pull', 'shop'], { BIGQUERY_EMULATOR_HOST: fake.host })
      expect(homeless).to.include({
        code: 3,
        err: 'sluice: no BigQuery project: give --project or GOOGLE_CLOUD_PROJECT\n',
      })
    })
  })

  describe('diff', () => {
    it('places every difference in its file, with exit 1', async () => {
      write('shop.orders', {
        ...ORDERS,
        schema: {
          fields: [ORDERS.schema.fields[0], { name: 'lines', type: 'RECORD', fields: [{ name: 'n', type: 'STRING' }] }],
        },
        clustering: undefined,
        timePartitioning: undefined,
      })
      write('shop.gone', [{ name: 'day', type: 'DATE' }])
      write('q.shop.days', [{ name: 'day', type: 'DATE' }])
      expect(plain(await tables('diff'))).to.deep.equal({
        code: 1,
        out: '3 tables: 6 differences\n',
        err: [
          'shop.gone.json:1:1: the warehouse has no table shop.gone [table/missing]',
          'shop.orders.json:5:15: placed (TIMESTAMP, NULLABLE) is only in the warehouse [table/differs]',
          'shop.orders.json:5:15: the clustering is none here and by id in the warehouse [table/differs]',
          'shop.orders.json:5:15: the partitioning is none here and by DAY of placed in the warehouse [table/differs]',
          'shop.orders.json:12:7: lines: the mode is NULLABLE here and REPEATED in the warehouse [table/differs]',
          'shop.orders.json:16:11: lines.n: the type is STRING here and FLOAT64 in the warehouse [table/differs]',
          '',
        ].join('\n'),
      })
    })

    it('reports tables without a file where their dataset is named', async () => {
      write('shop.orders', ORDERS)
      write('other.table', [{ name: 'day', type: 'DATE' }])
      const { code, out } = await tables('diff', 'shop', '--format', 'json')
      expect(code).to.equal(1)
      expect(JSON.parse(out)).to.deep.equal([
        {
          file: `${dir}/shop.days.json`,
          line: 1,
          column: 1,
          rule: 'table/missing',
          severity: 'error',
          message: 'the table shop.days has no schema file',
        },
      ])
    })

    it('compares the schema of date-sharded tables with the newest shard', async () => {
      write('shop.ord*', ORDERS.schema.fields.slice(0, 1))
      write('shop.days', [{ name: 'day', type: 'DATE' }])
      write('shop.nothing_*', [{ name: 'day', type: 'DATE' }])
      const { code, out, err } = plain(await tables('diff', 'shop'))
      expect(code).to.equal(1)
      expect(out).to.match(/^3 tables: /)
      expect(err).to.contain('the warehouse has no table shop.nothing_* [table/missing]')
      expect(err).to.contain('placed (TIMESTAMP, NULLABLE) is only in the warehouse, in shop.orders [table/differs]')
      expect(err).not.to.contain('has no schema file')
    })

    it('tells of a dataset that the warehouse does not have', async () => {
      write('gone.events_*', [{ name: 'day', type: 'DATE' }])
      write('q.gone.events_*', [{ name: 'day', type: 'DATE' }])
      const advice = 'correct the name of this file, or make the dataset [table/missing]'
      expect(plain(await tables('diff'))).to.deep.equal({
        code: 1,
        out: '2 tables: 2 differences\n',
        err: [
          `gone.events_*.json:1:1: the warehouse has no dataset p.gone; ${advice}`,
          `q.gone.events_*.json:1:1: the warehouse has no dataset q.gone; ${advice}`,
          '',
        ].join('\n'),
      })
      const named = plain(await tables('diff', 'gone'))
      expect(named.code).to.equal(3)
      expect(named.err).to.match(/^sluice: the warehouse has no dataset p\.gone; check its name; /)
    })

    it('compares a file with a view only by the columns', async () => {
      write('shop.newest', ORDERS)
      expect(plain(await tables('diff'))).to.deep.equal({ code: 0, out: '1 table: no differences\n', err: '' })
    })
  })

  it('files are compared with the warehouse by validate, where a flag demands it', async () => {
    write('shop.orders', { ...ORDERS, clustering: undefined })
    const endpoints = folder.path('no-endpoints')
    mkdirSync(endpoints, { recursive: true })
    const validate = (...argv: readonly string[]): Promise<Finished> =>
      command(['validate', '--endpoints', endpoints, '--tables', dir, '--engine-memory', '256', ...argv], {
        BIGQUERY_EMULATOR_HOST: fake.host,
        GOOGLE_CLOUD_PROJECT: 'p',
      })
    expect(await validate()).to.include({ code: 0, out: '0 manifests, 0 variants: no problems\n' })
    expect(plain(await validate('--tables-diff'))).to.deep.equal({
      code: 1,
      out: '0 manifests, 0 variants: 1 error, 0 warnings\n',
      err: 'shop.orders.json:5:15: the clustering is none here and by id in the warehouse [table/differs]\n',
    })
  })

  describe('ddl', () => {
    it('prints the statements for the named tables, in that order, or for all tables', async () => {
      write('shop.orders', ORDERS)
      write('shop.days', [{ name: 'day', type: 'DATE', mode: 'REQUIRED' }])
      const days = 'CREATE TABLE IF NOT EXISTS `shop.days` (\n  day DATE NOT NULL\n);\n'
      const { code, out, err } = await tables('ddl', 'shop.orders', 'shop.days')
      expect({ code, err }).to.deep.equal({ code: 0, err: '' })
      expect(out).to.match(/^CREATE TABLE IF NOT EXISTS `shop\.orders` \(\n {2}id INT64 NOT NULL OPTIONS/)
      expect(out.endsWith(`CLUSTER BY id\nOPTIONS(description="What was ordered.");\n\n${days}`)).to.equal(true)
      expect((await tables('ddl')).out.startsWith(days)).to.equal(true)
    })

    it('refuses a table without a schema', async () => {
      mkdirSync(dir, { recursive: true })
      expect(await tables('ddl', 'shop.none')).to.deep.equal({
        code: 2,
        out: '',
        err: `sluice: there is no table shop.none: its schema would be ${dir}/shop.none.json\n`,
      })
    })
  })
})
