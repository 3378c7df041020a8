/** SQL grows with the query and no faster: what an expression repeats of its operands is of a constant size. */
import { expect } from 'chai'
import { sizeOfSql } from '../../googlesql-duckdb/emit/macro-usage.js'
import { generate } from '../../googlesql-duckdb/generate.js'
import { type GrownQuery, grownQueries, sizeOfTree, wideQueries } from './grown-queries.js'

/** Words of SQL for each expression of the query. */
const MAX_WORDS = 40
/** Words of the plan, macros written out, that one more level may add for each expression that it adds. */
const MAX_PLANNED_WORDS = 250

const words = (sql: string): number =>
  sql.match(/(?:[a-z_]\w*|"[^"]*")(?:\.(?:[a-z_]\w*|"[^"]*"))*|\d+|'[^']*'/gi)!.length

function measured({ at }: GrownQuery, size: number): { tree: number; text: number; plan: number } {
  const query = at(size)
  const { sql } = generate(query)
  return { tree: sizeOfTree(query), text: words(sql), plan: sizeOfSql(sql) }
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
  this.timeout(120_000)

  it('is linear in the depth of calls and casts', () => {
    const queries = grownQueries()
    expect(queries.length).to.be.greaterThan(600)
    for (const query of queries) within(query.name, () => expectLinear(query, [4, 8, 12]))
  })

  it('is linear in the length of chains and lists', () => {
    for (const query of wideQueries()) within(query.name, () => expectLinear(query, [50, 100, 200]))
  })
})

/** Names the query in what fails. */
function within(name: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    ;(error as Error).message = `${name}: ${(error as Error).message}`
    throw error
  }
}
