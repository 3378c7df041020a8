import { expect } from 'chai'
import { watchSources } from '../../../runner/manifest/watch/watch-sources.js'
import { manualClock } from '../../cache/manual-clock.js'

describe('watching sources', () => {
  /** A watcher over a simulated state of files; `reads` records each reading. */
  function watched({ works = true }: { readonly works?: boolean } = {}) {
    const clock = manualClock()
    const files = { state: 'a' }
    const reads: string[] = []
    let lastRead = 'a'
    const watcher = watchSources({
      fingerprint: async () => files.state,
      lastRead: () => lastRead,
      async reloadIfChanged() {
        reads.push(`${files.state} at ${clock.ticksMs() - began}`)
        if (works) lastRead = files.state
        return works
      },
      clock,
    })
    const began = clock.ticksMs()
    return { clock, files, reads, watcher }
  }

  it('reads nothing while nothing changes', async () => {
    const { clock, reads, watcher } = watched()
    await clock.advance(60_000)
    expect(reads).to.deep.equal([])
    watcher.close()
  })

  it('reads changed sources once, after 200 ms without a further change', async () => {
    const { clock, files, reads, watcher } = watched()
    await clock.advance(499)
    files.state = 'b'
    await clock.advance(10_000)
    expect(reads).to.deep.equal(['b at 700'])
    watcher.close()
  })

  it('waits for the end of a burst of changes, and does not read where they were undone', async () => {
    const { clock, files, reads, watcher } = watched()
    for (let i = 0; i < 20; i += 1) {
      files.state = `b${i}`
      await clock.advance(190)
    }
    expect(reads).to.deep.equal([])
    await clock.advance(1_000)
    expect(reads).to.have.length(1)
    expect(reads[0]).to.match(/^b19 at /)
    files.state = 'c'
    await clock.advance(200)
    files.state = 'b19'
    await clock.advance(5_000)
    expect(reads).to.have.length(1)
    watcher.close()
  })

  it('retries a failed reading after 10 seconds', async () => {
    const { clock, files, reads, watcher } = watched({ works: false })
    files.state = 'b'
    await clock.advance(25_000)
    expect(reads).to.deep.equal(['b at 700', 'b at 10900', 'b at 21100'])
    watcher.close()
  })

  it('ends when it is closed', async () => {
    const { clock, files, reads, watcher } = watched()
    watcher.close()
    files.state = 'b'
    await clock.advance(10_000)
    expect([reads.length, clock.pending()]).to.deep.equal([0, 0])
  })
})
