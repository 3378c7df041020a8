/** Processes of the built program: starts, times, measures the memory of, and ends them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const PROGRAM = ['dist/cli/main.js'] as const

/** The seconds that the command took; it must exit with 0. */
export async function secondsOf(args: readonly string[]): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise(resolve => child.once('exit', resolve))
  if (code !== 0) throw new TypeError(`${args.join(' ')} ended with ${code}`)
  return (performance.now() - began) / 1000
}

export interface Server {
  readonly url: string
  readonly pid: number
  readonly secondsToReady: number
  end(): Promise<void>
}

/** Starts a server and waits until it prints `ready <url>`; with `ignore`, its log is discarded. */
export async function startServer(
  args: readonly string[],
  environment: Record<string, string>,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<Server> {
  const began = performance.now()
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', stderr],
    env: { ...process.env, ...environment },
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let out = ''
    child.stdout!.on('data', data => {
      out += data
      const ready = /^ready (\S+)/m.exec(out)
      if (ready) resolve(ready[1]!)
    })
    void ended.then(() => reject(new TypeError(`${args.join(' ')} ended before it was ready: ${out}`)))
  })
  return {
    url,
    pid: child.pid!,
    secondsToReady: (performance.now() - began) / 1000,
    end: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/**
 * The resident memory of a server and its child, `server 84 + engine 100 = 184 MB`, from /proc; a remark where there is no
 * /proc.
 */
export function residentMemory(pid: number): string {
  try {
    const [parent, engine] = pidsOf(pid).map(megabytes) as [number, number]
    return `server ${parent.toFixed(0)} + engine ${engine.toFixed(0)} = ${(parent + engine).toFixed(0)} MB`
  } catch {
    return 'not known on this system'
  }
}

/** A server and its engine. */
export function pidsOf(pid: number): readonly [server: number, engine: number] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/)
  return [pid, Number(children[0])]
}

/** The resident memory of a process. */
export const megabytes = (pid: number): number =>
  (Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024) / 1e6
