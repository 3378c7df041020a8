/**
 * Says where in its text a query has failed. DuckDB's errors have no place, and carrying one would slow every query down, so
 * the query is run again, with more and fewer of its expressions made safe. Only queries that have failed pay for it.
 */
import type { Clock } from '../../model/ports.js'
import { boundedSignal } from './process/bounded-signal.js'
import type { Failure } from './process/messages.js'
import { RequestFailure } from './process/request-queue.js'
import type { Translation } from './translation/compiled-query.js'

/** The longest that a caller waits for the place, in milliseconds. */
const LOCATE_WITHIN_MS = 5_000

export interface LocateDeps {
  /** The query with so many expressions made safe. @throws for what cannot be translated so. */
  readonly translate: (tolerated: number) => Translation
  /** Runs it. @throws RequestFailure. */
  readonly run: (translation: Translation, signal: AbortSignal) => Promise<unknown>
  readonly clock: Clock
  /** Ends the search. */
  readonly signal: AbortSignal
}

export interface Locator {
  /** The offset in the text of the query; null where it cannot be told, in time or at all. Never rejects. */
  locate(failure: Failure, deps: LocateDeps): Promise<number | null>
}

/** The most failures that wait for their search: what fails while they do is told without its place. */
const MOST_WAITING = 16

/** One search at a time: a caller of failing queries must not multiply the engine's work. */
export function createLocator(): Locator {
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    async locate(failure, deps) {
      if (failure.kind !== 'query' || failure.isOfTables || NO_EXPRESSION.test(failure.message)) return null
      if (waiting >= MOST_WAITING) return null
      waiting += 1
      const { signal, cancelTimer } = boundedSignal({ signal: deps.signal, timeoutMs: LOCATE_WITHIN_MS }, deps.clock)
      const found = turn.then(() => {
        signal.throwIfAborted()
        return search(failure.message, { ...deps, signal })
      })
      turn = found.catch(() => null)
      try {
        return await found
      } catch {
        return null // The failure is told without its place.
      } finally {
        cancelTimer()
        waiting -= 1
      }
    },
  }
}

/** No expression is to blame. */
const NO_EXPRESSION = /^Resources exceeded/

async function search(message: string, { translate, run, signal }: LocateDeps): Promise<number | null> {
  const { tolerable, others } = translate(0).fallible!
  if (tolerable.length + others.length === 1) return [...tolerable, ...others][0]!
  /** Whether it still fails in the same way. */
  const fails = async (tolerated: number): Promise<boolean> => {
    try {
      await run({ ...translate(tolerated), quickSql: null }, signal)
      return false
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== 'query') throw error
      return kindOf(error.failure.message) === kindOf(message)
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

/** The message without the values that it quotes, of which another run may meet others first. */
const kindOf = (message: string): string => message.replace(/:[\s\S]*$/, '')
