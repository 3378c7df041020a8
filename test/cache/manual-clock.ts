/** A clock that moves only when a test calls `advance`. */
import type { Clock } from '../../runner/model/ports.js'

export interface ManualClock extends Clock {
  /** Moves the clock forward by `ms`, runs each callback that falls due on the way, and lets promises settle. */
  advance(ms: number): Promise<void>
  /** The number of callbacks that are waiting. */
  pending(): number
}

export function manualClock(startMs = Date.UTC(2026, 0, 31, 12)): ManualClock {
  let now = startMs
  let timers: { dueMs: number; callback: () => void }[] = []
  return {
    nowMs: () => now,
    nowMicros: () => BigInt(now) * 1000n,
    ticksMs: () => now,
    after(ms, callback) {
      const timer = { dueMs: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        const next = timers.filter(timer => timer.dueMs <= end).sort((a, b) => a.dueMs - b.dueMs)[0]
        if (!next) break
        timers = timers.filter(timer => timer !== next)
        now = next.dueMs
        next.callback()
        await settle()
      }
      now = end
      await settle()
    },
    pending: () => timers.length,
  }
}

/** Resolves after all code that waits only for promises has gone on. */
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
