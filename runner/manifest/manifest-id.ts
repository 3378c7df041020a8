/** Finds the id of the manifest with a given name, without loading manifests. */
import { discover } from './discover.js'
import { parseManifest } from './yaml/parse.js'

/** The id in lower case; null when no readable manifest below `dir` has the name. */
export async function manifestId(dir: string, name: string): Promise<string | null> {
  const { manifests } = await discover(dir)
  for (const { file, text } of manifests) {
    const { value } = parseManifest(file, text)
    if (typeof value !== 'object' || value === null) continue
    const { name: found, id } = value as { name?: unknown; id?: unknown }
    if (found === name && typeof id === 'string') return id.toLowerCase()
  }
  return null
}
