/** A stack of opened resources that are closed together. */

interface Closable {
  close(): Promise<void> | void
}

export class Closers {
  readonly #closables: Closable[] = []

  add<T extends Closable>(closable: T): T {
    this.#closables.push(closable)
    return closable
  }

  /** Closes all resources, newest first, even when one fails; the first failure is thrown at the end. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (let next = this.#closables.pop(); next; next = this.#closables.pop()) {
      try {
        await next.close()
      } catch (thrown) {
        failures.push(thrown)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
