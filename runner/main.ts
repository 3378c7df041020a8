#!/usr/bin/env node
/** The process: arguments and environment go in, an exit code comes out. Nothing else reads process.*. */
import { run } from './cli/program.js'

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: text => void process.stdout.write(text),
  complain: text => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  untilAsked: () =>
    new Promise(resolve => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    }),
})
