import { expect } from 'chai'
import { SingleFlight } from '../../runner/cache/single-flight.js'

describe('single flight', () => {
  /** A run that ends only by its signal. */
  const endless = (signal: AbortSignal): Promise<string> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))))

  it('lets no caller join a run that is being cancelled', async () => {
    const flights = new SingleFlight<string>()
    const { signal } = new AbortController()
    const first = flights.join('k', signal, endless).catch((error: Error) => error.message)
    flights.cancelAll()
    expect(await flights.join('k', signal, async () => 'new')).to.deep.equal({ value: 'new', isFirst: true })
    expect(await first).to.equal('cancelled')
  })
})
