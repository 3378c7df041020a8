import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import fc from 'fast-check'
import { fieldsToColumns, tableCatalogue } from '../../../googlesql/tables.js'
import { translate } from '../../../googlesql-duckdb/translate.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/duckdb-engine.js'
import { type EmbeddedEngine, openEmbedded } from '../../../runner/engines/duckdb/embedded.js'
import { runOptions } from '../../engines/ask-engine.js'
import { CLOCK, openEngine } from '../../engines/duckdb/raw-engine.js'
import { sampleSize } from '../../sample-size.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'
import { showsPass } from './shows-pass.js'

const SCHEMA = [
  { name: 'id', type: 'INT64' },
  { name: 'time', type: 'INT64' },
  { name: 'kind', type: 'STRING' },
  {
    name: 'list',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      { name: 'v', type: 'INT64' },
      { name: 'inner', type: 'INT64', mode: 'REPEATED' },
    ],
  },
]

interface Row {
  readonly id: number
  readonly time: number
  readonly kind: string
  readonly list: readonly { readonly v: number; readonly inner: readonly number[] }[]
}

/** Rows with lists of up to `longest` elements; only one row in `everyNth` has elements. */
function rowsOf(longest: number, everyNth: number): readonly Row[] {
  return Array.from({ length: 300 }, (_, id) => {
    const length = id % everyNth === 0 ? Math.floor(id / everyNth) % (longest + 1) : 0
    const list = Array.from({ length }, (_, v) => ({ v, inner: Array.from({ length: (id + v) % 3 }, (_, i) => i) }))
    return { id, time: (id * 37) % 101, kind: id % 3 === 0 ? 'a' : 'b', list }
  })
}

const COLUMNS = `{id: 'BIGINT', time: 'BIGINT', kind: 'VARCHAR', list: 'STRUCT(v BIGINT, "inner" BIGINT[])[]'}`

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  dense: rowsOf(3, 1).map(row => ({ ...row, list: [{ v: 1, inner: [1] }, ...row.list] })),
  mixed: rowsOf(3, 2),
  sparse: rowsOf(2, 9),
  empty: rowsOf(0, 1),
  none: [],
}

interface Asked {
  readonly table: string
  readonly isNested: boolean
  readonly filter: 'kind' | 'time' | null
  readonly order: 'time DESC, id' | 'id' | 'kind, time, id DESC'
  readonly limit: number
  readonly offset: number
  readonly form: 'plain' | 'cte' | 'subquery'
}

function sqlOf({ table, isNested, filter, order, limit, offset, form }: Asked): string {
  const where =
    filter === null ? '' : { kind: " WHERE t.kind = 'b'", time: ' WHERE t.time > 40 AND t.time <= 90' }[filter]
  const from = `FROM ${table} AS t CROSS JOIN UNNEST(t.list) AS x${isNested ? ', UNNEST(x.inner) AS y' : ''}${where}`
  const end = `ORDER BY ${order} LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ''}`
  if (form === 'plain') return `SELECT t.id, t.time, t.kind ${from} ${end}`
  const rows = `SELECT t.id, t.time | 0 AS time, t.kind ${from} ORDER BY t.time`
  return form === 'cte' ? `WITH r AS (${rows}) SELECT * FROM r ${end}` : `SELECT * FROM (${rows}) ${end}`
}

function expected({ table, isNested, filter, order, limit, offset }: Asked): unknown[][] {
  const by: Record<Asked['order'], (a: Row, b: Row) => number> = {
    'time DESC, id': (a, b) => b.time - a.time || a.id - b.id,
    id: (a, b) => a.id - b.id,
    'kind, time, id DESC': (a, b) => a.kind.localeCompare(b.kind) || a.time - b.time || b.id - a.id,
  }
  const times = ({ list }: Row): number => (isNested ? list.reduce((n, x) => n + x.inner.length, 0) : list.length)
  return TABLES[table]!.filter(row =>
    filter === 'kind' ? row.kind === 'b' : filter === null || (row.time > 40 && row.time <= 90),
  )
    .sort(by[order])
    .flatMap(row => Array.from({ length: times(row) }, () => [row.id, row.time, row.kind]))
    .slice(offset, offset + limit)
}

const asked: fc.Arbitrary<Asked> = fc.record({
  table: fc.constantFrom(...Object.keys(TABLES)),
  isNested: fc.boolean(),
  filter: fc.constantFrom('kind', 'time', null),
  order: fc.constantFrom('time DESC, id', 'id', 'kind, time, id DESC'),
  limit: fc.integer({ min: 1, max: 40 }),
  offset: fc.integer({ min: 0, max: 20 }),
  form: fc.constantFrom('plain', 'cte', 'subquery'),
})

const columns = fieldsToColumns(SCHEMA)!
const catalogue = tableCatalogue([
  { name: 't', columns },
  { name: 'u', columns },
])
const EARLY_LIMITS = { limitsEarly: true }
const isLimitedEarly = (sql: string): boolean =>
  translate(sql, catalogue, { n: { kind: 'INT64' } }, EARLY_LIMITS).sql.includes('too few elements')

describe('rows that are cut before their lists are unnested', () => {
  describe('are the same as when they are cut afterwards', () => {
    let session: SqlSession
    let folder: string
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'early-'))
      const source = (file: string): string =>
        `read_json('${file}', format = 'newline_delimited', columns = ${COLUMNS})`
      const setUp: string[] = []
      for (const [name, rows] of Object.entries(TABLES)) {
        // The same rows in two Parquet files, each with several row groups.
        const files = [0, 1].map(half => join(folder, `${name}-${half}.ndjson`))
        for (const [half, file] of files.entries()) {
          const lines = rows.filter(({ id }) => id % 2 === half).map(row => `${JSON.stringify(row)}\n`)
          writeFileSync(file, lines.join(''))
          setUp.push(`COPY (FROM ${source(file)}) TO '${file}.parquet' (FORMAT parquet, ROW_GROUP_SIZE 64)`)
        }
        setUp.push(`CREATE TABLE ${name} AS FROM ${source(join(folder, `${name}-*.ndjson`))}`)
        setUp.push(`CREATE VIEW ${name}_parquet AS FROM read_parquet(['${files.join(".parquet', '")}.parquet'])`)
      }
      session = await openSqlSession([], setUp)
    })
    after(() => {
      session.close()
      rmSync(folder, { recursive: true })
    })

    const rowsOfQuery = async (sql: string): Promise<unknown[][]> => {
      const names = Object.keys(TABLES).flatMap(name => [name, `${name}_parquet`])
      const tables = tableCatalogue(names.map(name => ({ name, columns })))
      const early = await session.rows(translate(sql, tables, {}, EARLY_LIMITS).sql).catch((error: unknown) => {
        expect(String(error)).to.contain('too few elements')
        return null
      })
      isCutShort = early === null
      const rows = early ?? (await session.rows(translate(sql, tables, {}).sql))
      return rows.map(row => row.map(value => (/^\d+$/.test(String(value)) ? Number(value) : value)))
    }
    let isCutShort = false

    for (const kind of ['', '_parquet']) {
      it(`of tables loaded${kind === '' ? '' : ', and of Parquet'}`, async () => {
        const seen = new Set<boolean>()
        await fc.assert(
          fc.asyncProperty(asked, async query => {
            expect(await rowsOfQuery(sqlOf({ ...query, table: query.table + kind }))).to.deep.equal(expected(query))
            seen.add(isCutShort)
          }),
          { numRuns: sampleSize(150) },
        )
        expect(seen.size).to.equal(2)
      }).timeout(60_000)
    }

    it('with their elements', async () => {
      const rows = await rowsOfQuery(
        'SELECT t.id, x.v, o FROM dense t, UNNEST(list) AS x WITH OFFSET o ORDER BY t.time DESC, t.id LIMIT 200',
      )
      const all = [...TABLES['dense']!].sort((a, b) => b.time - a.time || a.id - b.id)
      const first = all.flatMap(row => row.list.map(({ v }, o) => [row.id, v, o])).slice(0, 200)
      // It is not defined which elements of the last row remain, nor in which order a row's elements come.
      const whole = (list: unknown[][]): unknown[][] =>
        list
          .filter(([id]) => id !== first.at(-1)![0])
          .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
      expect(whole(rows)).to.deep.equal(whole(first))
      expect(rows).to.have.length(200)
    })
  })

  describe('over large files', () => {
    let engine: EmbeddedEngine
    let duckdb: DuckdbEngine
    let folder: string
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'early-'))
      const file = join(folder, 't.parquet')
      const instance = await DuckDBInstance.create(':memory:')
      const connection = await instance.connect()
      // The texts do not compress, so that the file is large enough for the test.
      await connection.run(
        `COPY (SELECT i AS id, i AS time, concat(hash(i), hash(-i)) AS kind,
           CASE WHEN i < 300000 THEN [{v: i, "inner": [i]}] ELSE [] END AS list FROM range(400000) AS t(i)) TO '${file}'`,
      )
      instance.closeSync()
      expect(statSync(file).size).to.be.greaterThan(8_000_000)
      engine = await openEmbedded({ tables: { t: { schema: SCHEMA, files: [file] } } }, CLOCK)
      duckdb = await openEngine({ tables: [{ definition: { name: 't', columns }, files: [file] }] })
    })
    after(async () => {
      await engine.close()
      await duckdb.close()
      rmSync(folder, { recursive: true })
    })

    it('are the right rows', async () => {
      const { rows } = await engine.query('SELECT id, x.v FROM t, UNNEST(list) AS x ORDER BY time LIMIT 3')
      expect(rows).to.deep.equal([0, 1, 2].map(id => [id, id]))
    })
    it('are unnested after they are cut, as explain shows', async () => {
      const early = await duckdb.explain({
        sql: 'SELECT id FROM t, UNNEST(list) AS x ORDER BY time LIMIT 3',
        parameters: {},
      })
      expect(early.engineSql).to.match(/^WITH first_1 AS MATERIALIZED/)
      expect(early.plan).to.contain('file_row_number')
    })
    it('are found by the query as written where the first rows have no elements', async () => {
      const { rows } = await engine.query('SELECT id FROM t, UNNEST(list) AS x ORDER BY time DESC LIMIT 3')
      expect(rows).to.deep.equal([[299_999], [299_998], [299_997]])
    })
    it('are not cut first again by a query for which they were too few', async () => {
      const query = { sql: 'SELECT id FROM t, UNNEST(list) AS x ORDER BY time DESC LIMIT 4', parameters: {} }
      expect((await duckdb.explain(query)).engineSql).to.include('first_1')
      expect((await duckdb.run(query, runOptions({ maxRows: 10 }))).rowCount).to.equal(4)
      expect((await duckdb.explain(query)).engineSql).not.to.include('first_1')
    })
  })

  const EARLY = [
    'SELECT id FROM t, UNNEST(list) AS x ORDER BY time LIMIT 10',
    'SELECT x.v FROM t, UNNEST(list) AS x WHERE id > @n ORDER BY time LIMIT 10 OFFSET 5',
    'SELECT y FROM t, UNNEST(list) AS x, UNNEST(x.inner) AS y ORDER BY time DESC LIMIT 10000',
    'WITH r AS (SELECT t.* FROM t, UNNEST(list) AS x) SELECT * FROM r ORDER BY MOD(time, 7), id LIMIT 10',
    'SELECT CAST(id AS STRING), SAFE_CAST(kind AS INT64) FROM t, UNNEST(list) AS x ORDER BY time LIMIT 10',
  ]
  for (const sql of EARLY) it(`are cut so in ${sql}`, () => expect(isLimitedEarly(sql)).to.equal(true))

  const WHOLE: readonly (readonly [why: string, sql: string])[] = [
    ['no list', 'SELECT id FROM t ORDER BY time LIMIT 10'],
    ['no order', 'SELECT id FROM t, UNNEST(list) AS x LIMIT 10'],
    ['no limit', 'SELECT id FROM t, UNNEST(list) AS x ORDER BY time'],
    ['a limit that is an argument', 'SELECT id FROM t, UNNEST(list) AS x ORDER BY time LIMIT @n'],
    ['too high a limit', 'SELECT id FROM t, UNNEST(list) AS x ORDER BY time LIMIT 10000 OFFSET 1'],
    ['nothing wanted', 'SELECT id FROM t, UNNEST(list) AS x ORDER BY time LIMIT 0'],
    ['an order by elements', 'SELECT id FROM t, UNNEST(list) AS x ORDER BY x.v LIMIT 10'],
    ['an order by offsets', 'SELECT id FROM t, UNNEST(list) AS x WITH OFFSET o ORDER BY time, o LIMIT 10'],
    ['an order by the list', 'SELECT id FROM t, UNNEST(list) AS x ORDER BY ARRAY_LENGTH(list) LIMIT 10'],
    ['a filter on elements', 'SELECT id FROM t, UNNEST(list) AS x WHERE x.v = 1 ORDER BY time LIMIT 10'],
    ['a filter on the list', 'SELECT id FROM t, UNNEST(list) AS x WHERE list[0].v = 1 ORDER BY time LIMIT 10'],
    ['rows without elements', 'SELECT id FROM t LEFT JOIN UNNEST(list) AS x ORDER BY time LIMIT 10'],
    ['chance', 'SELECT id FROM t, UNNEST(list) AS x WHERE RAND() < 0.5 ORDER BY time LIMIT 10'],
    ['groups', 'SELECT id FROM t, UNNEST(list) AS x GROUP BY id ORDER BY id LIMIT 10'],
    ['distinct rows', 'SELECT DISTINCT id FROM t, UNNEST(list) AS x ORDER BY id LIMIT 10'],
    ['windows', 'SELECT id, COUNT(*) OVER () FROM t, UNNEST(list) AS x ORDER BY id LIMIT 10'],
    ['another table', 'SELECT t.id FROM t JOIN u USING (id), UNNEST(t.list) AS x ORDER BY t.time LIMIT 10'],
    ['what may fail for a row', 'SELECT DIV(1, x.v) FROM t, UNNEST(list) AS x ORDER BY time LIMIT 10'],
    ['a cast that may fail', 'SELECT CAST(kind AS INT64) FROM t, UNNEST(list) AS x ORDER BY time LIMIT 10'],
    ['an element that may not be there', 'SELECT x.inner[OFFSET(0)] FROM t, UNNEST(list) AS x ORDER BY id LIMIT 10'],
    ['a subquery', 'SELECT id FROM t, UNNEST(list) AS x WHERE id IN (SELECT id FROM u) ORDER BY time LIMIT 10'],
    [
      'two readers',
      'WITH r AS (SELECT t.* FROM t, UNNEST(list) AS x) SELECT * FROM r ORDER BY (SELECT MAX(id) FROM r), id LIMIT 10',
    ],
  ]
  for (const [why, sql] of WHOLE) it(`are not cut so with ${why}`, () => expect(isLimitedEarly(sql)).to.equal(false))
})

describe('the pass limit-before-unnest', () => {
  showsPass(
    'limit-before-unnest',
    'the first rows of the table are cut before their lists are unnested',
    'SELECT id, e FROM t, UNNEST(t.l) AS e ORDER BY t.id DESC LIMIT 10',
    `
      project [id.7, e.8]
        limit 10
          order id.1 desc
            project [id.1, l.5, e.6, id.7 = id.1, e.8 = e.6]
              unnest l.5 as e.6
                table t [id.1, l.5]
    `,
    `
      project [id.7, e.8]
        with 1 [id.9, l.10]
          limit 10
            order id.9 desc
              table t [id.9, l.10]
          limit 10
            order id.1 desc
              project [id.1, l.5, e.6, id.7 = id.1, e.8 = e.6]
                unnest l.5 as e.6
                  filter case when $lt(scalar {aggregate [count.11 = $count_star()] <- cte 1 [id.1, l.5]}, 10) then true when $ge(scalar {aggregate [count.12 = $count_star()] <- project [id.1, l.5, e.6, id.7 = id.1, e.8 = e.6] <- unnest l.5 as e.6 <- cte 1 [id.1, l.5]}, 10) then true else ERROR('The first rows of the table have too few elements') end
                    cte 1 [id.1, l.5]
    `,
  )

  showsPass(
    'limit-before-unnest',
    'not where elements decide the order',
    'SELECT id, e FROM t, UNNEST(t.l) AS e ORDER BY e LIMIT 10',
    `
      project [id.7, e.8]
        limit 10
          order e.8
            project [id.1, l.5, e.6, id.7 = id.1, e.8 = e.6]
              unnest l.5 as e.6
                table t [id.1, l.5]
    `,
    'the same',
  )
})
