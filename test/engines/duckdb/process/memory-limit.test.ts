/**
 * The system's limit counts address space, of which the allocator keeps much more than it uses; the engine's counts memory.
 */
import { expect } from 'chai'
import { openRawEngine } from '../raw-engine.js'

const ROUNDS = 2
const AT_ONCE = 8
const STRING = { kind: 'STRING' } as const

describe("the system's limit on the memory of the engine's process", function () {
  this.timeout(600_000)

  it('is far above what ordinary calls reach, even with many large results at once', async () => {
    const raw = await openRawEngine({ memoryLimitMb: 64 })
    const columns = [{ name: 'text', type: STRING }]
    // The results have 2 to 24 MB and different sizes, so that memory freed by one call seldom fits another.
    const call = (n: number): Promise<number> => {
      const sql = `SELECT repeat('x', ${1_000 + ((n * 7_919) % 5_000)}) AS text FROM range(${2_000 + n * 130})`
      return raw.run({ sql, columns }).then(result => result.rowCount)
    }
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const numbers = Array.from({ length: AT_ONCE }, (_, i) => round * AT_ONCE + i)
        const counts = await Promise.all(numbers.map(call))
        expect(counts).to.deep.equal(numbers.map(n => 2_000 + n * 130))
      }
      expect(raw.events.map(({ kind }) => kind)).not.to.include('engine.died')
    } finally {
      await raw.engine.close()
    }
  })
})
