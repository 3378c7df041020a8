/** Why no rows of a query's result are kept. */

export interface NotKept {
  /** A clause for the author: it follows "no buckets are kept: ". */
  readonly reason: string
  /** The offset in the query's text of the expression or scan that is the reason. */
  readonly at: number
}

/** Thrown where a proof fails; caught inside this folder. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly notKept: NotKept
  constructor(reason: string, at: number) {
    super(reason)
    this.notKept = { reason, at }
  }
}

export const refuse = (reason: string, at: number): never => {
  throw new Refusal(reason, at)
}
