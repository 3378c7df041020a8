/**
 * Mocha's spec reporter, which ends with the names of the failed tests and one line that .ci/run reads: `N passed, N failed`. Where
 * something has been left open that keeps this process alive, it ends the process with 1.
 */
const { reporters, Runner } = require('mocha')

const END_WITHIN_MS = 15_000

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const names = []
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      const [message] = String(error?.message ?? error).split('\n', 1)
      names.push(`failed: ${test.fullTitle()}: ${message.slice(0, 300)}`)
    })
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats
      for (const name of names) console.log(name)
      console.log(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
      setTimeout(() => {
        console.error(`Something was left open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`)
        process.exit(1)
      }, END_WITHIN_MS).unref()
    })
  }
}

module.exports = CountingReporter
