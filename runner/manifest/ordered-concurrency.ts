/** Runs tasks concurrently and delivers their results in the order in which they were added. */

export class InTurn<T> {
  readonly #atOnce: number
  readonly #take: (result: T) => void
  readonly #pending: (T | Promise<T>)[] = []

  constructor(atOnce: number, take: (result: T) => void) {
    this.#atOnce = atOnce
    this.#take = take
  }

  /** Resolves once there is room for another task. @throws the error of the first failed task, in order. */
  async add(result: T | Promise<T>): Promise<void> {
    // A failure is reported when the task's turn comes, or never when an earlier task has failed.
    if (result instanceof Promise) result.catch(() => {})
    this.#pending.push(result)
    while (this.#pending.length >= this.#atOnce) this.#take(await this.#pending.shift()!)
  }

  /** Delivers the remaining results. @throws as `add` does. */
  async end(): Promise<void> {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) this.#take(await next)
  }
}
