/** Results that are put together from kept buckets and what is read anew, held against the whole query on the real engine. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import type { Event } from '../../runner/model/events.js'
import type { RunOptions, StoredResult } from '../../runner/model/ports.js'
import type { BoundValue, ResultSet } from '../../runner/model/query.js'
import { systemClock } from '../../runner/platform/clock.js'
import { Refresher } from '../../runner/refresh/refresher.js'
import { openEngine, scratchFolder, source } from '../engines/duckdb/raw-engine.js'
import { itInAll, sampleOf } from '../sample-size.js'

const SCHEMA = [
  { name: 'ts', type: 'TIMESTAMP' },
  { name: 'who', type: 'STRING' },
  { name: 'n', type: 'INTEGER' },
]
const PEOPLE = [
  { name: 'who', type: 'STRING' },
  { name: 'f', type: 'INTEGER' },
]
const SHARD = [
  { name: 'event_date', type: 'STRING' },
  { name: 'n', type: 'INTEGER' },
]
const HOURLY = `
  SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS c, SUM(n) AS n
  FROM logs.edge
  WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR) AND who = @who
  GROUP BY hour
  ORDER BY hour`
const OPTIONS: RunOptions = {
  maxRows: 1_000,
  timestamps: 'iso8601',
  endpoint: 'tests.hourly',
  timeoutMs: 60_000,
  signal: new AbortController().signal,
}

interface Asked {
  readonly sql?: string
  readonly now?: string
  readonly who?: string
  readonly since?: string
  readonly options?: Partial<RunOptions>
  readonly readsAll?: boolean
}

describe('a refresh', () => {
  const scratch = scratchFolder()
  const file = (name: string): string => join(scratch.path, 'data', 'logs', 'edge', name)
  const stored = new Map<string, StoredResult>()
  const events: Event[] = []
  let engine: DuckdbEngine
  let refresher: Refresher
  /** The texts that the engine was given since the last result. */
  let texts: string[] = []

  before(async () => {
    mkdirSync(file(''), { recursive: true })
    const days = {
      definition: { ...source('logs.days', [{ name: 'day', type: 'DATE' }]).definition, required: ['day'] },
    }
    engine = await openEngine({
      dataDir: join(scratch.path, 'data'),
      tables: [
        source('logs.edge', SCHEMA),
        source('logs.people', PEOPLE),
        days,
        source('logs.shards_*', SHARD),
        source('logs.shards_20260318', [{ name: 'event_date', type: 'INTEGER' }, SHARD[1]!]),
      ],
    })
  })
  beforeEach(() => {
    rmSync(file(''), { recursive: true, force: true })
    mkdirSync(file(''), { recursive: true })
    stored.clear()
    events.length = 0
    refresher = refresherWith(0)
  })
  after(async () => {
    await engine.close()
    scratch.remove()
  })

  function refresherWith(verifyEvery: number, over: Partial<DuckdbEngine> = {}): Refresher {
    const counting = {
      name: engine.name,
      tier: engine.tier,
      keptQuery: engine.keptQuery.bind(engine),
      tableParts: engine.tableParts.bind(engine),
      run: (...args: Parameters<DuckdbEngine['run']>) => {
        texts.push(args[0].sql)
        return engine.run(...args)
      },
      ...over,
    } as unknown as DuckdbEngine
    const find = async (key: string) => stored.get(key)
    return new Refresher({
      engine: counting,
      clock: systemClock(),
      observe: event => void events.push(event),
      publish: () => undefined,
      find,
      verifyEvery,
    })
  }

  const write = (name: string, rows: readonly (readonly [at: string | null, who: string, n: number])[]): void =>
    writeFileSync(file(name), rows.map(([at, who, n]) => `${JSON.stringify({ ts: at, who, n })}\n`).join(''))

  const queryOf = ({ sql = HOURLY, now = '2026-03-15T12:34:56Z', who = 'a', since }: Asked) => {
    const parameters: Record<string, BoundValue> = { who: { type: 'STRING', value: who } }
    if (since !== undefined) parameters['since'] = { type: 'TIMESTAMP', value: since }
    if (sql.includes('@now')) parameters['now'] = { type: 'TIMESTAMP', value: now }
    return { sql, parameters }
  }

  /** The answer, which must be that of the whole query. */
  async function ask(asked: Asked = {}): Promise<ResultSet> {
    const query = queryOf(asked)
    const options = { ...OPTIONS, ...asked.options }
    texts = []
    const set = await refresher.run(query, options, {
      keyWithout: (names, others) =>
        JSON.stringify([query.sql, Object.entries(query.parameters).filter(([name]) => !names.includes(name)), others]),
      settledMs: 600_000,
      readsAll: asked.readsAll ?? false,
    })
    const { columns, kept, rowCount, isTruncated, body } = set
    if (kept) {
      const { key, columns: of, body: bytes, rowCount: count, ...rest } = kept
      const times = { storedAt: 0, freshUntil: 0, now: '0', etag: '' }
      stored.set(key, { ...times, columns: of, isTruncated: false, body: bytes, rowCount: count, kept: rest })
    }
    const whole = await engine.run(query, options)
    expect(Buffer.from(body).toString()).to.equal(Buffer.from(whole.body).toString())
    expect([rowCount, isTruncated, columns]).to.deep.equal([whole.rowCount, whole.isTruncated, whole.columns])
    return set
  }

  const hours = (...at: readonly number[]) =>
    at.map(hour => [`2026-03-15T${String(hour).padStart(2, '0')}:10:00Z`, 'a', hour] as const)

  it('reads nothing where nothing has changed, and only a new file’s hours where one has come', async () => {
    write('1.ndjson', hours(1, 2, 3))
    write('2.ndjson', hours(8, 9))
    expect((await ask()).partial).to.equal(undefined)
    expect((await ask()).partial).to.deep.equal({ tier: 'exact', kept: 5, of: 5 })
    expect(texts).to.deep.equal([])
    write('3.ndjson', hours(9, 10))
    expect((await ask()).partial).to.deep.equal({ tier: 'exact', kept: 4, of: 6 })
    expect(texts).to.have.length(1)
    expect((await ask()).partial).to.deep.equal({ tier: 'exact', kept: 6, of: 6 })
  })

  it('sees rows that come late, change, and vanish', async () => {
    write('1.ndjson', hours(1, 2, 3))
    write('2.ndjson', hours(8))
    await ask()
    await ask()
    write('1.ndjson', hours(1, 3))
    expect((await ask()).partial).to.deep.equal({ tier: 'exact', kept: 1, of: 3 })
    rmSync(file('2.ndjson'))
    await ask()
    appendFileSync(file('1.ndjson'), `${JSON.stringify({ ts: '2026-03-15T02:59:59Z', who: 'a', n: 7 })}\n`)
    await ask()
    rmSync(file('1.ndjson'))
    expect((await ask()).rowCount).to.equal(0)
  })

  it('drops what leaves the window, and reads what comes into it', async () => {
    write('1.ndjson', [...hours(1, 2, 3), ['2026-03-16T12:00:00Z', 'a', 1]])
    await ask()
    await ask()
    expect((await ask({ now: '2026-03-16T02:00:00Z' })).partial).to.deep.equal({ tier: 'exact', kept: 3, of: 3 })
    expect((await ask({ now: '2026-03-16T03:30:00Z' })).rowCount).to.equal(2)
    // The clock goes back.
    await ask({ now: '2026-03-15T00:00:00Z' })
    await ask()
  })

  it('reads a first hour that is not whole each time', async () => {
    const sql = HOURLY.replace(
      'TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR)',
      'TIMESTAMP_SUB(@now, INTERVAL 1 DAY)',
    )
    write('1.ndjson', [['2026-03-14T12:30:00Z', 'a', 1], ['2026-03-14T12:40:00Z', 'a', 1], ...hours(1)])
    await ask({ sql })
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 1, of: 2 })
    expect((await ask({ sql, now: '2026-03-15T12:41:00Z' })).partial).to.deep.equal({ tier: 'exact', kept: 1, of: 1 })
  })

  it('keeps rows of one argument from another', async () => {
    write('1.ndjson', [...hours(1), ['2026-03-15T01:00:00Z', 'b', 5]])
    await ask()
    expect((await ask({ who: 'b' })).partial).to.equal(undefined)
    expect((await ask({ who: 'b' })).partial).to.deep.equal({ tier: 'exact', kept: 1, of: 1 })
  })

  it('reads rows without a time each time', async () => {
    const sql = HOURLY.replace(/ts >= .* AND who/, 'who')
    write('1.ndjson', [...hours(1, 2), [null, 'a', 5]])
    for (const text of [sql, `${sql} DESC`, `${sql} DESC NULLS FIRST`, `${sql} NULLS LAST`]) {
      await ask({ sql: text })
      const { partial, rowCount } = await ask({ sql: text })
      expect([partial, rowCount]).to.deep.equal([{ tier: 'exact', kept: 2, of: 2 }, 3])
    }
  })

  it('reads rows without a time also of a REQUIRED column, since a Parquet file may have them', async () => {
    const sql = 'SELECT day AS bucket, COUNT(*) AS c FROM logs.days GROUP BY bucket ORDER BY bucket'
    const folder = join(scratch.path, 'data', 'logs', 'days')
    mkdirSync(folder, { recursive: true })
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    await connection.run(
      `COPY (SELECT unnest([DATE '2026-03-15', NULL]) AS day) TO '${join(folder, '1.parquet')}' (FORMAT parquet)`,
    )
    instance.closeSync()
    await ask({ sql })
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 1, of: 1 })
  })

  it('keeps the first bucket of all, whose cell begins before the first time', async () => {
    const sql = "SELECT DATE(ts, 'Asia/Tokyo') AS day, COUNT(*) AS c FROM logs.edge GROUP BY day ORDER BY day"
    write('1.ndjson', [['0001-01-01T00:00:00Z', 'a', 1], ...hours(1)])
    expect((await ask({ sql })).partial).to.equal(undefined)
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 2 })
  })

  it('knows the microseconds of far years, which are more than a number holds', async () => {
    const sql = HOURLY.replace(/ts >= .* AND who/, 'who')
    write('1.ndjson', [
      ['9999-12-29T10:00:00Z', 'a', 1],
      ['9999-12-29T12:00:00Z', 'a', 1],
    ])
    const options = { timestamps: 'unix_micros' } as const
    await ask({ sql, options })
    write('2.ndjson', [['9999-12-29T11:00:00Z', 'a', 1]])
    expect((await ask({ sql, options })).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 3 })
  })

  describe('of shards of days', () => {
    const shard = (name: string): string => join(scratch.path, 'data', 'logs', `shards_${name}.ndjson`)
    const fill = (name: string, ...rows: readonly (readonly [date: string | null, n: number])[]): void =>
      writeFileSync(shard(name), rows.map(([date, n]) => `${JSON.stringify({ event_date: date, n })}\n`).join(''))
    const BY_SUFFIX = `SELECT PARSE_DATE('%Y%m%d', _TABLE_SUFFIX) AS day, COUNT(*) AS c, SUM(n) AS n FROM \`logs.shards_*\`
      WHERE _TABLE_SUFFIX LIKE '2%' GROUP BY day ORDER BY day DESC`
    const BY_DATE = `SELECT DATE_TRUNC(PARSE_DATE('%Y%m%d', event_date), WEEK) AS week, COUNT(*) AS c FROM \`logs.shards_*\`
      WHERE _TABLE_SUFFIX BETWEEN '20260301' AND @who GROUP BY week ORDER BY week`
    const kept = (of: number, all: number) => ({ tier: 'exact', kept: of, of: all })

    beforeEach(() => {
      for (const day of [13, 14, 15]) fill(`202603${day}`, [`202603${day}`, day], [`202603${day}`, 1])
    })
    afterEach(() => {
      for (const name of readdirSync(join(scratch.path, 'data', 'logs')))
        if (name.startsWith('shards_')) rmSync(join(scratch.path, 'data', 'logs', name))
    })

    it('reads a shard that is new or has changed', async () => {
      await ask({ sql: BY_SUFFIX })
      expect((await ask({ sql: BY_SUFFIX })).partial).to.deep.equal(kept(3, 3))
      fill('20260316', ['20260316', 7])
      expect((await ask({ sql: BY_SUFFIX })).partial).to.deep.equal(kept(3, 4))
      fill('20260314', ['20260314', 7])
      expect((await ask({ sql: BY_SUFFIX })).partial).to.deep.equal(kept(3, 4))
      rmSync(shard('20260313'))
      expect((await ask({ sql: BY_SUFFIX })).partial).to.deep.equal(kept(3, 3))
      fill('intraday', ['20260314', 9])
      expect((await ask({ sql: BY_SUFFIX })).partial).to.deep.equal(kept(3, 3))
      // Its suffix is no day, so that the whole query runs, and fails.
      fill('2026', ['20260314', 9])
      const failed = await ask({ sql: BY_SUFFIX }).catch((error: unknown) => error)
      expect(failed).to.have.property('code', 'QUERY_FAILED')
    })

    it('reads the texts of days, also where rows lie in another shard', async () => {
      const asked = { sql: BY_DATE, who: '20260399' }
      fill('20260320', ['20260320', 1], ['20260313', 1])
      await ask(asked)
      expect((await ask(asked)).partial).to.deep.equal(kept(2, 2))
      fill('20260322', ['20260322', 1], ['20260329', 1])
      expect((await ask(asked)).partial).to.deep.equal(kept(2, 4))
      fill('20260320', ['20260320', 1])
      await ask(asked)
      // Beyond what its conditions choose.
      fill('20260401', ['20260313', 1])
      expect((await ask(asked)).partial).to.deep.equal(kept(4, 4))
      for (const wrong of [null, '20260231', '2026314']) {
        fill('20260321', [wrong, 1])
        expect((await ask(asked).catch(() => ({ partial: undefined }))).partial).to.equal(undefined)
      }
    })

    it('does not know the texts of a shard whose column has another type', async () => {
      const asked = { sql: BY_DATE, who: '20260399' }
      fill('20260318', ['20260318', 1])
      await ask(asked)
      fill('20260318', ['20260318', 1], ['20260318', 2])
      expect((await ask(asked)).partial).to.equal(undefined)
    })

    it('reads the rows of each place with its own shards', async () => {
      const sql = `WITH a AS (SELECT PARSE_DATE('%Y%m%d', event_date) AS day, COUNT(*) AS c FROM \`logs.shards_*\`
          WHERE _TABLE_SUFFIX > '20260313' GROUP BY day),
        b AS (SELECT PARSE_DATE('%Y%m%d', event_date) AS day, SUM(n) AS n FROM \`logs.shards_*\`
          WHERE _TABLE_SUFFIX < '20260315' GROUP BY day)
        SELECT day, 'a' AS what, c FROM a UNION ALL SELECT day, 'b', n FROM b ORDER BY day, what`
      await ask({ sql })
      expect((await ask({ sql })).partial).to.deep.equal(kept(3, 3))
      fill('20260314', ['20260314', 7])
      expect((await ask({ sql })).partial).to.deep.equal(kept(2, 3))
    })
  })

  it('reads everything where another table has changed, and keeps rows while it is the same', async () => {
    const sql = HOURLY.replace('FROM logs.edge', 'FROM logs.edge JOIN logs.people USING (who)').replace(
      'SUM(n)',
      'SUM(n * f)',
    )
    const people = join(scratch.path, 'data', 'logs', 'people.ndjson')
    const factor = (f: number): void => writeFileSync(people, `${JSON.stringify({ who: 'a', f })}\n`)
    factor(1)
    write('1.ndjson', hours(1, 2))
    await ask({ sql })
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 2 })
    factor(2)
    expect((await ask({ sql })).partial).to.equal(undefined)
    write('2.ndjson', hours(3))
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 3 })
    // The other table changes while the first is read.
    refresher = refresherWith(0, {
      run: async (query, options) => {
        if (query.sql.includes('@_from')) factor(3)
        return engine.run(query, options)
      },
    })
    write('2.ndjson', hours(4))
    await ask({ sql })
    // The other table changes, and then the first one is again as it was when its rows were kept, so that nothing must be read.
    rmSync(file('2.ndjson'))
    await ask({ sql })
    write('2.ndjson', hours(5))
    refresher = refresherWith(0, {
      tableParts: (table, ...about) => {
        if (table === 'logs.edge') {
          factor(4)
          rmSync(file('2.ndjson'), { force: true })
        }
        return engine.tableParts(table, ...about)
      },
    })
    await ask({ sql })
  })

  const SPLIT: Readonly<Record<string, string>> = {
    'a running total over a table expression': `
      WITH hourly AS (${HOURLY.replace('ORDER BY hour', '')})
      SELECT hour, c, SUM(c) OVER (ORDER BY hour) AS total, LAG(n) OVER (ORDER BY hour) AS before FROM hourly ORDER BY hour`,
    'a calendar': `
      WITH hourly AS (${HOURLY.replace('ORDER BY hour', '')})
      SELECT h AS hour, IFNULL(c, 0) AS c
      FROM UNNEST(GENERATE_TIMESTAMP_ARRAY(TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 4 HOUR), HOUR), @now, INTERVAL 1 HOUR)) AS h
      LEFT JOIN hourly ON hour = h ORDER BY h`,
    'the largest hours': HOURLY.replace('ORDER BY hour', 'ORDER BY c DESC, n DESC LIMIT 3'),
    ties: HOURLY.replace('ORDER BY hour', 'ORDER BY c'),
    'lists that are passed on': HOURLY.replace('SUM(n) AS n', 'ARRAY_AGG(DISTINCT who ORDER BY who) AS n').replace(
      'ORDER BY hour',
      'ORDER BY c, hour DESC',
    ),
    'two readings of one table expression': `
      WITH hourly AS (${HOURLY.replace('ORDER BY hour', '')})
      SELECT a.hour, a.c, b.c AS before FROM hourly AS a LEFT JOIN hourly AS b ON b.hour = TIMESTAMP_SUB(a.hour, INTERVAL 1 HOUR) ORDER BY 1`,
    'every type': `
      WITH hourly AS (
        SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, DATE(TIMESTAMP_TRUNC(ts, HOUR)) AS \`a day\`, MAX(ts) AS last, MAX(who) AS who, SUM(n) / 3 AS f,
          MAX(CAST(n AS NUMERIC) / 7) AS d, MAX(CAST(n AS BIGNUMERIC) / 7) AS b, COUNT(*) > 1 AS t, MAX(CAST(who AS BYTES)) AS y,
          MAX(DATETIME(ts)) AS dt, MAX(TIME(ts)) AS tm, 0.1 * COUNT(*) AS z, IEEE_DIVIDE(COUNT(*), 0) AS i, MAX(n) + 9007199254740993 AS big, MAX(IF(n > 99, n, NULL)) AS nothing
        FROM logs.edge WHERE who = @who GROUP BY hour
      )
      SELECT *, ROW_NUMBER() OVER (ORDER BY hour DESC) AS rank, CAST(z AS STRING) AS zero FROM hourly ORDER BY rank`,
  }
  for (const [says, sql] of sampleOf(Object.entries(SPLIT))) {
    it(`keeps a part of a query: ${says}`, async () => {
      write('1.ndjson', [...hours(3, 8, 8, 9, 10), ['2026-03-15T09:00:00Z', 'ä', 1], [null, 'a', 2]])
      expect((await ask({ sql })).partial).to.equal(undefined)
      expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 4, of: 4 })
      write('2.ndjson', hours(9, 9))
      expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 3, of: 4 })
      expect(texts.filter(text => !text.includes('@_from'))).to.have.length(1)
      await ask({ sql, now: '2026-03-15T13:10:00Z' })
      rmSync(file('1.ndjson'))
      await ask({ sql })
      await ask({ sql, options: { maxRows: 2 } })
    })
  }

  it('passes on a FLOAT64 of -0', async () => {
    const sql = `WITH hourly AS (${HOURLY.replace('SUM(n) AS n', '-0.0 * COUNT(*) AS z').replace('ORDER BY hour', '')})
      SELECT *, ROW_NUMBER() OVER (ORDER BY hour) AS i FROM hourly ORDER BY hour`
    write('1.ndjson', hours(1, 2))
    await ask({ sql })
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 2 })
  })

  it('keeps the order, and the rows of a bucket', async () => {
    const sql = HOURLY.replace('COUNT(*) AS c', 'n AS m, COUNT(*) AS c')
      .replace(/BY hour/g, 'BY hour, m')
      .replace(/$/, ' DESC')
    write('1.ndjson', [...hours(1, 2), ...hours(1).map(([at, who]) => [at, who, 70] as const)])
    for (const text of [sql, sql.replace('ORDER BY hour', 'ORDER BY hour DESC')]) {
      await ask({ sql: text })
      write('2.ndjson', hours(2, 9))
      await ask({ sql: text })
      rmSync(file('2.ndjson'))
      await ask({ sql: text })
    }
  })

  it('gives a result that is cut as the whole query does, and keeps nothing of it', async () => {
    write('1.ndjson', hours(1, 2, 3))
    await ask({ options: { maxRows: 2 } })
    expect(stored.size).to.equal(0)
    await ask()
    await ask({ options: { maxRows: 2 } })
    const sql = `${HOURLY} DESC LIMIT 2`
    await ask({ sql })
    write('1.ndjson', hours(1))
    await ask({ sql })
    write('2.ndjson', hours(4, 5))
    await ask({ sql })
    await ask({ sql })
  })

  it('is begun anew where the table changes while it reads', async () => {
    write('1.ndjson', hours(1, 2))
    await ask()
    await ask()
    write('2.ndjson', hours(5))
    let changes = 1
    refresher = refresherWith(0, {
      run: async (query, options) => {
        if (changes-- > 0) write('2.ndjson', hours(6 + changes))
        // Another query has read the new file, so that the rows of the old one are gone.
        await engine.run(queryOf({}), OPTIONS)
        return engine.run(query, options)
      },
    })
    expect((await ask()).partial).to.include({ kept: 2, of: 3 })
    write('2.ndjson', hours(7))
    changes = 9
    expect((await ask()).partial).to.equal(undefined)
    expect(events).to.deep.equal([])
  })

  it('reads the rows of the moment at which it began', async () => {
    write('1.ndjson', hours(1, 2))
    await ask()
    await ask()
    write('2.ndjson', hours(2, 5))
    const before = await engine.run(queryOf({}), OPTIONS)
    refresher = refresherWith(0, {
      run: (query, options) => {
        write('3.ndjson', hours(2, 5))
        return engine.run(query, options)
      },
    })
    const query = queryOf({})
    const key = [...stored.keys()][0]!
    const { body, partial } = await refresher.run(query, OPTIONS, {
      keyWithout: () => key,
      settledMs: 0,
      readsAll: false,
    })
    expect(partial).to.include({ kept: 1, of: 3 })
    expect(Buffer.from(body).toString()).to.equal(Buffer.from(before.body).toString())
    await ask()
  })

  it('reads all rows where that is demanded, and keeps them', async () => {
    write('1.ndjson', hours(1, 2))
    await ask()
    expect((await ask({ readsAll: true })).partial).to.equal(undefined)
    expect((await ask()).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 2 })
  })

  it('is held against the whole query, which is given where they differ', async () => {
    write('1.ndjson', hours(1, 2))
    refresher = refresherWith(1)
    await ask()
    await ask()
    expect(events).to.deep.equal([])
    for (const [key, result] of stored) {
      const body = Buffer.from(Buffer.from(result.body).toString().replace('"c":1', '"c":7'))
      stored.set(key, { ...result, body })
    }
    await ask()
    expect(events.map(({ kind }) => kind)).to.deep.equal(['refresh.differed'])
  })

  it('is the same result where the query asks for no order, and its rows come in another', async () => {
    write('1.ndjson', hours(1, 2, 3, 4))
    const sql = HOURLY.replace('ORDER BY hour', '')
    refresher = refresherWith(1, {
      run: async (query, options) => {
        const set = await engine.run(query, options)
        if (query.sql !== sql) return set
        const rows = (JSON.parse(Buffer.from(set.body).toString()) as { result: object[] }).result
        return {
          ...set,
          body: Buffer.from(
            JSON.stringify({ result: rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? 1 : -1)) }),
          ),
        }
      },
    })
    const keep = { keyWithout: () => 'x', settledMs: 0, readsAll: false }
    for (let i = 0; i < 2; i++) {
      const { kept, columns } = await refresher.run(queryOf({ sql }), OPTIONS, keep)
      const { body, rowCount, ...rest } = kept!
      stored.set('x', {
        storedAt: 0,
        freshUntil: 0,
        now: '0',
        etag: '',
        columns,
        isTruncated: false,
        body,
        rowCount,
        kept: rest,
      })
    }
    const { partial } = await refresher.run(queryOf({ sql }), OPTIONS, keep)
    expect([partial, events]).to.deep.equal([{ tier: 'exact', kept: 4, of: 4 }, []])
  })

  it('runs the whole query where the engine refuses to read a part', async () => {
    write('1.ndjson', hours(1, 2))
    await ask()
    write('2.ndjson', hours(3))
    refresher = refresherWith(0, {
      run: (query, options) =>
        engine.run(
          query.sql.includes('@_from') ? { ...query, sql: query.sql.replace('COUNT(*)', 'COUNT(x)') } : query,
          options,
        ),
    })
    await ask()
    await ask()
    expect(events.map(({ kind }) => kind)).to.deep.equal(['refresh.refused'])
  })

  it('is tried again as soon as rows are corrected for which the whole query fails as well', async () => {
    const sql = HOURLY.replace('SUM(n)', 'SUM(60 / n)')
    for (const [what, spoil] of [
      ['a row that fails', () => write('3.ndjson', [['2026-03-15T03:00:00Z', 'a', 0]])],
      ['a row that cannot be read', () => writeFileSync(file('3.ndjson'), '{"ts": "bad"}\n')],
      ['a file that is not read', () => writeFileSync(file('3.log'), 'x')],
    ] as const) {
      write('1.ndjson', hours(1, 2))
      for (let i = 0; i < 2; i++) await ask({ sql })
      spoil()
      expect(await ask({ sql }).catch((error: Error) => error.name), what).to.equal('RunnerError')
      rmSync(file('3.log'), { force: true })
      write('3.ndjson', hours(3))
      expect((await ask({ sql })).partial, what).to.deep.equal({ tier: 'exact', kept: 2, of: 3 })
      rmSync(file('3.ndjson'))
    }
    expect(events).to.deep.equal([])
  })

  itInAll('keeps few spans where calls leave gaps between them', async () => {
    const sql = HOURLY.replace(
      /ts >= .* AND who/,
      'ts >= @since AND ts < TIMESTAMP_ADD(@since, INTERVAL 1 HOUR) AND who',
    )
    write('1.ndjson', hours(1, 2, 3))
    const start = Date.UTC(2026, 2, 15)
    for (let gap = 0; gap < 230; gap += 2) {
      const since = new Date(start + (gap - 200) * 3_600_000).toISOString()
      await ask({ sql, since })
    }
    const [{ kept }] = [...stored.values()] as [StoredResult]
    expect(kept!.spans.length).to.be.within(2, 100)
  })

  it('runs the whole query where no time fulfils the bounds', async () => {
    const sql = HOURLY.replace(/ts >= .* AND who/, "ts < TIMESTAMP '0001-01-01' AND who")
    write('1.ndjson', hours(1, 2))
    for (let i = 0; i < 2; i++) expect((await ask({ sql })).rowCount).to.equal(0)
    expect(events).to.deep.equal([])
  })

  it('concerns the arguments alone that it fails for, and answers them by the whole query', async () => {
    const sql = `WITH b AS (SELECT TIMESTAMP_TRUNC(ts, SECOND) AS s, MAX(REPEAT('x', 2000 * n)) AS x FROM logs.edge WHERE who = @who GROUP BY s)
      SELECT s, LENGTH(x) AS l, RANK() OVER (ORDER BY s) AS r FROM b ORDER BY s LIMIT 3`
    const many = Array.from(
      { length: 60 },
      (_, i) => [`2026-03-15T01:00:${String(i).padStart(2, '0')}Z`, 'b', 40] as const,
    )
    write('1.ndjson', [...hours(1, 2), ...many])
    await ask({ sql })
    await ask({ sql, who: 'b' })
    expect(events.map(({ kind }) => kind)).to.deep.equal(['refresh.refused'])
    await ask({ sql, who: 'b' })
    expect((await ask({ sql })).partial).to.deep.equal({ tier: 'exact', kept: 2, of: 2 })
    expect(events).to.have.length(1)
  })

  it('costs what all of its queries cost', async () => {
    write('1.ndjson', hours(1, 2))
    const cost = { bytesProcessed: 1, bytesBilled: 10, isCacheHit: false, jobId: 'j' }
    refresher = refresherWith(1, { run: async (query, options) => ({ ...(await engine.run(query, options)), cost }) })
    expect((await ask()).cost?.bytesBilled).to.equal(10)
    write('2.ndjson', hours(3))
    expect((await ask()).cost?.bytesBilled).to.equal(20)
  })

  it('fails as the whole query does', async () => {
    const sql = HOURLY.replace('SUM(n)', 'SUM(DIV(1, n))')
    write('1.ndjson', hours(1, 2))
    await ask({ sql })
    write('2.ndjson', [['2026-03-15T05:00:00Z', 'a', 0]])
    const query = queryOf({ sql })
    const failure = await refresher
      .run(query, OPTIONS, { keyWithout: () => 'x', settledMs: 0, readsAll: false })
      .then(() => null, String)
    expect(failure).to.equal(await engine.run(query, OPTIONS).then(() => null, String))
  })
})
