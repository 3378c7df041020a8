/**
 * Schemathesis calls the project's endpoints, and those of examples/ga4, with what the document allows and with what it does not. A
 * failure is an answer of 500 or above, one that the document does not describe, a refusal of what it allows, and a result for what it
 * does not allow. SLUICE_FUZZ_SEED=7 makes other calls.
 */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { RunningServer } from '../../runner/http/server/server.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { command, scratch } from '../cli/command.js'
import { need, whyPending } from '../installed/installed.js'

const INSTALLED = resolve('.cache/openapi-generators')
const TOOL = 'Schemathesis and openapi-python-client'

const TOKEN = 'token-of-schemathesis-of-32-letters'
const FAULTY = 'GET /api/endpoints/query/tests.quotient'
const MANIFEST = `id: 9d0f4d0b-55a0-4b5c-9a38-2b1f0f7a6c11
name: tests.quotient
parameters:
  divisor: { type: int64, required: true }
sql: |
  SELECT 1 / (n - @divisor) AS quotient FROM UNNEST([0]) AS n
`

describe(`openapi: Schemathesis${whyPending(TOOL)}`, function () {
  this.timeout(900_000)
  const folder = scratch()
  let runner: Runner
  let server: RunningServer
  before(async function () {
    need(this, TOOL)
    const [endpointsDir, tablesDir, dataDir] = ['endpoints', 'schemas/tables', 'data'].map(name => folder.path(name))
    for (const name of ['endpoints', 'schemas/tables'])
      for (const project of ['.', 'examples/ga4']) cpSync(`${project}/${name}`, folder.path(name), { recursive: true })
    writeFileSync(folder.path('endpoints/tests.quotient.yaml'), MANIFEST)
    mkdirSync(dataDir!)
    const sampled = await command(['sample', '--data', dataDir!, '--count', '1000'])
    expect(sampled.code, sampled.err).to.equal(0)
    const events = ['examples/ga4/sample.mjs', '--until', '2026-01-31', '--days', '9', '--data', dataDir!]
    expect(spawnSync(process.execPath, events).status).to.equal(0)
    const places = { endpointsDir: endpointsDir!, tablesDir: tablesDir!, dataDir: dataDir! }
    runner = await createRunner({ ...places, port: 0, token: TOKEN, engineMemoryMb: 512 })
    server = await runner.listen()
  })
  after(async () => {
    await server?.close()
    await runner?.close()
    folder.remove()
  })

  async function schemathesis(...more: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
    const config = ['--config-file', resolve('test/openapi/schemathesis.toml')]
    const seed = ['--seed', process.env['SLUICE_FUZZ_SEED'] ?? '1']
    const argv = [...config, 'run', `${server.url}/openapi.json?formats=all`, ...seed, '--no-color', ...more]
    const options = { cwd: folder.path('.'), env: { ...process.env, TOKEN }, maxBuffer: 2 ** 26 }
    try {
      return { code: 0, out: (await promisify(execFile)(`${INSTALLED}/venv/bin/st`, argv, options)).stdout }
    } catch (thrown) {
      const { code, stdout, stderr } = thrown as {
        readonly code: number
        readonly stdout: string
        readonly stderr: string
      }
      return { code, out: stdout + stderr }
    }
  }

  it('finds nothing in endpoints that are sound', async () => {
    const { code, out } = await schemathesis('--exclude-name', FAULTY)
    expect(code, out).to.equal(0)
    expect(out).to.match(/^ {2}Tested: 9$/m)
  })

  it('finds a query that fails for some arguments', async () => {
    const { code, out } = await schemathesis('--include-name', FAULTY)
    expect(code, out).to.equal(1)
    expect(out).to.include('Server error').and.include('divisor=0')
  })
})
