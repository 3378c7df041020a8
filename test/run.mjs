/**
 * Runs the suite by mocha, whose reporter ends with one line: `N passed, N failed`. Test files run in parallel, and import the
 * compiled files in dist/ (test/built.mocharc.json).
 *
 *   node test/run.mjs                     all tests
 *   node test/run.mjs --without-left-out  without the files that test/left-out.mjs names and the tests that itInAll declares, and with a
 *                                         quarter of the inputs where a test has many that are alike (test/sample-size.ts)
 *   node test/run.mjs --touching-node     tests of what another version of Node can change
 *   node test/run.mjs --built FILE…       these files, in the same way as all tests
 *   node test/run.mjs FILE… [--grep …]    these files in one process, from the sources; arguments go to mocha
 *
 * SLUICE_TEST_COVERAGE=on measures coverage in a run of all, and fails below a threshold; it takes an eighth more
 * processor time. SLUICE_TEST_JOBS sets the number of processes; SLUICE_TEST_TIMES=FILE appends the time of each test file to
 * FILE.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEFT_OUT } from './left-out.mjs'

const C8 = 'node_modules/c8/bin/c8.js'
const LEAST_LINES = 95

/**
 * Tests of what another version of Node can change: connections, streams, files and their locks, processes and signals, threads, the
 * loading of modules. Queries, documents, what is cached and the rest of the commands are computed alike on every version.
 */
const TOUCHING_NODE =
  /^test\/(?:(?:auth|http|observe)\/|cache\/stores\/redis\/(?:security|store)\.|engines\/bigquery\/(?:auth\/|busy|cancel|deadline|decode|errors|lost|malf|network|ping|requests)|engines\/duckdb\/(?:child\/(?:isolation|javascript-thread)|process\/supervisor|engine)\.|engines\/loaded-packages\.|explorer\/served\.|formats\/deriver\.|mcp\/(?:clients|stdio)\.|package\/(?:container|exports)\.|serve\/(?:cut-results|flood|proxy|read-ahead|request-log|runner|stalled-log)\.|cli\/(?:loaded-modules|output|query|serve|unwritable|version|watchdog)\.)/

/**
 * Makes V8 optimize functions later than by default: in tests, most functions run too rarely to repay the time of the
 * optimization. The V8 of Node 24 has no such flag.
 */
const COMPILE_LATER = process.versions.node.startsWith('20.') ? ['interrupt-budget=1000000'] : []

const given = process.argv.slice(2)
const SETS = {
  '--without-left-out': file => !LEFT_OUT.has(file),
  '--touching-node': file => TOUCHING_NODE.test(file),
  '--built': file => given.includes(file),
}
const isWanted = given.length === 0 ? () => true : SETS[given[0]]

process.exitCode = isWanted === undefined ? mocha(given) : runSet(isWanted)

function mocha(args, env = {}) {
  const argv = ['node_modules/mocha/bin/mocha.js', ...args]
  return spawnSync(process.execPath, argv, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1
}

/** Runs the files of a set, first those that take long, so that none of them runs alone at the end. */
function runSet(isWanted) {
  const gone = [...LEFT_OUT].filter(file => !existsSync(file))
  if (gone.length > 0) throw new TypeError(`test/left-out.mjs names what is not there: ${gone.join(', ')}`)
  const size = file => (LEFT_OUT.has(file) ? Number.POSITIVE_INFINITY : statSync(file).size)
  const files = readdirSync('test', { recursive: true })
    .map(file => `test/${file}`)
    .filter(file => file.endsWith('.test.ts') && isWanted(file))
    .sort((a, b) => (size(a) === size(b) ? 0 : size(b) - size(a)))
  // Engines run at a lower priority than tests: beside more tests than processors they would wait until their time limits.
  // With one process alone, mocha would not run in parallel.
  const jobs = Math.max(2, Number(process.env.SLUICE_TEST_JOBS) || Math.min(availableParallelism(), 8))
  const options = COMPILE_LATER.flatMap(option => ['--node-option', option])
  const args = ['--config', 'test/built.mocharc.json', '--jobs', String(jobs), ...options, ...files]
  if (given[0] === '--without-left-out') {
    console.log(`${LEFT_OUT.size} files (test/left-out.mjs names them) and single tests that take long are not run: make test ALL=1 runs them too`)
    return mocha(args, { SLUICE_TEST_SAMPLE: 'quarter' })
  }
  return process.env.SLUICE_TEST_COVERAGE === 'on' && given.length === 0 ? mochaWithCoverage(args) : mocha(args)
}

function mochaWithCoverage(args) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const status = mocha(args, { NODE_V8_COVERAGE: join(folder, 'coverage') })
  const lines = coveredLines(folder)
  rmSync(folder, { recursive: true, force: true })
  console.log(`coverage: ${lines.toFixed(1)} % of the lines, ${LEAST_LINES} % are required`)
  return status === 0 && !(lines >= LEAST_LINES) ? 1 : status
}

/** The percentage of the lines that ran. Lines of packages, which the build bundles, do not count. */
function coveredLines(folder) {
  const reports = ['--reporter=json-summary', '--reports-dir', join(folder, 'reports')]
  spawnSync(process.execPath, [C8, 'report', '--merge-async', '--temp-directory', join(folder, 'coverage'), ...reports], { stdio: 'inherit' })
  const files = Object.entries(JSON.parse(readFileSync(join(folder, 'reports/coverage-summary.json'), 'utf8')))
  const own = files.filter(([file]) => file !== 'total' && !file.includes('node_modules')).map(([, { lines }]) => lines)
  const sum = key => own.reduce((total, lines) => total + lines[key], 0)
  return (100 * sum('covered')) / sum('total')
}
