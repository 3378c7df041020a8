/**
 * Finds the place in its text at which a query has failed, for authors. DuckDB's errors contain no place, and SQL that passes
 * places along would slow down every query. So a failed query is run again several times, in a binary search for the failing
 * expression: in each run, other expressions give NULL instead of failing. No caller of a server waits for this.
 */
import type { Clock } from '../../model/ports.js'
import { boundedSignal } from './process/bounded-signal.js'
import { RequestFailure } from './process/request-queue.js'
import type { Translation } from './translation/compiled-query.js'

/** The longest time that an author waits for the place, in milliseconds. */
const LOCATE_WITHIN_MS = 5_000

export interface LocateDeps {
  /**
   * Translates the query with the first `tolerated` expressions made safe. @throws if the query cannot be translated in this
   * way.
   */
  readonly translate: (tolerated: number) => Translation
  /** Runs the translated query. @throws RequestFailure. */
  readonly run: (translation: Translation, signal: AbortSignal) => Promise<unknown>
  readonly clock: Clock
  /** Ends the search when it fires. */
  readonly signal: AbortSignal
}

/** The offset in the text of the query that failed in this way; null if it cannot be found, or not in time. Never rejects. */
export async function locateFailure(kind: string, deps: LocateDeps): Promise<number | null> {
  const { signal, cancelTimer } = boundedSignal({ signal: deps.signal, timeoutMs: LOCATE_WITHIN_MS }, deps.clock)
  try {
    return await search(kind, { ...deps, signal })
  } catch {
    return null // The failure is reported without a place.
  } finally {
    cancelTimer()
  }
}

async function search(kind: string, { translate, run, signal }: LocateDeps): Promise<number | null> {
  const { tolerable, others } = translate(0).fallible!
  if (tolerable.length + others.length === 1) return [...tolerable, ...others][0]!
  /** Whether the query still fails in the same way when the first `tolerated` expressions are safe. */
  const fails = async (tolerated: number): Promise<boolean> => {
    try {
      await run({ ...translate(tolerated), quickSql: null }, signal)
      return false
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== 'query') throw error
      return error.failure.of === kind
    }
  }
  if (tolerable.length === 0 || (await fails(tolerable.length))) return others.length === 1 ? others[0]! : null
  let [failing, sound] = [0, tolerable.length]
  while (sound - failing > 1) {
    const middle = (failing + sound) >> 1
    if (await fails(middle)) failing = middle
    else sound = middle
  }
  return tolerable[failing]!
}
