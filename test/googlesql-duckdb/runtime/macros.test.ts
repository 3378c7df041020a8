/** Expressions that macros must not contain, since DuckDB evaluates them at another place. */
import { expect } from 'chai'
import { MACROS } from '../../../googlesql-duckdb/runtime/macros/all.js'

/** Target types of casts that never fail for the values that the macros cast. */
const TOTAL = /^(?:VARCHAR|DOUBLE|HUGEINT|VARCHAR\[\])$/

/** Parameters that are a DATE or a TIMESTAMP: a cast from one to the other does not fail. */
const TIMES = /^(?:a|b|d|dt|origin)$/

/**
 * Macros whose operands are never a field of a row (results of aggregates, steps of an array) or have the target type
 * already.
 */
const NO_FIELDS = /^bq_(?:sum|avg|top|generate)_|^bq_numeric_(?:text|to_bignumeric)$/

describe('a macro', () => {
  it('has no cast of a parameter that may fail: DuckDB evaluates CAST(row.field AS type) early, outside CASE and TRY', () => {
    const found = MACROS.flatMap(({ name, parameters, body }) => {
      const casts = [
        ...body.matchAll(/(?<!TRY_)\bCAST\((\w+) AS ([A-Z]+(?:\[\])?)/g),
        ...body.matchAll(/\b([a-z]\w*)::([A-Z]+)/g),
      ]
      return (
        casts
          .filter(([, operand, type]) => parameters.includes(operand!) && !TOTAL.test(type!))
          .filter(([, operand, type]) => !(TIMES.test(operand!) && /^(?:DATE|TIMESTAMP|TIMESTAMPTZ)$/.test(type!)))
          // `i` is an INTERVAL or a NULL without a type, for which DuckDB could not choose among its functions.
          .filter(([, operand, type]) => !(operand === 'i' && type === 'INTERVAL'))
          .filter(() => !NO_FIELDS.test(name))
          .map(([cast]) => `${name}: ${cast}`)
      )
    })
    expect(found).to.deep.equal([])
  })

  it('has names for lambda parameters that no column can have: in `x.field` DuckDB first looks for a column x', () => {
    const found = MACROS.flatMap(({ body }) => [...body.matchAll(/\blambda ([^:]+):/g)].map(([, names]) => names!))
    expect(found.length).to.be.greaterThan(40)
    expect(found.flatMap(names => names.split(', ')).filter(name => !/^[a-z]+\$$/.test(name))).to.deep.equal([])
  })
})
