/** The place of a failure costs runs of the query, which only an author who asks for it pays. */
import { expect } from 'chai'
import { findFailureOffset } from '../../../authoring/call/failure-offset.js'
import { RunnerError } from '../../../runner/model/errors.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { runOptions } from '../../engines/ask-engine.js'
import { openEngine } from '../../engines/duckdb/raw-engine.js'

const SQL = 'SELECT 1 / x AS a, 10 / (x - 2) AS b, LOG(x) AS c, MOD(7, x) AS d FROM UNNEST([1, 2, 3]) AS x'

describe('the place of a failure, in a query', () => {
  it('is found by runs in which more and more expressions are safe', async () => {
    const engine = await openEngine({ memoryLimitMb: 256, threads: 1 })
    try {
      const query = { sql: SQL, parameters: {} }
      const failure: RunnerError = await engine.run(query, runOptions()).then(
        () => expect.fail('it did not fail'),
        error => error,
      )
      const fault = failure.cause as QueryFault
      expect([fault.message, fault.offset]).to.deep.equal(['division by zero: 10 / 0', null])
      expect(await findFailureOffset(engine, query, runOptions(), fault)).to.equal(SQL.indexOf('10 /'))
      expect(await engine.runTolerant(query, runOptions(), 0)).to.include({ failure: fault.kind })
      expect(await engine.runTolerant(query, runOptions(), Number.POSITIVE_INFINITY)).to.include({ failure: null })
    } finally {
      await engine.close()
    }
  })

  it('is not looked for where it is known, or where no expression has failed', async () => {
    const engine = { runTolerant: () => expect.fail('a query was run') }
    const query = { sql: SQL, parameters: {} }
    const placed = new QueryFault('division by zero', { offset: 7, kind: 'division by zero' })
    expect(await findFailureOffset(engine, query, runOptions(), placed)).to.equal(7)
    expect(await findFailureOffset(engine, query, runOptions(), new QueryFault('no memory'))).to.equal(null)
  })

  it('is given up where a run fails in another way', async () => {
    const engine = { runTolerant: () => Promise.reject(new RunnerError('CALL_ABANDONED')) }
    const fault = new QueryFault('division by zero', { kind: 'division by zero' })
    expect(await findFailureOffset(engine, { sql: SQL, parameters: {} }, runOptions(), fault)).to.equal(null)
  })
})
