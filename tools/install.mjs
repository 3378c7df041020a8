/** Installs the packages that package-lock.json names, unless they are already installed. `make` runs it. */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { alone } from './alone.mjs'

const MARK = 'node_modules/.installed'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const isInstalled = () =>
  existsSync(MARK) && ['package.json', 'package-lock.json'].every(path => statSync(path).mtimeMs <= statSync(MARK).mtimeMs)

process.exitCode = await alone(() => {
  if (isInstalled()) return 0
  console.error('installing the packages that it needs…')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['ci', ...flags], { stdio: 'inherit' })
  if (status === 0) writeFileSync(MARK, '')
  return status ?? 1
})
