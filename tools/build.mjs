/**
 * Compiles to dist/. npm runs this as `prepare`, also when the package is installed from a git address, on a machine that may
 * not have make. With `--if-stale` it does nothing if no source is newer than the last build.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alone } from './alone.mjs'

const MARK = 'dist/.built'
/** The Makefile has the same list. `make` writes the last file when it has installed the packages, which the build bundles. */
const SOURCES = [
  ...['explorer', 'googlesql', 'googlesql-duckdb', 'runner', 'authoring', 'cli', 'tools/alone.mjs', 'tools/build.mjs', 'tools/build-explorer.mjs'],
  ...['tools/build-macros.mjs', 'tools/bundle-program.mjs', 'tools/third-party-licenses.mjs', 'schemas/endpoint.schema.json'],
  ...['schemas/test.schema.json', 'tsconfig.json', 'tsconfig.build.json', 'node_modules/.installed'],
]

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const filesOf = path =>
  statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map(name => join(path, name)) : [path]

function isBuilt() {
  if (!existsSync(MARK)) return false
  const built = statSync(MARK).mtimeMs
  return SOURCES.filter(path => existsSync(path)).flatMap(filesOf).every(path => statSync(path).mtimeMs <= built)
}

/** The path of the TypeScript compiler; null where only the dependencies of the program at run time are installed. */
function compiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc')
  } catch {
    return null
  }
}

async function build() {
  const tsc = compiler()
  if (tsc === null) {
    console.error('not compiled: TypeScript is not installed')
    // `npm ci --omit=dev` in a clone runs `prepare` too, and needs no build.
    return /\bdev\b/.test(process.env['npm_config_omit'] ?? '') ? 0 : 1
  }
  console.error('compiling…')
  rmSync('dist', { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
  if (status !== 0) return status ?? 1
  const { bundleProgram } = await import('./bundle-program.mjs')
  const bundled = await bundleProgram()
  chmodSync('dist/cli/main.js', 0o755)
  const { buildExplorer } = await import('./build-explorer.mjs')
  bundled.push(...(await buildExplorer()))
  const { buildMacros } = await import('./build-macros.mjs')
  await buildMacros()
  const { writeLicenses } = await import('./third-party-licenses.mjs')
  writeLicenses(bundled)
  writeFileSync(MARK, '')
  return 0
}

process.exitCode = await alone(() => (process.argv.includes('--if-stale') && isBuilt() ? 0 : build()))
