/** `sluice test`: test files of a folder are run, reported, and written anew. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { run } from '../../cli/program.js'
import { SILENT_IO } from '../../tools/silent-io.js'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'
import { command, type Finished, scratch } from './command.js'

const MANIFEST = `id: 3b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b17
name: shop.sales
parameters:
  country: { type: string }
  top: { type: int64, default: 10, minimum: 1, maximum: 100 }
  unit: { type: string, required: true }
settings: { max_rows: 3 }
lookups:
  unit:
    by: unit
    rows: { month: { part: MONTH }, year: { part: YEAR } }
    default: reject
sql: |
  SELECT product, TIMESTAMP_TRUNC(MAX(sold), {{unit.part}}) AS last, COUNT(*) AS orders, SUM(price) AS revenue
  FROM \`shop.orders\`
  WHERE sold <= @now {{#if given.country}}AND country = @country{{/if}}
  GROUP BY product
  ORDER BY revenue DESC, product
  LIMIT @top
`
const SCHEMA = [
  { name: 'product', type: 'STRING' },
  { name: 'country', type: 'STRING' },
  { name: 'sold', type: 'TIMESTAMP' },
  { name: 'price', type: 'NUMERIC' },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
]
const TESTS = `# The shop.
now: 2026-02-01T00:00:00Z
tables:
  shop.orders:
    - { product: kettle, country: DE, sold: 2026-01-05T10:00:00Z, price: 39.90 }
    - { product: teapot, country: FR, sold: 2026-01-06T10:00:00Z, price: 24.5, tags: [a, b] }
    - { product: teapot, country: DE, sold: 2026-03-01T00:00:00Z, price: 24.5 } # after now
tests:
  - name: everything until now
    arguments: { unit: month }
    expect:
      rows:
        - { product: kettle, last: 2026-01-01T00:00:00Z, orders: 1, revenue: "39.9" }
        - { orders: 1.0, product: teapot, last: 2026-01-01T00:00:00Z, revenue: '24.5' }
      rows_unordered:
        - { product: teapot, last: 2026-01-01T00:00:00Z, orders: 1, revenue: "24.5" }
        - { product: kettle, last: 2026-01-01T00:00:00Z, orders: 1, revenue: "39.9" }
      contains: [{ product: teapot }]
      count: 2
      columns: [product, last, orders, revenue]
      ordered_by: [revenue desc, product]
      truncated: false
  - name: later, both teapots
    now: 2026-04-01T00:00:00Z
    arguments: { unit: year, country: DE }
    expect: { count: 2, same_as: { arguments: { unit: year, country: DE, top: 100 } } }
  - name: its own rows
    arguments: { unit: month }
    tables: { shop.orders: [] }
    expect: { rows: [] }
  - name: cut by max_rows
    arguments: { unit: month }
    tables: { shop.orders: { file: fixtures/four.csv } }
    expect: { count: 3, truncated: true }
  - name: refused
    arguments: { unit: week, top: 0 }
    expect: { problem: { status: 400, code: ARGUMENT_INVALID, parameters: [top, unit] } }
`

describe('sluice test', () => {
  const folder = scratch()
  after(() => folder.remove())

  function write(name: string, text: string): void {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  const inFolder = [
    '--endpoints',
    folder.path('endpoints'),
    '--tables',
    folder.path('tables'),
    '--engine-memory',
    '256',
  ]
  const test = (...flags: readonly string[]) => command(['test', ...flags, ...inFolder])
  const shown = (text: string): string => text.replaceAll(`${folder.path('endpoints')}/`, '')

  function writeFixtures(): void {
    write(
      'endpoints/fixtures/four.csv',
      `product,sold,price\n${[1, 2, 3, 4].map(n => `p${n},2026-01-01T00:00:00Z,1\n`).join('')}`,
    )
    write('tables/shop.orders.json', JSON.stringify(SCHEMA))
  }
  const eachName = (i: number): string => `shop.sales-${i}`
  /** Each in place of the tests of an endpoint of its own. */
  function writeEach(tests: readonly string[]): void {
    for (const ending of ['yaml', 'test.yaml']) rmSync(folder.path(`endpoints/shop.sales.${ending}`), { force: true })
    writeFixtures()
    for (const [i, text] of tests.entries()) {
      const id = `id: 3b6f0d3c-7a51-4d0e-9d1f-${String(i).padStart(12, '0')}`
      write(`endpoints/${eachName(i)}.yaml`, MANIFEST.replace(/^id: .*/, id).replace('shop.sales', eachName(i)))
      write(`endpoints/${eachName(i)}.test.yaml`, text)
    }
  }

  beforeEach(() => {
    rmSync(folder.path('endpoints'), { recursive: true, force: true })
    write('endpoints/shop.sales.yaml', MANIFEST)
    write('endpoints/shop.sales.test.yaml', TESTS)
    writeFixtures()
  })

  it('runs every kind of expectation, without a data folder', async () => {
    const { code, out, err } = await test()
    expect(err).to.equal('')
    expect(out).to.match(/^5 passed, 0 failed in [\d.]+ s\n$/)
    expect(code).to.equal(0)
  })

  it('compares values by the types of their columns, however they are written', async () => {
    const other = TESTS.replaceAll('revenue: "39.9"', 'revenue: 39.90')
      .replaceAll('last: 2026-01-01T00:00:00Z, orders: 1', 'last: 2026-01-01 01:00:00.000 +01:00, orders: "1"')
      .replace('{ product: teapot }', '{ product: teapot, revenue: 2.45e1 }')
    write('endpoints/shop.sales.test.yaml', other)
    const { code, out } = await test()
    expect(out).to.match(/^5 passed, 0 failed/)
    expect(code).to.equal(0)
  })

  it('shows an aligned difference of rows, and the command that repeats the test', async () => {
    write(
      'endpoints/shop.sales.test.yaml',
      TESTS.replace('revenue: "39.9" }\n        - { orders', 'revenue: "40" }\n        - { orders'),
    )
    const { code, out } = await test()
    expect(shown(out.replace(/ --endpoints .*/g, ''))).to.match(
      /^shop\.sales\.test\.yaml:9:11: everything until now\n {2}rows: expected 2 rows \(-\), found 2 rows \(\+\)\n {4} {2}product {2}last {18}orders {2}revenue\n {4}- kettle {3}2026-01-01T00:00:00Z {2}1 {7}"40"\n {4}\+ kettle {3}2026-01-01T00:00:00Z {2}1 {7}"39\.9"\n {6}teapot {3}2026-01-01T00:00:00Z {2}1(?:\.0)? {7}"24\.5"\n {2}repeat: sluice test shop\.sales\.test\.yaml --name 'everything until now'\n\n4 passed, 1 failed in/,
    )
    expect(code).to.equal(1)
    const alone = await test('--name', 'everything until now')
    expect(alone.out).to.match(/\n0 passed, 1 failed in/)
  })

  const wrong: readonly (readonly [what: string, from: string, to: string, message: string])[] = [
    ['a missing member', 'product: kettle, last', 'last', '(not there)'],
    ['a member too many', 'product: kettle, last', 'product: kettle, size: 1, last', 'size'],
    ['another number', 'revenue: "39.9"', 'revenue: 39.91', '- kettle   2026-01-01T00:00:00Z  1       "39.91"'],
    [
      'another time',
      'last: 2026-01-01T00:00:00Z',
      'last: 2026-01-01T00:00:00+01:00',
      '- kettle   2025-12-31T23:00:00Z',
    ],
    ['another order', 'ordered_by: [revenue desc', 'ordered_by: [revenue', 'row 2 should stand before row 1'],
    ['other columns', 'columns: [product, last', 'columns: [last, product', 'columns: expected last, product, orders'],
    ['another count', 'count: 2\n', 'count: 3\n', 'count: expected 3 rows, found 2 rows'],
    [
      'a row that is not there',
      'contains: [{ product: teapot }]',
      'contains: [{ product: teapot, orders: 7, revenue: 24.50 }]',
      'none of 2 rows matches this (-); the nearest is marked (+)\n' +
        '      product  orders  revenue\n' +
        '    - teapot   7       "24.5"\n' +
        '    + teapot   1       "24.5"\n' +
        '               ^^^^^^',
    ],
    ['a cut that is none', 'truncated: false', 'truncated: true', 'max_rows has not cut the result'],
    ['another call', 'country: DE, top: 100', 'country: FR, top: 100', 'same_as: the other call (-) has 1 row'],
    ['a problem that is none', 'week, top: 0', 'month, top: 1', 'problem: expected ARGUMENT_INVALID, found 1 row'],
    ['another problem', 'parameters: [top, unit]', 'parameters: [unit]', 'expected the parameters unit, found 400'],
    [
      'a call that fails',
      '{ unit: month }\n    expect:\n',
      '{ unit: week }\n    expect:\n',
      'the call failed: 400 ARGUMENT_INVALID',
    ],
  ]
  describe('fails on', () => {
    let out = ''
    let code = 0
    before(async () => {
      writeEach(wrong.map(([, from, to]) => TESTS.replace(from, to)))
      ;({ code, out } = await test())
    })

    it('each wrong expectation, and on nothing else', () => {
      expect(out).to.match(new RegExp(`\n\n${4 * wrong.length} passed, ${wrong.length} failed in`))
      expect(code).to.equal(1)
    })
    for (const [i, [what, from, , message]] of wrong.entries()) {
      it(what, () => {
        expect(TESTS).to.include(from)
        const told = out.split('\n\n').filter(part => shown(part).startsWith(`${eachName(i)}.test.yaml:`))
        expect(told).to.have.length(1)
        expect(told[0]).to.include(message)
      })
    }
  })

  const mistakes: readonly (readonly [from: string, to: string, diagnostic: string])[] = [
    [
      'count: 2\n',
      'cuont: 2\n',
      ':19:7: unknown key "cuont" in "expect" of test "everything until now"; did you mean "count"? [schema/unknown-key]',
    ],
    [
      'count: 2\n',
      'count: two\n',
      ':19:14: "expect.count" of test "everything until now" must be an integer, found the text "two" [schema/type]',
    ],
    [
      'product: kettle,',
      'prodct: kettle,',
      ':5:9: unknown column "prodct" in the table shop.orders; did you mean "product"? [tests/row]',
    ],
    ['tags: [a, b]', 'tags: a', ':6:86: "tags" is ARRAY<STRING>: expected a list, found the text "a" [tests/row]'],
    [
      'price: 39.90',
      'price: cheap',
      ':5:74: "price": expected a NUMERIC of at most 29 digits before the point, found the text "cheap" [tests/row]',
    ],
    [
      'sold: 2026-01-05T10:00:00Z',
      'sold: 2026-02-30T10:00:00Z',
      ':5:45: "sold": expected a TIMESTAMP like 2026-01-31T12:00:00.123456Z, of the years 1 to 9999, or a number since 1970, found the text "2026-02-30T10:00:00Z" [tests/row]',
    ],
    [
      'price: 39.90',
      'price: 1e30',
      ':5:74: "price": expected a NUMERIC of at most 29 digits before the point, found the number 1e+30 [tests/row]',
    ],
    [
      '  shop.orders:\n',
      '  shop.order:\n',
      ':4:3: no table schema has the name "shop.order"; did you mean "shop.orders"? [tests/table]',
    ],
    ['four.csv', 'five.csv', 'tests/fixture]'],
    [
      'now: 2026-02-01T00:00:00Z',
      'now: tomorrow',
      ':2:6: now must be an ISO 8601 time such as 2026-01-31T12:00:00Z, found "tomorrow" [tests/time]',
    ],
    [
      'name: refused',
      'name: its own rows',
      ':35:11: another test has the name "its own rows", in line 27; give this one a name of its own [tests/duplicate-name]',
    ],
    [
      '[revenue desc, product]',
      '[revnue desc]',
      ':21:20: shop.sales has no column "revnue"; did you mean "revenue"? [tests/unknown-column]',
    ],
    [
      'code: ARGUMENT_INVALID',
      'code: ARGUMENT_INVALD',
      'no problem has the code "ARGUMENT_INVALD"; did you mean "ARGUMENT_INVALID"? [tests/unknown-code]',
    ],
    [
      '{ problem:',
      '{ count: 1, problem:',
      'a problem has no rows: "count" cannot stand beside "problem" [tests/problem-with-rows]',
    ],
    ['tests:\n', 'tests: [\n', '[yaml/syntax]'],
  ]
  describe('is told the place of a mistake, by validate too:', () => {
    let tested: Finished
    let validated: Finished
    before(async () => {
      writeEach(mistakes.map(([from, to]) => TESTS.replace(from, to)))
      tested = await test()
      mkdirSync(folder.path('data'), { recursive: true })
      validated = await command([
        ...['validate', '--endpoints', folder.path('endpoints'), '--tables', folder.path('tables')],
        ...['--data', folder.path('data'), '--engine-memory', '256'],
      ])
    })

    it('the same by both', () => {
      expect([tested.code, validated.code]).to.deep.equal([1, 1])
      expect(validated.err).to.equal(tested.err)
    })
    for (const [i, [from, to, diagnostic]] of mistakes.entries()) {
      it(to.trim(), () => {
        expect(TESTS).to.include(from)
        const file = `${eachName(i)}.test.yaml`
        const told = shown(tested.err)
          .split('\n')
          .filter(line => line.startsWith(`${file}:`))
        expect(told[0]).to.match(/^[^:]*:\d+:\d+: (?!warning: )/)
        expect(told.join('\n')).to.include(diagnostic.replaceAll('shop.sales', eachName(i)))
      })
    }
  })

  itInAll('warns of an argument that the endpoint ignores', async () => {
    write('endpoints/shop.sales.test.yaml', TESTS.replace('country: DE, top: 100', 'country: DE, tpo: 100'))
    const { code, err } = await test()
    expect(err).to.include(
      'warning: shop.sales has no parameter "tpo", so it ignores the argument; did you mean "top"?',
    )
    expect(code).to.equal(0)
  })

  itInAll('takes a test file, a manifest or a folder, and names what has no tests', async () => {
    for (const path of ['shop.sales.test.yaml', 'shop.sales.yaml', '']) {
      expect((await test(folder.path('endpoints', path))).out, path).to.match(/^5 passed/)
    }
    write('endpoints/bare.yaml', MANIFEST.replace('3b6f', '4b6f').replace('shop.sales', 'bare'))
    const bare = await test(folder.path('endpoints/bare.yaml'))
    expect(bare.err).to.include('bare.yaml:1:1: it has no tests: there is no file')
    expect(bare.code).to.equal(1)
    expect((await test(folder.path('endpoints/none.test.yaml'))).code).to.equal(1)
  })

  it('runs the tests of sound manifests beside a broken one, and fails', async () => {
    write(
      'endpoints/broken.yaml',
      MANIFEST.replace('3b6f', '4b6f').replace('shop.sales', 'broken').replace('SELECT product', 'SELECT prduct'),
    )
    write('endpoints/broken.test.yaml', 'tests: [{ name: a, arguments: { unit: year }, expect: { count: 0 } }]\n')
    const { code, out, err } = await test()
    expect(err).to.match(/broken\.yaml:\d+:\d+: Unrecognized name: prduct/)
    expect(err).not.to.include('no manifest')
    expect(out).to.match(/^5 passed, 0 failed, 1 could not run/)
    expect(code).to.equal(1)
  })

  it('writes expectations anew, and keeps comments, order, and the style of all else', async () => {
    const stale = TESTS.replace(
      '{ product: kettle, last: 2026-01-01T00:00:00Z, orders: 1, revenue: "39.9" }\n        - { orders: 1.0, product',
      '{ product: pan, revenue: "1", orders: 1, last: 2026-01-01T00:00:00Z } # the best\n        # then\n        - { orders: 7, product',
    )
      .replace('count: 2\n', 'count: 9 # all\n')
      .replace('columns: [product, last, orders, revenue]', 'columns: [product, orders]')
      .replace('truncated: false', 'truncated: true')
      .replace('{ rows: [] }', '{ rows: [{ a: 1 }] }')
    write('endpoints/shop.sales.test.yaml', stale)
    const { code, out } = await test('--update')
    expect(shown(out)).to.match(/^updated shop\.sales\.test\.yaml\n5 passed, 0 failed/)
    expect(code).to.equal(0)
    const expected = stale
      .replace('{ product: pan, revenue: "1"', '{ product: kettle, revenue: "39.9"')
      .replace('orders: 7', 'orders: 1')
      .replace('count: 9', 'count: 2')
      .replace('columns: [product, orders]', 'columns: [ product, last, orders, revenue ]')
      .replace('truncated: true\n  - name: later', 'truncated: false\n  - name: later')
      .replace('{ rows: [{ a: 1 }] }', '{ rows: [] }')
    expect(readFileSync(folder.path('endpoints/shop.sales.test.yaml'), 'utf8')).to.equal(expected)
  })

  itInAll('writes nothing where only other expectations fail', async () => {
    const failing = TESTS.replace('contains: [{ product: teapot }]', 'contains: [{ product: pan }]')
    write('endpoints/shop.sales.test.yaml', failing)
    expect((await test('--update')).code).to.equal(1)
    expect(readFileSync(folder.path('endpoints/shop.sales.test.yaml'), 'utf8')).to.equal(failing)
  })

  itInAll('names what no test runs, and judges it only when asked', async () => {
    write(
      'endpoints/shop.sales.test.yaml',
      TESTS.replace('unit: year, country: DE }', 'unit: month, country: DE }').replace(
        'unit: year, country: DE, top',
        'unit: month, country: DE, top',
      ),
    )
    const covered = await test('--coverage')
    expect(covered.code).to.equal(0)
    expect(shown(covered.out)).to.include(`shop.sales: 5 of 8
  shop.sales.yaml: no test runs this variant: unit=year, country absent
  shop.sales.yaml: no test runs this variant: unit=year, country given
  shop.sales.yaml: no test runs this lookup row: unit=year
coverage 62.5 %
`)
    expect((await test('--min-coverage', '62')).code).to.equal(0)
    const low = await test('--min-coverage', '63')
    expect(low.code).to.equal(1)
    expect(low.out).to.include('; coverage is 62.5 %, less than 63 %')
    expect((await test('--min-coverage', 'all')).code).to.equal(2)
    write(
      'endpoints/shop.sales.test.yaml',
      TESTS.replace('year, country: DE }', 'year }').replace('year, country: DE, top', 'year, top'),
    )
    expect(shown((await test('--coverage')).out)).to.include('no test runs this branch: given.country is never true')
  })

  it('refuses a name that no test has', async () => {
    const { code, out, err } = await test('--name', 'only this yaer')
    expect([code, out]).to.deep.equal([2, ''])
    expect(err).to.include('no test has the name "only this yaer"')
  })

  it('runs again after each change of a file, until it is asked to end', async () => {
    const end = new AbortController()
    let [out, err] = ['', '']
    const finished = run(['test', '--watch', ...inFolder], {
      ...SILENT_IO,
      print: text => {
        out += text
      },
      printError: text => {
        err += text
      },
      interruption: () => end.signal,
    })
    const printed = (what: string) => until(() => out.includes(what), `printed ${what}: ${out}${err}`)
    await printed('5 passed, 0 failed')
    write('endpoints/shop.sales.test.yaml', TESTS.replace('count: 2\n', 'count: 3\n'))
    await printed('4 passed, 1 failed')
    expect(out).to.include('repeat: sluice test ').and.not.include('--watch')
    write('tables/shop.orders.json', '{')
    await until(() => err.includes('shop.orders.json:1:'), 'told of the schema')
    out = ''
    write('tables/shop.orders.json', JSON.stringify(SCHEMA))
    await printed('4 passed, 1 failed')
    end.abort()
    expect(await finished).to.equal(0)
  })

  itInAll('reports as JUnit, GitHub annotations and JSON', async () => {
    write(
      'endpoints/shop.sales.test.yaml',
      TESTS.replace('count: 2\n', 'count: 3\n').replace('name: refused', 'name: re<fu>sed & "more"'),
    )
    const junit = await test('--format', 'junit')
    expect(junit.out).to.match(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="5" failures="1" errors="0"/,
    )
    expect(junit.out).to.include('<testcase name="re&lt;fu&gt;sed &amp; &quot;more&quot;" classname="shop.sales"')
    expect(junit.out).to.include('<failure message="expected 3 rows, found 2 rows" type="count">')
    const github = await test('--format', 'github')
    expect(github.out).to.match(
      /^::error file=.*shop\.sales\.test\.yaml,line=19,col=7,title=everything until now::count: expected 3 rows, found 2 rows%0Asluice test /,
    )
    const { passed, failed, tests } = JSON.parse((await test('--format', 'json')).out)
    expect({ passed, failed }).to.deep.equal({ passed: 4, failed: 1 })
    expect(tests[0]).to.deep.include({ name: 'everything until now', endpoint: 'shop.sales', passed: false, line: 9 })
    expect(tests[0].failures[0]).to.deep.include({ expectation: 'count', line: 19 })
  })
})
