/** What the command line is given by its process. */
import type { Readable } from 'node:stream'

export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard output and standard error. */
  print(text: string | Uint8Array): void
  complain(text: string): void
  /** Touched only by whoever reads it: a process that has looked at it waits for its end. */
  standardInput(): Readable
  /** Standard error is a terminal: diagnostics are shown with their lines. */
  readonly isTerminal: boolean
  /** Told once everything is loaded and the work begins. */
  loaded(): void
  /** Called as the process ends, also by a crash; it cannot wait for anything then. */
  onExit(callback: () => void): void
  /** Called whenever the process is asked to read its files again. */
  onReload(callback: () => void): void
  /** Resolves when the process is asked to end. */
  untilAsked(): Promise<void>
  /**
   * Fires when the process is asked to end, which it does by itself as long as nobody has asked for this. Whoever has
   * soon returns; being asked once more ends the process at once.
   */
  interruption(): AbortSignal
}

/** Exit codes: clean, problems found, bad usage, could not run. */
export const EXIT = { clean: 0, problems: 1, usage: 2, failed: 3 } as const
