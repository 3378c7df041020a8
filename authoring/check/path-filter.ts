/** Limits the checks of manifests to the files and folders that a command names. */

import { existsSync } from 'node:fs'
import { basename, posix, resolve, sep } from 'node:path'
import { nearest } from '../../googlesql/index.js'
import { isManifest, noSuchPath } from '../../runner/manifest/discover.js'
import { namesBelow } from '../../runner/manifest/names-below.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { proposing } from '../../runner/model/suggest.js'

/**
 * `isWanted` tells whether `only` names a file below `dir`, or a folder around it; an empty list names all files. A path that names
 * no file or folder below `dir` is a mistake.
 */
export async function filterPaths(dir: string, only: readonly string[]) {
  if (only.length === 0) return { isWanted: () => true, mistakes: [] }
  const names = await namesBelow(dir).catch(() => []) // The load reports a folder that cannot be read.
  const paths = names.map(name => posix.join(dir.split(sep).join('/'), name))
  const outside = only.filter(path => !contains(path, dir) && !paths.some(file => contains(path, file)))
  return {
    isWanted: (file: string) => only.some(path => contains(path, file)),
    mistakes: outside.map(path => unreadPath(dir, path, paths)),
  }
}

/** Whether the file is this path, or is below the folder that the path names. */
export function contains(path: string, file: string): boolean {
  const [outer, inner] = [resolve(path), resolve(file)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}

/** The diagnostic for a path that is not among `paths`, which the load reads. */
function unreadPath(dir: string, path: string, paths: readonly string[]): Diagnostic {
  if (existsSync(path)) {
    const message = contains(dir, path)
      ? 'is not read: files and folders whose names begin with a dot are skipped'
      : `is not below ${dir}, the folder of manifests that --endpoints or SLUICE_ENDPOINTS names`
    return diagnosticAt({ file: path, line: 1, column: 1 }, 'manifest/unreadable', message)
  }
  // The name of an endpoint, or of a file without its folder, leads to its manifest too.
  const manifests = new Map(paths.filter(isManifest).map(file => [basename(file, '.yaml'), file]))
  const meant = nearest(path, paths) ?? manifests.get(nearest(basename(path, '.yaml'), manifests.keys()) ?? '')
  return noSuchPath(path, proposing(meant, ` below ${dir}`).hint)
}
