/** The bytes of a response that is sent many times: what differs each time is written in front of what stays. */

/** What a frame takes beside its body. A head of more bytes has none. */
export const HEAD_ROOM = 1_024

/**
 * A response in one piece, which a socket takes in one plain write. Its head ends right before its body and begins where
 * it may: with an opening that is new each time, and then lines that stay for a second or for good.
 */
export class Frame {
  readonly #bytes: Buffer
  /** What the lines that stay were made for. */
  #second = -1
  #freshSeconds = -1
  #ageSeconds = -1
  #linesAt = HEAD_ROOM
  #start = HEAD_ROOM
  #whole: Buffer
  #head: Buffer

  constructor(body: Uint8Array) {
    // Of its own: a piece of a shared one would keep all of that.
    this.#bytes = Buffer.allocUnsafeSlow(HEAD_ROOM + body.byteLength)
    this.#bytes.set(body, HEAD_ROOM)
    this.#whole = this.#bytes
    this.#head = this.#bytes
  }

  /** Must its lines be set before it is used again? */
  isStale(second: number, freshSeconds: number, ageSeconds: number): boolean {
    return second !== this.#second || freshSeconds !== this.#freshSeconds || ageSeconds !== this.#ageSeconds
  }

  /** Sets the lines that stay as long as these numbers do, to the empty line behind them. One character is one byte. */
  setLines(lines: string, second: number, freshSeconds: number, ageSeconds: number): void {
    const at = HEAD_ROOM - lines.length
    if (at > 0) this.#bytes.write(lines, at, 'latin1')
    this.#linesAt = at
    this.#start = -1
    this.#second = second
    this.#freshSeconds = freshSeconds
    this.#ageSeconds = ageSeconds
  }

  /**
   * The response that begins so, with its body or without; null where the head has no room. The bytes are those of the
   * response before: they must have been sent by now.
   */
  open(opening: string, hasBody: boolean): Buffer | null {
    const start = this.#linesAt - opening.length
    if (start < 0) return null
    if (start !== this.#start) {
      this.#start = start
      this.#whole = this.#bytes.subarray(start)
      this.#head = this.#bytes.subarray(start, HEAD_ROOM)
    }
    this.#whole.write(opening, 0, 'latin1')
    return hasBody ? this.#whole : this.#head
  }
}
