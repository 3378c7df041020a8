/** Where this package was installed from, as a package.json names it. */
import { readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { ownPackage } from '../../runner/platform/own-package.js'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const { name: NAME, version: VERSION } = ownPackage()

/**
 * `^1.2.0` from a registry, `file:../sluice-1.2.0.tgz` (relative to `folder`), an address of a tarball, or a git address, as the
 * package.json of the installation has it. A clone is named by its path.
 * @param root the folder of this package
 * @param folder the folder of the package.json that will name it
 */
export function installedFrom(root: string, folder: string): string {
  const index = root.split(sep).indexOf('node_modules')
  if (index === -1) return fileAddress(root, folder)
  const project = root.split(sep).slice(0, index).join(sep) || sep
  const spec = dependencyOnSluice(join(project, 'package.json')) ?? ''
  if (spec.startsWith('file:')) return fileAddress(resolve(project, spec.slice('file:'.length)), folder)
  return /^(?:git[+:@]|https?:|github:|gitlab:|bitbucket:)/.test(spec) ? spec : `^${VERSION}`
}

/** The dependency on Sluice that this package.json has; undefined without a dependency, or if the file cannot be read. */
export function dependencyOnSluice(file: string): string | undefined {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
    return dependencies?.[NAME] ?? devDependencies?.[NAME]
  } catch {
    return undefined
  }
}

const fileAddress = (path: string, folder: string): string => {
  const from = relative(folder, path).split(sep).join('/')
  return `file:${from.startsWith('.') ? from : `./${from}`}`
}
