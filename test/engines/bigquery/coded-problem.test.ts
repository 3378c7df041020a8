/** What a mistake is that BigQuery reports by a message alone. */
import { expect } from 'chai'
import { resolveQuery, type SqlProblem } from '../../../googlesql/index.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { codedProblem } from '../../../runner/engines/bigquery/coded-problem.js'

const TABLES = tableCatalogue([{ name: 'd.t', columns: [{ name: 'amount', type: { kind: 'INT64' } }] }])

function coded(sql: string, column: number, message: string): SqlProblem['mistake'] {
  return codedProblem({ line: 1, column, message }, () => resolveQuery(sql, TABLES, {})).mistake
}

describe('a mistake that BigQuery reports', () => {
  it('is the one that our own reading of the query finds at the same place', () => {
    const message = 'No matching signature for operator = for argument types: INT64, STRING Signature: T1 = T1'
    const mistake = coded("SELECT amount = 'a' FROM d.t", 8, message)
    expect(mistake).to.deep.include({ code: 'no-signature', name: '=', types: ['INT64', 'STRING'] })
    expect(mistake?.hint).to.equal(undefined)
  })

  it('is told by the beginning of its message where our own reading fails elsewhere', () => {
    const sql = 'SELECT nvl(amuont) FROM d.unknown'
    expect(coded(sql, 12, 'Unrecognized name: amuont; Did you mean amount?')).to.deep.equal({
      code: 'unknown-name',
      name: 'amuont',
      meant: 'amount',
      hint: '; Did you mean amount?',
    })
    expect(coded(sql, 8, 'Function not found: nvl')).to.include({ code: 'unknown-function', name: 'nvl' })
    expect(coded(sql, 8, 'Type not found: TEXT')).to.include({ code: 'unknown-type', name: 'TEXT' })
    expect(coded(sql, 8, 'Syntax error: Unexpected keyword QUALIFY')).to.include({ code: 'syntax', form: 'other' })
  })

  it('has no code otherwise', () => {
    expect(coded('SELECT 1', 1, 'Access Denied: Table p:d.t')).to.equal(undefined)
  })
})
