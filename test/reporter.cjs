/** Mocha's spec reporter, which also leaves the counts where test/run.mjs finds them. */
const { writeFileSync } = require('node:fs')
const { reporters, Runner } = require('mocha')

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats
      const file = process.env.SLUICE_TEST_COUNTS
      if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, pending }))
    })
  }
}

module.exports = CountingReporter
