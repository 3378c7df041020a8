/** The system clock: the only file that reads the time. */
import type { Clock } from '../model/ports.js'

/** This machine's time. */
export function systemClock(): Clock {
  // Two clocks are combined: one has the time of day in milliseconds, the other counts nanoseconds but drifts from it.
  let anchor = { micros: BigInt(Date.now()) * 1000n, ticks: process.hrtime.bigint() }
  return {
    nowMs: () => Date.now(),
    nowMicros() {
      const ticks = process.hrtime.bigint()
      const micros = anchor.micros + (ticks - anchor.ticks) / 1000n
      const dayMicros = BigInt(Date.now()) * 1000n
      if (micros - dayMicros < MAX_DRIFT_MICROS && dayMicros - micros < MAX_DRIFT_MICROS) return micros
      anchor = { micros: dayMicros, ticks }
      return dayMicros
    },
    ticksMs: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}

const MAX_DRIFT_MICROS = 2_000n
