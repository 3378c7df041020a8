import { expect } from 'chai'
import { typeMessage, typeOfMessage, valueMessage, valueOfMessage } from '../../tools/oracle/values.js'
import { caseTables, withDuckdbSql } from './case-files.js'

describe('files of GoogleSQL cases', () => {
  it('get the DuckDB SQL of the cases with the key duckdb, and the rest stays as it was written', () => {
    const written = `# Note.
- sql: 'SELECT  1'   # one
  duckdb:
  rows: [[1],  [2]]
- sql: SELECT 2
  rows: [[2]]
- sql: SELECT 3
  rows: [[3]]
  duckdb: |-
    SELECT old
    FROM t
`
    const sql = new Map([
      [2, 'SELECT 1\nFROM "a"'],
      [7, 'SELECT 3'],
    ])
    const updated = withDuckdbSql(written, sql)
    expect(updated).to.equal(`# Note.
- sql: 'SELECT  1'   # one
  duckdb: |-
    SELECT 1
    FROM "a"
  rows: [[1],  [2]]
- sql: SELECT 2
  rows: [[2]]
- sql: SELECT 3
  rows: [[3]]
  duckdb: |-
    SELECT 3
`)
    expect(withDuckdbSql(updated, sql)).to.equal(updated)
  })

  it('have tables whose values the reference implementation returns unchanged', () => {
    const { columns, rows } = caseTables().get('types.every')!
    for (const { type } of columns) expect(typeOfMessage(typeMessage(type))).to.deep.equal(type)
    const text = (value: unknown): string => (value === null ? 'NULL' : String(value))
    const scalars = columns.filter(({ type }) => !['ARRAY', 'STRUCT', 'JSON', 'FLOAT64'].includes(type.kind))
    for (const row of rows) {
      for (const { name, type } of scalars) {
        const value = row[columns.findIndex(column => column.name === name)]
        expect(text(valueOfMessage(valueMessage(value, type), type))).to.equal(text(value))
      }
    }
  })
})
