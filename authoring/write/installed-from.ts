/** Where this package was installed from, as a package.json names it. */
import { readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { ownPackage } from '../../runner/platform/own-package.js'

interface Lock {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>
}
interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const NAME = ownPackage().name

/** The end of the address at which a registry serves a version; the file's name lacks a scope. */
const REGISTRY_TARBALL = new RegExp(`/${NAME}/-/${NAME.replace(/^.*\//, '')}-[^/]+\\.tgz$`)

/**
 * `^1.2.0` from a registry, `file:../sluice-1.2.0.tgz` (relative to `folder`), an address of a tarball, or a git address with its commit.
 * A clone is named by its path.
 * @param root the folder of this package
 * @param folder the folder of the package.json that will name it
 */
export function installedFrom(root: string, folder: string): string {
  const at = root.split(sep).indexOf('node_modules')
  if (at === -1) return fileAddress(root, folder)
  const project = root.split(sep).slice(0, at).join(sep) || sep
  const lock = readJson<Lock>(join(project, 'node_modules', '.package-lock.json'))
  const manifest = readJson<Manifest>(join(project, 'package.json'))
  const spec =
    lock?.packages?.[`node_modules/${NAME}`]?.resolved ??
    manifest?.dependencies?.[NAME] ??
    manifest?.devDependencies?.[NAME] ??
    ''
  if (spec.startsWith('file:')) return fileAddress(resolve(project, spec.slice('file:'.length)), folder)
  if (/^git[+:@]|^(github|gitlab|bitbucket):/.test(spec)) return spec
  if (/^https?:/.test(spec) && !REGISTRY_TARBALL.test(spec)) return spec
  return `^${readJson<Manifest>(join(root, 'package.json'))?.version}`
}

/** Whether this package.json has a dependency on Sluice. */
export function dependsOnSluice(file: string): boolean {
  const manifest = readJson<Manifest>(file)
  return manifest?.dependencies?.[NAME] !== undefined || manifest?.devDependencies?.[NAME] !== undefined
}

const fileAddress = (path: string, folder: string): string => {
  const from = relative(folder, path).split(sep).join('/')
  return `file:${from.startsWith('.') ? from : `./${from}`}`
}

/** Null where there is no such file, or no JSON in it. */
function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return null
  }
}
