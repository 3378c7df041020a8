/**
 * Work on many bytes in pieces, each in a turn of the event loop of its own, so that other requests are answered between them.
 * Up to PIECE_BYTES are worked on without waiting.
 */

/** About a millisecond of hashing or of copying to new memory. */
export const PIECE_BYTES = 524_288

/** Calls back with each piece and its offset. */
export async function eachPiece(bytes: Uint8Array, work: (piece: Uint8Array, offset: number) => void): Promise<void> {
  for (let offset = 0; offset < bytes.byteLength; offset += PIECE_BYTES) {
    if (offset > 0) await nextTurn()
    work(bytes.subarray(offset, offset + PIECE_BYTES), offset)
  }
}

/** A copy of these parts, one after the other. It is alone in its memory, so that it can be transferred to a thread. */
export async function joinInTurns(parts: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let start = 0
  for (const part of parts) {
    if (start > 0) await nextTurn()
    await eachPiece(part, (piece, offset) => joined.set(piece, start + offset))
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

/** All work in pieces takes its turns one after the other: the pieces of many calls in one turn would take as long as their sum. */
export const nextTurn = queueOfTurns()

/** How long new work may begin in one turn, in milliseconds. */
const TURN_MS = 5

/**
 * Calls work at once. If this turn of the event loop has taken long, the work waits for a later turn instead, behind the work that
 * waits already. So a caller who sends much at once does not delay what others send next.
 */
export function pacedTurns(nowMs: () => number): (work: () => void) => void {
  const waiting: (() => void)[] = []
  /** The time from which this turn begins no further work; null where it has begun none. */
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

/** Paces callers that go on when the result that they share is there: they may be hundreds. */
export const inTurn = pacedTurns(() => performance.now())

/**
 * Resolves when it is the turn of a caller that has waited for the work of another. Otherwise all waiting callers would go on in
 * one long turn.
 */
export const turnOfWaiter = (): Promise<void> => new Promise(resolve => setImmediate(inTurn, resolve))
