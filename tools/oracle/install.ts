/** Installs the reference implementation, in the version of its lock file, into a cache folder. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../.cache/oracle', import.meta.url))
const MANIFESTS = ['package.json', 'package-lock.json']

/** The folder whose node_modules holds the reference. Downloads 350 MB if the reference is missing or has another version. */
export function installReference(): string {
  const source = (name: string): URL => new URL(`npm/${name}`, import.meta.url)
  const isInstalled =
    existsSync(join(CACHE, 'node_modules')) &&
    MANIFESTS.every(name => readFileSync(source(name), 'utf8') === readFileSync(join(CACHE, name), 'utf8'))
  if (!isInstalled) {
    mkdirSync(CACHE, { recursive: true })
    for (const name of MANIFESTS) copyFileSync(source(name), join(CACHE, name))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: CACHE, stdio: 'inherit' })
  }
  return CACHE
}
