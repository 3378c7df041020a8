import { expect } from 'chai'
import { MACROS } from '../../../runner/engines/duckdb/macros/all.js'
import { NATIVES } from '../../../runner/engines/duckdb/natives/all.js'
import { inOrderOfUse } from '../../../runner/engines/duckdb/prepare-session.js'
import { openSqlSession, type SqlSession } from './sql-session.js'

describe('a prepared session', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  const failure = (sql: string): Promise<string> =>
    session.rows(sql).then(
      () => 'no error',
      error => error.message,
    )

  it('keeps time in UTC', async () => {
    expect(await session.rows("SELECT current_setting('TimeZone')")).to.deep.equal([['UTC']])
  })

  it('raises an error of ours behind its mark, and only in the branch that is taken', async () => {
    expect(await failure("SELECT bq_error('no such thing')")).to.contain('[sluice] no such thing')
    expect(
      await session.rows("SELECT CASE WHEN i > 5 THEN bq_raise('late') ELSE i END FROM range(2) t(i)"),
    ).to.deep.equal([['0'], ['1']])
    expect(
      await failure("SELECT CASE WHEN i > 0 THEN bq_raise('at ' || i) ELSE [i] END FROM range(2) t(i)"),
    ).to.contain('at 1')
  })

  it('lets TRY take an error for NULL', async () => {
    expect(await session.rows("SELECT TRY(bq_raise('x'))")).to.deep.equal([[null]])
  })

  it('has one macro and one scalar function of a name', () => {
    const names = [...MACROS.map(macro => macro.slice(0, macro.indexOf('('))), ...NATIVES.map(native => native.name)]
    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([])
  })

  it('creates macros after those that they use', () => {
    expect(inOrderOfUse(['bq_a(x) AS bq_b(x) + bq_c(x)', 'bq_b(x) AS bq_c(x)', 'bq_c(x) AS x'])).to.deep.equal([
      'bq_c(x) AS x',
      'bq_b(x) AS bq_c(x)',
      'bq_a(x) AS bq_b(x) + bq_c(x)',
    ])
  })
})
