/**
 * Runs the suite under coverage and ends with one line: `N passed, N failed`. Arguments are test files and go to mocha;
 * with them, or with SLUICE_TEST_COVERAGE=off, nothing is measured.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const C8 = 'node_modules/c8/bin/c8.js'
const MOCHA = 'node_modules/mocha/bin/mocha.js'

const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
const counts = join(folder, 'counts.json')
const env = { ...process.env, SLUICE_TEST_COUNTS: counts }
const run = args => spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1

const files = process.argv.slice(2)
const isMeasured = files.length === 0 && process.env.SLUICE_TEST_COVERAGE !== 'off'
const mocha = [MOCHA, '--reporter', 'test/reporter.cjs', ...(files.length > 0 ? files : ['test/**/*.test.ts'])]
const raw = ['--temp-directory', join(folder, 'coverage')]
const status = run(isMeasured ? [C8, ...raw, '--reporter=none', process.execPath, ...mocha] : mocha)
if (isMeasured) run([C8, 'report', ...raw, '--reporter=text-summary'])

let passed = 0
let failed = 1
let pending = 0
let names = []
try {
  ;({ passed, failed, pending, names } = JSON.parse(readFileSync(counts, 'utf8')))
} catch {
  console.error('The suite ended before it could count its tests.')
}
rmSync(folder, { recursive: true, force: true })
if (status !== 0 && failed === 0) {
  console.error(`Mocha ended with ${status} although no test failed.`)
  failed = 1
}
for (const name of names) console.log(`failed: ${name}`)
console.log(`${passed} passed, ${failed} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
