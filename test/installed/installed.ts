/**
 * The tools of other makers that tests need, which test/installed/install.sh installs. A test whose tool is missing is pending and says
 * so. SLUICE_TEST_REQUIRE=all says that all must be there: such a test then fails.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const CACHE = resolve('.cache')
const HERE = resolve('test/installed')

/** What is installed into .cache: a mark there has the text of the lock file, so that what an older one lists counts as missing. */
const LOCKED: Readonly<Record<string, readonly [mark: string, lock: string]>> = {
  'the BigQuery emulator': ['bigquery-emulator/installed', 'bigquery-emulator.txt'],
  'the Python packages': ['python-readers/installed', 'python-readers.txt'],
  'Schemathesis and openapi-python-client': ['openapi-generators/python-installed', 'openapi-python.txt'],
  'oapi-codegen': ['openapi-generators/go-installed', 'openapi-go/oapi-codegen.version'],
  Verdaccio: ['registry/installed', 'registry/package-lock.json'],
  vsce: ['vscode-extension/installed', '../../editors/vscode/package-lock.json'],
  'Spectral and Postman': ['openapi-generators/npm-installed', 'openapi-npm/package-lock.json'],
}

export const isRequired = process.env['SLUICE_TEST_REQUIRE'] === 'all'

/** The Python in which tests read results. */
export const PYTHON = join(CACHE, 'python-readers/venv/bin/python')

/** Whether a tool is installed: one of LOCKED, or else a program in PATH. */
export function isInstalled(tool: string): boolean {
  const files = LOCKED[tool]
  if (files === undefined) return spawnSync('sh', ['-c', 'command -v "$0"', tool], { stdio: 'ignore' }).status === 0
  const [mark, lock] = [join(CACHE, files[0]), join(HERE, files[1])]
  return existsSync(mark) && readFileSync(mark, 'utf8') === readFileSync(lock, 'utf8')
}

/** A suffix for the title of a suite or a test that needs these tools: why it is pending; empty when it runs. */
export function whyPending(...tools: readonly string[]): string {
  const missing = isRequired ? [] : tools.filter(tool => !isInstalled(tool))
  return missing.length === 0 ? '' : ` (pending: no ${missing.join(', ')}; test/installed/install.sh installs it)`
}

/** Without these tools, marks the suite or the test as pending, or fails it where they are required. */
export function need(context: Mocha.Context, ...tools: readonly string[]): void {
  const missing = tools.filter(tool => !isInstalled(tool))
  if (missing.length === 0) return
  if (isRequired) throw new TypeError(`needed, but not installed: ${missing.join(', ')}`)
  context.skip()
}
