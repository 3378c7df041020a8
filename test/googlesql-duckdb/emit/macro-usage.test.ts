import { expect } from 'chai'
import { arrayOf, BIGNUMERIC, INT64, JSON_TYPE, STRING, structOf, TIMESTAMP } from '../../../googlesql/types/types.js'
import { asOperand, fill } from '../../../googlesql-duckdb/emit/fragment.js'
import { callOf, factsOf } from '../../../googlesql-duckdb/emit/macro-usage.js'
import { argumentsAt } from '../../../googlesql-duckdb/emit/operand.js'
import { quoteName, quoteText } from '../../../googlesql-duckdb/emit/quote.js'
import { duckdbType } from '../../../googlesql-duckdb/emit/type.js'

describe('SQL text', () => {
  it('quotes names and text', () => {
    expect(quoteName('a"b')).to.equal('"a""b"')
    expect(quoteText("it's")).to.equal("'it''s'")
    expect(quoteText('a\0b')).to.equal("('a' || chr(0) || 'b')")
  })

  it('names types', () => {
    const fields = [
      { name: 'a', type: INT64 },
      { name: '', type: arrayOf(TIMESTAMP) },
      { name: 'A', type: JSON_TYPE },
    ]
    expect(duckdbType(arrayOf(structOf(fields)))).to.equal('STRUCT("a" BIGINT, "_field_2" TIMESTAMPTZ[], "A_2" JSON)[]')
    expect(duckdbType(BIGNUMERIC)).to.equal('BIGNUM')
    expect(duckdbType(STRING)).to.equal('VARCHAR')
  })

  const OPERANDS: readonly (readonly [string, string])[] = [
    ['a_1', 'a_1'],
    ['t1."a"."b"', 't1."a"."b"'],
    ['5::BIGINT', '5::BIGINT'],
    ["'x'", "'x'"],
    ['f(a, (b))', 'f(a, (b))'],
    ['(a) + (b)', '((a) + (b))'],
    ["(a || ')')", "(a || ')')"],
    ['f(a) || g(b)', '(f(a) || g(b))'],
    ['[a, b]', '[a, b]'],
    ['CASE WHEN a THEN b END', '(CASE WHEN a THEN b END)'],
  ]
  for (const [sql, operand] of OPERANDS) {
    it(`writes ${sql} as an operand`, () => {
      expect(asOperand(fill(sql, [])).text).to.equal(operand)
    })
  }

  it('finds the parts of calls', () => {
    expect(callOf("bq_f(a, 'x, (', [b, c])")).to.deep.equal({ name: 'bq_f', args: ['a', "'x, ('", '[b, c]'] })
    expect(callOf('bq_f(a) + 1')).to.equal(null)
    expect(argumentsAt('f(', 1)).to.equal(null)
  })

  it('counts uses through macros', () => {
    expect(factsOf('slot_0 + f(slot_0)').uses.get('slot_0')).to.equal(2)
    expect(factsOf('bq_float_eq(slot_0, 1)').uses.get('slot_0')).to.equal(2)
    expect(factsOf("lower('slot_0')").uses.get('slot_0')).to.equal(undefined)
    expect(factsOf('f((SELECT 1))').hasQuery).to.equal(true)
    expect(factsOf("f('select')").hasQuery).to.equal(false)
  })
})
