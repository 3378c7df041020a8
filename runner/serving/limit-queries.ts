/** Keeps an engine from being asked more than it can answer in any reasonable time. */
import { RunnerError } from '../model/errors.js'
import type { Engine } from '../model/ports.js'

/** The same engine; a query that comes while `most` others run or wait is refused. @throws RunnerError OVERLOADED. */
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
