/** What was opened, to be closed again. */

export interface Closable {
  close(): Promise<void> | void
}

export interface Closers {
  add<T extends Closable>(closable: T): T
  close(): Promise<void>
}

/** Closes what was added, newest first, all of it even when one fails; the first failure is thrown at the end. */
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
