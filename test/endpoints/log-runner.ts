/** A runner over log entries that a test writes, with times relative to one frozen moment and defaults for the entries. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunnerError } from '../../runner/model/errors.js'
import { readTimestamp } from '../../runner/model/typed-value.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'

/** The value of `@now`: on a Sunday, with six significant fractional digits. */
export const NOW = '2026-03-15T12:34:56.789012Z'
export const NOW_MICROS = readTimestamp(NOW)!
export const TOKEN = 'unrestricted-token-of-32-letters'

const UNIT_MICROS: Readonly<Record<string, bigint>> = {
  d: 86_400_000_000n,
  h: 3_600_000_000n,
  min: 60_000_000n,
  s: 1_000_000n,
  us: 1n,
}

/** A time by its distance from a moment: `time('-1d +1us')` is one microsecond less than a day before NOW. */
export function time(distance: string, from: bigint = NOW_MICROS): string {
  const steps = distance.split(' ').filter(step => step !== '')
  const micros = steps.reduce((sum, step) => {
    const [, sign, size = '', unit = ''] = /^([+-])(\d+)(d|h|min|s|us)$/.exec(step) ?? []
    if (!sign) throw new TypeError(`not a distance: ${step}`)
    return sum + (sign === '-' ? -1n : 1n) * BigInt(size) * UNIT_MICROS[unit]!
  }, from)
  return isoMicros(micros)
}

/** The time as `2026-01-31T12:00:00.123456Z`, always with six fractional digits. */
export function isoMicros(micros: bigint): string {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19)
  return `${seconds}.${String(micros % 1_000_000n).padStart(6, '0')}Z`
}

export const liveMicros = (): bigint => BigInt(Date.now()) * 1000n

export type Entry = Readonly<Record<string, unknown>>

/** An entry of the gateway, a minute old and with one empty metadata record; `more` overrides its members. */
export const edge = (id: string, project: string | null, more: Entry = {}): Entry => ({
  id,
  project,
  timestamp: time('-1min'),
  event_message: `message of ${id}`,
  metadata: [{}],
  ...more,
})

/** An entry of the gateway with one metadata record that holds these requests. */
export const requested = (at: string, ...requests: readonly Entry[]): Entry =>
  edge(`request at ${at}`, null, { timestamp: at, metadata: [{ request: requests }] })

/** An entry of the function edge-relay with one metadata record: by default 10 ms and one response with status 200. */
export const invoked = (project: string | null, at: string, record: Entry = {}): Entry => ({
  id: `invocation at ${at}`,
  timestamp: at,
  event_message: 'GET | 200 | https://example.test/',
  metadata: [{ project_ref: project, execution_time_ms: 10, response: [{ status_code: 200 }], ...record }],
})

export interface LogRunner {
  readonly runner: Runner
  /** The address, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** Replaces all entries of a stream; the next query sees them. */
  write(stream: string, entries: readonly Entry[]): void
  /** Replaces the tokens file; the next call that sends one of its tokens sees it. */
  writeTokens(records: readonly Entry[]): void
  /** The rows of a call, with `@now` frozen at NOW. */
  rows(name: string, args: Readonly<Record<string, string>>): Promise<readonly Entry[]>
  /** The body of the same call, as text. */
  body(name: string, args: Readonly<Record<string, string>>): Promise<string>
  /** The error with which the same call is refused. */
  refusal(name: string, args: Readonly<Record<string, string>>): Promise<RunnerError>
  /** A GET of `/api/endpoints/<path>` with a token; its `@now` is the real time. */
  get(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

/**
 * Serves the project's own manifests over these streams. `addManifests` may write more manifests into a copy of their
 * folder before they are loaded.
 */
export async function openLogRunner(
  streams: Readonly<Record<string, readonly Entry[]>>,
  addManifests: (endpointsDir: string) => void = () => {},
): Promise<LogRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-endpoints-'))
  const endpointsDir = join(folder, 'endpoints')
  const dataDir = join(folder, 'data')
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  cpSync('endpoints', endpointsDir, { recursive: true })
  addManifests(endpointsDir)
  const write: LogRunner['write'] = (stream, entries) =>
    writeFileSync(
      join(dataDir, 'logs', `${stream}.ndjson`),
      entries.map(entry => `${JSON.stringify(entry)}\n`).join(''),
    )
  for (const [stream, entries] of Object.entries(streams)) write(stream, entries)
  const runner = await createRunner({
    port: 0,
    endpointsDir,
    dataDir,
    token: TOKEN,
    engineMemoryMb: 256,
    engineThreads: 1,
  })
  const server = await runner.listen()
  const body: LogRunner['body'] = async (name, args) =>
    Buffer.from((await runner.call(name, args, { nowMicros: NOW_MICROS })).body).toString()
  return {
    runner,
    url: server.url,
    write,
    writeTokens: tokens => writeFileSync(join(dataDir, 'tokens.json'), JSON.stringify({ tokens })),
    body,
    rows: async (name, args) => (JSON.parse(await body(name, args)) as { result: readonly Entry[] }).result,
    refusal: async (name, args) => {
      const given = await body(name, args).catch((thrown: unknown) => thrown)
      if (typeof given === 'string') throw new TypeError(`the call was answered: ${given}`)
      return given as RunnerError
    },
    get: (path, init = {}) =>
      fetch(`${server.url}/api/endpoints/${path}`, { ...init, headers: { 'X-API-KEY': TOKEN, ...init.headers } }),
    async close() {
      await server.close()
      await runner.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
