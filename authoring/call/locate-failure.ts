/**
 * Finds the place in its text at which a query has failed. DuckDB's errors contain no place, and SQL that passes places along
 * would slow down every query. So a failed query is run again several times, in a binary search for the failing expression: in
 * each run, a different set of expressions gives NULL instead of failing.
 */
import { deadlineSignal } from '../../runner/model/deadline.js'
import type { Engine, RunOptions, TolerantRun } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'
import type { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'

/** The longest time that an author waits for the place, in milliseconds. */
const LOCATE_WITHIN_MS = 5_000

/** The offset of the expression that failed with this fault; null if it cannot be found, or not in time. Never rejects. */
export async function locateFailure(
  engine: Pick<Engine, 'runTolerant'>,
  query: Query,
  options: RunOptions,
  { kind, offset }: QueryFault,
): Promise<number | null> {
  if (offset !== null || kind === null || engine.runTolerant === undefined) return offset
  const { signal, end } = deadlineSignal([options.signal], LOCATE_WITHIN_MS, systemClock())
  const run = (tolerated: number): Promise<TolerantRun> => engine.runTolerant!(query, { ...options, signal }, tolerated)
  return search(kind, run)
    .catch(() => null) // The failure is reported without a place.
    .finally(end)
}

async function search(kind: string, run: (tolerated: number) => Promise<TolerantRun>): Promise<number | null> {
  const { tolerable, others, failure } = await run(Number.POSITIVE_INFINITY)
  if (tolerable.length + others.length === 1) return [...tolerable, ...others][0]!
  if (tolerable.length === 0 || failure === kind) return others.length === 1 ? others[0]! : null
  // With the first `failing` expressions safe, the query still fails in the same way; with the first `sound` ones it does not.
  let [failing, sound] = [0, tolerable.length]
  while (sound - failing > 1) {
    const middle = (failing + sound) >> 1
    if ((await run(middle)).failure === kind) failing = middle
    else sound = middle
  }
  return tolerable[failing]!
}
