import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

/** Creates many objects that live for a while, and prints the size of the young generation afterwards, in MB. */
const CHURN = `
const { getHeapSpaceStatistics } = await import('node:v8')
const kept = new Array(200_000)
for (let round = 0; round < 60; round += 1) {
  for (let i = 0; i < 50_000; i += 1) kept[(round * 50_000 + i) % kept.length] = { round, i, text: [round, i] }
  await new Promise(resolve => setImmediate(resolve))
}
const young = getHeapSpaceStatistics().find(space => space.space_name === 'new_space')
console.log(Math.round(young.space_size / 1e6))
`

function megabytesAfter(first: string): number {
  const args = ['--semi-space-growth-factor=1', '--import', 'tsx', '--input-type=module', '-e', first + CHURN]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status, stderr).to.equal(0)
  return Number(stdout)
}

describe('the young generation', function () {
  this.timeout(600_000)

  it('grows with the load, up to half of V8’s own limit', () => {
    const limit = "(await import('./cli/v8-heap.ts')).letYoungGenerationGrow();"
    const grow = "(await import('node:v8')).setFlagsFromString('--semi-space-growth-factor=2');"
    expect(megabytesAfter(limit)).to.be.within(8, 17)
    expect(megabytesAfter(grow), 'without a limit').to.be.above(25)
  })
})
