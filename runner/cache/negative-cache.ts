/** Remembers what the engine has refused as the caller's fault, so that asking again costs no query. */
import { BoundedMap } from '../model/bounded-map.js'
import { RunnerError } from '../model/errors.js'
import type { Clock } from '../model/ports.js'

/** What is wrong with an argument stays wrong; but whoever mends the manifest or the data need not wait long. */
const REMEMBERED_MS = 60_000
const MAX_REFUSALS = 1_000

export interface NegativeCache {
  /** The error that this key was refused with a moment ago. */
  find(key: string): RunnerError | undefined
  /** Keeps a refusal of the caller's arguments; any other failure is none of its business. */
  note(key: string, thrown: unknown): void
  forget(isGone: (key: string) => boolean): void
}

export function createNegativeCache(clock: Clock): NegativeCache {
  const known = new BoundedMap<string, { readonly error: RunnerError; readonly untilMs: number }>(MAX_REFUSALS)
  return {
    find(key) {
      if (known.size === 0) return undefined
      const refusal = known.get(key)
      if (refusal && clock.nowMs() < refusal.untilMs) return refusal.error
      known.delete(key)
      return undefined
    },
    note(key, thrown) {
      if (!(thrown instanceof RunnerError) || thrown.code !== 'ARGUMENT_INVALID') return
      known.set(key, { error: thrown, untilMs: clock.nowMs() + REMEMBERED_MS })
    },
    forget(isGone) {
      for (const key of known.keys()) if (isGone(key)) known.delete(key)
    },
  }
}
