/** A failure of a store. The cache makes a miss of it; the message is for the log and holds no password and no result. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** The first word of a refusal, such as `READONLY`; null where the store refused nothing. */
  readonly kind: string | null

  constructor(message: string, kind: string | null = null) {
    super(message)
    this.kind = kind
  }
}
