/** Runs the suite under coverage and ends with one line: `N passed, N failed`. Arguments go to mocha. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
const counts = join(folder, 'counts.json')
const run = (script, args, env = {}) =>
  spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1

const files = process.argv.slice(2)
const mocha = ['--reporter', 'test/reporter.cjs', ...(files.length > 0 ? files : ['test/**/*.test.ts'])]
const c8 = 'node_modules/c8/bin/c8.js'
const isWhole = files.length === 0
const status = isWhole
  ? run(c8, ['--reporter=none', '--clean', process.execPath, 'node_modules/mocha/bin/mocha.js', ...mocha], { SLUICE_TEST_COUNTS: counts })
  : run('node_modules/mocha/bin/mocha.js', mocha, { SLUICE_TEST_COUNTS: counts })
if (isWhole && process.env.SLUICE_TEST_COVERAGE !== 'off') run(c8, ['report', '--reporter=text-summary'])

let passed = 0
let failed = 1
let pending = 0
try {
  ;({ passed, failed, pending } = JSON.parse(readFileSync(counts, 'utf8')))
} catch {
  console.error('The suite ended before it could count its tests.')
}
rmSync(folder, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
process.exitCode = status === 0 && failed === 0 && passed > 0 ? 0 : 1
