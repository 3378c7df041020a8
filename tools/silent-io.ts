/** The input and output for a command that is only inspected; a test can replace single members, such as `print`. */
import { Readable } from 'node:stream'
import type { run } from '../cli/program.js'

/** Discards what the command prints, reads nothing, and has no environment variables. */
export const SILENT_IO: Parameters<typeof run>[1] = {
  environment: {},
  print: () => undefined,
  printError: () => undefined,
  standardInput: () => Readable.from([]),
  isTerminal: false,
  onExit: () => undefined,
  onReload: () => undefined,
  untilShutdown: () => Promise.resolve(),
  interruption: () => new AbortController().signal,
}
