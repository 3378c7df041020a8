/** The catalogue states which arguments a function evaluates; these tests compare that with what DuckDB evaluates. */
import { expect } from 'chai'
import { allFunctions } from '../../../googlesql/functions/all.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

/** Calls that give a value only if the failing arguments are not evaluated. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  IF: ['IF(x = 1, x, ERROR(s))', 'IF(x = 2, ERROR(s), x)'],
  IFNULL: ['IFNULL(x, ERROR(s))'],
  COALESCE: ['COALESCE(x, ERROR(s))', 'COALESCE(NULL, x, ERROR(s), ERROR(s))'],
}
/** Calls that would give a value if the failing argument were not evaluated; it must be. */
const COMPUTED = [
  'IF(ERROR(s), x, x)',
  'IFNULL(ERROR(s), x)',
  'COALESCE(ERROR(s), x)',
  'NULLIF(x, ERROR(s))',
  'GREATEST(NULL, x, ERROR(s))',
  'LEAST(NULL, x, ERROR(s))',
  'CONCAT(s, ERROR(s))',
]
const ofColumns = (call: string): string => `SELECT ${call} FROM UNNEST([STRUCT(1 AS x, 'computed' AS s)])`

describe('the arguments that a function evaluates', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  it('depend on values only in functions with branches, all of which are tested here', () => {
    const withBranches = allFunctions().filter(
      ({ evaluation }) => evaluation === 'chosen' || evaluation === 'until-value',
    )
    expect(withBranches.map(({ name }) => name).sort()).to.deep.equal(Object.keys(LEFT_OUT).sort())
  })
  for (const call of Object.values(LEFT_OUT).flat()) {
    it(`do not include the error in ${call}`, async () => {
      expect(await session.query(ofColumns(call))).to.deep.equal([['1']])
    })
  }
  for (const call of COMPUTED) {
    it(`include the error in ${call}`, async () => {
      const outcome = await session.query(ofColumns(call)).catch((error: unknown) => String(error))
      expect(outcome).to.be.a('string').that.contains('computed')
    })
  }
})
