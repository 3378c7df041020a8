/** Starts a child process of the engine, without the parent's environment and with a memory limit. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../model/ports.js'
import { isSource, ownModule } from '../../../platform/own-module.js'
import { tryRemove } from '../engine-folder.js'
import type { Discovery, FromChild, SessionOptions, ToChild } from './messages.js'
import { watchMemory } from './watch-memory.js'

export type EngineChild = ReturnType<typeof forkChild>

export interface ForkChildOptions {
  /** The options of this child, including its folder, which is removed when the child has exited. */
  readonly session: SessionOptions
  /** The tables that the child reads before it is ready. */
  readonly readAhead: readonly string[]
  readonly clock: Clock
  /** Called with each message that the child sends after it is ready. */
  readonly onMessage: (message: WorkMessage) => void
}

export type WorkMessage = Exclude<FromChild, { kind: 'ready' | 'broken' }>

const CHILD = fileURLToPath(ownModule('runner/engines/duckdb/child/child-main'))
const NODE_FLAGS = isSource ? ['--import', 'tsx'] : []
/**
 * The number of allocator arenas for the threads other than DuckDB's, few of which allocate at the same time; each DuckDB
 * thread has an arena of its own. Queries take a tenth longer if a DuckDB thread has to wait for the arena of another thread.
 */
const MORE_ARENAS = 2
/**
 * The number of free bytes above which glibc gives memory back to the system. If it is not set, glibc raises it when a large
 * block, such as a table's, is freed for the first time, and then keeps that much memory.
 */
const TRIM_BYTES = '131072'
const SHELL = '/bin/sh'
/**
 * How much lower the child's priority is than the parent's, as in `nice -n 10`. The parent answers hits of the cache: with the same
 * priority they would wait on a busy machine, while queries use all processors.
 */
const NICENESS = 10
/**
 * The memory that a child may use beyond DuckDB's limit, in megabytes. DuckDB does not count code, JavaScript, and the rows that operators
 * are processing: a REPEAT over a series took 4 GB where the limit was 200 MB. A child that uses more is killed.
 */
const UNCOUNTED_MB = 600

/** Starts the child and sends it its options. Where the child cannot be started, `exited` resolves as if it had exited. */
export function forkChild({ session, readAhead, clock, onMessage }: ForkChildOptions) {
  const { folder } = session
  let reason = ''
  const child: ChildProcess = fork(CHILD, [], {
    serialization: 'advanced',
    ...boundedNode(dataLimitMb(session)),
    // The parent's environment is not passed on: it holds secrets, and DuckDB does not need it.
    env: {
      TZ: 'UTC',
      HOME: folder,
      UV_THREADPOOL_SIZE: String(session.connections + 2),
      MALLOC_ARENA_MAX: String(session.threads + MORE_ARENAS),
      MALLOC_TRIM_THRESHOLD_: TRIM_BYTES,
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  lowerPriority(child.pid, session.niceness ?? NICENESS)
  const kill = (why: string): void => {
    reason ||= why
    child.kill('SIGKILL')
  }
  const limitMb = session.memoryLimitMb + UNCOUNTED_MB
  const onExceeded = (megabytes: number): void => kill(`it held ${megabytes} MB of memory`)
  const endWatch = child.pid === undefined ? null : watchMemory(child.pid, limitMb, clock, onExceeded)
  const exited = new Promise<string>(resolve => {
    const finish = (why: string): void => {
      endWatch?.()
      tryRemove(folder)
      resolve(why)
    }
    child.on('exit', (code, signal) => finish(reason || (signal ? `killed by ${signal}` : `exit code ${code}`)))
    child.on('error', error => {
      // A process that could not be started emits no exit event.
      if (child.pid === undefined) finish(error.message)
      else reason ||= error.message
    })
  })
  const opened = new Promise<Discovery | null>(resolve => {
    child.on('message', (message: FromChild) => {
      if (message.kind === 'broken') reason ||= message.cause
      else if (message.kind === 'ready') resolve(message.discovery)
      else onMessage(message)
    })
    void exited.then(() => resolve(null))
  })
  const post = (message: ToChild): void => {
    child.send(message, error => {
      // The exit event that follows settles pending requests.
      if (error) child.kill('SIGKILL')
    })
  }
  post({ kind: 'open', options: session, readAhead })
  return {
    pid: child.pid,
    /** Sends a message. A child that cannot be reached is killed. */
    post,
    /** Kills the child at once. `why` is the reason that the log gets. */
    kill,
    /** Resolves when the child is ready, with the tables that it has found; with null when it has exited before. */
    opened,
    /** Resolves when the child has exited, with the reason. */
    exited,
  }
}

/**
 * The parent sets the priority as soon as the process exists, since the threads that the process creates later inherit it. The process
 * cannot do this itself: on Linux, it can only change the priority of the calling thread.
 */
function lowerPriority(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceness))
  } catch {
    // The process has ended, or the system does not permit it. Queries then run at the parent's priority.
  }
}

/**
 * The system's limit for the child's data, in megabytes, in case memory grows faster than `watchMemory` can notice. DuckDB reports a
 * refused allocation as an ordinary lack of memory. The limit counts address space: it is well above DuckDB's own limit, since the
 * allocator reserves several times the memory that it uses.
 */
const dataLimitMb = ({ memoryLimitMb }: SessionOptions): number => 4 * memoryLimitMb + 4_096

/**
 * Starts Node through a shell, which can set limits; Node itself cannot. Only Linux enforces the memory limit. Core dumps are
 * disabled, since they would contain callers' data.
 */
function boundedNode(dataMb: number): Pick<ForkOptions, 'execPath' | 'execArgv'> {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return { execArgv: NODE_FLAGS }
  const script = `ulimit -d ${dataMb * 1024}; ulimit -c 0; unset PWD OLDPWD SHLVL; exec "$0" "$@"`
  return { execPath: SHELL, execArgv: ['-c', script, process.execPath, ...NODE_FLAGS] }
}
