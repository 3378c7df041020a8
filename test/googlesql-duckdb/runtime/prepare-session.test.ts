import { expect } from 'chai'
import { allFunctions } from '../../../googlesql/functions/all.js'
import { SqlWriterError } from '../../../googlesql-duckdb/functions/function-sql.js'
import { MACROS } from '../../../googlesql-duckdb/runtime/macros/all.js'
import { macroOf } from '../../../googlesql-duckdb/runtime/macros/macro.js'
import { inOrderOfUse } from '../../../googlesql-duckdb/runtime/prepare-session.js'
import { SCALAR_FUNCTIONS } from '../../../googlesql-duckdb/runtime/scalar-functions/all.js'
import { callsOf, sqlOf } from '../catalogue-calls.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

/** The SQL of the call; none for a call that is refused. */
function writtenCall({ entry, args, type }: ReturnType<typeof callsOf>[number]): string {
  try {
    return sqlOf(entry, args, type)
  } catch (error) {
    if (error instanceof SqlWriterError) return ''
    throw error
  }
}

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

  it('raises an error of ours with its mark, and only in the branch that is taken', async () => {
    expect(await failure("SELECT bq_error('no such thing')")).to.contain('[sluice] no such thing')
    expect(
      await session.rows("SELECT CASE WHEN i > 5 THEN bq_raise('late') ELSE i END FROM range(2) t(i)"),
    ).to.deep.equal([['0'], ['1']])
    expect(
      await failure("SELECT CASE WHEN i > 0 THEN bq_raise('at ' || i) ELSE [i] END FROM range(2) t(i)"),
    ).to.contain('at 1')
  })

  it('lets TRY turn an error into NULL', async () => {
    expect(await session.rows("SELECT TRY(bq_raise('x'))")).to.deep.equal([[null]])
  })

  it('does not let TRY turn a refusal into NULL, and refuses only in the branch that is taken', async () => {
    expect(await failure('SELECT TRY(bq_refuse(\'no such "thing"\'))')).to.contain('[sluice] no such "thing"')
    expect(await failure("SELECT TRY(bq_refuse('at ' || i)) FROM range(1) t(i)")).to.contain('[sluice] at 0')
    expect(
      await session.rows("SELECT CASE WHEN i > 5 THEN bq_refuse('late') ELSE i END FROM range(2) t(i)"),
    ).to.deep.equal([['0'], ['1']])
    expect(await session.rows('SELECT bq_refuse(NULL)')).to.deep.equal([[null]])
  })

  it('calls scalar functions that may refuse only through bq_raise_refusal', () => {
    const refusing = SCALAR_FUNCTIONS.filter(native => native.refuses)
    expect(refusing).to.not.deep.equal([])
    const ofFunctions = allFunctions().flatMap(entry => callsOf(entry).map(writtenCall))
    // The catalogue's calls have no nested values.
    const nested = session.translated("SELECT CONTAINS_SUBSTR([x], 'a') FROM UNNEST(['b']) AS x")
    const all = [...MACROS.map(macro => macro.definition), ...ofFunctions, nested].join('\n')
    for (const { name, returns } of refusing) {
      expect(returns, name).to.equal('VARCHAR')
      const texts = all.split(new RegExp(`\\b${name}\\(`))
      expect(texts.length, `a macro or a function's SQL calls ${name}`).to.be.greaterThan(1)
      for (const before of texts.slice(0, -1)) expect(before, name).to.match(/\bbq_raise_refusal\($/)
    }
  })

  it('has at most one macro and one scalar function with the same name', () => {
    const names = [...MACROS.map(macro => macro.name), ...SCALAR_FUNCTIONS.map(native => native.name)]
    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([])
  })

  it('creates macros after the macros that they use', () => {
    const macros = ['bq_a(x) AS bq_b(x) + bq_c(x)', 'bq_b(x) AS bq_c(x)', 'bq_c(x) AS x'].map(macroOf)
    expect(inOrderOfUse(macros).map(macro => macro.definition)).to.deep.equal([
      'bq_c(x) AS x',
      'bq_b(x) AS bq_c(x)',
      'bq_a(x) AS bq_b(x) + bq_c(x)',
    ])
  })
})
