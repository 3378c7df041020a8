/**
 * Finds the offset, in the text of a query, of the expression that failed. DuckDB's errors contain no place, and SQL that passes
 * places along would slow down every query. So a failed query is run again several times, in a binary search for the failing
 * expression: in each run, a different set of expressions gives NULL instead of failing.
 */
import { deadlineSignal } from '../../runner/model/deadline.js'
import type { Engine, RunOptions, TolerantRun } from '../../runner/model/ports.js'
import type { Query } from '../../runner/model/query.js'
import type { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'

/** The longest time that an author waits for the offset, in milliseconds. */
const SEARCH_WITHIN_MS = 5_000

/** The offset of the expression that failed with this fault; null if it cannot be found, or not in time. Never rejects. */
export async function findFailureOffset(
  engine: Pick<Engine, 'runTolerant'>,
  query: Query,
  options: RunOptions,
  { kind, offset }: QueryFault,
): Promise<number | null> {
  if (offset !== null || kind === null || engine.runTolerant === undefined) return offset
  const { signal, end } = deadlineSignal([options.signal], SEARCH_WITHIN_MS, systemClock())
  const run = (tolerated: number): Promise<TolerantRun> => engine.runTolerant!(query, { ...options, signal }, tolerated)
  return search(kind, run)
    .catch(() => null) // The failure is reported without a place.
    .finally(end)
}

async function search(kind: string, run: (tolerated: number) => Promise<TolerantRun>): Promise<number | null> {
  const { tolerable, notTolerable, failure } = await run(Number.POSITIVE_INFINITY)
  if (tolerable.length + notTolerable.length === 1) return [...tolerable, ...notTolerable][0]!
  if (tolerable.length === 0 || failure === kind) return notTolerable.length === 1 ? notTolerable[0]! : null
  // With the first `tooFew` expressions safe, the query still fails in the same way; with the first `enough`, it does not.
  let [tooFew, enough] = [0, tolerable.length]
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1
    if ((await run(middle)).failure === kind) tooFew = middle
    else enough = middle
  }
  return tolerable[tooFew]!
}
