/** Caches the engine's refusals of arguments, so that the same call again costs no query. */
import { BoundedMap } from '../model/bounded-map.js'
import { RunnerError } from '../model/errors.js'
import type { Clock } from '../model/ports.js'

/** How long a refusal is cached, in milliseconds: short, since a corrected manifest or new data may make the call valid. */
const REMEMBERED_MS = 60_000
const MAX_REFUSALS = 1_000

export interface NegativeCache {
  /** The cached refusal of this key. */
  find(key: string): RunnerError | undefined
  /** Caches a refusal of the caller's arguments; ignores any other failure. */
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
