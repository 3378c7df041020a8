/** Runs commands as a shell does: in this process where that is enough, otherwise as a process of the built program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from '../../cli/program.js'
import { SILENT_IO } from '../../tools/silent-io.js'

export interface Finished {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line to its end in this process. */
export async function command(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input: string | Uint8Array = '',
): Promise<Finished> {
  const { out, ...finished } = await commandBytes(argv, environment, input)
  return { ...finished, out: out.toString() }
}

/** The same, where standard output is not text. */
export async function commandBytes(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input: string | Uint8Array = '',
): Promise<Omit<Finished, 'out'> & { readonly out: Buffer }> {
  const out: Uint8Array[] = []
  let err = ''
  const code = await run(argv, {
    ...SILENT_IO,
    environment,
    print: text => void out.push(Buffer.from(text as Uint8Array)),
    printError: text => {
      err += text
    },
    standardInput: () => Readable.from([Buffer.from(input as Uint8Array)]),
  })
  return { code, out: Buffer.concat(out), err }
}

export interface Started {
  /** The address from the server's `ready` line, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** The token that a first start prints; null when none was printed. */
  readonly token: string | null
  /** All of standard output so far. */
  out(): string
  /** All of standard error so far. */
  err(): string
  get(path: string, headers: Readonly<Record<string, string>>): Promise<Response>
  signal(name: NodeJS.Signals): void
  /** Sends the signal and waits for the process to end: the exit code, or null when the signal itself ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

const PROGRAM = 'dist/cli/main.js'
/** Ends a server whose result breaks its published schema, so that the test fails. */
const HOLD_SERVED = new URL('../hold-served.mjs', import.meta.url).href

/** Starts `serve` in its own process on a free port, and waits until it is ready. */
export async function startServe(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--engine-memory', '256', ...argv], {
    env: { PATH: process.env['PATH'], NODE_OPTIONS: `--import ${HOLD_SERVED}`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let out = ''
  let err = ''
  const ended = new Promise<number | null>(resolve => {
    child.once('exit', code => {
      running.delete(child)
      resolve(code)
    })
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const ready = /^ready (\S+)/m.exec(out)
      if (ready) resolve(ready[1]!)
    })
    void ended.then(code => reject(new TypeError(`serve ended with ${code} before it was ready: ${out}${err}`)))
  })
  return {
    url,
    token: /^token (\S+)/m.exec(out)?.[1] ?? null,
    out: () => out,
    err: () => err,
    get: (path, headers) => fetch(url + path, { headers }),
    signal: name => void child.kill(name),
    end: signal => {
      child.kill(signal)
      return ended
    },
  }
}

const running = new Set<ChildProcess>()

/** Ends the processes that a failed test has left running. */
export function endLeftovers(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** A temporary folder for one suite; the caller removes it with `remove`. */
export function scratch(): { readonly path: (...names: readonly string[]) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
  return { path: (...names) => join(folder, ...names), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
