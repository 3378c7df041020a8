#!/usr/bin/env node
/** The process: arguments and environment go in, an exit code comes out. Nothing else reads process.*. */
import { isatty } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import { EXIT } from '../authoring/terminal/io.js'
import { standardOutput } from './standard-output.js'
import { letYoungGenerationGrow } from './v8-heap.js'

// While the program loads, V8 would grow its young generation to 32 MB and keep that memory: the process would need 20 MB
// more when it waits. So the young generation stays small until requests arrive, or until loading has taken a second, since
// thousands of manifests would take half as long again; then it may grow to half of that size.
setFlagsFromString('--semi-space-growth-factor=1')
let isGrowing = false
const letGrow = (): void => {
  if (!isGrowing) letYoungGenerationGrow()
  isGrowing = true
}
// Results that have left the cache are garbage of the old generation, which V8 would let grow to a multiple of what is in
// use before it looks: by at most 20 % here. A storm of different keys then takes 100 MB less (`make storm`).
const OLD_GROWTH = '--heap-growing-percent=20'
setFlagsFromString(OLD_GROWTH)
const loadingTakesLong = setTimeout(() => {
  letGrow()
  // What is loaded stays: to look for garbage in it as often would be a tenth of the work that thousands of manifests are.
  setFlagsFromString('--heap-growing-percent=100')
}, 1_000).unref()
const loaded = (): void => {
  clearTimeout(loadingTakesLong)
  setFlagsFromString(OLD_GROWTH)
  letGrow()
}
/** What a shell makes of a process that such a signal ended. */
const SIGNAL_CODES = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const
const { run } = await import('./program.js')

const terminals = [0, 1, 2].filter(descriptor => isatty(descriptor))
/** A closed terminal no longer counts as a terminal. */
const isTerminalClosed = (): boolean => terminals.length > 0 && !terminals.some(descriptor => isatty(descriptor))

/** Ends the process when its terminal has closed: by the signal, or in good order once a command has set how. */
let endAtHangup = (): void => {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

// Pauses before a request is sent again do not keep the process alive: the command itself does.
const untilDone = setInterval(() => {}, 2 ** 30)
const interrupted = new AbortController()
const output = standardOutput(process.stdout, process.stderr)
const code = await run(process.argv.slice(2), {
  environment: process.env,
  print: output.print,
  printError: output.printError,
  standardInput: () => process.stdin,
  isTerminal: process.stderr.isTTY === true,
  loaded,
  onExit: callback => void process.once('exit', callback),
  onReload: callback => void process.on('SIGHUP', () => (isTerminalClosed() ? endAtHangup() : callback())),
  untilShutdown: () =>
    new Promise(resolve => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
      endAtHangup = resolve
    }),
  interruption() {
    for (const [signal, exitCode] of SIGNAL_CODES) process.once(signal, () => interrupted.abort(exitCode))
    return interrupted.signal
  },
})
clearInterval(untilDone)
process.exitCode = interrupted.signal.aborted ? (interrupted.signal.reason as number) : code
// Only at the exit is it certain whether all of the output was written.
process.once('exit', () => {
  if (output.hasFailed() && !interrupted.signal.aborted) process.exitCode = EXIT.failed
})
