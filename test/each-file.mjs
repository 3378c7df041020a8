/**
 * Hooks around each test file. After it, nothing that keeps a process alive may be left of it: a child process, a server or a thread.
 * SLUICE_TEST_TIMES=FILE appends the file's time to FILE, in milliseconds: on the clock, and of the processor, which counts the
 * child processes that have ended.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const END_WITHIN_MS = 15_000
const EVERY_MS = 20
/** Sockets of `fetch` and of this process's own parent are left open by Node itself. */
const KEPT_OPEN = new Set(['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap', 'Worker'])

function processorMs() {
  const { user, system } = process.cpuUsage()
  // Fields 16 and 17 of proc_pid_stat(5), of ended children in hundredths of a second; the second field may hold spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
  return (user + system) / 1_000 + (Number(fields[13]) + Number(fields[14])) * 10
}

// A process that writes what it covered takes more than the second after which mocha's pool ends it by SIGTERM.
if (process.env.NODE_V8_COVERAGE) process.on('SIGTERM', () => undefined)

const leftOpen = () => process.getActiveResourcesInfo().filter(kind => KEPT_OPEN.has(kind))
const fileOf = ({ file, suites }) => file ?? suites.map(fileOf)[0]

let began = performance.now()
let usedBefore = processorMs()

export const mochaHooks = {
  async afterAll() {
    const file = relative('.', fileOf(this.test.parent) ?? '')
    const end = performance.now() + END_WITHIN_MS
    while (leftOpen().length > 0 && performance.now() < end) await pause(EVERY_MS)
    if (process.env.SLUICE_TEST_TIMES) {
      const times = [performance.now() - began, processorMs() - usedBefore].map(Math.round)
      appendFileSync(process.env.SLUICE_TEST_TIMES, `${[...times, file].join('\t')}\n`)
    }
    began = performance.now()
    usedBefore = processorMs()
    if (leftOpen().length > 0) throw new TypeError(`${file} has left something open: ${leftOpen().join(', ')}`)
  },
}
