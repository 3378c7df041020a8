/** Writes rows in some format, as they come. */
export interface RowWriter {
  /** @param cells the JSON text of each value of the row @throws BodyTooLargeError as soon as there are too many bytes. */
  add(cells: readonly string[]): void
  /** The bytes that were written since the last part, if they are enough for a part; else null. They are then no longer kept. */
  takePart(): Uint8Array | null
  /** The bytes that were written since the last part, and the end of the format. @throws BodyTooLargeError. */
  finish(): Uint8Array
}
