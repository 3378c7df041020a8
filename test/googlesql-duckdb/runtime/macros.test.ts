/** What the macros must not contain, since DuckDB moves it. */
import { expect } from 'chai'
import { MACROS } from '../../../googlesql-duckdb/runtime/macros/all.js'

/** Casts to these fail for no value that the macros cast to them. */
const TOTAL = /^(?:VARCHAR|DOUBLE|HUGEINT|VARCHAR\[\])$/

/** Parameters that are a DATE or a TIMESTAMP, and so become the other. */
const TIMES = /^(?:a|b|d|dt|origin)$/

/** Results of aggregates, steps of an array, which are no field of a row, and a value that has the type already. */
const NO_FIELDS = /^bq_(?:sum|avg|top|generate)_|^bq_numeric_text$/

describe('a macro', () => {
  it('casts no parameter by what may fail: DuckDB computes CAST(row.field AS type) ahead, outside of CASE and TRY', () => {
    const found = MACROS.flatMap(macro => {
      const name = macro.slice(0, macro.indexOf('('))
      const parameters = macro.slice(name.length + 1, macro.indexOf(')')).split(', ')
      const casts = [
        ...macro.matchAll(/(?<!TRY_)\bCAST\((\w+) AS ([A-Z]+(?:\[\])?)/g),
        ...macro.matchAll(/\b([a-z]\w*)::([A-Z]+)/g),
      ]
      return casts
        .filter(([, operand, type]) => parameters.includes(operand!) && !TOTAL.test(type!))
        .filter(([, operand, type]) => !(TIMES.test(operand!) && /^(?:DATE|TIMESTAMP)$/.test(type!)))
        .filter(() => !NO_FIELDS.test(name))
        .map(([cast]) => `${name}: ${cast}`)
    })
    expect(found).to.deep.equal([])
  })

  it('names what its lambdas are given as no column can be named: in `x.field` DuckDB takes x for a column first', () => {
    const found = MACROS.flatMap(macro => [...macro.matchAll(/\blambda ([^:]+):/g)].map(([, names]) => names!))
    expect(found.length).to.be.greaterThan(40)
    expect(found.flatMap(names => names.split(', ')).filter(name => !/^[a-z]+\$$/.test(name))).to.deep.equal([])
  })
})
