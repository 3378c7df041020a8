/** A server has collected the garbage of its start when it takes its first call. */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { collectGarbage } from '../../runner/platform/collect-garbage.js'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'
import { scratch, startServe } from './command.js'

describe('the garbage of a process', () => {
  const folder = scratch()
  after(() => folder.remove())

  it('is collected when that is asked for', async () => {
    let dropped: object | null = { a: 'row' }
    const seen = new WeakRef(dropped)
    dropped = null
    await collectGarbage()
    expect(seen.deref()).to.equal(undefined)
  })

  itInAll('is collected by a server before the first call, so that V8’s young generation is small again', async () => {
    const sizes = folder.path('sizes')
    const meter = `
      import { writeFileSync } from 'node:fs'
      import { getHeapSpaceStatistics } from 'node:v8'
      const young = () => getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size
      process.on('SIGUSR2', () => writeFileSync(${JSON.stringify(sizes)}, String(young())))`
    const server = await startServe(['--data', folder.path()], {
      SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(meter)}`,
    })
    try {
      server.signal('SIGUSR2')
      await until(() => existsSync(sizes) && readFileSync(sizes, 'utf8') !== '', 'the server tells the size')
      expect(Number(readFileSync(sizes, 'utf8'))).to.be.within(1, 12_000_000)
    } finally {
      await server.end('SIGTERM')
    }
  })
})
