/** A failure of a store. The cache makes a miss of it; the message is for the log and holds no password and no result. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}
