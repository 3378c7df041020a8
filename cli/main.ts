#!/usr/bin/env node
/** The process: arguments and environment go in, an exit code comes out. Nothing else reads process.*. */
import { isatty } from 'node:tty'
import { EXIT } from '../authoring/terminal/io.js'
import { run } from './program.js'
import { standardOutput } from './standard-output.js'

/** The exit codes that a shell reports for a process that a signal has ended. */
const SIGNAL_CODES = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

const terminals = [0, 1, 2].filter(descriptor => isatty(descriptor))
/** A closed terminal no longer counts as a terminal. */
const isTerminalClosed = (): boolean => terminals.length > 0 && !terminals.some(descriptor => isatty(descriptor))

/** Ends the process when its terminal has closed: by SIGHUP, or by an orderly shutdown once a command waits for one. */
let endAtHangup = (): void => {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

// This timer keeps the process alive until the command is done: the pause before a retry does not.
const keepAlive = setInterval(() => {}, 2 ** 30)
const interrupted = new AbortController()
const output = standardOutput(process.stdout, process.stderr)
const code = await run(process.argv.slice(2), {
  environment: process.env,
  print: output.print,
  printError: output.printError,
  standardInput: () => process.stdin,
  isTerminal: process.stderr.isTTY === true,
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
clearInterval(keepAlive)
process.exitCode = interrupted.signal.aborted ? (interrupted.signal.reason as number) : code
// Only at the exit is it certain whether all of the output was written.
process.once('exit', () => {
  if (output.hasFailed() && !interrupted.signal.aborted) process.exitCode = EXIT.failed
})
