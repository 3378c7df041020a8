/** Starts one child process of the engine, with nothing of the parent's environment and a bound on its memory. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFailure, tryRemove } from '../engine-folder.js'
import type { FromChild, SessionOptions, ToChild } from './messages.js'

export interface EngineChild {
  readonly pid: number | undefined
  /** A child that cannot be told is killed; then `onExit` follows. */
  readonly post: (message: ToChild) => void
  /** At once. `reason` is what `onExit` is told. */
  readonly kill: (reason: string) => void
}

export interface ForkChildOptions {
  /** Made for this child; its folder is in them, and removed when it is gone. */
  readonly session: SessionOptions
  readonly onMessage: (message: FromChild) => void
  /** The child is gone, and why. */
  readonly onExit: (reason: string) => void
}

const isSource = import.meta.url.endsWith('.ts')
const CHILD = fileURLToPath(new URL(isSource ? '../child/child-main.ts' : '../child/child-main.js', import.meta.url))
/** The child keeps little in JavaScript: rows live in DuckDB, bodies in buffers. */
const NODE_FLAGS = ['--max-old-space-size=384', '--max-semi-space-size=4', ...(isSource ? ['--import', 'tsx'] : [])]
/**
 * Where a thread of DuckDB's waits for an arena that another one uses, queries take a tenth longer. These are for the
 * threads beside them, of which few allocate at a time.
 */
const MORE_ARENAS = 2
const SHELL = '/bin/sh'
export function forkChild({ session, onMessage, onExit }: ForkChildOptions): EngineChild {
  const { folder } = session
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    return neverStarted(temporaryFailure(dirname(dirname(folder)), cause).message, onExit)
  }
  let reason = ''
  const child: ChildProcess = fork(CHILD, [], {
    serialization: 'advanced',
    ...boundedNode(dataLimitMb(session)),
    // Nothing of the parent's environment: it holds secrets, and DuckDB needs none of it.
    env: {
      TZ: 'UTC',
      HOME: folder,
      UV_THREADPOOL_SIZE: String(session.connections + 2),
      MALLOC_ARENA_MAX: String(session.threads + MORE_ARENAS),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('message', (message: FromChild) => {
    if (message.kind === 'broken') reason ||= message.cause
    else onMessage(message)
  })
  child.on('error', error => {
    reason ||= error.message
  })
  let isGone = false
  const gone = (why: string): void => {
    if (isGone) return
    isGone = true
    tryRemove(folder)
    onExit(why)
  }
  child.on('exit', (code, signal) => gone(reason || (signal ? `killed by ${signal}` : `exit code ${code}`)))
  // A process that could not be started has no exit.
  child.on('error', error => {
    if (child.pid === undefined) gone(error.message)
  })
  const post = (message: ToChild): void => {
    child.send(message, error => {
      // The exit event that follows settles what is pending.
      if (error) child.kill('SIGKILL')
    })
  }
  post({ kind: 'open', options: session })
  return {
    pid: child.pid,
    post,
    kill: why => {
      reason ||= why
      child.kill('SIGKILL')
    },
  }
}

function neverStarted(reason: string, onExit: ForkChildOptions['onExit']): EngineChild {
  setImmediate(onExit, reason)
  return { pid: undefined, post: () => undefined, kill: () => undefined }
}

/**
 * The last resort, should memory grow faster than it is watched: what the system refuses to allocate, DuckDB reports as
 * any other lack of memory. It counts addresses, of which the allocator keeps several times what it uses.
 */
const dataLimitMb = ({ memoryLimitMb }: SessionOptions): number => 4 * memoryLimitMb + 4_096

/**
 * Node can set no limits on a process; the shell that becomes the child can. Only Linux holds to that of memory. A
 * child that dies leaves no image of its memory, which has callers' data in it.
 */
function boundedNode(dataMb: number): Pick<ForkOptions, 'execPath' | 'execArgv'> {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return { execArgv: NODE_FLAGS }
  const script = `ulimit -d ${dataMb * 1024}; ulimit -c 0; unset PWD OLDPWD SHLVL; exec "$0" "$@"`
  return { execPath: SHELL, execArgv: ['-c', script, process.execPath, ...NODE_FLAGS] }
}
