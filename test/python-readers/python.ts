/** The Python in which tests read results, with the packages of requirements.txt. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const FOLDER = resolve('.cache/python-readers')
const INSTALLED = join(FOLDER, 'installed')
/** Packages that were installed for an older list count as missing. */
const IS_INSTALLED =
  existsSync(INSTALLED) &&
  readFileSync(INSTALLED, 'utf8') === readFileSync('test/python-readers/requirements.txt', 'utf8')

export const PYTHON = join(FOLDER, 'venv/bin/python')

/** A suffix for the title of a suite that needs the packages: why it is pending; empty when it runs. */
export const WHY_PENDING = IS_INSTALLED
  ? ''
  : ' (pending: no Python packages; test/python-readers/install.sh installs them)'

/** Without the packages, marks the suite as pending; fails it where they are required. */
export function needPython(context: Mocha.Context): void {
  if (IS_INSTALLED) return
  if (process.env['SLUICE_TEST_REQUIRE'] === 'all')
    throw new TypeError('the Python packages are needed, but not installed')
  context.skip()
}
