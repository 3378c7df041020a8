/**
 * The tokens whose calls wait for one run. The run counts for the token that has started it. If that token has no place left, the run may
 * take a place of another of these tokens.
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

/** What the callers that wait for one run share. */
export interface SharedRun {
  /** Fires when the last of them has left. */
  readonly signal: AbortSignal
  readonly waiters: Waiters
}
