/** `sluice fuzz`: finds planted faults, prints each as a test that fails until it is gone, and finds nothing in sound endpoints. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { command, type Finished, scratch } from './command.js'

const ORDERS = `[
  { "name": "id", "type": "STRING", "mode": "REQUIRED" },
  { "name": "amount", "type": "INT64" }
]`
const TABLES = `now: 2026-01-31T12:00:00Z
tables:
  shop.orders:
    - { id: a, amount: 7 }
tests:
  - name: one order
    arguments: { unit: dozen, size: "1", note: "" }
    expect: { count: 1 }
`

/** Planted faults: \`faulty\` is the text of one, and \`sound\` corrects it. */
interface Planted {
  readonly says: string
  readonly faulty: string
  readonly sound: string
  readonly what: RegExp
  readonly arguments: object
}

const PLANTED: readonly Planted[] = [
  {
    says: 'a division by zero for one row of a lookup table',
    faulty: 'none: { n: 0 }',
    sound: 'none: { n: 1 }',
    what: /^502 QUERY_FAILED: \S+\.yaml:\d+:\d+: .*division by zero/i,
    arguments: { unit: 'none', size: '1' },
  },
  {
    says: 'a cast of a column with an argument',
    // For few values: a query that fails is run again several times, to name the place.
    faulty: 'CAST(IF(STARTS_WITH(@size, "a"), CONCAT(@size, id), "1") AS INT64)',
    sound: 'SAFE_CAST(@size AS INT64)',
    what: /^502 QUERY_FAILED: \S+\.yaml:\d+:\d+: Bad int64 value/,
    arguments: { unit: 'dozen', size: 'a' },
  },
  {
    says: 'a date beyond the calendar',
    faulty: 'DATE_ADD(@since, INTERVAL 1 DAY)',
    sound: 'DATE_ADD(LEAST(@since, DATE "9999-01-01"), INTERVAL 1 DAY)',
    what: /^502 QUERY_FAILED: /,
    arguments: { unit: 'dozen', size: '1', since: '9999-12-31' },
  },
  {
    says: 'a column that is NULL although it is required',
    faulty: 'NULLIF(@size, "-1")',
    sound: '@size',
    what: /^502 CONTRACT_BROKEN: /,
    arguments: { unit: 'dozen', size: '-1' },
  },
  {
    says: 'a query that takes too long',
    faulty: 'IF(@all, 100000, 1)',
    sound: 'IF(@all, 10, 1)',
    what: /^504 QUERY_TIMEOUT: /,
    arguments: { unit: 'dozen', size: '1', all: 'true' },
  },
]

/** The manifest, sound but for the fault. */
function manifest(planted: Planted | null): string {
  const text = `id: 6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0ca
name: shop.parts
parameters:
  unit: { type: string, required: true }
  size: { type: string, required: true, examples: ['1'], max_length: 40 }
  since: { type: date }
  all: { type: bool, examples: ['false'] }
lookups:
  unit: { by: unit, rows: { dozen: { n: 12 }, none: { n: 0 } }, default: dozen }
settings: { timeout_seconds: 2 }
columns:
  - { name: id, type: STRING, required: true }
  - { name: parts, type: INT64 }
  - { name: number, type: INT64 }
  - { name: size, type: STRING, required: true }
  - { name: next, type: DATE }
sql: |
  SELECT id, DIV(amount, {{unit.n}}) AS parts,
    CAST(IF(STARTS_WITH(@size, "a"), CONCAT(@size, id), "1") AS INT64) AS number, NULLIF(@size, "-1") AS size, DATE_ADD(@since, INTERVAL 1 DAY) AS next
  FROM \`shop.orders\`
  WHERE amount > (
    SELECT COUNT(*)
    FROM UNNEST(GENERATE_ARRAY(1, IF(@all, 100000, 1))) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, IF(@all, 100000, 1))) AS b
    WHERE MOD(a * b, 1009) = 1008
  )
`
  return PLANTED.filter(one => one !== planted).reduce((all, { faulty, sound }) => all.replaceAll(faulty, sound), text)
}

describe('fuzz', function () {
  this.timeout(240_000)
  const folder = scratch()
  const PLACES = [
    ...['--endpoints', folder.path('endpoints'), '--tables', folder.path('tables')],
    // A query that takes too long keeps all of its threads busy.
    ...['--engine-memory', '256', '--engine-threads', '1'],
  ]
  const file = folder.path('endpoints', 'shop.parts.yaml')
  const testFile = folder.path('endpoints', 'shop.parts.test.yaml')
  const fuzz = (...words: readonly string[]): Promise<Finished> => command(['fuzz', ...words, ...PLACES])

  before(() => {
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(folder.path(name), { recursive: true })
    writeFileSync(folder.path('tables', 'shop.orders.json'), ORDERS)
  })
  beforeEach(() => writeFileSync(testFile, TABLES))
  after(() => folder.remove())

  for (const planted of PLANTED) {
    it(`finds ${planted.says}, and prints a test that fails until it is gone`, async () => {
      writeFileSync(file, manifest(planted))
      const { code, out, err } = await fuzz('shop.parts', '--count', '1')
      expect(code, err).to.equal(1)
      expect(err).to.match(/^shop\.parts: \d+ calls over the tables of .*shop\.parts\.test\.yaml, seed 1: 1 finding\n$/)
      expect(JSON.parse(`"${/^ {2}# (.*)$/m.exec(out)![1]}"`)).to.match(planted.what)
      const [, given] = /arguments: \{ (.*) \}$/m.exec(out)!
      expect(given).to.equal(
        Object.entries(planted.arguments)
          .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
          .join(', '),
      )
      const [head, tests] = out.split('tests:\n')
      expect(head).to.equal('now: 2026-01-31T12:00:00.000000Z\n')
      writeFileSync(testFile, TABLES + tests)
      const failed = await command(['test', testFile, ...PLACES])
      expect([failed.code, /1 passed, 1 failed/.test(failed.out + failed.err)]).to.deep.equal([1, true])
      writeFileSync(file, manifest(null))
      const passed = await command(['test', testFile, ...PLACES])
      expect([passed.code, passed.err]).to.deep.equal([0, passed.err])
    })
  }

  it('makes the same calls for the same seed, and finds nothing in a sound endpoint', async () => {
    writeFileSync(file, manifest(null))
    const { code, out, err } = await fuzz('shop.parts', '--seed', '7', '--count', '400')
    expect([code, out]).to.deep.equal([0, ''])
    expect(err).to.match(/: 400 calls .*seed 7: 0 findings\n$/)
    writeFileSync(file, manifest(PLANTED[0]!))
    const again = (): Promise<Finished> => fuzz('shop.parts', '--seed', '7', '--count', '1')
    const [one, same] = [await again(), await again()]
    expect(one.code).to.equal(1)
    expect(one).to.deep.equal(same)
  })

  it('reads the data folder where the endpoint has no tests', async () => {
    writeFileSync(file, manifest(PLANTED[0]!))
    writeFileSync(testFile, 'tests:\n  - { name: none, arguments: { unit: dozen, size: "1" }, expect: { count: 0 } }\n')
    mkdirSync(folder.path('data', 'shop'))
    writeFileSync(folder.path('data', 'shop', 'orders.ndjson'), '{"id":"a","amount":1}\n')
    const flags = ['--data', folder.path('data'), '--now', '1969-12-31T23:59:59.250001Z']
    const { code, out, err } = await fuzz('shop.parts', '--count', '1', ...flags)
    expect(code).to.equal(1)
    expect(out).to.match(/^now: 1969-12-31T23:59:59\.250001Z\n/)
    expect(err).to.include('calls over the data folder, seed 1: 1 finding')
  })

  it('finds nothing in the endpoints of this project', async () => {
    for (const name of ['functions.invocation-stats', 'logs.all', 'usage.api-counts']) {
      const { code, out, err } = await command(['fuzz', name, '--count', '1', '--engine-memory', '512'])
      expect([code, out], err).to.deep.equal([0, ''])
    }
  })

  const REFUSED: readonly (readonly [says: string, words: readonly string[], code: number, err: string])[] = [
    ['an unknown endpoint', ['shop.prats'], 1, 'there is no endpoint "shop.prats"; did you mean "shop.parts"?'],
    ['a seed that is no number', ['shop.parts', '--seed', 'x'], 2, '--seed must be a whole number'],
    ['a time that is no time', ['shop.parts', '--now', 'x'], 2, '--now must be an ISO 8601 time'],
  ]
  for (const [says, words, code, err] of REFUSED) {
    it(`refuses ${says}`, async () => {
      writeFileSync(file, manifest(null))
      const finished = await fuzz(...words)
      expect([finished.code, finished.out]).to.deep.equal([code, ''])
      expect(finished.err).to.include(err)
    })
  }

  it('names the mistakes of a test file', async () => {
    writeFileSync(file, manifest(null))
    writeFileSync(testFile, readFileSync(testFile, 'utf8').replace('count: 1', 'cuont: 1'))
    const { code, err } = await fuzz('shop.parts')
    expect(code).to.equal(1)
    expect(err).to.include('shop.parts.test.yaml:8:')
  })
})
