/**
 * The time in which DuckDB plans growing queries: every call and cast of the GoogleSQL cases nested in itself, and chains of
 * operators. Prints the slowest curves; no result is a failure.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { factsOf } from '../googlesql-duckdb/emit/macro-usage.js'
import { quoteName } from '../googlesql-duckdb/emit/quote.js'
import { duckdbType } from '../googlesql-duckdb/emit/type.js'
import { generate } from '../googlesql-duckdb/generate.js'
import { caseTables } from '../test/googlesql/case-files.js'
import { type GrownQuery, grownQueries, sizeOfTree, wideQueries } from '../test/googlesql-duckdb/grown-queries.js'
import { openSqlSession } from '../test/googlesql-duckdb/sql-session.js'
import { percentile } from './figures.js'

const DEPTHS = [1, 2, 4, 8, 12]
const WIDTHS = [2, 25, 50, 100, 200]
const SHOWN = 12
/** A curve whose last step took longer is not grown further, and planning that takes LONGEST_MS is interrupted. */
const SLOW_MS = 1_000
const LONGEST_MS = 5_000

interface Curve {
  readonly name: string
  /** The time of each step; fewer than the sizes when a step was too slow. */
  readonly ms: readonly number[]
  /** At the largest size: the words of the SQL, with macros expanded, divided by the number of expressions of the query. */
  readonly growth: number
}

export async function planning(): Promise<string> {
  const session = await openSqlSession(
    [],
    [...caseTables()].map(([name, { columns }]) => {
      const types = columns.map(column => `${quoteName(column.name)} ${duckdbType(column.type)}`)
      return `CREATE TABLE ${quoteName(name)} (${types.join(', ')})`
    }),
  )
  const deep = await curves(grownQueries(), DEPTHS, session.connection)
  const wide = await curves(wideQueries(), WIDTHS, session.connection)
  session.close()
  const all = [...deep, ...wide].map(({ ms }) => ms.at(-1)!)
  return [
    `To translate and prepare ${deep.length} calls and casts within themselves, 12 deep, and ${wide.length} chains, 200 wide:`,
    `median ${percentile(all, 50).toFixed(1)} ms, 99 % within ${percentile(all, 99).toFixed(1)} ms, at most ${Math.max(...all).toFixed(1)} ms. The slowest:`,
    '',
    tableOf('Deep', DEPTHS, deep),
    '',
    tableOf('Wide', WIDTHS, wide),
  ].join('\n')
}

async function curves(
  queries: readonly GrownQuery[],
  sizes: readonly number[],
  connection: DuckDBConnection,
): Promise<readonly Curve[]> {
  const found: Curve[] = []
  for (const { name, at } of queries) {
    const ms: number[] = []
    let growth = 0
    for (const size of sizes) {
      if (ms.at(-1)! > SLOW_MS) break
      const query = at(size)
      const began = performance.now()
      const { sql } = generate(query)
      const timer = setTimeout(() => connection.interrupt(), LONGEST_MS)
      // A query with a constant expression that raises an error fails while DuckDB plans it; the time until then counts too.
      const prepared = await connection.prepare(sql).catch(() => null)
      clearTimeout(timer)
      ms.push(performance.now() - began)
      prepared?.destroySync()
      growth = factsOf(sql).size / sizeOfTree(query)
    }
    found.push({ name, ms, growth })
  }
  return found
}

function tableOf(title: string, sizes: readonly number[], found: readonly Curve[]): string {
  const slowest = [...found].sort((a, b) => b.ms.at(-1)! - a.ms.at(-1)!).slice(0, SHOWN)
  return [
    `| ${title} | ${sizes.map(size => `${size}, ms`).join(' | ')} | words for each expression |`,
    `|---|${sizes.map(() => '---:|').join('')}---:|`,
    ...slowest.map(
      ({ name, ms, growth }) =>
        `| \`${name.replaceAll('|', '\\|').slice(0, 60)}\` | ${sizes.map((_, i) => ms[i]?.toFixed(1) ?? 'not tried').join(' | ')} | ${growth.toFixed(0)} |`,
    ),
  ].join('\n')
}
