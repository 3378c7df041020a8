/** The world of a command that is only looked at, or whose output alone matters. */
import { Readable } from 'node:stream'
import type { run } from '../runner/cli/program.js'

/** Prints nowhere, reads nothing, and has no environment. */
export const SILENT_IO: Parameters<typeof run>[1] = {
  environment: {},
  print: () => undefined,
  printError: () => undefined,
  standardInput: () => Readable.from([]),
  isTerminal: false,
  loaded: () => undefined,
  onExit: () => undefined,
  onReload: () => undefined,
  untilShutdown: () => Promise.resolve(),
  interruption: () => new AbortController().signal,
}
