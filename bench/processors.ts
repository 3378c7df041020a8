/** Sets the processors that processes may run on. */
import { spawnSync } from 'node:child_process'

/**
 * Measures while this process has a processor of its own and the other processes share a second one. With one connection,
 * client and server work alternately; whether the system schedules them on one processor changes the time by about half,
 * and it decides again every few seconds. Without `taskset`, or with only one processor, it measures without any change.
 */
export async function apart<T>(pids: readonly number[], measure: () => Promise<T>): Promise<T> {
  const allowed = allowedTo(process.pid)
  const [first, second] = numbersOf(allowed)
  if (first === undefined || second === undefined) return measure()
  allow(process.pid, String(first))
  for (const pid of pids) allow(pid, String(second))
  try {
    return await measure()
  } finally {
    for (const pid of [process.pid, ...pids]) allow(pid, allowed)
  }
}

/** The processors that the process may run on, as a list like `0-3,5`; empty where it is not known. */
function allowedTo(pid: number): string {
  const { status, stdout } = spawnSync('taskset', ['--cpu-list', '--pid', String(pid)], { encoding: 'utf8' })
  return status === 0 ? (/: ([\d,-]+)\s*$/.exec(stdout)?.[1] ?? '') : ''
}

/** Restricts all threads of the process to these processors. */
function allow(pid: number, list: string): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(pid)])
}

function numbersOf(list: string): readonly number[] {
  return list.split(',').flatMap(part => {
    const [from, to = from] = part.split('-').map(text => (text === '' ? undefined : Number(text)))
    return from === undefined || to === undefined ? [] : Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
}
