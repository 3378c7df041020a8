/** Writes rows in some format, as they come: an interface alone, since the types of formats are read where there is no Node. */
export interface RowWriter {
  /** @param cells the JSON text of each value of the row @throws BodyTooLargeError as soon as there are too many bytes. */
  add(cells: readonly string[]): void
  /** Takes the bytes written since the last call, once they are enough for one part; else null. Taken bytes are not kept. */
  takePart(): Uint8Array | null
  /** The bytes that no part has taken, with those that end the format. @throws BodyTooLargeError. */
  finish(): Uint8Array
}
