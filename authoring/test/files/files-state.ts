/** A fingerprint of the files that tests depend on: manifests, partials, test files, fixtures, table schemas, functions. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { namesBelow } from '../../../runner/manifest/names-below.js'
import type { SourceFolders } from '../../../runner/manifest/watch/source-state.js'
import { fileStamp } from '../../../runner/model/file-stamp.js'

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
  const lines: string[] = []
  for (const folder of folders) {
    const names = await namesBelow(folder).catch((error: unknown) => [String(error)])
    for (const name of names) lines.push(`${name} ${await stampOf(`${folder}/${name}`)}`)
  }
  return lines.join('\n')
}

async function stampOf(path: string): Promise<string> {
  try {
    return fileStamp(await stat(path, { bigint: true }))
  } catch {
    return 'cannot be read'
  }
}
