/** Takes results in the order in which they were asked for, however many are under way. */

export class InTurn<T> {
  readonly #atOnce: number
  readonly #take: (result: T) => void
  readonly #pending: (T | Promise<T>)[] = []

  constructor(atOnce: number, take: (result: T) => void) {
    this.#atOnce = atOnce
    this.#take = take
  }

  /** Resolves once there is room for another. @throws what the first failed with whose turn it is. */
  async add(result: T | Promise<T>): Promise<void> {
    // One that fails before its turn has come is told then, or never when one before it has failed.
    if (result instanceof Promise) result.catch(() => {})
    this.#pending.push(result)
    while (this.#pending.length >= this.#atOnce) this.#take(await this.#pending.shift()!)
  }

  /** Takes those that are left. @throws as `add` does. */
  async end(): Promise<void> {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) this.#take(await next)
  }
}
