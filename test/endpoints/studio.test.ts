/** Queries in the manner of Supabase Studio's log pages run over what `sluice sample` writes. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { busiestProject, SAMPLE_STREAMS, sampleLines } from '../../authoring/sample/generate.js'
import { type EmbeddedEngine, openEmbeddedEngine, type SchemaField } from '../../runner/index.js'
import { sampleOf } from '../sample-size.js'

interface Case {
  readonly page: string
  readonly sql: string
  readonly columns: readonly string[]
  readonly filled: readonly string[]
  readonly rows?: number
  readonly at_least?: number
}

const SEED = 7
const ENTRIES = 3_000
const NOW_MICROS = BigInt(Date.parse('2026-02-03T04:05:06Z')) * 1_000n

describe("Supabase Studio's log pages over sample data", function () {
  this.timeout(60_000)
  let engine: EmbeddedEngine
  before(async () => {
    const options = { seed: SEED, count: ENTRIES, nowMicros: NOW_MICROS }
    const tables = SAMPLE_STREAMS.map(stream => [
      `logs.${stream}`,
      {
        schema: JSON.parse(readFileSync(`schemas/tables/logs.${stream}.json`, 'utf8')).schema
          .fields as readonly SchemaField[],
        rows: [...sampleLines(stream, options)].map(line => JSON.parse(line) as object),
      },
    ])
    engine = await openEmbeddedEngine({ tables: Object.fromEntries(tables) })
  })
  after(() => engine.close())

  for (const each of sampleOf(parse(readFileSync('test/cases/studio.yaml', 'utf8')) as readonly Case[])) {
    it(each.page, async () => {
      const uses = each.sql.includes('@project')
      const parameters = uses ? { project: { type: 'STRING', value: busiestProject(SEED) } } : {}
      const { columns, rows } = await engine.query(each.sql, parameters)
      expect(columns.map(({ name }) => name)).to.deep.equal(each.columns)
      if (each.rows !== undefined) expect(rows).to.have.length(each.rows)
      expect(rows.length).to.be.at.least(each.at_least ?? 1)
      for (const name of each.filled) {
        const at = each.columns.indexOf(name)
        expect(rows.filter(row => row[at] !== null && row[at] !== '').length, name).to.be.above(0)
      }
    })
  }
})
