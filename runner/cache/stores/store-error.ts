/** A failure of a store, which the cache treats as a miss. The message is for the log and holds no password and no result. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** The first word of an error reply, such as `READONLY`; null where the failure is not an error reply. */
  readonly kind: string | null

  constructor(message: string, kind: string | null = null) {
    super(message)
    this.kind = kind
  }
}
