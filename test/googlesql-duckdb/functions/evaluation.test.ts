/** Which arguments a function computes is a fact of the catalogue; here it is held against what DuckDB computes. */
import { expect } from 'chai'
import { allFunctions } from '../../../googlesql/functions/all.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

/** Calls that have a value only where the arguments that fail are not computed. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  IF: ['IF(x = 1, x, ERROR(s))', 'IF(x = 2, ERROR(s), x)'],
  IFNULL: ['IFNULL(x, ERROR(s))'],
  COALESCE: ['COALESCE(x, ERROR(s))', 'COALESCE(NULL, x, ERROR(s), ERROR(s))'],
}
/** Calls that have a value if the argument is left out that fails. */
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

describe('the arguments that a function computes', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  it('are not all in functions with branches, each of which is tried here', () => {
    const withBranches = allFunctions().filter(
      ({ evaluation }) => evaluation === 'chosen' || evaluation === 'until-value',
    )
    expect(withBranches.map(({ name }) => name).sort()).to.deep.equal(Object.keys(LEFT_OUT).sort())
  })
  for (const call of Object.values(LEFT_OUT).flat()) {
    it(`have an error in ${call} that is not computed`, async () => {
      expect(await session.query(ofColumns(call))).to.deep.equal([['1']])
    })
  }
  for (const call of COMPUTED) {
    it(`have an error in ${call} that is`, async () => {
      const outcome = await session.query(ofColumns(call)).catch((error: unknown) => String(error))
      expect(outcome).to.be.a('string').that.contains('computed')
    })
  }
})
