/** The watchdog: a thread that ends the process when its event loop stands still, with a line in the log that says where. */
import { url as debuggerUrl } from 'node:inspector'
import { startWorker } from '../runner/platform/start-worker.js'

export interface WatchdogOptions {
  /** False where nothing may be logged. */
  readonly writesLog: boolean
  /** Called when the thread itself has failed: from then on nothing watches the loop. */
  readonly onFailure: (cause: Error) => void
  /** The interval at which the event loop shows that it turns, in milliseconds. @default one second */
  readonly beatMs?: number
}

/** What the thread gets. */
export interface WatchdogData extends Required<Pick<WatchdogOptions, 'writesLog' | 'beatMs'>> {
  /** One number, which the event loop raises at each beat. */
  readonly turns: Int32Array
  /** The beats without a turn after which the process is ended. */
  readonly maxBeats: number
}

const BEAT_MS = 1_000
/** Fifteen seconds: no work of the event loop takes a tenth of that. */
const MAX_BEATS = 15
/** The thread needs 9 MB in all. Its heap grows only while it asks where the loop stands. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 }

/**
 * Starts watching; the returned function ends it. A process under a debugger is not watched, since a breakpoint stops its loop until a
 * person continues.
 */
export function startWatchdog({ writesLog, onFailure, beatMs = BEAT_MS }: WatchdogOptions): () => void {
  if (debuggerUrl() !== undefined) return () => undefined
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const beat = setInterval(() => Atomics.add(turns, 0, 1), beatMs).unref()
  const workerData: WatchdogData = { turns, beatMs, maxBeats: MAX_BEATS, writesLog }
  const thread = startWorker('cli/watchdog-thread', { workerData, resourceLimits: LIMITS })
  thread.unref()
  thread.once('error', onFailure)
  return () => {
    clearInterval(beat)
    void thread.terminate()
  }
}
