/** A fingerprint of manifests, partials, examples, table schemas and functions, from the state of their files, which are not read. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileStamp } from '../../model/file-stamp.js'
import { isManifest, isPartial } from '../discover.js'
import { isExample } from '../example-rows.js'
import { isFunctionFile } from '../functions/load.js'
import { namesBelow } from '../names-below.js'
import { isTableSchema } from '../tables/load.js'

export interface SourceFolders {
  readonly endpointsDir: string
  readonly tablesDir: string
  readonly functionsDir: string
}

/** The most `stat` calls at a time, so that the thread pool keeps threads free for compressing results. */
const MAX_STATS = 8

/**
 * Equal fingerprints mean equal files: names, sizes, times of change and inodes of every file that would be read, with links
 * followed. A file that cannot be read has a state of its own. Never rejects.
 */
export async function sourceState({ endpointsDir, tablesDir, functionsDir }: SourceFolders): Promise<string> {
  const hash = createHash('sha256')
  for (const line of await statesOf(endpointsDir, isSource)) hash.update(line)
  for (const line of await statesOf(tablesDir, isTableSchema)) hash.update(line)
  for (const line of await statesOf(functionsDir, isFunctionFile)) hash.update(line)
  return hash.digest('base64url')
}

const isSource = (name: string): boolean => isManifest(name) || isPartial(name) || isExample(name)

/** A line for each wanted file below the folder. Never rejects. */
export async function statesOf(folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]> {
  let names: readonly string[]
  try {
    names = (await namesBelow(folder)).filter(isWanted)
  } catch (error) {
    return [`cannot be read: ${codeOf(error)}\n`]
  }
  const states: string[] = []
  for (let i = 0; i < names.length; i += MAX_STATS) {
    const batch = names.slice(i, i + MAX_STATS)
    states.push(...(await Promise.all(batch.map(async name => `${name}\0${await stateOf(join(folder, name))}\n`))))
  }
  return [...states, '\n']
}

async function stateOf(path: string): Promise<string> {
  try {
    const stats = await stat(path, { bigint: true })
    return `${stats.dev} ${fileStamp(stats)}`
  } catch (error) {
    return `cannot be read: ${codeOf(error)}`
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code)
