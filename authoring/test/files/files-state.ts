/** A fingerprint of the files that tests depend on: manifests, partials, test files, fixtures, table schemas, functions. */
import { dirname } from 'node:path'
import { type SourceFolders, statesOf } from '../../../runner/manifest/watch/source-state.js'

/**
 * Changes with every file below the folders, and below those of the paths that were named. Never rejects: what cannot be read
 * has a state of its own.
 */
export async function testFilesState(
  { endpointsDir, tablesDir, functionsDir }: SourceFolders,
  paths: readonly string[],
): Promise<string> {
  const folders = new Set([
    endpointsDir,
    tablesDir,
    functionsDir,
    ...paths.map(path => (path.endsWith('.yaml') ? dirname(path) : path)),
  ])
  const states: string[] = []
  for (const folder of folders) states.push(...(await statesOf(folder, () => true)))
  return states.join('')
}
