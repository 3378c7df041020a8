/**
 * The cost of checked FLOAT64 arithmetic over ten million rows of Parquet, compared with DuckDB's own operators, which do not
 * check.
 */
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { tableCatalogue } from '../googlesql/tables.js'
import { FLOAT64 } from '../googlesql/types/types.js'
import { translate } from '../googlesql-duckdb/translate.js'
import { openSqlSession } from '../test/googlesql-duckdb/sql-session.js'
import { percentile } from './figures.js'

const ROWS = 10_000_000
const ROUNDS = 9

/** Expressions in GoogleSQL, each with DuckDB's spelling where it differs. */
const FORMS: readonly (readonly [googlesql: string, duckdb?: string])[] = [
  ['SUM(x)'],
  ['SUM(x * y + 1)'],
  ['SUM(x / y * 100)'],
  ['AVG(x / y * 100)'],
  ['SUM(ROUND(x / y * 100, 2))'],
  ['SUM(SAFE_DIVIDE(x, y))', 'sum(x / nullif(y, 0))'],
  ['MAX(x / y * 100)'],
  ['MIN((x - y) / (x + y))'],
  ['MAX(ROUND(x / y * 100, 2))'],
  ['COUNTIF(x / y > 0.5)'],
  ['COUNT(*) FROM t WHERE x / y > 0.5'],
  ['SUM(x) FROM t WHERE x / y > 0.5'],
  ['SUM(x) FROM t WHERE x / y BETWEEN 0.5 AND 2'],
  ['COUNTIF(x + y > 1000 AND x * y < 50000)'],
]

export async function arithmetic(folder: string): Promise<string> {
  const columns = ['x', 'y'].map(name => ({ name, type: FLOAT64 }))
  const tables = tableCatalogue([{ name: 't', columns }])
  const file = join(folder, 'numbers.parquet')
  const session = await openSqlSession(
    [],
    [
      'SET threads = 1',
      `COPY (SELECT random() * 1000 AS x, random() * 1000 + 1 AS y FROM range(${ROWS})) TO '${file}' (FORMAT parquet)`,
      `CREATE VIEW t AS FROM read_parquet('${file}')`,
    ],
  )
  const lines: string[] = []
  for (const [form, plain = form] of FORMS) {
    const { sql } = translate(queryOf(form), tables, {})
    const [ours, theirs, ratio] = await inTurns(session.connection, sql, queryOf(plain))
    lines.push(`| \`${form}\` | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${ratio.toFixed(2)} |`)
  }
  session.close()
  return [
    `Milliseconds of one processor over ${ROWS.toLocaleString('en')} rows of Parquet, medians of ${ROUNDS} turns.`,
    '',
    '| Expression | Sluice, ms | DuckDB, ms | ratio |',
    '|---|---:|---:|---:|',
    ...lines,
  ].join('\n')
}

const queryOf = (form: string): string => `SELECT ${form}${form.includes(' FROM ') ? '' : ' FROM t'}`

/**
 * Runs the two queries in turn: the median of each, in milliseconds of processor time, and the median of their ratio in a
 * turn.
 */
async function inTurns(
  connection: DuckDBConnection,
  ours: string,
  theirs: string,
): Promise<readonly [ours: number, theirs: number, ratio: number]> {
  const samples: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [i, sql] of [ours, theirs].entries()) {
      const before = process.cpuUsage()
      await connection.runAndReadAll(sql)
      const { user, system } = process.cpuUsage(before)
      // The first round is a warm-up.
      if (round > 0) samples[i]!.push((user + system) / 1000)
    }
  }
  const ratios = samples[0].map((ms, i) => ms / samples[1][i]!)
  return [percentile(samples[0], 50), percentile(samples[1], 50), percentile(ratios, 50)]
}
