/** Limits the number of queries that run or wait on an engine, all together and for each token. */
import { RunnerError } from '../model/errors.js'
import { BACKGROUND, type Engine } from '../model/ports.js'

/**
 * Wraps an engine so that at most `most` queries run or wait. A token may add one while it has fewer than are left: so it has at
 * most half of the places, and as long as it is the only one with so many, another token finds half of them free.
 * @throws RunnerError OVERLOADED.
 */
export function limitQueries<E extends Engine>(engine: E, most: number): E {
  let all = 0
  const ofToken = new Map<string, number>()

  function count(token: string, by: 1 | -1): void {
    all += by
    const own = (ofToken.get(token) ?? 0) + by
    if (own === 0) ofToken.delete(token)
    else ofToken.set(token, own)
  }

  return {
    ...engine,
    async run(query, options) {
      const token = options.job?.token ?? BACKGROUND
      const own = ofToken.get(token) ?? 0
      if (own >= most - all) throw overloaded(own)
      count(token, 1)
      try {
        return await engine.run(query, options)
      } finally {
        count(token, -1)
      }
    },
  }
}

const overloaded = (own: number): RunnerError =>
  new RunnerError('OVERLOADED', {
    detail: `Too many queries${own > 0 ? ' of this token' : ''} are waiting; try again in a moment.`,
    headers: { 'Retry-After': '1' },
  })
