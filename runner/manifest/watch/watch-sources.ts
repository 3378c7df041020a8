/**
 * Looks every so often whether manifests, partials or table schemas have changed. A look costs 0.3 ms for a dozen files and
 * 0.1 s of processor for 10,000; unlike events of the file system it also sees network mounts, links that are swapped
 * and folders that are removed and made again, and it has nothing that could run out.
 */
import type { Clock } from '../../model/ports.js'

export interface WatchOptions {
  /** The state of the files; see sourceState. */
  readonly look: () => Promise<string>
  /** The state of what was read last. */
  readonly lastRead: () => string
  /** Reads them anew if they have changed. False: that could not be done now, for a reason outside of them. Never rejects. */
  readonly follow: () => Promise<boolean>
  readonly clock: Clock
}

/** Between two looks, in milliseconds; but at least ten times as long as a look takes. */
const LOOK_EVERY_MS = 500
const TIMES_A_LOOK = 10
/** Files that have changed are read once they have been left alone for so long. */
const SETTLED_AFTER_MS = 200
const TRY_AGAIN_MS = 10_000

/** Whoever opens it closes it. */
export function watchSources({ look, lastRead, follow, clock }: WatchOptions): { close(): void } {
  /** Seen at the last look, where it is not what was read. */
  let pending: string | null = null
  let isClosed = false
  let callOff = lookIn(LOOK_EVERY_MS)

  function lookIn(ms: number): () => void {
    return clock.after(ms, () => void turn())
  }

  async function turn(): Promise<void> {
    const waitMs = await next()
    if (!isClosed) callOff = lookIn(waitMs)
  }

  /** How long to wait before the next look. */
  async function next(): Promise<number> {
    const began = clock.ticksMs()
    const state = await look()
    const pauseMs = Math.max(LOOK_EVERY_MS, (clock.ticksMs() - began) * TIMES_A_LOOK)
    const wasPending = pending === state
    pending = null
    if (isClosed || state === lastRead()) return pauseMs
    if (wasPending) return (await follow()) ? pauseMs : TRY_AGAIN_MS
    pending = state
    return SETTLED_AFTER_MS
  }

  return {
    close() {
      isClosed = true
      callOff()
    },
  }
}
