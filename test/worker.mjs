/**
 * A process that gets test files from test/run.mjs, runs each and reports its result. At the end, nothing may keep it alive.
 */
import { readFileSync } from 'node:fs'
import { resolve as resolvePath } from 'node:path'
import { pathToFileURL } from 'node:url'
import Mocha from 'mocha'
import { endIdleHosts, hostIds, reuseEnginesIn } from './reuse-engines.mjs'

const END_WITHIN_MS = 15_000

const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8'))
const { EVENT_TEST_FAIL } = Mocha.Runner.constants

/** The processor time of this process, of its ended child processes, and of those that serve engines, in milliseconds. */
function processorMs() {
  const { user, system } = process.cpuUsage()
  const ofHosts = hostIds().reduce((sum, pid) => sum + fieldsMs(pid, 14, 15), 0)
  return (user + system) / 1_000 + fieldsMs('self', 16, 17) + ofHosts
}

/** The sum of two times of proc(5), in milliseconds: 14 and 15 are of the process itself, 16 and 17 of its ended children. */
function fieldsMs(pid, one, other) {
  try {
    // In hundredths of a second; the second field is a name that may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
    return (Number(fields[one - 3]) + Number(fields[other - 3])) * 10
  } catch {
    return 0
  }
}

/**
 * Like `mocha.loadFilesAsync()`, but always by `import`: mocha uses `require` where Node can, which bypasses the hook of
 * test/built.mjs.
 */
async function load(mocha, path) {
  const { EVENT_FILE_PRE_REQUIRE, EVENT_FILE_REQUIRE, EVENT_FILE_POST_REQUIRE } = Mocha.Suite.constants
  mocha.suite.emit(EVENT_FILE_PRE_REQUIRE, globalThis, path, mocha)
  mocha.suite.emit(EVENT_FILE_REQUIRE, await import(pathToFileURL(path).href), path, mocha)
  mocha.suite.emit(EVENT_FILE_POST_REQUIRE, globalThis, path, mocha)
}

async function run(file) {
  const mocha = new Mocha({ timeout, forbidOnly: true, reporter: 'spec', color: false })
  const names = []
  try {
    await load(mocha, resolvePath(file))
  } catch (error) {
    console.log(`\n  ${file} cannot be loaded: ${error?.stack ?? error}`)
    return { passed: 0, failed: 1, pending: 0, names: [`${file} cannot be loaded`] }
  }
  const { passes, pending, failures } = await new Promise(resolve => {
    const runner = mocha.run(() => {
      // Mocha adds a listener of each kind for every run, and does not remove it.
      process.removeAllListeners('uncaughtException')
      process.removeAllListeners('unhandledRejection')
      resolve(runner.stats)
    })
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      const [message] = String(error?.message ?? error).split('\n', 1)
      names.push(`${test.fullTitle()}: ${message.slice(0, 300)}`)
    })
  })
  return { passed: passes, failed: failures, pending, names }
}

process.on('message', async ({ file }) => {
  if (file === undefined) {
    await endIdleHosts()
    process.disconnect()
    setTimeout(() => {
      console.error(`Something was left open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`)
      process.exit(1)
    }, END_WITHIN_MS).unref()
    return
  }
  const began = performance.now()
  const usedBefore = processorMs()
  reuseEnginesIn(file)
  const counts = await run(file)
  // By this line, the parent knows that it has read the whole output of the file.
  process.stdout.write('\0end of the file\n')
  process.send({ file, ...counts, elapsedMs: performance.now() - began, processorMs: processorMs() - usedBefore })
})
process.send({})
