/** The place of a failure costs runs of the query, which only who asks for it pays. */
import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { translate } from '../../../googlesql-duckdb/index.js'
import { openEngine } from '../../../runner/engines/duckdb/open-engine.js'
import type { RunnerError } from '../../../runner/model/errors.js'
import { runOptions } from '../ask-engine.js'
import { CLOCK } from './raw-engine.js'

const SQL = 'SELECT 1 / x AS a, 10 / (x - 2) AS b, LOG(x) AS c, MOD(7, x) AS d FROM UNNEST([1, 2, 3]) AS x'

describe('the place of a failure', () => {
  it('is looked for when it is asked for, and not when the query fails', async () => {
    const tolerated: number[] = []
    const engine = await openEngine(
      {
        dataDir: null,
        database: null,
        tables: [],
        memoryLimitMb: 256,
        threads: 1,
        tempDir: tmpdir(),
        observe: () => {},
        clock: CLOCK,
      },
      (sql, tables, types, options) => {
        if (typeof options?.tolerated === 'number') tolerated.push(options.tolerated)
        return translate(sql, tables, types, options)
      },
    )
    try {
      const query = { sql: SQL, parameters: {} }
      const failure: RunnerError = await engine.run(query, runOptions()).then(
        () => expect.fail('it did not fail'),
        error => error,
      )
      expect((failure.cause as Error).message).to.equal('division by zero: 10 / 0')
      expect(tolerated).to.deep.equal([])
      expect(await engine.locate!(query, runOptions(), failure)).to.equal(SQL.indexOf('10 /'))
      expect(tolerated).not.to.deep.equal([])
    } finally {
      await engine.close()
    }
  })
})
