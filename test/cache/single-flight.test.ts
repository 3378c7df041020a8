import { expect } from 'chai'
import { SingleFlight } from '../../runner/cache/single-flight.js'
import type { SharedRun } from '../../runner/model/waiters.js'

describe('single flight', () => {
  /** A run that ends only by its signal. */
  const endless = ({ signal }: SharedRun): Promise<string> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))))

  it('lets no caller join a run that is being cancelled', async () => {
    const flights = new SingleFlight<string>()
    const { signal } = new AbortController()
    const first = flights.join('k', 't', signal, endless).catch((error: Error) => error.message)
    flights.cancelAll()
    expect(await flights.join('k', 't', signal, async () => 'new')).to.deep.equal({ value: 'new', isFirst: true })
    expect(await first).to.equal('cancelled')
  })

  it('callers who share a run do not all go on in one turn', async () => {
    const flights = new SingleFlight<string>()
    const { signal } = new AbortController()
    let turn = 0
    let isOver = false
    const count = (): void => {
      turn++
      if (!isOver) setImmediate(count)
    }
    count()
    let end = (): void => {}
    const run = (): Promise<string> => new Promise(resolve => (end = () => resolve('rows')))
    const wentOn: number[] = []
    const calls = [1, 2, 3, 4].map(async () => {
      const { value } = await flights.join('k', 't', signal, run)
      wentOn.push(turn)
      for (const began = performance.now(); performance.now() - began < 10; );
      return value
    })
    end()
    expect(await Promise.all(calls)).to.deep.equal(['rows', 'rows', 'rows', 'rows'])
    isOver = true
    expect(new Set(wentOn).size).to.be.greaterThan(2)
  })
})
