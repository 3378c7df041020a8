import { expect } from 'chai'
import { ingestionTimeColumns, resolveQuery, tableCatalogue } from '../../googlesql/index.js'
import { TIMESTAMP } from '../../googlesql/types/types.js'
import { wholeTables } from '../../googlesql-duckdb/index.js'

const TABLES = tableCatalogue([
  { name: 'd.t', columns: [{ name: 'ts', type: TIMESTAMP }], partitionedBy: 'ts' },
  {
    name: 'd.hits',
    columns: [{ name: 'x', type: TIMESTAMP }],
    partitionedBy: '_PARTITIONTIME',
    pseudoColumns: ingestionTimeColumns('DAY'),
  },
])

describe('wholeTables', () => {
  const CASES: readonly (readonly [condition: string, isWhole: boolean])[] = [
    ['TRUE', true],
    ["ts >= '2026-01-01'", false],
    ["DATE(ts) = '2026-01-01'", false],
    ["DATE(ts, 'UTC') BETWEEN '2026-01-01' AND '2026-01-02'", false],
    ["ts >= '2026-01-01' OR ts < '2025-01-01'", false],
    ["ts >= '2026-01-01' OR EXTRACT(DAY FROM ts) = 1", true],
    // What the embedded engine cannot hold against a partition leaves out none.
    ["DATE(ts, 'Europe/Berlin') = '2026-01-01'", true],
    ["TIMESTAMP_ADD(ts, INTERVAL 1 DAY) > '2026-01-01'", true],
    ['EXTRACT(YEAR FROM ts) = 2026', true],
  ]
  for (const [condition, isWhole] of CASES) {
    it(`${isWhole ? 'has' : 'has not'} a table WHERE ${condition}`, () => {
      const query = resolveQuery(`SELECT COUNT(*) FROM d.t WHERE ${condition}`, TABLES, {})
      expect(wholeTables(query)).to.deep.equal(isWhole ? ['d.t'] : [])
    })
  }

  it('reads conditions on the time of ingestion as the engine does', () => {
    const whole = (condition: string): readonly string[] =>
      wholeTables(resolveQuery(`SELECT COUNT(*) FROM d.hits WHERE ${condition}`, TABLES, {}))
    expect(whole("_PARTITIONDATE = '2026-01-01'")).to.deep.equal([])
    expect(whole("_PARTITIONTIME <> '2026-01-01'")).to.deep.equal([])
    expect(whole("x = '2026-01-01'")).to.deep.equal(['d.hits'])
  })
})
