#!/usr/bin/env node
/** The process: arguments and environment go in, an exit code comes out. Nothing else reads process.*. */
import { setFlagsFromString } from 'node:v8'

// V8 meets the burst of loading with a young generation of 32 MB, and gives none of it back: 20 MB more at rest. It may
// grow once requests ask for it.
setFlagsFromString('--semi-space-growth-factor=1')
const { run } = await import('./cli/program.js')

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: text => void process.stdout.write(text),
  complain: text => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  loaded: () => setFlagsFromString('--semi-space-growth-factor=2'),
  untilAsked: () =>
    new Promise(resolve => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    }),
})
