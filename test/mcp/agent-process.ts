/** `sluice mcp` in a process of its own, spoken to in raw messages. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from '../until.js'
import type { Json } from './agent-server.js'

export const PROGRAM = 'dist/cli/main.js'

export interface Agent {
  /** Sends one line. */
  send(line: string): void
  /** Waits for the answer to the request with this id. */
  answer(id: number | string): Promise<Json>
  /** All lines of standard output so far. */
  lines(): readonly string[]
  /** All of standard error so far. */
  err(): string
  signal(name: NodeJS.Signals): void
  /** Ends standard input and waits for the process to end: its exit code. */
  end(): Promise<number | null>
  /** Waits for the process to end by itself. */
  ended: Promise<number | null>
}

export function startAgent(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Agent {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--engine-memory', '256', ...argv], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    err += text
  })
  const lines = (): readonly string[] => out.split('\n').slice(0, -1)
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return {
    send: line => void child.stdin.write(`${line}\n`),
    async answer(id) {
      const find = (): Json =>
        lines()
          .map(line => JSON.parse(line) as Json)
          .find(message => message.id === id)
      await until(() => find() !== undefined || child.exitCode !== null, `an answer to ${id}`)
      const found = find()
      if (found === undefined) throw new TypeError(`the process has ended: ${err}`)
      return found
    },
    lines,
    err: () => err,
    signal: name => void child.kill(name),
    end() {
      child.stdin.end()
      return ended
    },
    ended,
  }
}
