/** Runs the cases beside it: BigQuery SQL, translated and run on DuckDB, against the rows or the error it has in BigQuery. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { LineCounter, parseDocument, visit } from 'yaml'
import { type BoundValue, type EmbeddedEngine, openEmbeddedEngine } from '../../runner/index.js'

interface Case {
  readonly sql: string
  readonly parameters?: Readonly<Record<string, BoundValue>>
  /** As JSON values on the wire. */
  readonly rows?: readonly (readonly unknown[])[]
  /** The names of the columns. */
  readonly columns?: readonly string[]
  /** The rows may come in any order. */
  readonly unordered?: boolean
  /** Part of the message. */
  readonly error?: string
}

const FOLDER = 'test/cases/googlesql'

describe('GoogleSQL cases', () => {
  let engine: EmbeddedEngine
  before(async () => {
    engine = await openEmbeddedEngine({ tables: {} })
  })
  after(() => engine.close())

  for (const file of readdirSync(FOLDER).filter(name => name.endsWith('.yaml'))) {
    describe(file, () => {
      for (const { line, ...each } of casesOf(file)) {
        it(`line ${line}: ${shortened(each.sql)}`, () => run(engine, each))
      }
    })
  }
})

async function run(engine: EmbeddedEngine, { sql, parameters = {}, ...expected }: Case): Promise<void> {
  if (expected.error !== undefined) {
    const outcome = await engine.query(sql, parameters).then(
      ({ rows }) => `no error, but ${JSON.stringify(rows)}`,
      (error: unknown) => String(error),
    )
    expect(outcome).to.contain(expected.error)
    return
  }
  const { columns, rows } = await engine.query(sql, parameters)
  if (expected.unordered) expect(rows).to.have.deep.members([...expected.rows!])
  else expect(rows).to.deep.equal(expected.rows)
  if (expected.columns) expect(columns.map(column => column.name)).to.deep.equal(expected.columns)
}

function casesOf(file: string): (Case & { readonly line: number })[] {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(`${FOLDER}/${file}`, 'utf8'), { lineCounter: lines })
  expect(document.errors.map(String)).to.deep.equal([])
  const places: number[] = []
  visit(document, {
    Map: (_, node, path) => {
      if (path.length === 2) places.push(lines.linePos(node.range![0]).line)
    },
  })
  return (document.toJS() as Case[]).map((each, index) => ({ ...each, line: places[index]! }))
}

function shortened(sql: string): string {
  return sql.length <= 100 ? sql : `${sql.slice(0, 99)}…`
}
