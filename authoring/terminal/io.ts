/** The streams, signals and hooks of the process, as the command line uses them. */
import type { Readable } from 'node:stream'

export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard output and standard error. */
  print(text: string | Uint8Array): void
  printError(text: string): void
  /** Standard input. Only commands that read it may call this: a process that has opened it waits for its end. */
  standardInput(): Readable
  /** Standard error is a terminal: diagnostics are shown with their lines. */
  readonly isTerminal: boolean
  /** Registers a synchronous callback for the end of the process, also after a crash. */
  onExit(callback: () => void): void
  /** Registers a callback for each request to reload (SIGHUP). */
  onReload(callback: () => void): void
  /** Resolves when the process is asked to end. */
  untilShutdown(): Promise<void>
  /**
   * A signal that fires when the process is asked to end. A command that has called this must return soon after it fires; a
   * second request ends the process at once. Without a call of this, the first request ends the process.
   */
  interruption(): AbortSignal
}

/** Exit codes: clean, problems found, bad usage, could not run. */
export const EXIT = { clean: 0, problems: 1, usage: 2, failed: 3 } as const
