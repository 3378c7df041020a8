/** The projects and their functions, which all sample streams share. */
import { type Random, seededRandom, seedOf } from './random.js'

export type Project = ReturnType<typeof makeWorld>['projects'][number]

const FUNCTION_NAMES =
  'hello-world send-email stripe-webhook resize-image connect-heartbeat daily-report search-index'.split(' ')

export function makeWorld(seed: number) {
  const random = seededRandom(seedOf('world', seed))
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const projects = Array.from({ length: 24 }, (_, i) => ({
    /** Twenty lower-case letters. */
    ref: Array.from({ length: 20 }, () => letters[random.int(0, 25)]).join(''),
    // The busiest project has all functions, so that they can be compared there.
    functions: FUNCTION_NAMES.slice(i % FUNCTION_NAMES.length).map(name => {
      const [id, median] = [random.uuid(), random.int(4, 400)]
      // The median durations in milliseconds: of all its calls, and of its failing calls.
      return { id, name, median_ms: median, failing_ms: 4 * median }
    }),
  }))
  // Zipf's law: the second project has half the traffic of the first, the third a third.
  const weights = projects.map((project, i) => [project, 1 / (i + 1)] as const)
  return { projects, pickProject: (from: Random) => from.weighted(weights) }
}
