/** Limits the number of queries that run or wait on an engine. */
import { RunnerError } from '../model/errors.js'
import type { Engine } from '../model/ports.js'

/** Wraps an engine so that a query is refused while `most` others run or wait. @throws RunnerError OVERLOADED. */
export function limitQueries<E extends Engine>(engine: E, most: number): E {
  let asked = 0
  return {
    ...engine,
    async run(query, options) {
      if (asked >= most) {
        throw new RunnerError('OVERLOADED', {
          detail: 'Too many queries are waiting; try again in a moment.',
          headers: { 'Retry-After': '1' },
        })
      }
      asked++
      try {
        return await engine.run(query, options)
      } finally {
        asked--
      }
    },
  }
}
