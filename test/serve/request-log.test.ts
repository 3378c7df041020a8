/** Requests are logged in batches; no line may be missing after the process has ended. */
import { mkdirSync } from 'node:fs'
import { expect } from 'chai'
import { endLeftovers, scratch, startServe } from '../cli/command.js'
import { sampleOf } from '../sample-size.js'

/** An import that throws an uncaught error on SIGUSR2. */
const CRASH = encodeURIComponent('process.once("SIGUSR2", () => { throw new RangeError("crash") })')

describe('the log of a process that ends', function () {
  this.timeout(600_000)
  const folder = scratch()
  before(() => mkdirSync(folder.path('data')))
  after(() => {
    endLeftovers()
    folder.remove()
  })

  const ends: readonly (readonly [name: string, signal: NodeJS.Signals, code: number])[] = [
    ['as it is asked to', 'SIGTERM', 0],
    ['by a crash', 'SIGUSR2', 1],
  ]
  for (const [name, signal, code] of sampleOf(ends)) {
    it(`${name} has a line of every request that was answered`, async () => {
      const environment = {
        SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
        NODE_OPTIONS: `--import=data:text/javascript,${CRASH}`,
      }
      const server = await startServe(['--port', '0', '--data', folder.path('data')], environment)
      for (let i = 0; i < 50; i += 1) await (await server.get('/healthz', { 'X-Request-Id': `r${i}` })).text()
      expect(await server.end(signal)).to.equal(code)
      const ids = [...server.err().matchAll(/"requestId":"(r\d+)"/g)].map(match => match[1])
      expect(new Set(ids).size).to.equal(50)
    })
  }
})
