import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { ResultSet } from '../../runner/model/query.js'
import { limitQueries } from '../../runner/serving/limit-queries.js'

describe('an engine with a limit of queries', () => {
  it('refuses the query that is one too many, until another has ended', async () => {
    const waiting: ((result: ResultSet) => void)[] = []
    const engine = { run: () => new Promise<ResultSet>(resolve => waiting.push(resolve)) } as unknown as Engine
    const limited = limitQueries(engine, 2)
    const ask = () => limited.run({ sql: '', parameters: {} }, {} as RunOptions)
    const first = ask()
    const second = ask()
    const refused = await ask().catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(RunnerError)
    expect((refused as RunnerError).code).to.equal('OVERLOADED')
    expect((refused as RunnerError).headers).to.deep.equal({ 'Retry-After': '1' })
    const result: ResultSet = { columns: [], rowCount: 0, isTruncated: false, body: new Uint8Array() }
    waiting[0]!(result)
    await first
    const third = ask()
    for (const end of waiting.slice(1)) end(result)
    expect(await Promise.all([second, third])).to.deep.equal([result, result])
  })
})
