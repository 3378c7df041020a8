/**
 * Work on many bytes in pieces, each in a turn of the event loop of its own, so that other requests are answered between them.
 * Few bytes are worked on at once.
 */

/** About a millisecond of hashing or of copying to new memory. */
const PIECE_BYTES = 524_288

/** Calls back with each piece and its place. */
export async function inTurns(bytes: Uint8Array, work: (piece: Uint8Array, at: number) => void): Promise<void> {
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
    await inTurns(part, (piece, at) => joined.set(piece, start + at))
    start += part.byteLength
  }
  return joined
}

/** A queue of turns: each call resolves in a turn of the event loop of its own, after those of the calls before it. */
export function queueOfTurns(): () => Promise<void> {
  let latest: Promise<void> = Promise.resolve()
  return () => {
    latest = latest.then(nextTurn)
    return latest
  }
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
