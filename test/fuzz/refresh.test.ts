import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { refreshTally } from '../../tools/fuzz/refresh/family.js'
import { readFaults } from '../../tools/fuzz/refresh/plant.js'

describe('random refreshes', () => {
  it('answer as the whole query does', async () => {
    const steps = { seed: 'suite', from: 0, to: 250, timeLimitMs: 60_000, allow: 0 }
    const { differences, partial, broken } = await refreshTally(steps, () => undefined)
    expect(differences).to.deep.equal([])
    expect(partial).to.be.above(40)
    expect(broken).to.be.above(40)
  })

  it('find faults whose texts are in the program', () => {
    for (const { name, file, find } of readFaults())
      expect(readFileSync(file, 'utf8').split(find), name).to.have.length(2)
  })
})
