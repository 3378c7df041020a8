/** Tests of a pass: the plan that the passes before it have left, and what it makes of it. */
import { expect } from 'chai'
import { resolveQuery } from '../../../googlesql/resolve/resolve.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { parseTypeName } from '../../../googlesql/types/parse-type-name.js'
import type { Delay } from '../../../googlesql-duckdb/passes/delayed-constants.js'
import { LAST_PASSES, PASSES, runPasses } from '../../../googlesql-duckdb/passes/index.js'
import { planText } from '../plan-text.js'

const COLUMNS = { id: 'INT64', s: 'STRING', x: 'FLOAT64', y: 'FLOAT64', l: 'ARRAY<INT64>' }
const tables = tableCatalogue(
  ['t', 'u'].map(name => ({
    name,
    columns: Object.entries(COLUMNS).map(([column, type]) => ({ name: column, type: parseTypeName(type)! })),
  })),
)

export function showsPass(
  name: string,
  says: string,
  sql: string,
  before: string,
  after: string | 'the same',
  delay: Delay | null = null,
): void {
  it(says, () => {
    const inOrder = [...PASSES, ...LAST_PASSES]
    const place = inOrder.findIndex(pass => pass.name === name)
    const plan = runPasses(resolveQuery(sql, tables, {}), inOrder.slice(0, place), { delay, limitsEarly: true })
    expect(planText(plan.scan)).to.equal(unindented(before))
    const made = inOrder[place]!.run(plan, { delay, limitsEarly: true })
    expect(planText(made.scan)).to.equal(unindented(after === 'the same' ? before : after))
  })
}

/** Without the lines around it, and without what all lines are indented by. */
function unindented(text: string): string {
  const lines = text.trimEnd().split('\n').slice(1)
  const depth = lines[0]!.search(/\S/)
  return lines.map(line => line.slice(depth)).join('\n')
}
