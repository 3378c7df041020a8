/** The generated SQL grows linearly with the query: an expression repeats its operands only if their size is constant. */
import { expect } from 'chai'
import { resolveQuery, tableCatalogue } from '../../googlesql/index.js'
import { factsOf } from '../../googlesql-duckdb/emit/macro-usage.js'
import { generate } from '../../googlesql-duckdb/generate.js'
import { sampleOf } from '../sample-size.js'
import { type GrownQuery, grownQueries, sizeOfTree, wideQueries } from './grown-queries.js'

/** The most words of SQL for each expression of the query. */
const MAX_WORDS = 40
/** The most words of the plan, with macros expanded, that a further level may add for each expression that it adds. */
const MAX_PLANNED_WORDS = 300

const words = (sql: string): number =>
  sql.match(/(?:[a-z_]\w*|"[^"]*")(?:\.(?:[a-z_]\w*|"[^"]*"))*|\d+|'[^']*'/gi)!.length

function measured({ at }: GrownQuery, size: number): { tree: number; text: number; plan: number } {
  const query = at(size)
  const { sql } = generate(query)
  return { tree: sizeOfTree(query), text: words(sql), plan: factsOf(sql).size }
}

function expectLinear(query: GrownQuery, sizes: readonly [number, number, number]): void {
  const [small, middle, large] = sizes.map(size => measured(query, size))
  expect(large!.text, 'words of SQL').to.be.at.most(MAX_WORDS * large!.tree)
  const growth = (large!.plan - middle!.plan) / (large!.tree - middle!.tree)
  expect(growth, 'words of the plan').to.be.at.most(MAX_PLANNED_WORDS)
  const before = (middle!.plan - small!.plan) / (middle!.tree - small!.tree)
  expect(growth, 'words of the plan, compared with earlier levels').to.be.at.most(Math.max(1.3 * before, before + 5))
}

describe('the size of the generated SQL', function () {
  this.timeout(600_000)

  it('is linear in the depth of calls and casts', () => {
    const queries = grownQueries()
    expect(queries.length).to.be.greaterThan(600)
    for (const query of sampleOf(queries)) within(query.name, () => expectLinear(query, [4, 8, 12]))
  })

  it('is linear in the length of chains and lists', () => {
    for (const query of sampleOf(wideQueries())) within(query.name, () => expectLinear(query, [50, 100, 200]))
  })

  it('is linear in the depth of subqueries in expressions, and of casts to a type and back', () => {
    for (const query of NESTED) within(query.name, () => expectLinear(query, [8, 16, 24]))
  })
})

/** A query with `depth` steps nested in each other; the innermost step is around a column. */
const nested = (column: string, step: (inner: string, level: number) => string): GrownQuery => ({
  name: step('_', 0),
  at: depth => {
    let sql = 'x'
    for (let level = 0; level < depth; level++) sql = step(sql, level)
    return resolveQuery(`SELECT ${sql} FROM UNNEST([${column}]) x`, tableCatalogue([]), {})
  },
})

const NESTED: readonly GrownQuery[] = [
  ...['SUM(y)', 'MAX(y)', 'COUNT(y)', 'COUNT(DISTINCT y)', 'ANY_VALUE(y)'].map(call =>
    nested('1', (inner, i) => `(SELECT ${call.replace('y)', `y${i})`)} FROM UNNEST([${inner}, 1]) y${i})`),
  ),
  nested('1', (inner, i) => `(SELECT CAST(AVG(y${i}) AS INT64) FROM UNNEST([${inner}, 1]) y${i})`),
  nested('1.5', (inner, i) => `(SELECT SUM(y${i} / 2) FROM UNNEST([${inner}, 1.5]) y${i})`),
  nested('1.5', (inner, i) => `(SELECT AVG(y${i}) FROM UNNEST([${inner}, 1.5]) y${i})`),
  nested('1.5', (inner, i) => `(SELECT MIN(y${i}) FROM UNNEST([${inner}, 1.5]) y${i})`),
  nested("NUMERIC '1'", (inner, i) => `(SELECT SUM(y${i}) FROM UNNEST([${inner}, 1]) y${i})`),
  nested('1.5', inner => `CAST(CAST(${inner} AS STRING FORMAT '999.99') AS FLOAT64)`),
  nested(
    "DATE '2024-01-01'",
    inner => `CAST(CAST(${inner} AS STRING FORMAT 'YYYY-MM-DD') AS DATE FORMAT 'YYYY-MM-DD')`,
  ),
]

/** Adds the name of the query to the message of a failure. */
function within(name: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    ;(error as Error).message = `${name}: ${(error as Error).message}`
    throw error
  }
}
