/**
 * A package registry on loopback: Verdaccio, which serves what a test publishes and passes all else on to the registry that npm is
 * set up with. npm gets a home and a cache of its own, so that nothing that the machine holds already can answer.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../free-port.js'
import { until } from '../until.js'

const VERDACCIO = resolve('.cache/registry/npm/node_modules/verdaccio/bin/verdaccio')
/** Settings of npm and of the network that a process needs to reach a registry. */
const FOR_NPM = /^npm_config_|_proxy$|^NODE_EXTRA_CA_CERTS$/i

export interface OwnRegistry {
  readonly url: string
  /** An empty folder, which is removed with the registry. */
  readonly folder: string
  /** The settings by which npm uses this registry, as variables. */
  readonly npm: Readonly<Record<string, string>>
  /** An environment with them. */
  readonly env: NodeJS.ProcessEnv
  close(): Promise<void>
}

/** Node would measure what of these programs runs, too: gigabytes of it. */
export const UNCOVERED = { NODE_V8_COVERAGE: '' }

const npmSetting = (name: string): string =>
  spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim()

export async function openRegistry(): Promise<OwnRegistry> {
  const root = mkdtempSync(join(tmpdir(), 'sluice-registry-'))
  for (const name of ['home', 'work']) mkdirSync(join(root, name))
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const url = `http://${address}/`
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => FOR_NPM.test(name)))
  // npm may be told of certificates in a file that Node does not know.
  const cafile = npmSetting('cafile')
  const certificates = cafile === 'null' ? {} : { NODE_EXTRA_CA_CERTS: cafile }
  const config = {
    storage: join(root, 'storage'),
    auth: { htpasswd: { file: join(root, 'htpasswd') } },
    uplinks: { npm: { url: npmSetting('registry'), maxage: '1h' } },
    packages: { '**': { access: '$all', publish: '$authenticated', proxy: 'npm' } },
    // Longer than any command of a test, during which this process cannot see that an idle connection was closed.
    server: { keepAliveTimeout: 900 },
    log: { type: 'stdout', level: 'error' },
  }
  // YAML, which JSON is.
  writeFileSync(join(root, 'config.yaml'), JSON.stringify(config))
  const server = spawn(process.execPath, [VERDACCIO, '--config', join(root, 'config.yaml'), '--listen', address], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: join(root, 'home'),
      NODE_NO_WARNINGS: '1',
      ...UNCOVERED,
      ...own,
      ...certificates,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await until(async () => (await fetch(`${url}-/ping`)).ok, 'Verdaccio answers')
  const user = await fetch(`${url}-/user/org.couchdb.user:tester`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'tester', password: 'a-password-of-tests' }),
  })
  const { token } = (await user.json()) as { token: string }
  writeFileSync(
    join(root, 'home/.npmrc'),
    `registry=${url}\n//${address}/:_authToken=${token}\nupdate-notifier=false\n`,
  )
  const npm = {
    ...(own as Record<string, string>),
    npm_config_registry: url,
    npm_config_cache: join(root, 'cache'),
    npm_config_userconfig: join(root, 'home/.npmrc'),
  }
  return {
    url,
    folder: join(root, 'work'),
    npm,
    env: { PATH: process.env['PATH'], HOME: join(root, 'home'), TMPDIR: join(root, 'work'), ...UNCOVERED, ...npm },
    close: async () => {
      await ended(server)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve()
  const exit = new Promise<void>(done => child.once('exit', () => done()))
  child.kill('SIGTERM')
  return exit
}

/** Publishes this checkout, whose dist/ is built: other tests run it meanwhile. */
export function publishCheckout({ env }: OwnRegistry): void {
  const { status, stderr } = spawnSync('npm', ['publish', '--ignore-scripts'], { env, encoding: 'utf8' })
  if (status !== 0) throw new TypeError(stderr)
}

/** What the registry has of a package. */
export async function published(url: string, name: string): Promise<Published> {
  return (await (await fetch(url + name)).json()) as Published
}

interface Published {
  readonly versions: Readonly<Record<string, PublishedVersion>>
  readonly 'dist-tags': Readonly<Record<string, string>>
}

interface PublishedVersion {
  readonly scripts?: Readonly<Record<string, string>>
  readonly dist: { readonly tarball: string }
}

export const ownManifest = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string }
