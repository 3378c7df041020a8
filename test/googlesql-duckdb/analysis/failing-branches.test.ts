/** Each function that can fail does so in a branch that is not taken: the query must not fail. */
import { expect } from 'chai'
import { findFunction } from '../../../googlesql/functions/all.js'
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../runner/index.js'
import {
  FAILING_AGGREGATES,
  FAILING_BY_PARAMETER,
  FAILING_CALLS,
  FAILING_CASTS,
  type FailingCall,
} from '../../engines/duckdb/failing-calls.js'

/** Functions whose literal arguments are checked before the query runs, so that only columns can make them fail. */
const NEEDS_COLUMN = /^JSON_/

/** These are refused by this engine alone, so that SAFE does not make them NULL. */
const SAFE_NAME = /^(?!ARRAY_TO_STRING|CAST|EXTRACT|INTERVAL|NORMALIZE|NET\.PUBLIC|NET\.REG)[A-Z]/

describe('what can fail fails where it is evaluated, and not in other branches:', function () {
  this.timeout(600_000)
  let engine: EmbeddedEngine
  before(async () => {
    engine = await openEmbeddedEngine({ tables: {} })
  })
  after(() => engine.close())
  const rowsOf = async (sql: string): Promise<readonly unknown[]> => (await engine.query(sql, {})).rows
  const fails = async (sql: string): Promise<void> => {
    const outcome = await rowsOf(sql).then(
      rows => `no error, but ${JSON.stringify(rows)}`,
      (error: Error) => (error.message === 'The query failed' ? `a bare error: ${error.cause}` : null),
    )
    expect(outcome, sql).to.equal(null)
  }

  const all = { ...FAILING_CALLS, ...FAILING_CASTS }
  for (const [name, failing] of Object.entries(all)) {
    const over = (operand: string): string => failing.call.replaceAll('$', operand)
    const subquery = `(SELECT COUNT(${over('s')}) FROM UNNEST([STRUCT(${failing.value} AS s)]))`
    const isNull = (operand: string): string => `IF(${over(operand)} IS NULL, 1, 2)`
    const branches = (x: string, s: string): string =>
      `IF(${x} = 1, 0, ${isNull(s)}), COALESCE(${x}, ${isNull(s)}), COALESCE(${x} + 1, ${isNull(s)}, 7), ` +
      `CASE WHEN ${x} = 1 THEN 1 WHEN ${over(s)} IS NULL THEN 2 END`

    it(`${name} in a subquery`, async () => {
      await fails(`SELECT ${subquery}`)
      const sql = `SELECT IF(x = 1, NULL, ${subquery}), CASE WHEN x = 1 THEN 0 WHEN x = 2 THEN 1 ELSE ${subquery} END,
        COALESCE(x, ${subquery}), IFNULL(x, ${subquery} + 1) FROM UNNEST([1]) x`
      expect(await rowsOf(sql), sql).to.deep.equal([[null, 0, 1, 1]])
    })

    it(`${name} of a column, and of a field`, async () => {
      await fails(`SELECT ${over('s')} FROM UNNEST([STRUCT(${failing.value} AS s)])`)
      const columns = `SELECT ${branches('x', 's')} FROM (SELECT 1 AS x, ${failing.value} AS s)`
      const fields = `SELECT ${branches('r.x', 'r.s')} FROM UNNEST([STRUCT(1 AS x, ${failing.value} AS s)]) r`
      for (const sql of [columns, fields]) expect(await rowsOf(sql), sql).to.deep.equal([[0, 1, 2, 1]])
    })

    if (!NEEDS_COLUMN.test(name)) {
      it(`${name} of a constant`, async () => {
        const sql = `SELECT ${branches('x', failing.value)}, IF(x = 1, NULL, ${over(failing.value)}) FROM UNNEST([1]) x`
        // The last column is not compared: BigQuery returns a NULL array as an empty one.
        expect(
          (await rowsOf(sql)).map(row => (row as unknown[]).slice(0, 4)),
          sql,
        ).to.deep.equal([[0, 1, 2, 1]])
      })
    }

    const safe = safeCall(name, failing)
    if (safe !== null) {
      it(`${name} under SAFE`, async () => {
        const tests = (s: string): string => {
          const call = safe.replaceAll('$', s)
          return `SELECT ${call} IS NULL, FORMAT('%t', ${call} IS NULL)`
        }
        const column = `${tests('s')} FROM UNNEST([STRUCT(${failing.value} AS s)])`
        const field = `${tests('r.s')} FROM (SELECT STRUCT(${failing.value} AS s) AS r)`
        const element = `${tests('r.s')} FROM UNNEST([STRUCT(${failing.value} AS s)]) r`
        for (const sql of [column, field, element]) {
          expect(await rowsOf(sql), sql).to.deep.equal([[true, 'true']])
        }
      })
    }
  }

  for (const [name, { call, value }] of Object.entries(FAILING_AGGREGATES)) {
    it(name, async () => {
      const subquery = `(SELECT ${call.replaceAll('$', 's')} FROM UNNEST([${value}, ${value}, ${value}]) s)`
      await fails(`SELECT ${subquery}`)
      const sql = `SELECT IF(x = 1, NULL, ${subquery}), COALESCE(x, CAST(${subquery} AS INT64)) FROM UNNEST([1]) x`
      expect(await rowsOf(sql), sql).to.deep.equal([[null, 1]])
    })
  }

  for (const [name, call] of Object.entries(FAILING_BY_PARAMETER)) {
    it(`${name} of a parameter`, async () => {
      const parameters = {
        text: { type: 'STRING', value: null },
        number: { type: 'INT64', value: -1 },
        float: { type: 'FLOAT64', value: -1 },
      }
      const outcome = await engine.query(`SELECT ${call} FROM UNNEST([1])`, parameters).catch((error: Error) => error)
      expect(outcome).to.be.instanceOf(Error)
      expect((outcome as Error).message).not.to.equal('The query failed')
    })
  }
})

/** The call that gives NULL instead of failing; null where there is no such call or the engine does not support it. */
function safeCall(name: string, { call }: FailingCall): string | null {
  if (call.startsWith('CAST')) return `SAFE_${call}`
  return SAFE_NAME.test(call) && findFunction(name)?.allowsSafe !== false ? `SAFE.${call}` : null
}
