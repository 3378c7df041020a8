/**
 * Work on many bytes in pieces, each in a turn of the event loop of its own, so that other requests are answered between them.
 * Few bytes are worked on at once.
 */

/** About a millisecond of hashing or of copying to new memory. */
export const PIECE_BYTES = 524_288

/** Calls back with each piece and its offset. */
export async function eachPiece(bytes: Uint8Array, work: (piece: Uint8Array, at: number) => void): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    if (at > 0) await nextTurn()
    work(bytes.subarray(at, at + PIECE_BYTES), at)
  }
}

/** A copy of these parts, one after the other. It is alone in its memory, so that it can be transferred to a thread. */
export async function joinInTurns(parts: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let start = 0
  for (const part of parts) {
    if (start > 0) await nextTurn()
    await eachPiece(part, (piece, at) => joined.set(piece, start + at))
    start += part.byteLength
  }
  return joined
}

/** A queue of turns: each call resolves in a turn of the event loop of its own, after those of the calls before it. */
export function queueOfTurns(): () => Promise<void> {
  let latest: Promise<void> = Promise.resolve()
  return () => {
    latest = latest.then(() => new Promise(resolve => setImmediate(resolve)))
    return latest
  }
}

/** All work in pieces takes its turns one after the other: the pieces of many calls in one turn would be as long as their sum. */
export const nextTurn = queueOfTurns()

/** How long new work may begin in one turn, in milliseconds. */
const TURN_MS = 5

/**
 * Calls work at once, unless this turn of the event loop has taken long; then it waits for a later turn, behind the work that
 * waits already. So a caller who sends much at once does not delay what others send next.
 */
export function pacedTurns(nowMs: () => number): (work: () => void) => void {
  const waiting: (() => void)[] = []
  /** The time at which this turn begins nothing new; null where nothing has begun. */
  let until: number | null = null
  const begin = (): void => {
    until = nowMs() + TURN_MS
    setImmediate(endTurn)
  }
  const endTurn = (): void => {
    until = null
    if (waiting.length === 0) return
    begin()
    beginNext()
  }
  // The promises and ticks of one work run before the next work begins, so that their time counts too.
  const beginNext = (): void => {
    waiting.shift()!()
    queueMicrotask(() => process.nextTick(beginMore))
  }
  const beginMore = (): void => {
    if (waiting.length > 0 && nowMs() < until!) beginNext()
  }
  return work => {
    if (until === null) begin()
    if (waiting.length === 0 && nowMs() < until!) work()
    else waiting.push(work)
  }
}

/** Paces what the callers of one result do when it is there: they may be hundreds. */
export const inTurn = pacedTurns(() => performance.now())

/**
 * Resolves when it is the turn of a caller that has waited for the work of another. Otherwise all waiting callers would go on in
 * one long turn.
 */
export const turnOfWaiter = (): Promise<void> => new Promise(resolve => setImmediate(inTurn, resolve))
