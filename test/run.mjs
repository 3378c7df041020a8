/**
 * Runs the suite and ends with one line: `N passed, N failed`. A few processes get the test files one after the other, since
 * tests spend much of their time waiting; the tests import the compiled files in dist/.
 *
 *   node test/run.mjs                     all tests
 *   node test/run.mjs --without-left-out  without the files that test/left-out.mjs names, and with a quarter of the inputs where
 *                                         a test has hundreds that are alike (test/sample-size.ts)
 *   node test/run.mjs --touching-node     tests of what another version of Node can change
 *   node test/run.mjs --built FILE…       these files, in the same way as all tests
 *   node test/run.mjs FILE… [--grep …]    these files in one process, from the sources; arguments go to mocha
 *
 * SLUICE_TEST_COVERAGE=on measures coverage in a run of all, and fails below a threshold; it takes an eighth more
 * processor time. SLUICE_TEST_JOBS sets the number of processes; SLUICE_TEST_TIMES=FILE writes the time of each test file to
 * FILE.
 */
import { fork, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEFT_OUT } from './left-out.mjs'

const C8 = 'node_modules/c8/bin/c8.js'
const LEAST_LINES = 95
const MOCHA = 'node_modules/mocha/bin/mocha.js'

/**
 * Tests of what another version of Node can change: connections, streams, files and their locks, processes and signals, the
 * loading of modules. Queries, documents and the rest of the commands compute the same on every version.
 */
const TOUCHING_NODE =
  /^test\/(?:(?:auth|authoring\/client|cache|engines\/(?:bigquery|duckdb\/(?:child|process))|http|mcp|observe|package|serve)\/|formats\/deriver\.|explorer\/served\.|engines\/loaded-packages\.|engines\/duckdb\/e|authoring\/editor\/(?:anywhere|yaml-language-server)\.|cli\/(?:loaded-modules|output|query|serve|token|unwritable|version|watchdog)\.)/
/** The longest test files, the longest first. They are started first, so that none of them runs alone at the end. */
const LONG = [
  'openapi/schemathesis',
  'docs/commands',
  'googlesql-duckdb/cases',
  'googlesql-duckdb/functions/worst-texts',
  'package/install',
  'explorer/accessibility',
  'googlesql-duckdb/analysis/failing-branches',
  'engines/bigquery/lost-answers',
  'cli/new-manifests',
  'explorer/page',
  'serve/reload',
  'bigquery-emulator/endpoints',
  'mcp/stdio',
  'cli/import',
  'openapi/tools',
  'serve/stalled-log',
  'explorer/edits',
  'authoring/editor/folders',
  'cli/formats',
  'authoring/compare/compare',
  'serve/mixed-formats',
  'authoring/connect/duckdb',
  'authoring/diff/revisions',
  'googlesql-duckdb/placed-calls',
  'explorer/result',
  'docs/formats',
  'cli/serve',
  'authoring/data/infer/infer-table',
  'engines/duckdb/runaway',
  'engines/duckdb/tables/data-folder',
  'cli/output',
  'bigquery-emulator/tests',
  'endpoints/tenants',
  'authoring/connect/hostile',
  'engines/duckdb/process/supervisor',
  'authoring/check/constants',
  'serve/redis-trouble',
  'formats/same-values',
  'docs/library',
].map(name => `test/${name}.test.ts`)
const rank = file => (LONG.includes(file) ? LONG.indexOf(file) : LONG.length)

/**
 * Makes V8 optimize functions later than by default: in tests, most functions run too rarely to repay the time of the
 * optimization. The V8 of Node 24 has no such flag.
 */
const COMPILE_LATER = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []

/** The line that test/worker.mjs prints after the output of a test file. */
const END = '\0end of the file\n'

const given = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
const total = { passed: 0, failed: 0, pending: 0, names: [] }

if (given.length === 0) await runAll(() => true)
else if (given[0] === '--without-left-out') await runAll(file => !LEFT_OUT.has(file))
else if (given[0] === '--touching-node') await runAll(file => TOUCHING_NODE.test(file))
else if (given[0] === '--built') await runAll(file => given.includes(file))
else runWithMocha(given)

rmSync(folder, { recursive: true, force: true })
for (const name of total.names) console.log(`failed: ${name}`)
if (given[0] === '--without-left-out')
  console.log(`${LEFT_OUT.size} files that take long were not run (test/left-out.mjs names them): make test ALL=1 runs them too`)
const { passed, failed, pending } = total
console.log(`${passed} passed, ${failed} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

/** The percentage of the lines that ran. Lines of packages, which the build bundles, do not count. */
function coveredLines(coverage) {
  const reports = join(folder, 'reports')
  spawnSync(process.execPath, [C8, 'report', '--temp-directory', coverage, '--reporter=json-summary', '--reports-dir', reports], { stdio: 'inherit' })
  const files = Object.entries(JSON.parse(readFileSync(join(reports, 'coverage-summary.json'), 'utf8')))
  const own = files.filter(([file]) => file !== 'total' && !file.includes('node_modules')).map(([, { lines }]) => lines)
  const sum = key => own.reduce((total, lines) => total + lines[key], 0)
  return (100 * sum('covered')) / sum('total')
}

function runWithMocha(args) {
  const counts = join(folder, 'counts.json')
  const env = { ...process.env, SLUICE_TEST_COUNTS: counts }
  const { status } = spawnSync(process.execPath, [MOCHA, '--reporter', 'test/reporter.cjs', ...args], { stdio: 'inherit', env })
  try {
    Object.assign(total, JSON.parse(readFileSync(counts, 'utf8')))
  } catch {
    console.error('The suite ended before it could count its tests.')
    total.failed = 1
  }
  if (status !== 0 && total.failed === 0) {
    console.error(`Mocha ended with ${status} although no test failed.`)
    total.failed = 1
  }
}

async function runAll(isWanted) {
  const isMeasured = process.env.SLUICE_TEST_COVERAGE === 'on' && given.length === 0
  const coverage = join(folder, 'coverage')
  const isQuick = given[0] === '--without-left-out'
  const env = {
    ...process.env,
    ...(isMeasured && { NODE_V8_COVERAGE: coverage }),
    ...(isQuick && { SLUICE_TEST_SAMPLE: 'quarter' }),
  }
  const files = readdirSync('test', { recursive: true })
    .map(file => `test/${file}`)
    .filter(file => file.endsWith('.test.ts') && isWanted(file))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  // Tests wait for half of their time (for other processes, browsers, time limits), so there are more processes than processors.
  const jobs = Number(process.env.SLUICE_TEST_JOBS) || Math.min(availableParallelism() + 2, 8)
  const times = []
  const next = () => files.shift()
  const add = ({ elapsedMs, processorMs, file, ...counts }) => {
    for (const [name, value] of Object.entries(counts)) total[name] = total[name].concat?.(value) ?? total[name] + value
    if (elapsedMs !== undefined) times.push(`${Math.round(elapsedMs)}\t${Math.round(processorMs)}\t${file}`)
  }
  for (const file of [...LEFT_OUT].filter(name => !existsSync(name)))
    add({ failed: 1, names: [`test/left-out.mjs names ${file}, which is not there`] })
  await Promise.all(Array.from({ length: jobs }, () => runProcess({ next, add, env })))
  if (process.env.SLUICE_TEST_TIMES) writeFileSync(process.env.SLUICE_TEST_TIMES, `${times.join('\n')}\n`)
  if (isMeasured) {
    const lines = coveredLines(coverage)
    console.log(`coverage: ${lines.toFixed(1)} % of the lines, ${LEAST_LINES} % are required`)
    if (!(lines >= LEAST_LINES)) add({ failed: 1, names: [`coverage is below ${LEAST_LINES} % of the lines`] })
  }
}

/** Runs one process after the other until no file is left: a process that crashes loses only its current file. */
async function runProcess({ next, add, env }) {
  for (let file = next(); file !== undefined; ) {
    file = await new Promise(resolve => {
      const modules = ['tsx', './test/built.mjs', './test/hold-results.ts'].flatMap(module => ['--import', module])
      const execArgv = [...COMPILE_LATER, ...modules]
      const child = fork('test/worker.mjs', { execArgv, env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
      let printed = ''
      let counts = null
      const finished = () => {
        // Searches only after the counts have arrived, since every search reads the whole output of the file so far.
        const end = counts === null ? -1 : printed.indexOf(END)
        if (end === -1) return
        process.stdout.write(printed.slice(0, end))
        printed = printed.slice(end + END.length)
        add(counts)
        counts = null
        file = next()
        child.send({ file })
      }
      child.stdout.setEncoding('utf8').on('data', text => {
        printed += text
        finished()
      })
      child.on('message', message => {
        if (message.file === undefined) return child.send({ file })
        counts = message
        return finished()
      })
      child.once('close', (code, signal) => {
        process.stdout.write(printed)
        if (file !== undefined) add({ failed: 1, names: [`${file}: its process ended with ${code ?? signal}`] })
        else if (code !== 0) add({ failed: 1, names: [`a process of tests could not end, or ended with ${code ?? signal}`] })
        resolve(file === undefined ? undefined : next())
      })
    })
  }
}
