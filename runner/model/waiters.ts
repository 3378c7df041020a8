/**
 * The tokens whose calls wait for one run. The run counts for the token that has started it, but while it waits for a place, that token
 * may have used up its places; then another token's place will do.
 */
export class Waiters {
  readonly tokens = new Set<string>()
  /** Called with each further token; the queue in which the run waits sets it. */
  onJoin: () => void = () => undefined

  join(token: string): void {
    if (this.tokens.has(token)) return
    this.tokens.add(token)
    this.onJoin()
  }
}

/** What callers share who wait for one run. */
export interface SharedRun {
  /** Fires when the last of them has left. */
  readonly signal: AbortSignal
  readonly waiters: Waiters
}
