/** Queries with which the shared process has died, and which then lacked memory apart. The processes are simulated. */
import { expect } from 'chai'
import { ApartProcesses } from '../../../../runner/engines/duckdb/process/apart-processes.js'
import type { Failure, SessionOptions } from '../../../../runner/engines/duckdb/process/messages.js'
import { RequestFailure } from '../../../../runner/engines/duckdb/process/request-queue.js'
import type { EngineProcess } from '../../../../runner/engines/duckdb/process/supervisor.js'
import { CLOCK } from '../raw-engine.js'

const DIED = { kind: 'disruptive', cause: '', how: 'died' } as const
const CROWDED = { ...DIED, how: 'crowded' } as const
const SHORT_OF_ROOM = { kind: 'query', message: '', cause: '', reason: null, isShortOfRoom: true } as const
const session = { memoryLimitMb: 512, tempLimitMb: 100, threads: 2 } as SessionOptions

/** Which of four calls of a query have reached the shared process, where each ends in this way. */
async function sharedCalls(shared: Failure, apart: Failure): Promise<readonly number[]> {
  const failing = (failure: Failure) => () => Promise.reject(new RequestFailure(failure))
  const child = { ask: failing(apart), close: async () => undefined } as unknown as EngineProcess
  const processes = new ApartProcesses({ session, clock: CLOCK, start: async () => child })
  const calls: number[] = []
  for (const call of [1, 2, 3, 4]) {
    const ask = processes.askSharedOrApart(() => {
      calls.push(call)
      return failing(shared)()
    })
    const request = {
      kind: 'explain',
      sql: 'SELECT',
      runsJavaScript: false,
      shardReads: [],
      parameters: [],
      tables: [],
    } as const
    await ask(request).catch(() => undefined)
  }
  await processes.close()
  return calls
}

describe('a query that lacks memory apart', () => {
  it('runs apart from the second time on that the shared process died with it', async () => {
    expect(await sharedCalls(DIED, SHORT_OF_ROOM)).to.deep.equal([1, 2])
  })

  it('goes on to the shared process where it lacked memory only beside other queries', async () => {
    expect(await sharedCalls(CROWDED, SHORT_OF_ROOM)).to.deep.equal([1, 2, 3, 4])
  })

  it('goes on to the shared process where it fails apart for another reason', async () => {
    expect(await sharedCalls(DIED, { ...SHORT_OF_ROOM, isShortOfRoom: false })).to.deep.equal([1, 2, 3, 4])
  })
})
