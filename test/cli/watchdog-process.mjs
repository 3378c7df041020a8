/** A process under the built watchdog, for watchdog.test.ts: it stands still in the way that its argument names. */
import { execFileSync } from 'node:child_process'
import { startWatchdog } from '../../dist/cli/watchdog.js'

const STANDSTILLS = {
  spin: function spinForEver() {
    for (;;);
  },
  regexp: function backtrackForEver() {
    ;/^(a+)+$/.test(`${'a'.repeat(60)}b`)
  },
  child: function waitForChild() {
    execFileSync('sleep', ['60'])
  },
  nothing() {},
}

startWatchdog({
  writesLog: true,
  onFailure: cause => {
    throw cause
  },
  beatMs: Number(process.argv[3]),
})
setInterval(() => {}, 1_000)
// Long enough for the thread to have begun.
setTimeout(() => {
  process.stdout.write('begins\n')
  STANDSTILLS[process.argv[2]]()
}, 500)
