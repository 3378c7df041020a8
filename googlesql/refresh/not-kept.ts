/** Why a query is not kept. */

export interface NotKept {
  /** Words for the author. */
  readonly reason: string
  /** The offset in the text of what prevents it. */
  readonly at: number
}

/** Ends a proof that has failed; only inside this folder. */
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
