import { expect } from 'chai'
import { narrowingHints } from '../../../authoring/check/hints.js'
import { tableCatalogue } from '../../../googlesql/index.js'
import { loadSources } from '../../../runner/manifest/load.js'
import { compareDiagnostics, type Diagnostic, diagnosticLine } from '../../../runner/model/diagnostic.js'
import { checkByTranslation } from '../../manifest/check-by-translation.js'

const HEAD = 'id: 0b7f5a0e-5c0d-4f43-9d4b-5d9b3c8f6a12\nname: tests.hints\n'
const SQL =
  'sql: |\n  SELECT SUM(x) AS total, COUNT(*) AS count, MAX(x / 2) AS half, [1] AS ids FROM UNNEST([1, 2]) AS x\n'
const COLUMNS = `columns:
  - { name: total, type: INT64 }
  - { name: count, type: INT64 }
  - { name: half, type: FLOAT64, required: true }
  - { name: ids, type: ARRAY<INT64> }
`

async function told(text: string, endpoints = 1): Promise<readonly string[]> {
  const tables = tableCatalogue([])
  const hints: Diagnostic[] = []
  const loaded = await loadSources([{ file: 'tests.hints.yaml', text }], [], {
    tables,
    checkSql: checkByTranslation(tables),
    onCompiled: compiled => hints.push(...narrowingHints(compiled)),
  })
  expect(loaded.endpoints).to.have.length(endpoints)
  return [...loaded.diagnostics, ...hints].sort(compareDiagnostics).map(diagnosticLine)
}

const MAY_BE_NULL = 'may be NULL: "required: true" says that it never is'
const INTEGER = 'it is a string beyond ±(2^53−1): "json: number" or "json: string" gives it one type'
const FLOAT = 'is a string where it is NaN or infinite: "json: number" says that it never is'

describe('hints', () => {
  it('say which words would narrow the types of declared columns', async () => {
    expect(await told(HEAD + COLUMNS + SQL)).to.deep.equal([
      `tests.hints.yaml:4:13: hint: column "total" ${MAY_BE_NULL}; ${INTEGER} [columns/narrow]`,
      `tests.hints.yaml:6:13: hint: column "half" ${FLOAT} [columns/narrow]`,
    ])
  })

  it('say so of the columns of a query too', async () => {
    expect(await told(HEAD + SQL)).to.deep.equal([
      `tests.hints.yaml:3:1: hint: column "half" ${MAY_BE_NULL}; it ${FLOAT}; declare "columns" for it [columns/narrow]`,
      `tests.hints.yaml:3:1: hint: column "total" ${MAY_BE_NULL}; ${INTEGER}; declare "columns" for it [columns/narrow]`,
    ])
  })

  it('are not told of a manifest with a mistake, whose columns are not those of the query', async () => {
    const lines = await told(`${HEAD}${COLUMNS}sql: |\n  SELECT 1 AS total\n`, 0)
    expect(lines.join()).to.include('the query has no column "count"').and.not.to.include(': hint:')
  })
})
