/**
 * Mocha's spec reporter, which also writes the counts to a file that test/run.mjs reads. When a test has left something open
 * that keeps the process running, it ends the process and counts a failure.
 */
const { writeFileSync } = require('node:fs')
const { reporters, Runner } = require('mocha')

const END_WITHIN_MS = 15_000

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const names = []
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      const [message] = String(error?.message ?? error).split('\n', 1)
      names.push(`${test.fullTitle()}: ${message.slice(0, 300)}`)
    })
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats
      const count = failed => {
        const file = process.env.SLUICE_TEST_COUNTS
        if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed, pending, names }))
      }
      count(failures)
      setTimeout(() => {
        console.error(`Something was left open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`)
        count(failures + 1)
        process.exit(1)
      }, END_WITHIN_MS).unref()
    })
  }
}

module.exports = CountingReporter
