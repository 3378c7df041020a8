import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { itInAll, sampleOf } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

describe('sluice query', () => {
  const folder = scratch()
  const query = (...argv: readonly string[]): Promise<Finished> =>
    command(['query', ...argv, '--data', folder.path('data'), '--engine-memory', '256'])

  before(() => {
    mkdirSync(folder.path('data', 'logs'), { recursive: true })
    const rows = ['a', 'b', 'c'].map(id =>
      JSON.stringify({ id, project: `p-${id}`, timestamp: '2026-03-15T12:00:00Z' }),
    )
    writeFileSync(folder.path('data', 'logs', 'rest.ndjson'), rows.join('\n'))
  })
  after(() => folder.remove())

  it('binds parameters of every type, as text and as JSON', async () => {
    const parameters = [
      "s=it's = @i",
      'empty=',
      'i:INT64=-9223372036854775808',
      'f:FLOAT64=0.1',
      'n:numeric=12345678901234567890.123456789',
      'b:BOOL=TRUE',
      'd:DATE=2026-01-31',
      'dt:DATETIME=2026-01-31T12:00:00.5',
      't:TIMESTAMP=2026-01-31T12:00:00.123456Z',
      'bin:BYTES=AAH/',
      'a:ARRAY<INT64>=[3, 1, 2]',
      'texts:ARRAY<STRING>=["x, y", "\\"z\\""]',
      'none:ARRAY<STRING>=[]',
    ]
    const names = parameters.map(one => /^\w+/.exec(one)![0])
    const sql = `SELECT ${names.map(name => `@${name} AS ${name}`).join(', ')}`
    const { code, out, err } = await query(sql, ...parameters.flatMap(one => ['-p', one]), '--format', 'ndjson')
    expect(code, err).to.equal(0)
    expect(JSON.parse(out)).to.deep.equal({
      s: "it's = @i",
      empty: '',
      i: '-9223372036854775808',
      f: 0.1,
      n: '12345678901234567890.123456789',
      b: true,
      d: '2026-01-31',
      dt: '2026-01-31T12:00:00.500',
      t: '2026-01-31T12:00:00.123456Z',
      bin: 'AAH/',
      a: [3, 1, 2],
      texts: ['x, y', '"z"'],
      none: [],
    })
  })

  it('takes SQL that begins with a comment, before and after its flags', async () => {
    for (const argv of [
      ['-- the letters\nSELECT id FROM `logs.rest`', '--format', 'csv'],
      ['--format', 'csv', '--the letters\nSELECT id FROM `logs.rest`'],
    ])
      expect(await query(...argv)).to.deep.include({ code: 0, out: 'id\r\na\r\nb\r\nc\r\n' })
    expect((await query('-- no line end')).err).to.match(/Syntax error/)
    expect((await query('--nope')).err).to.match(/unknown option '--nope'/)
  })

  itInAll('reads SQL from standard input and from files', async () => {
    const piped = (argv: readonly string[], input: string): Promise<Finished> =>
      command(['query', ...argv, '--data', folder.path('data'), '--format', 'csv'], {}, input)
    for (const argv of [[], ['-'], ['--file', '-']]) {
      expect(await piped(argv, 'SELECT 1 AS n\n')).to.include({ code: 0, out: 'n\r\n1\r\n' })
    }
    writeFileSync(folder.path('a.sql'), '-- é\nSELECT 2 AS n')
    expect(await piped(['--file', folder.path('a.sql')], '')).to.include({ code: 0, out: 'n\r\n2\r\n' })
    expect(await piped(['SELECT 1', '--file', 'a.sql'], '')).to.include({ code: 2 })
    expect(await piped([], ' \n')).to.include({ code: 2 })
    expect(await piped(['--file', folder.path('none.sql')], '')).to.deep.equal({
      code: 3,
      out: '',
      err: `sluice: cannot read ${folder.path('none.sql')}: there is no such file or folder (ENOENT)\n`,
    })
    writeFileSync(folder.path('b.sql'), Buffer.from([0x53, 0xff]))
    expect((await piped(['--file', folder.path('b.sql')], '')).err).to.include('it is not valid UTF-8')
  })

  it('prints what a spreadsheet, a notebook and a program read', async () => {
    const sql = "SELECT '=1+1' AS a, -5 AS n"
    expect((await query(sql, '--format', 'excel')).out).to.equal("\ufeffa,n\r\n'=1+1,-5\r\n")
    expect((await query(sql, '--format', 'json')).out).to.equal('{"result":[{"a":"=1+1","n":-5}]}')
    expect((await query(sql, '--format', 'arrow')).out).to.include('sluice.truncated')
  })

  it('reads the tables of the data folder, cut after --max-rows', async () => {
    const sql = 'SELECT id FROM `logs.rest` WHERE project != @p ORDER BY id'
    expect(await query(sql, '-p', 'p=p-b')).to.deep.equal({ code: 0, out: 'id\n--\na\nc\n', err: '2 rows\n' })
    const { out, err } = await query(sql, '--parameter', 'p=', '--max-rows', '2', '--format', 'csv')
    expect(out.trimEnd().split(/\r?\n/)).to.deep.equal(['id', 'a', 'b'])
    expect(err).to.equal('cut after 2 rows; --max-rows sets how many\n')
  })

  it('shows mistakes with BigQuery’s messages and their places', async () => {
    const mistakes: readonly (readonly [sql: string, told: RegExp])[] = [
      ['SELECT idd\nFROM `logs.rest`', /Unrecognized name: idd; Did you mean id\? .*\[1:8\]/],
      ['SELECT id,\n  lenth(id) FROM `logs.rest`', /Function not found: lenth; Did you mean length\? .*\[2:3\]/i],
      ['SELECT id FORM `logs.rest`', /Syntax error: .*\[1:\d+\]/],
    ]
    for (const [sql, told] of sampleOf(mistakes)) {
      const { code, out, err } = await query(sql)
      expect([code, out], sql).to.deep.equal([1, ''])
      expect(err).to.match(told)
    }
  })

  itInAll('shows errors that occur only while the query runs', async () => {
    const { code, out, err } = await query('SELECT 1 / @zero', '-p', 'zero:INT64=0')
    expect([code, out]).to.deep.equal([1, ''])
    expect(err.split('\n')).to.deep.equal([
      'sluice: These arguments are not valid: zero.',
      '  zero: leads to a division by zero, or to a number that is too large',
      '  division by zero: 1 / 0 at [1:8]',
      '',
    ])
  })

  it('explains the engine’s query and its plan', async () => {
    const { code, out } = await query('SELECT id FROM `logs.rest` WHERE id = @id', '-p', 'id=a', '--explain')
    expect(code).to.equal(0)
    expect([...out.matchAll(/^== (.+)$/gm)].map(match => match[1])).to.deep.equal([
      'BigQuery SQL',
      'Arguments',
      'Engine SQL',
      'Plan',
      'Timings',
    ])
    expect(out).to.include('@id STRING = "a"')
  })

  it('binds @now where the SQL names it, to the time or to the given value', async () => {
    const before = Date.now()
    const { out, err } = await query(
      'SELECT UNIX_MILLIS(@now) AS n, @NOW < CURRENT_TIMESTAMP() AS b',
      '--format',
      'ndjson',
    )
    const { n, b } = JSON.parse(out || err) as { n: number; b: boolean }
    expect([n >= before, n <= Date.now(), b]).to.deep.equal([true, true, true])
    expect((await query('SELECT @`now` IS NULL AS n', '--format', 'csv')).out.trimEnd()).to.match(/^n\r?\nfalse$/)
    const given = await query('SELECT @now AS now', '-p', 'NOW:DATE=2026-01-31', '--format', 'csv')
    expect(given.out.trimEnd().split(/\r?\n/)).to.deep.equal(['now', '2026-01-31'])
  })

  it('gives up after --timeout', async () => {
    const endless =
      'SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 1000000)) a, UNNEST(GENERATE_ARRAY(1, 1000000)) b WHERE MOD(a * b, 7) = 3'
    const { code, out, err } = await query(endless, '--timeout', '0.3')
    expect([code, out]).to.deep.equal([1, ''])
    expect(err).to.match(/timed out/)
  })

  it('reaches nothing but the tables', async () => {
    for (const sql of sampleOf([
      "SELECT * FROM read_csv('/etc/passwd')",
      "SELECT getenv('HOME')",
      'SELECT * FROM `duckdb_settings`',
      'DROP TABLE `logs.rest`',
    ])) {
      const { code, out } = await query(sql)
      expect([code, out], sql).to.deep.equal([1, ''])
    }
  })

  itInAll('accepts NaN and the infinities as parameters', async () => {
    const { out } = await query(
      'SELECT @a, @b, @c',
      '-p',
      'a:FLOAT64=NaN',
      '-p',
      'b:float64=-inf',
      '-p',
      'c:FLOAT64=1e3',
      '--format',
      'csv',
    )
    expect(out.trimEnd().split(/\r?\n/)[1]).to.equal('NaN,-Infinity,1000')
  })

  it('ends with 2 on malformed parameters', async () => {
    const bad = [
      'x',
      '=1',
      '1x=1',
      'x:BOOL=maybe',
      'x:ARRAY<INT64>=1,2',
      'x:FLOAT64=much',
      'x:FLOAT64=',
      'x:FLOAT64=0x10',
    ]
    for (const one of bad) {
      const { code, out, err } = await query('SELECT @x', '-p', one)
      expect([code, out], `${one}: ${err}`).to.deep.equal([2, ''])
    }
    expect((await query('SELECT @x', '-p', 'x=1', '-p', 'X=2')).code).to.equal(2)
    expect((await query('SELECT 1', '--max-rows', '0')).code).to.equal(2)
    expect((await query('-', '--max-rows', '1e3')).err).to.include('--max-rows must be a whole number')
    for (const seconds of ['0', '-1', 'soon', '86401', '0x10', '1e3', '']) {
      expect((await query('SELECT 1', '--timeout', seconds)).code, seconds).to.equal(2)
    }
  })

  it('ends with 1 on values that the engine refuses, and names the parameter', async () => {
    for (const one of sampleOf(['x:INT64=five', 'x:NOPE=1', 'x:ARRAY<INT64>=["a"]'])) {
      const { code, out, err } = await query('SELECT @x', '-p', one)
      expect([code, out], one).to.deep.equal([1, ''])
      expect(err).to.include('x: ')
    }
  })
})
