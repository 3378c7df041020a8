/** A BigQuery emulator that a suite starts for itself, on free ports; it is stopped by its process id. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../free-port.js'
import { need, whyPending } from '../installed/installed.js'
import { until } from '../until.js'

const FOLDER = resolve('.cache/bigquery-emulator')
const PROGRAM = join(FOLDER, 'venv/bin/bqemulator')
const TOOL = 'the BigQuery emulator'

export const PROJECT = 'test-project'

export interface Emulator {
  /** The address in the form of BIGQUERY_EMULATOR_HOST. */
  readonly host: string
  /** Posts JSON to a path below the project, such as `datasets`. */
  post(path: string, body: unknown): Promise<unknown>
  /** Creates the dataset if it is missing, creates the table, and adds the rows. */
  addTable(table: EmulatorTable): Promise<void>
  stop(): Promise<void>
}

export interface EmulatorTable {
  readonly dataset: string
  readonly table: string
  /** The columns, in the form of BigQuery's JSON schemas. */
  readonly fields: readonly object[]
  readonly rows: readonly object[]
}

/** The number of rows sent in one insertAll request. */
const BATCH = 1_000

/** A suite with an emulator of its own, which is ready before the suite's hooks; pending where none is installed. */
export function describeOverEmulator(title: string, define: (emulator: () => Emulator) => void): void {
  describe(`${title}${whyPending(TOOL)}`, function () {
    this.timeout(600_000)
    let emulator: Emulator
    before(async function () {
      need(this, TOOL)
      emulator = await startEmulator()
    })
    define(() => emulator)
    // After the suite's own hooks, which may use it.
    after(() => emulator?.stop())
  })
}

async function startEmulator(): Promise<Emulator> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bigquery-'))
  const [rest, grpc] = [await freePort(), await freePort()]
  const flags = ['--rest-port', String(rest), '--grpc-port', String(grpc), '--project', PROJECT, '--no-admin']
  const child = spawn(PROGRAM, ['start', ...flags, '--log-level', 'critical'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: join(FOLDER, 'home'), TMPDIR: folder },
    stdio: 'ignore',
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const base = `http://127.0.0.1:${rest}/bigquery/v2`
  const datasets = new Set<string>()

  async function send(path: string, body: unknown): Promise<unknown> {
    const { status, text } = await postOnce(`${base}/projects/${PROJECT}/${path}`, JSON.stringify(body))
    if (status >= 300) throw new Error(`the emulator answers ${status} to ${path}: ${text.slice(0, 500)}`)
    return text === '' ? null : JSON.parse(text)
  }

  const emulator: Emulator = {
    host: base,
    post: send,
    async addTable({ dataset, table, fields, rows }) {
      if (!datasets.has(dataset))
        await send('datasets', { datasetReference: { projectId: PROJECT, datasetId: dataset } })
      datasets.add(dataset)
      const tableReference = { projectId: PROJECT, datasetId: dataset, tableId: table }
      await send(`datasets/${dataset}/tables`, { tableReference, schema: { fields } })
      for (let from = 0; from < rows.length; from += BATCH) {
        const batch = rows.slice(from, from + BATCH).map(json => ({ json }))
        const path = `datasets/${dataset}/tables/${table}/insertAll`
        const { insertErrors } = (await send(path, { rows: batch })) as { insertErrors?: readonly unknown[] }
        if (insertErrors?.length) throw new Error(`the emulator refuses rows: ${JSON.stringify(insertErrors[0])}`)
      }
    },
    async stop() {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await untilReady(child, base).catch(async cause => {
    await emulator.stop()
    throw cause
  })
  return emulator
}

/** Posts on a new connection: the emulator closes idle connections, sometimes while a request is being sent on one. */
function postOnce(url: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const request = http.request(url, { method: 'POST', headers, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    request.once('error', reject)
    request.end(body)
  })
}

/** Resolves when the emulator answers, about 2 seconds after its start on an idle machine. */
async function untilReady(child: ChildProcess, base: string): Promise<void> {
  const isReady = async (): Promise<boolean> => (await fetch(`${base}/projects/${PROJECT}/datasets`)).ok
  await until(async () => child.exitCode !== null || (await isReady()), 'the emulator answers', 100)
  if (child.exitCode !== null) throw new Error(`the emulator ended with ${child.exitCode}`)
}
