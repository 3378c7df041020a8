/** A stack of opened resources that are closed together. */

export interface Closable {
  close(): Promise<void> | void
}

export interface Closers {
  add<T extends Closable>(closable: T): T
  close(): Promise<void>
}

/** Closes all resources, newest first, even when one fails; the first failure is thrown at the end. */
export function createClosers(): Closers {
  const closables: Closable[] = []
  return {
    add(closable) {
      closables.push(closable)
      return closable
    },
    async close() {
      const failures: unknown[] = []
      for (let next = closables.pop(); next; next = closables.pop()) {
        try {
          await next.close()
        } catch (thrown) {
          failures.push(thrown)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
