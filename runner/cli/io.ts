/** What the command line is given by its process. */

export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard output and standard error. */
  print(text: string | Uint8Array): void
  complain(text: string): void
  /** Standard error is a terminal: diagnostics are shown with their lines. */
  readonly isTerminal: boolean
  /** Told once everything is loaded and the work begins. */
  loaded(): void
  /** Resolves when the process is asked to end. */
  untilAsked(): Promise<void>
}

/** Exit codes: clean, problems found, bad usage, could not run. */
export const EXIT = { clean: 0, problems: 1, usage: 2, failed: 3 } as const
