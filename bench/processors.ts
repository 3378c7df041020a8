/** Which processors processes may run on. */
import { spawnSync } from 'node:child_process'

/**
 * Measures while this process has a processor of its own and these others share another one. Over one connection client
 * and server take turns: whether the system puts them on one processor decides about half of the time that takes, and
 * it does so anew every few seconds. Where the system has no `taskset`, or one processor, it just measures.
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

/** `0-3,5`; '' where it cannot be known. */
function allowedTo(pid: number): string {
  const { status, stdout } = spawnSync('taskset', ['--cpu-list', '--pid', String(pid)], { encoding: 'utf8' })
  return status === 0 ? (/: ([\d,-]+)\s*$/.exec(stdout)?.[1] ?? '') : ''
}

/** All threads of the process. */
function allow(pid: number, list: string): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(pid)])
}

function numbersOf(list: string): readonly number[] {
  return list.split(',').flatMap(part => {
    const [from, to = from] = part.split('-').map(text => (text === '' ? undefined : Number(text)))
    return from === undefined || to === undefined ? [] : Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
}
