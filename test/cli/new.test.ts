import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { parse } from 'yaml'
import { parameterTypes, typeOf } from '../../authoring/write/parameter-types.js'
import { run } from '../../cli/program.js'
import { tableCatalogue, typeName } from '../../googlesql/index.js'
import { loadSources } from '../../runner/manifest/load.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { SILENT_IO } from '../../tools/silent-io.js'
import { checkByTranslation } from '../manifest/check-by-translation.js'
import { itInAll, sampleOf } from '../sample-size.js'
import { command, scratch } from './command.js'

describe('sluice new', () => {
  const folder = scratch()
  const endpoints = folder.path('endpoints')
  const flags = ['--endpoints', endpoints, '--tables', folder.path('tables'), '--engine-memory', '256']
  const made = (...argv: readonly string[]) => command(['new', ...argv, ...flags, '--data', folder.path('none')])
  const textOf = (name: string): string => readFileSync(folder.path('endpoints', name), 'utf8')
  const checked = async (name: string): Promise<string> => {
    const validated = await command(['validate', folder.path('endpoints', `${name}.yaml`), ...flags])
    const tested = await command(['test', folder.path('endpoints', `${name}.test.yaml`), ...flags.slice(0, 4)])
    return `${validated.code} ${tested.code} ${validated.err}${tested.out}`
  }

  before(() => {
    mkdirSync(endpoints)
    cpSync('templates/init/schemas/tables', folder.path('tables'), { recursive: true })
  })
  after(() => folder.remove())

  it('over a table: rows of one tenant, the newest first', async () => {
    const { code, out, err } = await made(
      ...['shop.newest', '--table', 'shop.orders', '--time', 'ordered_at', '--tenant', 'country'],
    )
    expect([code, err]).to.deep.equal([0, ''])
    expect(out.replaceAll(folder.path(), '')).to.equal(
      'wrote /endpoints/shop.newest.yaml\nwrote /endpoints/shop.newest.test.yaml\nnext: sluice call shop.newest country=a\n',
    )
    const manifest = parse(textOf('shop.newest.yaml'))
    expect(manifest).to.include({ name: 'shop.newest', tenant: 'country' })
    expect(manifest.id).to.match(/^[0-9a-f-]{36}$/)
    expect(Object.keys(manifest.parameters)).to.deep.equal(['country', 'since', 'until'])
    expect(manifest.columns[0]).to.deep.equal({ name: 'id', type: 'INT64', required: true })
    expect(await checked('shop.newest')).to.match(/^0 0 5 passed, 0 failed/)
    const tests = [folder.path('endpoints', 'shop.newest.test.yaml'), '--min-coverage', '100']
    expect((await command(['test', ...tests, ...flags.slice(0, 4)])).code).to.equal(0)
  })

  it('over a table with data: the example of the tenant is one that is there', async () => {
    const argv = ['new', 'shop.real', '--table', 'shop.orders', '--tenant', 'country', ...flags]
    const { out, err } = await command([...argv, '--data', 'templates/init/data'])
    expect(err).to.equal('')
    expect(out).to.match(/next: sluice call shop\.real country=[A-Z]{2}\n$/)
    expect(parse(textOf('shop.real.yaml')).parameters.country.examples[0]).to.match(/^[A-Z]{2}$/)
  })

  itInAll('over a table: counts in buckets of time, with the lookup table that they need', async () => {
    expect((await made('shop.counts', '--table', 'shop.orders', '--time', 'ordered_at', '--interval')).code).to.equal(0)
    const manifest = parse(textOf('shop.counts.yaml'))
    expect(Object.keys(manifest.lookups.interval.rows)).to.deep.equal(['1hr', '1day', '7day'])
    expect(await checked('shop.counts')).to.match(/^0 0 5 passed, 0 failed/)
  })

  it('from a query, whose text stays as it is', async () => {
    const sql = [
      "-- {{products}} that sold at least @least, in '{{{braces}}}'",
      '  SELECT product, COUNT(*) AS n, "a: #b" AS odd',
      'FROM `shop.orders`',
      '',
      "WHERE ordered_at >= @from AND country IN UNNEST(@countries) AND product != '{{a}}' AND price > @least\t",
      'GROUP BY product -- trailing',
      'LIMIT @top;',
    ].join('\r\n')
    writeFileSync(folder.path('best-sellers.sql'), `\ufeff\r\n${sql}\r\n\r\n`)
    const { code, err } = await made('--from-sql', folder.path('best-sellers.sql'))
    expect([code, err]).to.deep.equal([0, ''])
    const { parameters, columns } = parse(textOf('best-sellers.yaml'))
    const types = Object.entries(parameters).map(([name, value]) => [name, (value as { readonly type: string }).type])
    expect(Object.fromEntries(types)).to.deep.equal({
      least: 'numeric',
      from: 'timestamp',
      countries: 'array<string>',
      top: 'int64',
    })
    expect(columns.map(({ name, type }: Record<string, string>) => `${name} ${type}`)).to.deep.equal([
      'product STRING',
      'n INT64',
      'odd STRING',
    ])
    expect(await checked('best-sellers')).to.match(/^0 0 2 passed, 0 failed/)
    const tables = tableCatalogue((await loadTableSchemas(folder.path('tables'))).tables)
    const source = { file: 'best-sellers.yaml', text: textOf('best-sellers.yaml') }
    const { loadedEndpoints } = await loadSources([source], [], { tables, checkSql: checkByTranslation(tables) })
    expect(loadedEndpoints[0]!.variants.map(variant => variant.sql)).to.deep.equal([
      `${sql.replaceAll('\r\n', '\n')}\n`,
    ])
  })

  itInAll('from standard input, and where rows would fail the query, with a test without rows', async () => {
    const sql = 'SELECT DIV(id, id - 1) AS d FROM `shop.orders`'
    const { code, err } = await command(['new', 'shop.div', '--from-sql', '-', ...flags], {}, sql)
    expect([code, err]).to.deep.equal([0, ''])
    expect(textOf('shop.div.test.yaml')).to.include('without rows').and.not.include('tables:')
  })

  itInAll('from a query with a time zone, whose rows are before an argument', async () => {
    const sql =
      'SELECT product, TIMESTAMP_TRUNC(ordered_at, DAY, @zone) AS day FROM `shop.orders` WHERE ordered_at < @until'
    const { code, err } = await command(['new', 'shop.earlier', '--from-sql', '-', ...flags], {}, sql)
    expect([code, err]).to.deep.equal([0, ''])
    expect(parse(textOf('shop.earlier.yaml')).parameters.zone.examples).to.deep.equal(['Europe/Berlin'])
    expect(parse(textOf('shop.earlier.test.yaml')).tests[0].expect.count).to.equal(0)
  })

  itInAll(
    'from a query that tests arguments with IS NULL: they may be absent, and a test leaves them out',
    async () => {
      const sql =
        'SELECT product FROM `shop.orders` WHERE (@country IS NULL OR country = @country) AND price >= @least ' +
        'AND (@from IS NOT NULL AND ordered_at >= @from OR @from IS NULL) AND (@list IS NULL OR id IN UNNEST(@list))'
      const { code, out, err } = await command(['new', 'shop.optional', '--from-sql', '-', ...flags], {}, sql)
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.match(/next: sluice call shop\.optional least=1\.5 list=1\n$/)
      const { parameters } = parse(textOf('shop.optional.yaml'))
      expect(parameters).to.deep.equal({
        country: { type: 'string', examples: ['a'] },
        least: { type: 'numeric', required: true, examples: [1.5] },
        from: { type: 'timestamp', examples: ['2026-01-31T12:00:00Z'] },
        list: { type: 'array<int64>', required: true, examples: [1] },
      })
      const { tests } = parse(textOf('shop.optional.test.yaml'))
      expect(tests.map((test: { arguments?: object }) => test.arguments)).to.deep.equal([
        { country: 'a', least: 1.5, from: '2026-01-31T12:00:00Z', list: [1] },
        { least: 1.5, list: [1] },
        undefined,
      ])
      expect(tests[2].expect.problem.parameters).to.deep.equal(['least', 'list'])
      expect(tests.map((test: { expect: { count?: number } }) => test.expect.count)).to.deep.equal([1, 1, undefined])
      expect(await checked('shop.optional')).to.match(/^0 0 3 passed, 0 failed/)
    },
  )

  itInAll('over a wide table: the fields of its records are left open, and long lines are wrapped', async () => {
    const fields = Array.from({ length: 700 }, (_, i) => ({ name: `field_${i}`, type: 'STRING' }))
    const columns = [
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'r', type: 'RECORD', fields },
      { name: 'list', type: 'RECORD', mode: 'REPEATED', fields: fields.slice(0, 100) },
      { name: 'small', type: 'RECORD', fields: fields.slice(0, 2) },
      ...fields.slice(0, 100),
    ]
    const schema = JSON.stringify(columns)
    expect(schema.length).to.be.greaterThan(10_000)
    writeFileSync(folder.path('tables', 'shop.wide.json'), schema)
    const { code, err } = await command([
      ...['new', 'shop.wide', '--table', 'shop.wide', '--time', 'at', ...flags, '--engine-memory', '1024'],
    ])
    expect([code, err]).to.deep.equal([0, ''])
    expect(parse(textOf('shop.wide.yaml')).columns.slice(0, 4)).to.deep.equal([
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'r', type: 'STRUCT' },
      { name: 'list', type: 'ARRAY<STRUCT>', required: true },
      { name: 'small', type: 'STRUCT<field_0 STRING, field_1 STRING>' },
    ])
    for (const name of ['shop.wide.yaml', 'shop.wide.test.yaml'])
      expect(
        Math.max(
          ...textOf(name)
            .split('\n')
            .map(line => line.length),
        ),
      ).to.be.at.most(1_000)
    rmSync(folder.path('tables', 'shop.wide.json'))
  })

  itInAll('over a table with a column of its own name: the column, and not the whole row', async () => {
    const columns = [
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'Country', type: 'STRING' },
    ]
    writeFileSync(folder.path('tables', 'shop.country.json'), JSON.stringify(columns))
    const order = ['--table', 'shop.country', '--time', 'at', '--tenant', 'Country']
    expect((await made('shop.country', ...order)).err).to.equal('')
    expect(parse(textOf('shop.country.yaml')).columns[1]).to.deep.equal({ name: 'Country', type: 'STRING' })
    expect(await checked('shop.country')).to.match(/^0 0 5 passed, 0 failed/)
    rmSync(folder.path('tables', 'shop.country.json'))
  })

  itInAll('over columns whose examples are equal: a test that passes', async () => {
    const columns = [
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'a', type: 'JSON' },
      { name: 'b', type: 'JSON' },
    ]
    writeFileSync(folder.path('tables', 'shop.notes.json'), JSON.stringify(columns))
    const done = await command(['new', 'shop.notes', '--table', 'shop.notes', '--time', 'at', ...flags])
    expect([done.code, done.err]).to.deep.equal([0, ''])
    expect(await checked('shop.notes')).to.match(/^0 0 4 passed, 0 failed/)
  })

  itInAll('over a Parquet table without a schema: a manifest that validates, and how its test is written', async () => {
    const data = folder.path('parquet')
    mkdirSync(folder.path('parquet', 'd'), { recursive: true })
    const instance = await DuckDBInstance.create()
    const parquet = folder.path('parquet', 'd', 't.parquet')
    await (await instance.connect()).run(`COPY (SELECT 1.5 AS v, 'a' AS kind) TO '${parquet}' (FORMAT parquet)`)
    instance.closeSync()
    writeFileSync(folder.path('bare.sql'), 'SELECT kind, v FROM `d.t` WHERE v > @least\n')
    const settings = [...flags, '--data', data]
    for (const [name, ...from] of [
      ['d.sql', '--from-sql', folder.path('bare.sql')],
      ['d.table', '--table', 'd.t'],
    ]) {
      const { code, out, err } = await command(['new', name!, ...from, ...settings])
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.match(
        /^wrote \S+d\.\w+\.yaml\nno test was written, since tests need the schemas of tables:\n {2}sluice tables infer d\.t \S+d\/t\.parquet\nnext: sluice call d\.\w+(?: least=\S+)?\n$/,
      )
      const validate = ['validate', folder.path('endpoints', `${name}.yaml`), ...settings.slice(0, 4), '--data', data]
      expect((await command(validate)).code).to.equal(0)
      const [call] = /sluice call .*/.exec(out)!
      expect((await command([...call.split(' ').slice(1), ...settings])).code).to.equal(0)
      expect(existsSync(folder.path('endpoints', `${name}.test.yaml`))).to.equal(false)
    }
    // The command that is named gives what was missing.
    expect((await command(['tables', 'infer', 'd.t', parquet, ...settings.slice(2, 4), '--data', data])).code).to.equal(
      0,
    )
    const { out } = await command(['new', 'd.tested', '--from-sql', folder.path('bare.sql'), ...settings])
    expect(out).to.match(/wrote \S+d\.tested\.test\.yaml/)
    rmSync(folder.path('tables', 'd.t.json'))
  })

  it('from a query that fails: the manifest, and the failure at its place', async () => {
    writeFileSync(folder.path('fails.sql'), "SELECT ERROR('never') AS a\n")
    const { code, out, err } = await made('fails', '--from-sql', folder.path('fails.sql'))
    expect(code).to.equal(1)
    expect(out).to.match(/^wrote \S+fails\.yaml\n$/)
    expect(err).to.match(/^no test was written, since none passes; correct the query in \S+fails\.yaml:\n/)
    expect(err).to.match(/fails\.yaml:\d+:\d+: never/)
    expect((await command(['validate', folder.path('endpoints', 'fails.yaml'), ...flags])).code).to.equal(0)
    expect(existsSync(folder.path('endpoints', 'fails.test.yaml'))).to.equal(false)
  })

  describe('at a terminal', () => {
    async function answering(name: string, ...answers: readonly string[]) {
      let [out, err] = ['', '']
      const code = await run(['new', name, ...flags], {
        ...SILENT_IO,
        print: text => {
          out += String(text)
        },
        printError: text => {
          err += text
        },
        standardInput: () => Object.assign(Readable.from(answers), { isTTY: true }),
      })
      return { code, out, err }
    }

    it('asks for the table and its columns', async () => {
      const { code, out, err } = await answering('shop.asked', 'shop.orders\nordered_at\n', '\nn\n')
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.include('Column with the time of a row (ordered_at; empty for none): ')
      expect(parse(textOf('shop.asked.yaml')).parameters).to.have.all.keys('since', 'until')
    })

    itInAll('refuses a wrong answer as it refuses a wrong flag', async () => {
      const table = await answering('shop.wrong', 'shop.order\n')
      expect([table.code, table.err]).to.deep.equal([
        2,
        'sluice: there is no table shop.order; did you mean "shop.orders"?\n',
      ])
      const column = await answering('shop.wrong', 'shop.orders\nwhen\n\nn\n')
      expect(column.code).to.equal(2)
      expect(column.err).to.include('and shop.orders has no column when')
      expect(existsSync(folder.path('endpoints', 'shop.wrong.yaml'))).to.equal(false)
    })
  })

  const REFUSED: readonly [says: string, argv: readonly string[], code: number, told: string][] = [
    ['a name that no endpoint can have', ['My_Orders', '--table', 'shop.orders'], 2, 'did you mean "my-orders"?'],
    ['a path for a name', ['../x', '--table', 'shop.orders'], 2, 'is not the name of an endpoint'],
    ['an unknown table', ['shop.x', '--table', 'shop.ordrs'], 2, 'did you mean "shop.orders"?'],
    ['an unknown column', ['shop.x', '--table', 'shop.orders', '--time', 'orderd_at'], 2, 'did you mean "ordered_at"?'],
    [
      'a column that is not a time',
      ['shop.x', '--table', 'shop.orders', '--time', 'country'],
      2,
      'and country is STRING',
    ],
    ['buckets without a time', ['shop.x', '--table', 'shop.orders', '--interval'], 2, '--interval needs --time'],
    ['a column without a table', ['shop.x', '--time', 'at'], 2, 'need --table'],
    ['a query and a table', ['shop.x', '--table', 'a', '--from-sql', 'b'], 2, '--from-sql excludes'],
    ['nothing to begin with', ['shop.x'], 2, 'needs --table or --from-sql'],
    ['no name', ['--table', 'shop.orders'], 2, 'takes the name of the endpoint'],
    ['a file that is not there', ['--from-sql', 'none.sql'], 3, 'cannot read none.sql'],
    ['a name that is taken', ['shop.newest', '--table', 'shop.orders'], 1, 'exists already; nothing was written'],
  ]
  for (const [says, argv, code, told] of sampleOf(REFUSED)) {
    it(`refuses ${says}`, async () => {
      const before = readdirSync(endpoints)
      const refused = await made(...argv)
      expect(refused.code, refused.err).to.equal(code)
      expect(refused.err).to.include(told)
      expect(readdirSync(endpoints)).to.deep.equal(before)
    })
  }

  it('names a mistake in the query at its place, and writes nothing', async () => {
    writeFileSync(folder.path('wrong.sql'), 'SELECT id,\n  prise\nFROM `shop.orders` WHERE id = @id')
    const { code, err } = await made('--from-sql', folder.path('wrong.sql'))
    expect(code).to.equal(1)
    expect(err).to.match(/wrong\.sql:2:3: Unrecognized name: prise; Did you mean price\? \[sql\/error\]/)
    expect(existsSync(folder.path('endpoints', 'wrong.yaml'))).to.equal(false)
  })

  const ADVISED: readonly (readonly [sql: string, told: string])[] = [
    ['SELECT id FROM `shop.orders` WHERE ordered_at < NOW()', '1:49: Function not found: NOW; write @now '],
    ["SELECT DATE_FORMAT(ordered_at, '%Y') FROM `shop.orders`", "; write FORMAT_DATE('%Y-%m-%d', date)"],
    [
      "SELECT id FROM `shop.orders` WHERE country ILIKE 'de'",
      '; BigQuery has no ILIKE: write LOWER(text) LIKE LOWER(pattern)',
    ],
    ['SELECT id::text FROM `shop.orders` WHERE id = @id', '; write CAST(value AS type) '],
    ['SELECT id FROM `shop.orders` WHERE id = @From OR id = @from', ': @from is written @From before;'],
    ['SELECT id FROM `shop.orders` WHERE id = @_id', 'advised.sql:1:41: @_id: a parameter is named with a letter'],
    ['SELECT 1 AS a; SELECT 2 AS b', 'advised.sql:1:16: Only one query (SELECT or WITH) is supported'],
    ['SELECT id AS order FROM `shop.orders`', '; ORDER is a reserved word: as a name it is quoted with backticks'],
  ]
  for (const [sql, told] of sampleOf(ADVISED)) {
    it(`says what to write instead in ${sql}`, async () => {
      writeFileSync(folder.path('advised.sql'), sql)
      expect((await made('--from-sql', folder.path('advised.sql'))).err).to.include(told)
    })
  }
})

describe('the type of a parameter', () => {
  const columns = [
    ...['id INT64', 's STRING', 'ts TIMESTAMP', 'd DATE', 'dt DATETIME', 'n NUMERIC', 'f FLOAT64', 'b BOOL'].map(
      one => ({ name: one.split(' ')[0]!, type: typeOf(one.split(' ')[1]!.toLowerCase() as 'string') }),
    ),
  ].map(column => (column.name === 'n' ? { name: 'n', type: { kind: 'NUMERIC' as const } } : column))
  const tables = tableCatalogue([{ name: 't', columns }])

  const CASES: readonly [where: string, types: string][] = [
    ['id = @a', 'a:int64'],
    ['s = @a', 'a:string'],
    ['ts >= @a AND ts < @b', 'a:timestamp b:timestamp'],
    ['d BETWEEN @a AND @b', 'a:date b:date'],
    ['dt > @a', 'a:datetime'],
    ['n > @a', 'a:numeric'],
    ['f / @a > 1', 'a:float64'],
    ['b = @a', 'a:bool'],
    ['id IN UNNEST(@a)', 'a:array<int64>'],
    ['s IN UNNEST(@a) AND ts > @b', 'a:array<string> b:timestamp'],
    ['ts IN UNNEST(@a)', 'a:array<timestamp>'],
    ['id IN UNNEST(@a) AND s IN UNNEST(@b)', 'a:array<int64> b:array<string>'],
    ['EXISTS (SELECT 1 FROM UNNEST(@a) AS x WHERE x = d)', 'a:array<date>'],
    ['@a IS NULL OR s = @a', 'a:string'],
    ['@a IS NULL', 'a:string'],
    ['LOWER(s) = LOWER(@a)', 'a:string'],
    ['DATE(ts) = @a', 'a:date'],
    ['ts > TIMESTAMP_SUB(@now, INTERVAL @a DAY)', 'a:int64'],
    ['d = CAST(@a AS DATE)', 'a:date'],
    ['SAFE_CAST(@a AS INT64) = id', 'a:int64'],
    ['REGEXP_CONTAINS(s, @a)', 'a:string'],
    ['s IN (@b, @a)', 'b:string a:string'],
    ['s LIKE @a', 'a:string'],
    ['COALESCE(@a, 5) = id', 'a:int64'],
    ['IF(@a, s, "") = "x"', 'a:bool'],
    ['id = @a LIMIT @b OFFSET @c', 'a:int64 b:int64 c:int64'],
  ]
  for (const [where, types] of CASES) {
    it(`${where}: ${types}`, () => {
      const found = parameterTypes(`SELECT s FROM t WHERE ${where}`, tables)
      expect(found.map(({ name, type }) => `${name}:${type}`).join(' ')).to.equal(types)
    })
  }

  it('is that of its SQL', () => {
    expect(typeName(typeOf('array<timestamp>'))).to.equal('ARRAY<TIMESTAMP>')
  })
})
