import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { FLOAT64, INT64 } from '../../../googlesql/types/types.js'
import { translate } from '../../../googlesql-duckdb/translate.js'
import { openDuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import { rowsOf, runOptions } from '../../engines/ask-engine.js'
import { CLOCK, scratchFolder, source } from '../../engines/duckdb/raw-engine.js'
import { sampleSize, triesAll } from '../../sample-size.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'
import { showsPass } from './shows-pass.js'

const COLUMNS = [{ name: 'id', type: INT64 }, ...['x', 'y', 'z'].map(name => ({ name, type: FLOAT64 }))]
const catalogue = tableCatalogue([{ name: 't', columns: COLUMNS }])
const quickOf = (sql: string): string | null => translate(sql, catalogue, {}).quickSql

const value = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom('1', '-2', '0.5', '7', '3e10') },
  fc.constantFrom('NULL', '0', "'-0'", '1e308', '-1e308', '5e-324', "'nan'", "'infinity'", "'-infinity'"),
)

const operand = fc.constantFrom('x', 'y', 'z', '2', 'CAST(id AS FLOAT64)')
const tree = fc.letrec<{ tree: string }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    operand,
    fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/'), tie('tree')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(fc.constantFrom('SAFE_DIVIDE', 'SAFE_ADD', 'IEEE_DIVIDE'), tie('tree'), tie('tree'))
      .map(([name, a, b]) => `${name}(${a}, ${b})`),
    fc.tuple(fc.constantFrom('ABS', '-', 'CEIL', 'ROUND'), tie('tree')).map(([name, a]) => `${name}(${a})`),
  ),
})).tree
const aggregate = fc
  .tuple(
    fc.constantFrom(
      (a: string) => `SUM(${a})`,
      (a: string) => `AVG(${a})`,
      (a: string) => `MIN(${a})`,
      (a: string) => `MAX(${a})`,
      (a: string) => `SUM(ROUND(${a}, 2))`,
      (a: string) => `MAX(TRUNC(${a}, 1))`,
      (a: string) => `COUNTIF(${a} > 0.5)`,
      (a: string) => `COUNTIF(IF(x > 0, ${a} > 1, ${a} + 1 < z))`,
      (a: string) => `STRING_AGG(CAST(${a} AS STRING), ',' ORDER BY id)`,
      (a: string) => `COUNT(CASE WHEN y <> 0 THEN ${a} END)`,
      (a: string) => `SUM(CAST(SAFE_CAST(CAST(${a} AS STRING) AS INT64) AS FLOAT64))`,
    ),
    tree,
  )
  .map(([form, a]) => form(a))
const query = fc.record({
  rows: fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 6 }),
  sql: fc.oneof(
    fc.tuple(aggregate, aggregate).map(([a, b]) => `SELECT ${a} AS a, ${b} AS b FROM t`),
    fc
      .tuple(aggregate, tree)
      .map(
        ([a, key]) => `SELECT id > 2 AS k, ${a} AS a FROM t WHERE z IS NULL OR ABS(${key}) >= 0 GROUP BY k ORDER BY k`,
      ),
    fc.tuple(tree, tree).map(([a, b]) => `SELECT COUNT(*) AS n FROM t WHERE ${a} < ${b}`),
    aggregate.map(a => `SELECT x, ${a} AS a FROM t GROUP BY ROLLUP(x) ORDER BY x, a`),
    aggregate.map(a => `SELECT id, ${a} AS a FROM t GROUP BY id ORDER BY id LIMIT 1`),
    aggregate.map(a => `SELECT id, ${a} AS a FROM t GROUP BY id ORDER BY a DESC, id LIMIT 2`),
    aggregate.map(a => `SELECT id, ${a} AS a FROM t GROUP BY id HAVING id = 2 ORDER BY id`),
    aggregate.map(a => `SELECT * FROM (SELECT id, ${a} AS a FROM t GROUP BY id) WHERE id = 2`),
    aggregate.map(a => `WITH w AS (SELECT id, ${a} AS a FROM t GROUP BY id) SELECT COUNT(*) AS n FROM w`),
  ),
})

/** The rows, or the error with which the query fails. */
const outcome = (rows: Promise<unknown[][]>): Promise<{ rows: unknown[][] } | { error: string }> =>
  rows.then(
    found => ({ rows: found }),
    (error: unknown) => ({ error: String(error) }),
  )

describe('totals that check the arithmetic below them', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  it('give the same as checks of every row, or fail', async () => {
    const seen = { quick: 0, failed: 0, errors: 0 }
    await fc.assert(
      fc.asyncProperty(query, async ({ rows, sql }) => {
        const values = rows.map((row, i) => `(${i + 1}, ${row.map(cell => `${cell}::DOUBLE`).join(', ')})`)
        await session.connection.run(
          `CREATE OR REPLACE TABLE t AS FROM (VALUES ${values.join(', ')}) AS v(id, x, y, z)`,
        )
        const written = translate(sql, catalogue, {})
        if (written.quickSql === null) return
        const quick = await outcome(session.rows(written.quickSql))
        const careful = await outcome(session.rows(written.sql))
        if ('error' in careful) seen.errors += 1
        if ('error' in quick) {
          seen.failed += 1
          // Any other error must come from the query itself, so that the careful SQL fails too.
          if (!quick.error.includes('A total is not finite')) expect(careful).to.have.property('error')
        } else {
          seen.quick += 1
          expect(quick).to.deep.equal(careful)
        }
      }),
      { numRuns: sampleSize(1_200) },
    )
    // Errors are the fewest, thirteen of 1,200 on average; a quarter may be without one.
    if (triesAll) expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).to.be.above(0)
  }).timeout(120_000)

  it('are generated where only the values matter', () => {
    for (const form of ['SUM(x)', 'AVG(x / y)', 'MIN(x)', 'MAX(x / y)', 'COUNTIF(x / y > 1)', 'SUM(ROUND(x * y, 2))']) {
      expect(quickOf(`SELECT ${form} FROM t`), form).to.include('bq_trusted(')
      expect(quickOf(`SELECT ${form} FROM t`), form).not.to.include('bq_float_steps')
    }
    const others = [
      'MAX(x)',
      'COUNT(*)',
      'SUM(id)',
      'SUM(x) OVER ()',
      'SUM(x / y HAVING MAX z)',
      'MAX(IEEE_DIVIDE(x, y))',
    ]
    // An error in a group that is not in the result must still fail the query.
    for (const rest of [
      'HAVING COUNT(*) > 1 ORDER BY id',
      'QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1',
      'LIMIT 1',
      '',
    ]) {
      expect(quickOf(`SELECT id, SUM(x / y) AS s FROM t GROUP BY id ${rest}`), rest).to.equal(null)
    }
    for (const rest of ['ORDER BY id', 'ORDER BY s LIMIT 1']) {
      expect(quickOf(`SELECT id, SUM(x / y) AS s FROM t GROUP BY id ${rest}`), rest).to.include('bq_trusted(')
    }
    for (const form of [...others, 'COUNTIF(y <> 0 AND x / y > 1)', 'SUM(RAND())']) {
      expect(quickOf(`SELECT ${form} FROM t`), form).to.equal(null)
    }
  })

  describe('over large files', () => {
    const folder = scratchFolder()
    const ROWS = 600_000
    let engine: Awaited<ReturnType<typeof openDuckdbEngine>>
    before(async () => {
      mkdirSync(join(folder.path, 'logs'))
      await session.connection.run(
        `COPY (SELECT random() AS x, CASE WHEN range = ${ROWS - 1} THEN 0 ELSE 1 + random() END AS y FROM range(${ROWS}))
         TO '${folder.path}/logs/t.parquet'`,
      )
      const schema = ['x', 'y'].map(name => ({ name, type: 'FLOAT64' }))
      engine = await openDuckdbEngine({
        dataDir: folder.path,
        database: null,
        tables: [source('logs.t', schema)],
        memoryLimitMb: 512,
        threads: 2,
        tempDir: folder.path,
        observe: () => {},
        clock: CLOCK,
      })
    })
    after(async () => {
      await engine.close()
      folder.remove()
    })
    const ask = (sql: string) => engine.run({ sql, parameters: {} }, runOptions({ maxRows: 10 }))

    for (const time of ['once', 'again']) {
      it(`are given up where one is not finite: run ${time}`, async () => {
        const failure = await ask('SELECT SUM(x / y) AS s FROM `logs.t`').catch((error: unknown) => error)
        expect(String((failure as Error).cause)).to.match(/division by zero: [\d.e-]+ \/ 0/)
        const result = await ask(
          'SELECT MAX(IF(y = 0, IEEE_DIVIDE(1, 0), x / y)) AS s, SUM(SAFE_DIVIDE(x, y)) > 1 AS b FROM `logs.t`',
        )
        expect(rowsOf(result)).to.deep.equal([['Infinity', true]])
      })
    }

    it('are used by the engine', async () => {
      const { plan } = await engine.explain({ sql: 'SELECT SUM(x * y) AS s FROM `logs.t`', parameters: {} })
      expect(plan).not.to.include('bq_float_steps')
    })
  })
})

describe('the pass trusted-totals', () => {
  showsPass(
    'trusted-totals',
    'a sum is its own witness',
    'SELECT SUM(x / y) AS a FROM t',
    `
      project [a.7]
        project [sum.6, a.7 = sum.6]
          aggregate [sum.6 = SUM($divide(x.3, y.4))]
            table t [x.3, y.4]
    `,
    `
      project [a.7]
        project [sum.6, a.7 = sum.6]
          aggregate [sum.6 = $plain_sum(.8) if finite [.8]]
            project [x.3, y.4, .8 = $untested($divide(x.3, y.4))]
              table t [x.3, y.4]
    `,
  )

  showsPass(
    'trusted-totals',
    'a total for each division that no sum shows',
    'SELECT COUNTIF(x / y > 2) AS a FROM t',
    `
      project [a.7]
        project [countif.6, a.7 = countif.6]
          aggregate [countif.6 = COUNTIF($gt($divide(x.3, y.4), 2))]
            table t [x.3, y.4]
    `,
    `
      project [a.7]
        project [countif.6, a.7 = countif.6]
          aggregate [countif.6 = COUNTIF($gt($untested(.8), 2)) if finite [.8]]
            project [x.3, y.4, .8 = $untested($divide(x.3, y.4))]
              table t [x.3, y.4]
    `,
  )

  showsPass(
    'trusted-totals',
    'not where groups are left out',
    'SELECT s, SUM(x / y) AS a FROM t GROUP BY s LIMIT 5',
    `
      project [s.7, a.8]
        limit 5
          project [s.9, sum.6, s.7 = s.9, a.8 = sum.6]
            aggregate [sum.6 = SUM($divide(x.3, y.4))] by [s.9 = s.2]
              table t [s.2, x.3, y.4]
    `,
    null,
  )

  showsPass(
    'trusted-totals',
    'rows that meet a condition are counted where the total tests all rows',
    'SELECT COUNT(*) AS n FROM t WHERE x / y > 2',
    `
      project [n.7]
        project [$count_star.6, n.7 = $count_star.6]
          aggregate [$count_star.6 = $count_star()]
            filter $gt($divide(x.3, y.4), 2)
              table t [x.3, y.4]
    `,
    `
      project [n.7]
        project [$count_star.6, n.7 = $count_star.6]
          aggregate [$count_star.6 = COUNTIF($gt($untested(.8), 2)) if finite [.8]]
            project [x.3, y.4, .8 = $untested($divide(x.3, y.4))]
              table t [x.3, y.4]
    `,
  )

  showsPass(
    'trusted-totals',
    'but not those that meet two, by one of which rows may be skipped',
    'SELECT COUNT(*) AS n FROM t WHERE x * y > 2 AND id = 1',
    `
      project [n.7]
        project [$count_star.6, n.7 = $count_star.6]
          aggregate [$count_star.6 = $count_star()]
            filter $and($gt($multiply(x.3, y.4), 2), $eq(id.1, 1))
              table t [id.1, x.3, y.4]
    `,
    null,
  )
})
